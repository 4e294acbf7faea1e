/**
 * The thread that sorts the rows of large lists, so that the main thread need not read and parse them for that.
 * `library/order-thread.ts` starts it.
 */

import { getHeapStatistics } from 'node:v8';
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { openListReads } from '../db/list-reads.ts';
import { runStep } from '../library/order-steps.ts';
import type { OrderReply, OrderRequest, ThreadQuery } from '../library/order-thread.ts';
import { SessionReader } from '../library/session-reader.ts';
import { Slices } from '../library/slices.ts';
import { systemClock } from '../platform/system.ts';
import { toAppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import { takeFormats } from '../shared/thread-formats.ts';
import * as z from '../shared/zod.ts';

takeFormats(getEnvironmentData);

/** Bytes outside the heap for each sorted row, without its text. */
const SORTED_ROW_BYTES = 28;

/**
 * Memory of the thread, including the arrays of a step that sorted or selected this many rows, which are outside the
 * heap.
 */
const usedBytes = (rows = 0): number => getHeapStatistics().used_heap_size + rows * SORTED_ROW_BYTES;

const port = parentPort;
if (port === null) throw new Error('The order worker is started as a worker thread only.');
const { libraryFile } = z.object({ libraryFile: z.string() }).parse(workerData);
const reads = openListReads(libraryFile);
const sessionReader = new SessionReader(reads);
/** Maximum sessions in one part of an answer; the main thread parses them in less than a millisecond. */
const PART_SESSIONS = 50;

async function answer({ query, within }: OrderRequest): Promise<OrderReply> {
  try {
    // Trusted type: the main thread created the value.
    const asked = parseExact(query) as ThreadQuery;
    if (asked.step === null) {
      const { sessions, ...rest } = await sessionReader.read(asked, new Slices(systemClock));
      const parts = Array.from({ length: Math.ceil(sessions.length / PART_SESSIONS) }, (_, part) =>
        JSON.stringify(sessions.slice(part * PART_SESSIONS, (part + 1) * PART_SESSIONS)),
      );
      return { kind: 'grouped', reply: rest, parts, usedBytes: usedBytes() };
    }
    const { generationId, step } = asked;
    const positions = await runStep(reads, { generationId, step, within }, new Slices(systemClock));
    return { kind: 'ordered', positions, usedBytes: usedBytes(positions?.length) };
  } catch (problem) {
    return {
      kind: 'failed',
      error: toAppError(problem).toWire(),
      usedBytes: usedBytes(),
    };
  }
}

async function reply(request: OrderRequest): Promise<void> {
  const answered = await answer(request);
  const bytes = answered.kind === 'ordered' ? answered.positions?.buffer : undefined;
  port?.postMessage(answered, bytes === undefined ? [] : [bytes]);
}

port.on('message', (request: OrderRequest) => void reply(request));
