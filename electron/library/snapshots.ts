/**
 * Takes snapshots of datasets in a thread, at every complete fetch of a dataset's items; called from the main thread.
 */
import { Worker } from 'node:worker_threads';
import { IdleEnd } from '../core/idle-end.ts';
import type { Clock, Logger } from '../core/ports.ts';
import type { Generation } from '../db/library-rows.ts';
import { AppError, fromWire, toAppError, type WireError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';
import type { Preset } from '../shared/preset-contract.ts';
import type { StoredSchemaChange } from '../shared/schema-model.ts';
import { scriptPath } from '../shared/script-path.ts';
import type { ItemEdits, Snapshot, SnapshotAnswers, SnapshotQuery } from '../shared/snapshot-model.ts';
import { returnedRowsOf } from './freshness.ts';
import { mappedKeys, watchedListOf } from './schema-rows.ts';
import type { SnapshotRequest } from './snapshot-request.ts';

export interface Snapshots {
  /** Requests are answered in order, after a snapshot in progress. Rejects with STORE_* errors. */
  ask<Q extends SnapshotQuery>(query: Q): Promise<SnapshotAnswers[Q['action']]>;
  /** Writes the items of a snapshot, or only those in `kept`, as JSON Lines. They are unchanged except for `edits`. */
  write(
    snapshotId: number,
    path: string,
    edits?: ItemEdits | null,
    kept?: readonly string[] | null,
  ): Promise<{ rows: number }>;
  /**
   * Called when a list was read completely. Items of a dataset become a snapshot, and the schema of new rows is
   * compared.
   */
  onComplete(query: ListQuery, generation: Generation): void;
  /** Changes of the schema of new rows, newest first. Rejects with STORE_* errors. */
  schemaChanges(): Promise<StoredSchemaChange[]>;
  /** Accepts the new schema as the known one. Rejects with INVALID_ARGUMENT if there is no such open change. */
  acceptSchemaChange(changeId: number): Promise<void>;
  /** Finishes a snapshot in progress first. */
  stop(): Promise<void>;
}

interface SnapshotsDeps {
  libraryFile: string;
  file: string;
  logger: Logger;
  /** Maximum number of snapshots for each dataset. */
  mostVersions: () => number;
  onTaken: (snapshot: Snapshot) => void;
  clock: Pick<Clock, 'nowMs' | 'setTimer'>;
  /** Saved mappings of an application. */
  presetsOf: (applicationId: string) => readonly Preset[];
  /** Called when new rows of a list have another schema than earlier ones, or the same again. */
  onSchemaChanged: () => void;
}

interface Running {
  worker: Worker;
  waiting: Map<number, PromiseWithResolvers<unknown>>;
}

interface Reply {
  id: number;
  answer: unknown;
  error: WireError | null;
}

/** Time without a request after which the thread ends. */
const IDLE_MS = 60_000;

/** Creates the interface to the thread, which starts with the first request. */
export function createSnapshots(deps: SnapshotsDeps): Snapshots {
  return new SnapshotThread(deps);
}

class SnapshotThread implements Snapshots {
  readonly #deps: SnapshotsDeps;
  #running: Running | null = null;
  /** Resolves when the idle thread that was ended last has closed its files. */
  #closed: Promise<void> = Promise.resolve();
  #nextId = 1;
  #isStopped = false;
  readonly #idle: IdleEnd;

  constructor(deps: SnapshotsDeps) {
    this.#deps = deps;
    this.#idle = new IdleEnd({
      clock: deps.clock,
      idleMs: IDLE_MS,
      what: 'ending the thread of snapshots',
      end: () => this.#endIdle(),
    });
  }

  async ask<Q extends SnapshotQuery>(query: Q): Promise<SnapshotAnswers[Q['action']]> {
    // The cast is safe, because our own thread built the answer from parsed data.
    return (await this.#send(query)) as SnapshotAnswers[Q['action']];
  }

  async schemaChanges(): Promise<StoredSchemaChange[]> {
    return (await this.#send({ action: 'schema-changes' })) as StoredSchemaChange[];
  }

  async acceptSchemaChange(changeId: number): Promise<void> {
    await this.#send({ action: 'accept-schema-change', changeId });
  }

  async write(
    snapshotId: number,
    path: string,
    edits: ItemEdits | null = null,
    kept: readonly string[] | null = null,
  ): Promise<{ rows: number }> {
    return (await this.#send({ action: 'write', snapshotId, path, edits, kept })) as { rows: number };
  }

  onComplete(asked: ListQuery, generation: Generation): void {
    this.#take(asked, generation);
    // If this fails, the next complete fetch compares the rows.
    this.#compareSchema(asked, generation).catch((problem: unknown) =>
      this.#deps.logger.warn('schema not compared', { reason: toAppError(problem).message }),
    );
  }

  async #compareSchema(asked: ListQuery, generation: Generation): Promise<void> {
    const list = watchedListOf(asked);
    if (list === null) return;
    const { clock, presetsOf, onSchemaChanged } = this.#deps;
    const mapped = list.kind === 'spans' ? mappedKeys(presetsOf(list.id)) : [];
    const rows = returnedRowsOf(generation);
    const request = { generationId: generation.id, rows, list, mapped, nowMs: clock.nowMs() };
    if ((await this.#send({ action: 'compare-schema', ...request })) !== 0) onSchemaChanged();
  }

  #take({ operation, path, query }: ListQuery, generation: Generation): void {
    const { id, newestMs } = generation;
    const datasetId = path['dataset_id'];
    if (operation !== 'datasets.items' || datasetId === undefined || Object.keys(query).length > 0) return;
    const { logger, onTaken } = this.#deps;
    const most = this.#deps.mostVersions();
    const given = {
      datasetId,
      generationId: id,
      rows: returnedRowsOf(generation),
      atMs: newestMs ?? 0,
      most,
    };
    this.#send({ action: 'take', ...given }).then(
      (taken) => {
        if (taken === null) logger.warn('no snapshot taken: the list changed or is not whole', { datasetId });
        else onTaken(taken as Snapshot);
      },
      // If this fails, the next complete fetch takes a snapshot.
      (problem: unknown) => logger.warn('no snapshot taken', { reason: toAppError(problem).message }),
    );
  }

  async stop(): Promise<void> {
    const closed = this.#running === null ? null : this.#send({ action: 'close' });
    this.#isStopped = true;
    this.#idle.stop();
    await closed?.catch(() => undefined);
    await this.#closed;
  }

  #endIdle(): boolean {
    const running = this.#running;
    if (running === null) return true;
    if (running.waiting.size > 0) return false;
    this.#running = null;
    const { worker } = running;
    const closed = Promise.withResolvers<void>();
    worker.on('exit', () => closed.resolve());
    this.#closed = closed.promise;
    // Keeps the program from ending before the files are closed.
    worker.ref();
    worker.postMessage({ id: 0, request: { action: 'close' } satisfies SnapshotRequest });
    return true;
  }

  #send(request: SnapshotRequest): Promise<unknown> {
    if (this.#isStopped) return Promise.reject(closedError());
    this.#idle.hold();
    this.#running ??= this.#start();
    const { worker, waiting } = this.#running;
    const id = this.#nextId;
    this.#nextId += 1;
    const wait = Promise.withResolvers<unknown>();
    waiting.set(id, wait);
    // Keeps the program from ending before a pending answer.
    worker.ref();
    worker.postMessage({ id, request });
    return wait.promise;
  }

  #start(): Running {
    const script = new URL(scriptPath('../engine/snapshot-worker.ts', import.meta.url), import.meta.url);
    const { libraryFile, file } = this.#deps;
    const worker = new Worker(script, { name: 'snapshots', workerData: { libraryFile, file } });
    const running: Running = { worker, waiting: new Map() };
    worker.on('message', ({ id, answer, error }: Reply) => {
      const wait = running.waiting.get(id);
      running.waiting.delete(id);
      if (running.waiting.size === 0 && this.#running === running) {
        worker.unref();
        this.#idle.rest();
      }
      if (error === null) wait?.resolve(answer);
      else wait?.reject(fromWire(error));
    });
    // Called after the listener was added, because the listener would otherwise keep the program from ending.
    worker.unref();
    const end = (error: AppError) => {
      if (this.#running === running) this.#running = null;
      for (const wait of running.waiting.values()) wait.reject(error);
      running.waiting.clear();
    };
    worker.on('error', (problem) => end(toAppError(problem)));
    worker.on('exit', () => end(closedError()));
    return running;
  }
}

const closedError = () =>
  new AppError('CANCELLED', 'The connection was closed before its snapshots were read.');
