/**
 * The search thread: it answers queries at once and indexes changes between them, in small steps while somebody
 * searches. `db/search-thread.ts` starts it.
 */
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { openSearchIndex, type SearchIndex } from '../db/search-index.ts';
import { systemClock } from '../platform/system.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import { searchRequest } from '../shared/search-contract.ts';
import { takeFormats } from '../shared/thread-formats.ts';
import * as z from '../shared/zod.ts';

takeFormats(getEnvironmentData);

/** Size of an index step in characters of text; bounds how long a step delays a query. */
const SMALL_STEP_CHARS = 60_000;
const LARGE_STEP_CHARS = 400_000;
const MAX_AT_ONCE = 300;
/** How long steps stay small after a query. */
const SEARCHING_MS = 3_000;
/** The library's log is checkpointed after this many steps, and when everything is indexed. */
const STEPS_A_CHECKPOINT = 10;
/** Pause between two transactions in which other processes can begin to write the index; they retry at this interval. */
const FREE_MS = 100;
/** How long after a change the library counts as being written: its writer needs the processor more. */
const WRITING_MS = 500;

const { mostMs, ...files } = z
  .object({ libraryFile: z.string(), indexFile: z.string(), mostMs: z.number() })
  .parse(workerData);
const message = z.union([
  z.object({
    kind: z.literal('find'),
    id: z.int(),
    request: searchRequest,
    /** Its first number is set once nobody waits for the answer; null if that is not told. */
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
  // A step that was due when the files were closed would open them again.
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
      // Queries would wait for the other writer too.
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
  // The request may have waited behind another one.
  if (isStopped()) return;
  try {
    searchedAt = systemClock.monotonicMs();
    const left = opened().rowsLeft();
    // Data stored just now is found at once.
    if (left > 0 && left <= MAX_AT_ONCE) opened().stepNow(SMALL_STEP_CHARS);
    const answer = { ...opened().find(asked.request, mostMs, isStopped), rowsLeft: opened().rowsLeft() };
    parentPort?.postMessage({ kind: 'found', id: asked.id, answer });
    if (answer.rowsLeft > 0) follow();
  } catch (problem) {
    fail([asked.id], toAppError(problem));
  }
});
