/** Components of a session that may fail to open: stand-ins report why, and the rest works. */
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpFailure,
} from '../api/http-client.ts';
import { createBulk } from '../bulk/bulk.ts';
import { bulkSource } from '../bulk/job-source.ts';
import type { Bulk, BulkDeps } from '../bulk/types.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { LibraryStore } from '../db/library-store.ts';
import { systemIdentity } from '../db/process-identity.ts';
import { startSearchThread } from '../db/search-thread.ts';
import type { UploadStore } from '../db/upload-store.ts';
import { createExports } from '../export/exports.ts';
import { exportSource } from '../export/job-source.ts';
import type { ExportDeps, Exports } from '../export/types.ts';
import { keepSource } from '../keep/job-source.ts';
import { createKeep } from '../keep/keep.ts';
import { cutOff } from '../keep/offline-test.ts';
import type { Keep, KeepDeps } from '../keep/types.ts';
import { createLibrary, type Library, type LibraryDeps } from '../library/library.ts';
import { createSearch, type Search, type SearchDeps } from '../library/search.ts';
import { outboxSource } from '../outbox/job-source.ts';
import { createOutbox } from '../outbox/outbox.ts';
import type { Outbox, OutboxDeps } from '../outbox/types.ts';
import type { AppError } from '../shared/errors.ts';
import { deletionSource, fileSource, uploadSource } from '../uploads/job-sources.ts';
import type { Preparations, Uploads, UploadsDeps, WholeFiles } from '../uploads/types.ts';
import { createUploads } from '../uploads/uploads.ts';
import { noJobs, type Opened, refusing, tryOpen } from './unavailable-rooms.ts';

export function openLibrary(store: Opened<LibraryStore>, deps: Omit<LibraryDeps, 'store'>): Library {
  if (store.error === null) return createLibrary({ ...deps, store: store.value });
  const quiet = {
    wake: nothing,
    suspend: nothing,
    release: nothing,
    invalidate: nothing,
    stop: () => Promise.resolve(),
  };
  return refusing<Library>(store.error, quiet);
}

/** The search reads the library through its own connection; without the library there is nothing to find. */
export function openSearch(
  store: Opened<LibraryStore>,
  {
    libraryFile,
    indexFile,
    ...deps
  }: Omit<SearchDeps, 'changes' | 'startThread'> & {
    libraryFile: string;
    indexFile: string;
  },
): Search {
  if (store.error !== null) return refusing<Search>(store.error, { stop: () => Promise.resolve() });
  return createSearch({
    ...deps,
    changes: store.value.searchChanges,
    startThread: (events) => startSearchThread({ libraryFile, indexFile, ...events }),
  });
}

export function openUploads(store: Opened<UploadStore>, deps: Omit<UploadsDeps, 'store'>): Uploads {
  if (store.error === null) {
    const { pid: processId, space: processSpace, isRunning: isProcessAlive } = systemIdentity();
    const options = { ...deps.options, processId, processSpace, isProcessAlive };
    return createUploads({ ...deps, store: store.value, options });
  }
  const quiet = {
    wake: nothing,
    recover: () => Promise.resolve([]),
    stop: () => Promise.resolve(),
    wholeFiles: refusing<WholeFiles>(store.error, {}),
    preparations: refusing<Preparations>(store.error, {}),
    damaged: refusing<DamagedRows>(store.error, { list: () => [] }),
  };
  const uploads = refusing<Uploads>(store.error, quiet);
  const sources = [
    uploadSource(uploads, noJobs(store.error)),
    fileSource(uploads.wholeFiles, noJobs(store.error), uploads.preparations),
    deletionSource(uploads, noJobs(store.error)),
  ];
  return refusing<Uploads>(store.error, { ...quiet, sources });
}

/** Bulk changes. */
export function openBulk(
  store: Opened<UploadStore>,
  deps: Omit<BulkDeps, 'store' | 'process'>,
): ReturnType<typeof createBulk> {
  if (store.error === null) {
    return createBulk({ ...deps, store: store.value, process: systemIdentity() });
  }
  const source = bulkSource(refusing<Bulk>(store.error, {}), noJobs(store.error));
  const quiet = { source, wake: nothing, suspend: nothing, recover: nothing, stop: () => Promise.resolve() };
  return refusing<ReturnType<typeof createBulk>>(store.error, quiet);
}

/** Pending changes. */
export function openOutbox(store: Opened<UploadStore>, deps: Omit<OutboxDeps, 'store' | 'process'>): Outbox {
  if (store.error === null) {
    return createOutbox({ ...deps, store: store.value, process: systemIdentity() });
  }
  const source = outboxSource(refusing<Outbox>(store.error, {}), noJobs(store.error));
  const quiet = { source, wake: nothing, suspend: nothing, recover: nothing, stop: () => Promise.resolve() };
  return refusing<Outbox>(store.error, quiet);
}

/** Data kept for offline reading. `libraryDeps`: the dependencies of the library that the views read. */
export function openKeep(
  store: Opened<LibraryStore>,
  deps: Omit<KeepDeps, 'store' | 'process' | 'cutLibrary'>,
  libraryDeps: Omit<LibraryDeps, 'store'>,
): Keep {
  if (store.error === null) {
    const { client } = deps;
    const cut = { ...client, list: cutOff, call: cutOff, rows: cutOff, request: cutOff };
    const silent = { ...libraryDeps, client: cut, onListChanged: nothing, onRecordChanged: nothing };
    const cutLibrary = () => createLibrary({ ...silent, store: store.value });
    return createKeep({ ...deps, cutLibrary, store: store.value.kept, process: systemIdentity() });
  }
  const quiet = {
    damaged: refusing<DamagedRows>(store.error, { list: () => [] }),
    wake: nothing,
    suspend: nothing,
    recover: nothing,
    stop: () => Promise.resolve(),
  };
  const keep = refusing<Keep>(store.error, quiet);
  return refusing<Keep>(store.error, { ...quiet, source: keepSource(keep, noJobs(store.error)) });
}

/** Exports of lists to files. */
export function openExports(
  store: Opened<LibraryStore>,
  deps: Omit<ExportDeps, 'store' | 'process'>,
): Exports {
  if (store.error === null) {
    return createExports({ ...deps, store: store.value.exports, process: systemIdentity() });
  }
  const source = exportSource(refusing<Exports>(store.error, {}), noJobs(store.error));
  const damaged = refusing<DamagedRows>(store.error, { list: () => [] });
  const quiet = { source, damaged, wake: nothing, suspend: nothing, recover: nothing };
  return refusing<Exports>(store.error, { ...quiet, stop: () => Promise.resolve() });
}

const nothing = () => undefined;

/**
 * A missing certificate file prevents requests, not reading stored data. `refusal` returns the reason why nothing would
 * be answered now.
 */
export function openHttp(options: HttpClientOptions, blockingError: () => AppError | null): HttpClient {
  const http = tryOpen(() => createHttpClient(options));
  const refuse = (error: AppError): HttpFailure => ({ kind: 'failed', outcome: 'unsent', error });
  if (http.error !== null) {
    const { error } = http;
    return {
      send: () => Promise.resolve(refuse(error)),
      reach: () => '',
      doubtRoute: () => undefined,
      close: () => Promise.resolve(),
    };
  }
  return {
    ...http.value,
    send: (request) => {
      const error = blockingError();
      return error === null ? http.value.send(request) : Promise.resolve(refuse(error));
    },
  };
}
