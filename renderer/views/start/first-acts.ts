/** Actions of the first steps in the sample workspace. All throw AppError. */
import { SAMPLE_FILE } from '../../../electron/shared/sample-file.ts';
import { client } from '../../lib/client.ts';
import type { Row } from '../../lib/grid/columns.ts';
import { basketOf } from '../../state/baskets.ts';
import { changeBuild } from '../../state/build-actions.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import { checkSampleFile } from '../parts/upload-routes.ts';
import { placedIn } from '../spans/quick-action.ts';
import { openBuild } from '../spans/routes.ts';

/**
 * Puts these spans of a list into a new basket with the suggested mapping, and opens the preview of its items. Returns
 * the id of the basket.
 */
export async function makeDataset(
  list: ListModel,
  rows: readonly Row[],
  application: { id: string; name: string },
): Promise<string> {
  const { connectionId } = list;
  const basket = basketOf(connectionId, application);
  const { buildId, name } = await basket.beginWith(
    () => basket.pick(placedIn(list, rows)),
    async (build) => {
      const named = { connectionId, buildId: build.buildId };
      const { entries } = await client.act('builds:read', 'suggest-mapping', named);
      const mapping = entries.map(({ bucket, field, key }) => ({ bucket, field, key }));
      await changeBuild(named, { type: 'settings', patch: { mapping } });
    },
  );
  openBuild(buildId, name, 'preview');
  return buildId;
}

/** Opens the check of the file with problems. `models`: contains the model that the file is for, if known. */
export async function checkFile(models: readonly Row[]): Promise<boolean> {
  const model = models.find(({ name }) => name === SAMPLE_FILE.model);
  const id = model?.['id'];
  return checkSampleFile(typeof id === 'string' ? { id, name: SAMPLE_FILE.model } : null);
}
