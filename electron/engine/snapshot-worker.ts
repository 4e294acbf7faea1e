/**
 * The thread that takes and compares snapshots of datasets. It reads the library in one transaction, so that no row
 * disappears while it reads. `library/snapshots.ts` starts it.
 */
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { createListReads } from '../db/list-reads.ts';
import type { Database } from '../db/open.ts';
import { openToRead } from '../db/open-file.ts';
import { type ListedItem, type OpenSnapshotStore, openSnapshotStore } from '../db/snapshot-store.ts';
import { countNewRows } from '../library/schema-rows.ts';
import { chosen, edited, type SnapshotRequest, writeLines } from '../library/snapshot-request.ts';
import { systemClock } from '../platform/system.ts';
import { toAppError } from '../shared/errors.ts';
import { takeFormats } from '../shared/thread-formats.ts';
import * as z from '../shared/zod.ts';

takeFormats(getEnvironmentData);

const port = parentPort;
if (port === null) throw new Error('The snapshot worker is started as a worker thread only.');
const { libraryFile, file } = z.object({ libraryFile: z.string(), file: z.string() }).parse(workerData);
const silent = () => undefined;
const ROWS_AT_ONCE = 200;
let store: OpenSnapshotStore | null = null;

function opened(): OpenSnapshotStore {
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  store ??= openSnapshotStore({ file, clock: systemClock, logger });
  return store;
}

/** The items of a generation, without those at its end that the service no longer returns. */
function* itemsOf(library: Database, generationId: number, rows: number): Iterable<ListedItem> {
  const reads = createListReads(library);
  for (let from = 0; ; ) {
    const { positions, texts } = reads.identitiesFrom(generationId, from, ROWS_AT_ONCE);
    let index = 0;
    for (const { position, json } of reads.recordsFrom(generationId, from, ROWS_AT_ONCE)) {
      if (position >= rows) return;
      yield { identity: texts[index] ?? null, json };
      index += 1;
    }
    const last = positions.at(-1);
    if (last === undefined) return;
    from = last + 1;
  }
}

function answer(request: SnapshotRequest): unknown {
  switch (request.action) {
    case 'take': {
      const library = openToRead(libraryFile, 'copy');
      try {
        const { datasetId, generationId, rows, atMs, most } = request;
        const taken = library.transaction(() =>
          opened().take(datasetId, itemsOf(library, generationId, rows), rows, atMs),
        )();
        if (taken !== null) opened().prune(datasetId, most);
        return taken;
      } finally {
        library.close();
      }
    }
    case 'compare-schema': {
      const library = openToRead(libraryFile, 'copy');
      try {
        const { list, generationId, rows: storedRows, mapped, nowMs } = request;
        const { schema } = opened();
        const range = { ...schema.compared(list, nowMs), nowMs };
        const rows = library.transaction(() =>
          countNewRows(createListReads(library), { generationId, rows: storedRows }, list, range),
        )();
        return rows.count.rows === 0 ? 0 : schema.take(list, rows, mapped, nowMs);
      } finally {
        library.close();
      }
    }
    case 'schema-changes':
      return opened().schema.changes();
    case 'accept-schema-change':
      opened().schema.accept(request.changeId);
      return null;
    case 'list':
      return opened().list(request.datasetId);
    case 'diff':
      return opened().diff(request);
    case 'compare':
      return opened().compare(request);
    case 'items':
      return opened().page(request);
    case 'item':
      return opened().item(request);
    case 'near-duplicates':
      return opened().nearDuplicates(request);
    case 'compare-near-duplicates':
      return opened().compareNearDuplicates(request);
    case 'write':
      return writeLines(
        request.path,
        edited(chosen(opened().items(request.snapshotId), request.kept), request.edits),
      );
    case 'close':
      store?.close();
      port?.close();
      return null;
  }
}

// Trusted type: the main thread created the request and validated its foreign input.
port.on('message', ({ id, request }: { id: number; request: SnapshotRequest }) => {
  try {
    port.postMessage({ id, answer: answer(request), error: null });
  } catch (problem) {
    port.postMessage({ id, answer: null, error: toAppError(problem).toWire() });
  }
});
