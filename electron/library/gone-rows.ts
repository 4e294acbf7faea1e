/**
 * Handles rows of kept lists that the service no longer returns. They stay, marked with the time at which this was
 * noticed.
 */
import type { Generation } from '../db/library-rows.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import type { TimeRange } from '../shared/model.ts';
import { parseTime } from '../shared/zone-time.ts';
import type { FillDeps } from './fill.ts';

type Deps = Pick<FillDeps, 'lists' | 'clock'>;

/** Maximum number of rows that one step of `carry` examines. */
const LOOKED_AT_ROWS = 100;

/** Works in small steps, because each is a transaction on the main thread. */
async function inSteps(step: (from: number) => number | null): Promise<void> {
  for (let from: number | null = 0; from !== null; ) {
    from = step(from);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Shows a generation that was read to its end in place of the shown one. Rows that only the old generation has, or a
 * reading that a view had replaced, are added to it. They are marked as gone if the new reading was complete and
 * started after the old one was read; otherwise it may have missed them.
 */
export async function showWithGone(
  { lists, clock }: Deps,
  listKey: string,
  generationId: number,
): Promise<void> {
  for (;;) {
    const shown = lists.find(listKey)?.shown ?? null;
    const heldId = lists.heldOf(listKey);
    const read = lists.generation(generationId);
    if (read?.isEnded !== true || read.isDiscarded || (shown?.id === generationId && heldId === null)) return;
    if (shown === null && !lists.show(generationId)) return;
    const held = heldId === null ? null : lists.generation(heldId);
    for (const other of [shown, held]) {
      if (other === null || other.id === generationId) continue;
      const goneAtMs = read.isComplete && isReadBefore(other, read) ? clock.nowMs() : null;
      await inSteps((position) => lists.carry(generationId, { generationId: other.id, position }, goneAtMs));
    }
    // Meanwhile another process may have shown its own reading, which can contain rows that this one lacks.
    if (lists.show(generationId, shown?.id ?? generationId)) return;
  }
}

/**
 * Adds rows of a kept list of spans to the same list with a later time range, as far as they lie in that range. This is
 * needed because each reading of a relative range is a list of its own. Null if one of the lists is not stored.
 */
export async function carryIntoLater(
  { lists, clock }: Deps,
  earlierKey: string,
  laterKey: string,
  { startMs, endMs }: TimeRange,
): Promise<Generation | null> {
  const later = lists.find(laterKey)?.shown ?? null;
  const heldId = lists.heldOf(earlierKey);
  const held = heldId === null ? null : lists.generation(heldId);
  for (const other of [lists.find(earlierKey)?.shown ?? null, held]) {
    if (other === null || later?.isEnded !== true) continue;
    const idsFrom = (position: number): Set<string> => {
      const { columns } = lists.valuesFrom(other.id, position, LOOKED_AT_ROWS, ['start_time']);
      const { texts } = lists.identitiesFrom(other.id, position, LOOKED_AT_ROWS);
      const times = (columns[0] ?? []).map(parseTime);
      return new Set(
        texts.flatMap((id, at) => {
          const atMs = times[at] ?? null;
          return id !== null && atMs !== null && atMs >= startMs && atMs < endMs ? [id] : [];
        }),
      );
    };
    const goneAtMs = later.isComplete && isReadBefore(other, later) ? clock.nowMs() : null;
    await inSteps((position) =>
      lists.carry(later.id, { generationId: other.id, position }, goneAtMs, idsFrom(position)),
    );
  }
  return later === null ? null : lists.generation(later.id);
}

const isReadBefore = ({ newestMs }: Generation, { oldestMs }: Generation): boolean =>
  newestMs === null || oldestMs === null || newestMs <= oldestMs;

/** Whether the service answered that the record to which the list belongs no longer exists. */
export function isListGone(problem: unknown, path: Readonly<Record<string, string>>): problem is AppError {
  return toAppError(problem).code === 'NOT_FOUND' && Object.keys(path).length > 0;
}

/**
 * Marks all rows of a kept list as gone, including those of a reading that a view had replaced before the end of its
 * own. Null if the list has no rows or is not kept.
 */
export async function markListGone({ lists, clock }: Deps, listKey: string): Promise<Generation | null> {
  const before = lists.find(listKey)?.shown ?? null;
  if (before === null || !lists.isKept(listKey)) return null;
  const heldId = lists.heldOf(listKey);
  if (heldId !== null) {
    await inSteps((position) => lists.carry(heldId, { generationId: before.id, position }, null));
    lists.show(heldId, before.id);
  }
  const shown = lists.find(listKey)?.shown ?? null;
  if (shown === null || shown.rowCount === 0) return null;
  const goneAtMs = clock.nowMs();
  await inSteps((from) => lists.markGone(shown.id, from, goneAtMs));
  return lists.generation(shown.id);
}
