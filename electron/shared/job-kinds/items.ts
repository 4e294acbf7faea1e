/** Items of a dataset, from the rows of a file. Pure. */
import { z } from 'zod';
import { ITEM_PART_STATES, type ItemsJob, itemsPlan, itemsTitle } from '../items-model.ts';
import { ifPlanned, type JobKind, type JobOf, RUNNING, told } from './job-kind.ts';

export const itemsKind = {
  id: 'items',
  storedAs: 'items',
  damaged: { noun: 'addition of items', goes: 'with its receipts' },
  /** For an offered file. `startsNow` false: it waits to be started. */
  plan: z.strictObject({ items: itemsPlan, startsNow: z.boolean(), told }),
  actions: [...RUNNING, 'cancel'],
  parts: ITEM_PART_STATES,
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
    requests: ifPlanned(own, () => [{ operation: 'datasets.add-items', count: own.requests }]),
    of: plan.datasetId === '' ? null : { id: plan.datasetId, name: plan.datasetName },
  };
}
