/** Creates a new dataset from a past state of a dataset with a person's changes: one file, one durable job. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../core/ports.ts';
import type { Comparisons, ItemJobs } from '../datasets/types.ts';
import type { Snapshots } from '../library/snapshots.ts';
import { WITH_RETRIES } from '../shared/busy-files.ts';
import type { Dialect } from '../shared/dialect.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import { ITEM_PLACES, type ItemsJob, type ItemsPlan } from '../shared/items-model.ts';
import type { ChosenItems } from '../shared/run-comparison.ts';
import type { Recreation } from '../shared/snapshot-model.ts';
import type { FileRegistry } from '../uploads/types.ts';

interface RecreateDeps {
  snapshots: Pick<Snapshots, 'write'>;
  comparisons: Pick<Comparisons, 'items'>;
  items: Pick<ItemJobs, 'create'>;
  files: Pick<FileRegistry, 'offer'>;
  /** Files in this folder are deleted if nothing has read them for long. */
  copiesDir: string;
  random: Random;
}

const ITEMS_PER_REQUEST = 200;
/** The dialect that `write` produces. */
const DIALECT: Dialect = {
  format: 'jsonl',
  encoding: 'utf-8',
  delimiter: ',',
  quote: '"',
  hasHeader: true,
  nullWords: [],
};

/**
 * Starts the job that creates the dataset and adds the items. Throws INVALID_ARGUMENT if there is no such snapshot, or
 * no item is left.
 */
export async function recreateDataset(
  { snapshots, comparisons, items, files, copiesDir, random }: RecreateDeps,
  { snapshotId, number, name, applicationId, of, edits, chosen }: Recreation,
): Promise<ItemsJob> {
  const kept = chosen === undefined ? null : await idsOf(comparisons, chosen);
  const folder = join(copiesDir, `version-${random.uuid()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const path = join(folder, `version ${number}.jsonl`);
    const { rows } = await snapshots.write(snapshotId, path, edits, kept);
    if (rows === 0) throw new AppError('INVALID_ARGUMENT', 'Expected at least one item, got none.');
    const [file] = await files.offer([path]);
    if (file === undefined) throw new AppError('FILE_NOT_FOUND', `Expected the file ${path}, got none.`);
    if (file.error !== null) throw fromWire(file.error);
    const plan: ItemsPlan = {
      ...{ datasetId: '', datasetName: name, newIn: { applicationId } },
      copyOf: {
        ...{ datasetId: of.id, name: of.name, version: number },
        changes: edits === null ? 0 : edits.replaced.length + edits.removed.length + edits.added.length,
        ...(kept === null ? {} : { chosen: kept.length }),
      },
      ...{ fileId: file.fileId, fileName: file.name, dialect: DIALECT },
      columns: ITEM_PLACES.map((place) => ({
        ...{ source: place, place, field: '' },
        type: place === 'source_id' || place === 'source_name' ? 'str' : 'json',
      })),
      ...{ flattens: false, onBadRow: 'skip', itemsPerRequest: ITEMS_PER_REQUEST },
    };
    return await items.create(plan, true, null);
  } catch (problem) {
    await rm(folder, WITH_RETRIES);
    throw problem;
  }
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
