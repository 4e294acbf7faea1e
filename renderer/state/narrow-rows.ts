/** Narrowing of rows at hand, in pieces: neither many rows nor a slow expression holds the window. */
import { narrowedRows } from '../lib/row-order.ts';
import type { Row } from './list-state.svelte.ts';

/** With what else a frame has to do this stays below its 16 ms. */
const SLICE_MS = 6;

/**
 * Hands over what is left once all rows were looked at: at once where they are few. Answers how to end it before.
 * Throws AppError where what was typed cannot be used.
 */
export function narrowRows(
  rows: readonly Row[],
  typed: string,
  done: (found: readonly Row[]) => void,
): () => void {
  const steps = narrowedRows(rows, typed);
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
