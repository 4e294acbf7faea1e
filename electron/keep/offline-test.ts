/**
 * Reads all kept data in the same way as the views, without network access, and reports the data that cannot be read
 * completely.
 */
import { TimeSlicer } from '../core/time-slicer.ts';
import type { KeptRequest } from '../db/kept-store.ts';
import type { Library } from '../library/types.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { KeepGap, KeepTest } from '../shared/keep-model.ts';
import type { KeepDeps } from './types.ts';

const VIEW = 'offline test';
const QUESTIONS = 100;
const READ_ROWS = 200;
const MAX_GAPS = 100;

export async function testOffline(
  { store, cutLibrary, clock }: KeepDeps,
  keptIds: readonly string[],
): Promise<KeepTest> {
  const library = cutLibrary();
  const slicer = new TimeSlicer(clock);
  const test: KeepTest = { atMs: clock.nowMs(), questions: 0, rows: 0, gaps: [], gapCount: 0 };
  const note = (gap: KeepGap) => {
    test.gapCount += 1;
    if (test.gaps.length < MAX_GAPS) test.gaps.push(gap);
  };
  try {
    for (const keptId of keptIds) {
      for (let after = -1; ; ) {
        const page = store.page(keptId, after, QUESTIONS);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.position;
        for (const { request, damage } of page) {
          test.questions += 1;
          if (request === null) {
            note({ keptId, query: null, reason: damage.message });
            continue;
          }
          const found = await readThrough(library, request, slicer);
          test.rows += found.rows;
          if (found.reason !== null) note({ keptId, query: request.query, reason: found.reason });
        }
      }
    }
    return test;
  } finally {
    library.release(VIEW);
    await library.stop();
  }
}

interface Found {
  rows: number;
  reason: string | null;
}

async function readThrough(library: Library, request: KeptRequest, slicer: TimeSlicer): Promise<Found> {
  await slicer.pause();
  try {
    return await (request.form === 'list' ? readList : readRecord)(library, request, slicer);
  } catch (thrown) {
    return { rows: 0, reason: toAppError(thrown).message };
  }
}

async function readRecord(library: Library, { query, error }: KeptRequest): Promise<Found> {
  const { record } = await library.openRecord({ viewId: VIEW, query, refresh: 'never' });
  return record === null ? { rows: 0, reason: failureOf(error) } : { rows: 1, reason: null };
}

async function readList(library: Library, { query, error }: KeptRequest, slicer: TimeSlicer): Promise<Found> {
  const { freshness } = await library.openList({ viewId: VIEW, query, refresh: 'never' });
  if (freshness.source === 'none') return { rows: 0, reason: failureOf(error) };
  let rows = 0;
  for (let from = 0; ; ) {
    const page = await library.readStored(query, from, READ_ROWS);
    const last = page.at(-1);
    if (last === undefined) break;
    rows += page.length;
    from = last.position + 1;
    if (from !== rows) return { rows, reason: `Rows ${rows + 1} to ${from - 1} are not stored.` };
    await slicer.pause();
  }
  const { isComplete, storedRows, totalRows } = freshness;
  if (rows !== storedRows) return { rows, reason: `Expected ${storedRows} stored rows, found ${rows}.` };
  if (isComplete) return { rows, reason: null };
  if (error !== null) return { rows, reason: error.message };
  return { rows, reason: `Only ${rows} of ${totalRows ?? 'an unknown number of'} rows are stored.` };
}

function failureOf(error: KeptRequest['error']): string {
  return error === null ? 'It was not read yet.' : error.message;
}

/** Replaces the client during the test, so that every request fails. */
export function cutOff(): never {
  throw new AppError('OFFLINE', 'The network is off for this test.', { outcome: 'unsent' });
}
