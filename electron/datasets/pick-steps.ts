/**
 * Undoes and redoes changes of a basket. Each action is one step, whose spans the store removes and restores in pieces.
 */

import type { BuildEvent } from '../core/jobs/build-job.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredBuild } from '../db/build-store.ts';
import type { PlacedSpan } from '../db/pick-step-store.ts';
import type { PickStep, StepDirection } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import type { BuildLedger } from './build-ledger.ts';
import { markAdded } from './build-runner.ts';
import type { DatasetsDeps } from './types.ts';

type StepDeps = Pick<DatasetsDeps, 'store' | 'clock'>;

/** Number of spans moved in one commit. More would block the main thread for too long. */
export const CHUNK = 100;

/** One action in progress. It is created in the store with the first span that it changes. */
export class PickAct {
  readonly #store: StepDeps['store'];
  readonly #what: PickStep['what'];
  #step: number | null = null;

  /** `continues`: extends the basket's latest action if it was of the same kind. */
  constructor(
    { store }: Pick<StepDeps, 'store'>,
    ledger: BuildLedger,
    what: PickStep['what'],
    continues = false,
  ) {
    this.#store = store;
    this.#what = what;
    if (!continues) return;
    const { undo, redo } = store.steps.next(ledger.id);
    if (redo === null && undo?.what === what) this.#step = undo.step;
  }

  /** Adds `positions`, which must be ascending, to the action, and returns its step. Must be called within a commit. */
  grow(ledger: BuildLedger, positions: readonly number[]): number {
    const { steps } = this.#store;
    this.#step ??= steps.begin(ledger.id, this.#what, ledger.stored.pickedRange);
    steps.grow(this.#step, positions);
    return this.#step;
  }
}

/** Removes spans in one commit together with `act`. */
export function removeSpans(
  { store }: Pick<StepDeps, 'store'>,
  ledger: BuildLedger,
  spans: readonly PlacedSpan[],
  act: PickAct,
): void {
  if (spans.length === 0) return;
  const positions = positionsOf(spans);
  ledger.apply(takenOut(spans), {}, () => {
    store.steps.takeOut(ledger.id, act.grow(ledger, positions), positions);
  });
}

/** Computes the time range from the spans now in the basket, and the range in which they were queried. */
export function renewRange(
  { store }: Pick<StepDeps, 'store'>,
  ledger: BuildLedger,
  pickedRange = ledger.stored.pickedRange,
  also?: () => void,
): void {
  const { firstMs, lastMs } = store.spans.range(ledger.id);
  const emptied = ledger.counts().picked === 0 ? { pickedRange: null, fill: null, fileProgress: null } : {};
  ledger.apply([], { firstStartMs: firstMs, lastStartMs: lastMs, pickedRange, ...emptied }, also);
}

/**
 * Undoes the latest action, or redoes the action that was undone last. If interrupted, it counts as not done, and the
 * next call completes it. Throws INVALID_ARGUMENT if there is none.
 */
export async function turnStep(
  deps: StepDeps,
  ledger: BuildLedger,
  direction: StepDirection,
  signal: AbortSignal,
): Promise<void> {
  const { steps } = deps.store;
  const found = ledger.core.state === 'editing' ? steps.next(ledger.id)[direction] : null;
  if (found === null) {
    throw new AppError('INVALID_ARGUMENT', `There is nothing to ${direction} in this draft.`);
  }
  const { step } = found;
  const takesOut = (found.what === 'pick') === (direction === 'undo');
  const slicer = new TimeSlicer(deps.clock);
  for (let from = 0; ; ) {
    const spans = takesOut ? steps.inside(ledger.id, step, from, CHUNK) : steps.away(step, CHUNK);
    const last = spans.at(-1);
    if (last === undefined) break;
    const positions = positionsOf(spans);
    ledger.apply(takesOut ? takenOut(spans) : putBack(spans), fromTheStart(ledger), () => {
      if (takesOut) steps.takeOut(ledger.id, step, positions);
      else steps.putBack(step, positions);
    });
    from = last.position + 1;
    await slicer.pause();
    if (signal.aborted) return;
  }
  const before = ledger.stored.pickedRange;
  renewRange(deps, ledger, found.range, () => steps.turn(step, direction === 'undo', before));
  // The dataset may have changed while the spans were removed.
  if (!takesOut) await markAdded(deps, ledger);
}

/** If spans of a file are undone or redone, the file is read from the start when picking resumes. */
function fromTheStart({ stored: { fileProgress } }: BuildLedger): Pick<StoredBuild, 'fileProgress'> {
  return { fileProgress: fileProgress && { ...fileProgress, place: null, rows: 0 } };
}

const positionsOf = (spans: readonly PlacedSpan[]): number[] =>
  spans.map(({ position }) => position).toSorted((a, b) => a - b);

function takenOut(spans: readonly PlacedSpan[]): BuildEvent[] {
  return [...Map.groupBy(spans, ({ state }) => state)].map(([from, { length: count }]) => ({
    type: 'unpicked',
    from,
    count,
  }));
}

function putBack(spans: readonly PlacedSpan[]): BuildEvent[] {
  return [...Map.groupBy(spans, ({ state }) => state)].map(([as, { length: count }]) => ({
    type: 'picked',
    as,
    count,
  }));
}
