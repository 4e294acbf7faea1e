/** The thread that compares runs. `datasets/comparison-thread.ts` starts it. */
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import type { ComparisonFiles, ComparisonReply } from '../datasets/comparison-thread.ts';
import { StoredComparisons, type StoredRequest } from '../datasets/stored-comparison.ts';
import { createColumnFiles } from '../db/run-column-files.ts';
import { openRunReads } from '../db/run-reads.ts';
import { systemClock } from '../platform/system.ts';
import { toAppError } from '../shared/errors.ts';
import { takeFormats } from '../shared/thread-formats.ts';

takeFormats(getEnvironmentData);

const port = parentPort;
if (port === null) throw new Error('The comparison worker is started as a worker thread only.');
// Trusted type: the main thread created the value.
const { libraryFile, datasetsFile, columnsFolder } = workerData as ComparisonFiles;
const nowMs = () => systemClock.nowMs();
const comparisons = new StoredComparisons(
  () => openRunReads(libraryFile, datasetsFile, nowMs()),
  createColumnFiles(columnsFolder, nowMs),
);

function answer(request: StoredRequest): ComparisonReply {
  try {
    return { answer: comparisons.answer(request) };
  } catch (problem) {
    return { error: toAppError(problem).toWire() };
  }
}

let isPlanned = false;

/** Reads data ahead, in pauses between requests. */
function readAhead(): void {
  isPlanned = false;
  try {
    comparisons.readAhead();
  } catch {
    // The store was removed or is damaged, which the next request reports.
    return;
  }
  if (comparisons.isReadingAhead) planReading();
}

function planReading(): void {
  if (isPlanned) return;
  isPlanned = true;
  setImmediate(readAhead);
}

port.on('message', (request: StoredRequest) => {
  port.postMessage(answer(request));
  planReading();
});
