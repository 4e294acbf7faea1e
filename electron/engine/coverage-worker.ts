/** The thread that compares a dataset with production. `datasets/coverage-thread.ts` starts one per query. */
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { measureCoverage } from '../core/coverage/measure.ts';
import type { ThreadReply } from '../datasets/ask-thread.ts';
import type { CoverageRequest } from '../datasets/coverage-thread.ts';
import { openCoverageReads } from '../db/coverage-reads.ts';
import { systemClock } from '../platform/system.ts';
import type { Coverage } from '../shared/coverage-model.ts';
import { toAppError } from '../shared/errors.ts';
import { takeFormats } from '../shared/thread-formats.ts';

takeFormats(getEnvironmentData);

const port = parentPort;
if (port === null) throw new Error('The coverage worker is started as a worker thread only.');

function answer(): ThreadReply<Coverage> {
  try {
    // Trusted type: the main thread created the value.
    const { query, libraryFile, datasetsFile } = workerData as CoverageRequest;
    const reads = openCoverageReads(libraryFile, datasetsFile, systemClock.nowMs());
    try {
      return { answer: measureCoverage(reads, query) };
    } finally {
      reads.close();
    }
  } catch (problem) {
    return { error: toAppError(problem).toWire() };
  }
}

port.postMessage(answer());
