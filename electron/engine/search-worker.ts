/**
 * The thread of the search. It answers searches at once and indexes changes in between, in small steps while somebody
 * is searching. `db/search-thread.ts` starts it.
 */
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { openSearchIndex, type SearchIndex } from '../db/search-index.ts';
import { systemClock } from '../platform/system.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import { searchRequest } from '../shared/search-contract.ts';
import { takeFormats } from '../shared/thread-formats.ts';
import * as z from '../shared/zod.ts';

takeFormats(getEnvironmentData);

/** Characters of text in a small index step; bounds how long a step delays a search. */
const SMALL_STEP_CHARS = 60_000;
const LARGE_STEP_CHARS = 400_000;
const MAX_AT_ONCE = 300;
/** Time after a search during which steps stay small. */
const SEARCHING_MS = 3_000;
/** The library's log is checkpointed after this many steps, and when everything is indexed. */
const STEPS_A_CHECKPOINT = 10;
/** Pause between two transactions, in which other processes can begin to write the index; they try at this interval. */
const FREE_MS = 100;
/**
 * Time after a change during which the library counts as being written, because its writer needs the processor more.
 */
const WRITING_MS = 500;

const { mostMs, ...files } = z
  .object({ libraryFile: z.string(), indexFile: z.string(), mostMs: z.number() })
  .parse(workerData);
const message = z.union([
  z.object({
    kind: z.literal('find'),
    id: z.int(),
    request: searchRequest,
    /**
     * Shared memory whose first number is set when nobody waits for the answer any more; null if the caller cannot do
     * that.
     */
    stop: z.instanceof(Int32Array).nullable(),
  }),
  /** Answered when everything is indexed. */
  z.object({ kind: z.literal('follow'), id: z.int() }),
  z.object({ kind: z.literal('changed') }),
  z.object({ kind: z.literal('close') }),
]);

const silent = () => undefined;
let index: SearchIndex | null = null;
let isStepping = false;
let isClosed = false;
let steps = 0;
let searchedAt = Number.NEGATIVE_INFINITY;
let changedAt = Number.NEGATIVE_INFINITY;
const following: number[] = [];

function opened(): SearchIndex {
  index ??= openSearchIndex({
    ...files,
    clock: systemClock,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  });
  return index;
}

function follow(): void {
  if (isStepping) return;
  isStepping = true;
  setImmediate(step);
}

function step(): void {
  // Ignores a step that was due when the files were closed, because it would open them again.
  if (isClosed) return;
  try {
    const startedAt = systemClock.monotonicMs();
    const isSearching = startedAt - searchedAt < SEARCHING_MS;
    steps += 1;
    if (steps % STEPS_A_CHECKPOINT === 0) opened().checkpointLibrary();
    const hasStepped = opened().isFixed
      ? false
      : isSearching
        ? opened().stepNow(SMALL_STEP_CHARS)
        : opened().step(LARGE_STEP_CHARS);
    if (hasStepped === null) {
      // Waits before the next step, because searches would otherwise wait for the other writer too.
      systemClock.setTimer(step, SEARCHING_MS);
      return;
    }
    if (hasStepped) {
      const endedAt = systemClock.monotonicMs();
      if (endedAt - changedAt < WRITING_MS) {
        opened().commit();
        systemClock.setTimer(step, endedAt - startedAt);
      } else if (opened().isHeld) setImmediate(step);
      else systemClock.setTimer(step, isSearching ? 0 : FREE_MS);
      return;
    }
    isStepping = false;
    opened().checkpointLibrary();
    parentPort?.postMessage({ kind: 'followed', ids: following.splice(0), takenOver: opened().takenOver() });
  } catch (problem) {
    isStepping = false;
    fail(following.splice(0), toAppError(problem));
  }
}

function fail(ids: readonly number[], error: AppError): void {
  parentPort?.postMessage({ kind: 'failed', ids, error: error.toWire() });
}

parentPort?.on('message', (received: unknown) => {
  const asked = message.parse(received);
  if (asked.kind === 'close') {
    isClosed = true;
    index?.close();
    index = null;
    parentPort?.close();
    return;
  }
  if (asked.kind === 'changed') changedAt = systemClock.monotonicMs();
  if (asked.kind === 'follow') following.push(asked.id);
  if (asked.kind !== 'find') {
    follow();
    return;
  }
  const { stop } = asked;
  const isStopped = () => stop !== null && Atomics.load(stop, 0) !== 0;
  // The search may have waited behind another one and be unwanted by now.
  if (isStopped()) return;
  try {
    searchedAt = systemClock.monotonicMs();
    const left = opened().rowsLeft();
    // Indexes data that was just stored first, so that it is found at once.
    if (left > 0 && left <= MAX_AT_ONCE) opened().stepNow(SMALL_STEP_CHARS);
    const answer = { ...opened().find(asked.request, mostMs, isStopped), rowsLeft: opened().rowsLeft() };
    parentPort?.postMessage({ kind: 'found', id: asked.id, answer });
    if (answer.rowsLeft > 0) follow();
  } catch (problem) {
    fail([asked.id], toAppError(problem));
  }
});
