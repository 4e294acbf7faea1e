import type { BuildBatch } from '../../../../electron/shared/build-batch-model.ts';
import type { DatasetBuild } from '../../../../electron/shared/dataset-model.ts';
import { client } from '../../../lib/client.ts';
import { PagedRows } from '../../../state/uploads-paged.svelte.ts';

/** The from-spans calls of a build, in the order they were cut. */
export function callsOf({ connectionId, buildId }: DatasetBuild): PagedRows<BuildBatch> {
  return new PagedRows(async (offset, limit) => {
    const { batches, total } = await client.invoke('builds:list-batches', {
      connectionId,
      buildId,
      offset,
      limit,
    });
    return { rows: batches, total };
  });
}

/** Changes whenever a call of the build did. */
export function callsVersion({ state, batches, changedAtMs }: DatasetBuild): string {
  return [state, batches.total, batches.acknowledged, batches.unknown, changedAtMs].join();
}
