/** Runs in the thread that reads files, so that the main thread never parses one. Built as a separate file. */
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { toAppError } from '../../shared/errors.ts';
import { takeFormats } from '../../shared/thread-formats.ts';
import { checkSameState, checkSameStateNow } from '../file-state.ts';
import { Heartbeat } from '../heartbeat.ts';
import { checkItemRows } from '../items/check-item-rows.ts';
import { extractItems } from '../items/extract-items.ts';
import { settleItems } from '../items/settle-items.ts';
import { writeJsonLines } from '../readers/as-json-lines.ts';
import { openSource, type Source } from '../readers/open-source.ts';
import { writeRefusedRows } from '../refused-rows.ts';
import { inspectFile } from '../sniff/inspect-file.ts';
import { checkSpans, extractSpans } from '../spans/extract-spans.ts';
import { unpack } from '../unpack/unpack.ts';
import { zipMembers } from '../unpack/unpack-stream.ts';
import { checkRows } from '../validate/check-rows.ts';
import { eventTimes } from '../validate/event-times.ts';
import { KnownIds } from '../validate/known-ids.ts';
import { hashFile, type ScanProgress, scanFile } from '../validate/scan-file.ts';
import { BatchProducer } from './batch-producer.ts';
import type { OperationName, WorkerOperations, WorkerReply, WorkerRequest } from './worker-protocol.ts';

takeFormats(getEnvironmentData);

const port = parentPort;
if (port === null || !(workerData instanceof SharedArrayBuffer))
  throw new Error('The upload worker is started as a worker thread only.');
const heartbeat = new Heartbeat(workerData);

type Handlers = {
  [O in OperationName]: (
    input: WorkerOperations[O]['input'],
    id: number,
  ) => Promise<WorkerOperations[O]['output']>;
};

let opened: { source: Source; producer: BatchProducer; check: () => void } | null = null;
const known = new KnownIds();
let resume: (() => void) | null = null;

function reply(message: WorkerReply, handedOver: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, handedOver);
}

let cutting: Promise<unknown> = Promise.resolve();

/** Runs one build at a time, because batches are requested before earlier ones are complete. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = cutting.then(work);
  cutting = turn.catch(() => undefined);
  return turn;
}

/** Waits until the main thread has processed the report, so that reports never pile up. */
function report(id: number, progress: ScanProgress): Promise<void> {
  return new Promise((resolve) => {
    resume = resolve;
    reply({ id, kind: 'progress', progress });
  });
}

const handlers: Handlers = {
  inspect: (input) => inspectFile(input),
  scan: ({ comparesIds, ...input }, id) =>
    scanFile({ ...input, known: comparesIds ? known : null }, (progress) => report(id, progress)),
  'know-ids': async ({ ids }) => {
    for (const each of ids) known.add(each);
    return null;
  },
  'check-rows': (input) => checkRows(input),
  hash: async ({ path }) => ({ sha256: await hashFile(path) }),
  'event-times': (input) => eventTimes(input),
  open: ({ state, ...options }) =>
    inTurn(async () => {
      await checkSameState(options.path, state);
      await opened?.source.close();
      const source = await openSource(options.path, options.plan.dialect);
      const producer = new BatchProducer(source, { ...options, start: options.start ?? source.dataStart });
      opened = { source, producer, check: () => checkSameStateNow(options.path, state) };
      return null;
    }),
  next: ({ limits }) =>
    inTurn(async () => {
      if (opened === null) return null;
      const batch = await opened.producer.next(limits);
      // Checks again after reading, because the bytes just read must be from the same file.
      opened.check();
      return batch;
    }),
  remake: async ({ state, limits, ...options }) => {
    await checkSameState(options.path, state);
    const source = await openSource(options.path, options.plan.dialect);
    try {
      const producer = new BatchProducer(source, options);
      const batches = [];
      for (let batch = await producer.next(limits); batch !== null; batch = await producer.next(limits)) {
        batches.push(batch);
      }
      return batches;
    } finally {
      await source.close();
    }
  },
  'as-json-lines': ({ path, dialect, readings, target }) => writeJsonLines(path, dialect, readings, target),
  unpack: (step) => unpack(step, heartbeat),
  'list-members': ({ path, name, most }) => zipMembers(path, name, most, heartbeat),
  items: (input) => extractItems(input),
  'settle-items': (input) => settleItems(input),
  'check-item-rows': (input) => checkItemRows(input),
  spans: (input) => extractSpans(input),
  'check-spans': (input) => checkSpans(input),
  'write-refused': (input) => writeRefusedRows(input),
};

/** Buffers to transfer, so that request bodies are not copied. */
function handedOver(value: WorkerOperations[OperationName]['output']): ArrayBuffer[] {
  const parts = Array.isArray(value) ? value : [value];
  return parts.flatMap((part) => (part !== null && 'body' in part ? [part.body.buffer] : []));
}

async function handle<O extends OperationName>(
  id: number,
  operation: O,
  input: WorkerOperations[O]['input'],
): Promise<void> {
  try {
    const value = await handlers[operation](input, id);
    reply({ id, kind: 'done', value }, handedOver(value));
  } catch (problem) {
    reply({ id, kind: 'failed', error: toAppError(problem).toWire() });
  }
}

function take(request: WorkerRequest): void {
  if (request.operation !== 'continue') {
    handle(request.id, request.operation, request.input);
    return;
  }
  const resolve = resume;
  resume = null;
  resolve?.();
}

port.on('message', (requests: WorkerRequest[]) => requests.forEach(take));
