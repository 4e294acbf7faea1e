/** Components of a session that may fail to open. Stand-ins then report the reason, and the other components work. */
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpFailure,
} from '../api/http-client.ts';
import type { LeaseProcess } from '../core/jobs/lease.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { LibraryStore } from '../db/library-store.ts';
import { onlyReads } from '../db/only-reads.ts';
import { systemIdentity } from '../db/process-identity.ts';
import { startSearchThread } from '../db/search-thread.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { JobSource, Listing } from '../jobs/source.ts';
import { cutOff } from '../keep/offline-test.ts';
import { createLibrary, type Library, type LibraryDeps } from '../library/library.ts';
import { createSearch, type Search, type SearchDeps } from '../library/search.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import type { JobKindId } from '../shared/job-contract.ts';
import type { Connection } from '../shared/model.ts';
import { DEFAULT_SETTINGS, type Settings } from '../shared/settings.ts';
import { deletionSource, fileSource, uploadSource } from '../uploads/job-sources.ts';
import type { Preparations, Uploads, UploadsDeps, WholeFiles } from '../uploads/types.ts';
import { createUploads } from '../uploads/uploads.ts';
import { noJobs, type Opened, refusing, tryOpen } from './unavailable-rooms.ts';
import { type WhenUsed, whenUsed } from './when-used.ts';

const nothing = () => undefined;

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

/**
 * Maximum duration of a search in a window, in which the next key is pressed soon; the search then reports that there
 * may be more.
 */
const WINDOW_MS = 140;
/** Maximum duration of a search by a command or an agent, which asks once and wants all hits. */
const PROGRAM_MS = 10_000;

/** The search reads the library through a connection of its own; without the library, there is nothing to find. */
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
    startThread: (events) =>
      startSearchThread({
        libraryFile,
        indexFile,
        mostMs: deps.isFollowing ? WINDOW_MS : PROGRAM_MS,
        ...events,
      }),
  });
}

/**
 * Opened at the first use, with recovery of its jobs. `continues`: whether jobs that a killed process left running are
 * continued.
 */
export function openUploads(
  store: () => Opened<UploadStore>,
  continues: boolean,
  deps: Omit<UploadsDeps, 'store'>,
): WhenUsed<Uploads> {
  const resting = { wake: nothing, stop: () => Promise.resolve() };
  return whenUsed<Uploads>(
    () => openUploadsNow(store(), deps),
    resting,
    (uploads) => {
      if (onlyReads()) return;
      uploads.recover({ continues }).catch((thrown: unknown) => {
        deps.logger.error('uploads not recovered', { reason: toAppError(thrown).message });
      });
    },
  );
}

function openUploadsNow(store: Opened<UploadStore>, deps: Omit<UploadsDeps, 'store'>): Uploads {
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

/** The component that manages one kind of job. */
interface JobRoom<K extends JobKindId> {
  source: JobSource<K>;
  wake(): void;
  suspend(error: AppError): void;
  recover(continues: boolean): void;
  stop(): Promise<void>;
}

/** Replaces these methods until the room is used, because it then does nothing by itself. */
const restingRoom = { wake: nothing, suspend: nothing, stop: () => Promise.resolve() };

/**
 * Opens a room at its first use, and recovers its jobs then. `sourceOf`: its jobs for the channels `jobs:*`, which fail
 * with the reason if the store did not open. `continues`: whether jobs that a killed process left running are
 * continued.
 */
export function openRoom<S, K extends JobKindId, R extends JobRoom<K>>(
  store: () => Opened<S>,
  continues: boolean,
  sourceOf: (room: Omit<R, 'source'>, jobs: Listing) => JobSource<K>,
  create: (store: S, process: LeaseProcess) => R,
): WhenUsed<R> {
  const open = () => openRoomNow(store(), sourceOf, create);
  const room = whenUsed<JobRoom<K>>(open, restingRoom, (opened) => {
    if (!onlyReads()) opened.recover(continues);
  });
  // Safe cast: `open` creates the complete room.
  return room as WhenUsed<R>;
}

function openRoomNow<S, K extends JobKindId, R extends JobRoom<K>>(
  store: Opened<S>,
  sourceOf: (room: Omit<R, 'source'>, jobs: Listing) => JobSource<K>,
  create: (store: S, process: LeaseProcess) => R,
): R {
  if (store.error === null) return create(store.value, systemIdentity());
  const { error } = store;
  const quiet = {
    source: sourceOf(refusing<R>(error, {}), noJobs(error)),
    damaged: refusing<DamagedRows>(error, { list: () => [] }),
    ...{ ...restingRoom, recover: nothing },
  };
  return refusing<JobRoom<K>>(error, quiet) as R;
}

/**
 * A library that shows only stored data and sends no requests. `deps`: the dependencies of the library that views use.
 */
export function createCutLibrary(deps: LibraryDeps): Library {
  const cut = { ...deps.client, list: cutOff, call: cutOff, rows: cutOff, request: cutOff };
  return createLibrary({ ...deps, client: cut, onListChanged: nothing, onRecordChanged: nothing });
}

/** Timeout for answers in seconds; undefined for the default. The connection's own setting takes precedence. */
export function answerTimeoutOf(
  { answerTimeoutS }: Connection,
  { answerTimeoutMs }: Settings,
): number | undefined {
  if (answerTimeoutS !== undefined) return answerTimeoutS;
  return answerTimeoutMs === DEFAULT_SETTINGS.answerTimeoutMs ? undefined : answerTimeoutMs / 1_000;
}

/**
 * A missing certificate file prevents requests, but not reading stored data. `blockingError` returns the reason
 * why nothing would be answered now.
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
