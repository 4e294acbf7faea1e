/** Rows of kept lists that the service no longer returns: they stay, marked with the time at which that was noticed. */
import type { Generation } from '../db/library-rows.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import type { FillDeps } from './fill.ts';

type Deps = Pick<FillDeps, 'lists' | 'clock'>;

/** In small steps, because each is a transaction on the main thread. */
async function inSteps(step: (from: number) => number | null): Promise<void> {
  for (let from: number | null = 0; from !== null; ) {
    from = step(from);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Shows a generation that was read to its end in place of the shown one, whose other rows are added to it. They are
 * marked if the reading was complete: otherwise they may be among the rows that it missed.
 */
export async function showWithGone(
  { lists, clock }: Deps,
  listKey: string,
  generationId: number,
): Promise<void> {
  for (;;) {
    const shown = lists.find(listKey)?.shown ?? null;
    const read = lists.generation(generationId);
    if (read?.isEnded !== true || read.isDiscarded || shown?.id === generationId) return;
    if (shown === null) return void lists.show(generationId);
    const goneAtMs = read.isComplete ? clock.nowMs() : null;
    await inSteps((position) => lists.carry(generationId, { generationId: shown.id, position }, goneAtMs));
    // Another process may have shown its own reading meanwhile, with rows that this one lacks.
    if (lists.show(generationId, shown.id)) return;
  }
}

/** Whether the service answered that the record is gone that the list belongs to. */
export function isListGone(problem: unknown, path: Readonly<Record<string, string>>): problem is AppError {
  return toAppError(problem).code === 'NOT_FOUND' && Object.keys(path).length > 0;
}

/** Marks all rows of the shown generation of a kept list. False if it has none, or is not kept. */
export async function markListGone({ lists, clock }: Deps, listKey: string): Promise<Generation | null> {
  const shown = lists.find(listKey)?.shown ?? null;
  if (shown === null || shown.rowCount === 0 || !lists.isKept(listKey)) return null;
  const goneAtMs = clock.nowMs();
  await inSteps((from) => lists.markGone(shown.id, from, goneAtMs));
  return lists.generation(shown.id);
}
