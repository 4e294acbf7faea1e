/** Filters loaded rows in chunks, so that neither many rows nor a slow regular expression blocks the window. */
import { filteredRows } from '../lib/row-order.ts';
import type { Row } from './list-state.svelte.ts';

/** Leaves time for the other work of a 16 ms frame. */
const SLICE_MS = 6;

/**
 * Calls `done` with the matching rows after all rows were checked, synchronously if there are few. Returns a function
 * that cancels the search. Throws AppError if the typed text is invalid.
 */
export function filterRows(
  rows: readonly Row[],
  typed: string,
  done: (found: readonly Row[]) => void,
): () => void {
  const steps = filteredRows(rows, typed, ['constants']);
  let timer: ReturnType<typeof setTimeout> | null = null;
  let found: readonly Row[] = [];
  const go = () => {
    const startedAt = performance.now();
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      found = step.value;
      if (performance.now() - startedAt < SLICE_MS) continue;
      timer = setTimeout(go);
      return;
    }
    done(found);
  };
  go();
  return () => {
    if (timer !== null) clearTimeout(timer);
  };
}
