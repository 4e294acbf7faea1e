/** Items of a dataset or results of an experiment, from the rows of a file. Pure. */
import {
  ITEM_PART_STATES,
  type ItemsJob,
  type ItemsPlan,
  itemsOperation,
  itemsPlan,
  itemsTitle,
} from '../items-model.ts';
import * as z from '../zod.ts';
import { ifPlanned, type JobKind, type JobOf, RUNNING, told, WRITES } from './job-kind.ts';

export const itemsKind = {
  id: 'items',
  storedAs: 'items',
  damaged: { noun: 'addition of items', goes: 'with its receipts' },
  /** Creates a job for an offered file. `startsNow` false: it waits to be started. */
  plan: z.strictObject({ items: itemsPlan, startsNow: z.boolean(), told }),
  noRepeat: WRITES,
  actions: [...RUNNING, 'cancel'],
  // `doubtful`: acknowledged, but the answer is not a receipt of the items.
  parts: [...ITEM_PART_STATES, 'doubtful'],
  files: ['receipts'],
} as const satisfies JobKind;

export function itemsAsJob(own: ItemsJob): JobOf<'items', ItemsJob> {
  const { itemsId: id, plan, state, reason, error, counts } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  const { rows, badRows, added, refused, unknown, givenUp } = counts;
  return {
    ...{ kind: 'items', id, state, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    title: itemsTitle(plan),
    progress: { done: badRows + added + refused + givenUp, total: rows },
    unknown,
    requests: ifPlanned(own, () => [{ operation: itemsOperation(plan), count: own.requests }]),
    of: ownerOf(plan),
  };
}

/** The dataset that gets the items, or the experiment that gets the results. */
function ownerOf({ experiment, datasetId: id, datasetName: name }: ItemsPlan) {
  return experiment ?? (id === '' ? null : { id, name });
}
