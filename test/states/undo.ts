/** Every small plan of deletions that undo an upload: no day exceeds its limit, and no event is named twice. */
import { planUndo } from '../../electron/core/jobs/undo.ts';
import { DAY_MS } from '../../electron/core/limits/limits.ts';
import type { Machine } from './explore.ts';

const HALF_DAY_MS = DAY_MS / 2;
/**
 * Deletions begin at most this much later than a day apart, so that differing clocks do not exceed the limit of a day.
 */
const APART_MS = DAY_MS + 600_000;
const PLANNED = [...[0, 1, 2, 3, 4].map((halves) => halves * HALF_DAY_MS), APART_MS].toSorted(
  (a, b) => a - b,
);

export interface UndoCase {
  readonly ids: number;
  readonly perDeletion: number;
  readonly left: number;
  readonly limit: number;
  /** Start times of deletions that are already planned. */
  readonly planned: readonly number[];
}

function* cases(maxIds: number): Generator<UndoCase> {
  const lists: number[][] = [[], ...PLANNED.map((one) => [one])];
  for (const one of PLANNED) for (const two of PLANNED) if (two >= one) lists.push([one, two]);
  for (let ids = 0; ids <= maxIds; ids += 1)
    for (let perDeletion = 1; perDeletion <= 3; perDeletion += 1)
      for (let limit = 0; limit <= 4; limit += 1)
        for (let left = 0; left <= limit; left += 1)
          for (const planned of lists) yield { ids, perDeletion, left, limit, planned };
}

function problemOf({ ids, perDeletion, left, limit, planned }: UndoCase): string | null {
  const all = new Set(Array.from({ length: ids }, (_, at) => `e${at}`));
  const plan = planUndo(all, { nowMs: 0, left, limit, planned }, perDeletion);
  const named = plan.flatMap((deletion) => deletion.ids);
  if (named.length !== ids || new Set(named).size !== ids) return 'An event is named twice, or not at all.';
  if (plan.length !== Math.ceil(ids / perDeletion)) return 'There are more deletions than are needed.';
  if (plan.some((deletion) => deletion.ids.length > perDeletion)) return 'A deletion names too many.';
  const starts = plan.map(({ startAtMs }) => startAtMs);
  if (starts.some((start, at) => start < (starts[at - 1] ?? 0))) return 'A later deletion starts earlier.';
  if (starts.filter((start) => start === 0).length > left) return 'Today gets more than is left of it.';
  if (planned.every((start) => start >= APART_MS)) {
    const today = starts.filter((start) => start === 0).length;
    if (today < Math.min(left, plan.length))
      return 'Today is not used up, although nothing else is planned for it.';
  }
  for (const from of [...starts, ...planned]) {
    const own = starts.filter((start) => start >= from && start < from + DAY_MS).length;
    const others = planned.filter((start) => start >= from && start < from + DAY_MS).length;
    // Deletions that were planned before may exceed the limit by themselves.
    if (own > 0 && own + others > Math.max(1, limit, others)) return 'A day gets more than its limit.';
  }
  return null;
}

export function undoMachine(maxIds: number): Machine<UndoCase> {
  return {
    name: `plans to take back up to ${maxIds} events`,
    starts: [...cases(maxIds)],
    steps: () => [],
    key: (state) => JSON.stringify(state),
    problem: problemOf,
    isEnd: () => true,
  };
}
