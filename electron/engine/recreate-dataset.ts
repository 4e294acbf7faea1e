/** Creates a new dataset from an earlier state of a dataset and a person's changes, by a file and a durable job. */
import type { Comparisons, ItemJobs } from '../datasets/types.ts';
import type { Snapshots } from '../library/snapshots.ts';
import { AppError } from '../shared/errors.ts';
import { ITEM_PLACES, type ItemsJob, type ItemsPlan } from '../shared/items-model.ts';
import type { ChosenItems } from '../shared/run-comparison.ts';
import type { Recreation } from '../shared/snapshot-model.ts';
import { type WrittenFileDeps, withWrittenFile } from './written-file.ts';

interface RecreateDeps extends WrittenFileDeps {
  snapshots: Pick<Snapshots, 'write'>;
  comparisons: Pick<Comparisons, 'items'>;
  items: Pick<ItemJobs, 'create'>;
}

const ITEMS_PER_REQUEST = 200;

/**
 * Starts the job that creates the dataset and adds the items. Throws INVALID_ARGUMENT if the snapshot does not exist,
 * or if no items are left.
 */
export async function recreateDataset(
  { snapshots, comparisons, items, ...deps }: RecreateDeps,
  { snapshotId, number, name, applicationId, of, edits, chosen }: Recreation,
): Promise<ItemsJob> {
  const kept = chosen === undefined ? null : await idsOf(comparisons, chosen);
  const write = async (path: string) => {
    const { rows } = await snapshots.write(snapshotId, path, edits, kept);
    if (rows === 0) throw new AppError('INVALID_ARGUMENT', 'Expected at least one item, got none.');
  };
  return withWrittenFile(deps, `version ${number}.jsonl`, write, (file) => {
    const plan: ItemsPlan = {
      ...{ datasetId: '', datasetName: name, newIn: { applicationId } },
      copyOf: {
        ...{ datasetId: of.id, name: of.name, version: number },
        changes: edits === null ? 0 : edits.replaced.length + edits.removed.length + edits.added.length,
        ...(kept === null ? {} : { chosen: kept.length }),
      },
      ...file,
      columns: ITEM_PLACES.map((place) => ({
        ...{ source: place, place, field: '' },
        type: place === 'source_id' || place === 'source_name' ? 'str' : 'json',
      })),
      ...{ flattens: false, onBadRow: 'skip', itemsPerRequest: ITEMS_PER_REQUEST },
    };
    return items.create(plan, true, null);
  });
}

const IDS_AT_ONCE = 500;

async function idsOf(comparisons: RecreateDeps['comparisons'], query: ChosenItems): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = await comparisons.items({ ...query, offset: ids.length, limit: IDS_AT_ONCE });
    for (const { itemId } of page) ids.push(itemId);
    if (page.length < IDS_AT_ONCE) return ids;
  }
}
