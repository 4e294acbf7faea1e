/** Scans whole files, for dry runs and for the first pass of jobs. Bad rows are stored as soon as they are found. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { StoredScan } from '../db/upload-store.ts';
import { checkEditedContent } from '../shared/edited-content.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { SentBefore } from '../shared/sent-before.ts';
import { IDS_NOT_COMPARED, type ModelFacts } from '../shared/upload-columns.ts';
import type { BadRow, CheckedRow, DryRun, RowStart, UploadPlan } from '../shared/upload-model.ts';
import { EMPTY_LEDGER } from '../shared/value-ledger.ts';
import { type FileState, readFileState } from './file-state.ts';
import { readingVersion } from './reading-version.ts';
import { sentIds } from './sent-ids.ts';
import type { SpoolRoom } from './spool/spool-file.ts';
import type { Spools } from './spool/spools.ts';
import type { UploadsDeps } from './types.ts';
import type { ScanProgress, ScanResult } from './validate/scan-file.ts';
import { runInWorker, startUploadWorker, type UploadWorker } from './worker/worker-client.ts';

type ScanDeps = Pick<UploadsDeps, 'store' | 'clock' | 'random' | 'logger' | 'plan' | 'onDryRunChanged'> & {
  spools: Spools;
  /** Earlier uploads of this content to the same environment. */
  sentBefore: (sha256: string, plan: UploadPlan) => SentBefore[];
};

interface Running {
  scan: StoredScan;
  firstBad: BadRow[];
  worker: UploadWorker | null;
  /** Aborted when nobody waits for the scan any more. */
  ending: AbortController;
  done: Promise<StoredScan>;
}

interface ScanRequest {
  path: string;
  plan: UploadPlan;
  /** Reads the model's schema; null with the reason as a note if it could not be read. */
  readModel: (signal: AbortSignal) => Promise<{ model: ModelFacts | null; note: string | null }>;
  /** The thread to use, which is ended if the scan is cancelled. Default: a new thread. */
  worker?: UploadWorker;
}

const SHOWN_BAD_ROWS = 200;
/** Limits one message to the window to about 100 KB. */
const SHOWN_BAD_BYTES = 60_000;
/** Further bad rows are counted but not stored, so that the store does not grow as large as the file. */
const MAX_STORED_BAD_ROWS = 1_000_000;
const KEPT_SCANS = 20;
const NOTIFY_EVERY_MS = 200;

/**
 * Scans with the same key read the same file in the same way with the same version of the program, so their results are
 * equal.
 */
export function readingKey(
  path: string,
  state: FileState,
  plan: UploadPlan,
  version = readingVersion(),
): string {
  const { fileId: _fileId, modelName: _modelName, onBadRow: _onBadRow, preset: _preset, ...reading } = plan;
  const { sizeBytes, mtimeMs } = state;
  return createHash('sha256')
    .update(JSON.stringify([path, sizeBytes, mtimeMs, reading, version]))
    .digest('hex');
}

export class Scans {
  readonly #deps: ScanDeps;
  readonly #running = new Map<string, Running>();
  #isStopped = false;

  constructor(deps: ScanDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a scan; `done` resolves when it has ended, for any reason. Throws FILE_* errors, and CANCELLED after the
   * stop.
   */
  async start(request: ScanRequest): Promise<{ scanId: string; done: Promise<StoredScan> }> {
    const { store, clock, random } = this.#deps;
    const state = await readFileState(request.path);
    if (this.#isStopped)
      throw new AppError('CANCELLED', 'The connection was closed before the file was checked.');
    const scan: StoredScan = {
      scanId: random.uuid(),
      path: request.path,
      fileName: basename(request.path),
      ...state,
      readingKey: readingKey(request.path, state, request.plan),
      plan: request.plan,
      schema: null,
      phase: 'running',
      readBytes: 0,
      rows: 0,
      badRows: 0,
      batches: 0,
      sendMs: null,
      notes: [],
      unusualRows: 0,
      repairedRows: 0,
      problems: [],
      ledger: EMPTY_LEDGER,
      questions: [],
      otherReading: null,
      proposed: [],
      sha256: null,
      error: null,
      createdAtMs: clock.nowMs(),
    };
    store.commit(() => store.scans.prune(KEPT_SCANS));
    const running: Running = {
      scan,
      firstBad: [],
      worker: null,
      ending: new AbortController(),
      done: Promise.resolve(scan),
    };
    this.#running.set(scan.scanId, running);
    running.done = this.#run(running, request);
    return { scanId: scan.scanId, done: running.done };
  }

  async #run(running: Running, request: ScanRequest): Promise<StoredScan> {
    const { spools } = this.#deps;
    let room: SpoolRoom | null = null;
    try {
      const { model, note } = await this.#modelOf(running, request);
      const { path, plan } = running.scan;
      running.scan = { ...running.scan, schema: model };
      this.#save(running);
      const { checkReplacements } = await import('./validate/plan-check.ts');
      if (running.ending.signal.aborted) return this.#end(running, { phase: 'cancelled' });
      checkReplacements(plan, model);
      running.worker = request.worker ?? startUploadWorker();
      const idsNote = plan.mode === 'update' ? await this.#knowIds(running, running.worker, model) : null;
      const comparesIds = plan.mode === 'update' && idsNote === null;
      const onProgress = (progress: ScanProgress) => this.#take(running, progress);
      room = await spools.open();
      const input = { path, plan, model, comparesIds, spool: room, nowMs: this.#deps.clock.nowMs() };
      const { spool, ...result } = await running.worker.call('scan', input, { onProgress });
      checkEditedContent(plan, result.sha256, running.scan.fileName);
      if (spool !== null) spools.keep(running.scan.scanId, spool);
      room = null;
      // A thread that received event ids keeps them, so it is not used again.
      if (request.worker === undefined && plan.mode !== 'update') {
        const idle = running.worker;
        running.worker = null;
        await idle.release();
      }
      const notes = [note, idsNote].filter((each) => each !== null);
      return this.#end(running, this.#finished(running, result, notes));
    } catch (problem) {
      if (running.ending.signal.aborted) return this.#end(running, { phase: 'cancelled' });
      return this.#end(running, { phase: 'failed', error: toAppError(problem).toWire() });
    } finally {
      this.#running.delete(running.scan.scanId);
      if (running.worker !== request.worker) await running.worker?.close();
      // The thread has ended, so nothing writes to the spool any more.
      spools.discard(room);
    }
  }

  /** Reads the model. Rejects as soon as the check is cancelled, without waiting for the answer. */
  async #modelOf({ ending: { signal } }: Running, { readModel }: ScanRequest) {
    const cancelled = Promise.withResolvers<never>();
    const end = () => cancelled.reject(new AppError('CANCELLED', 'The check was called off.'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    try {
      return await Promise.race([readModel(signal), cancelled.promise]);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  /**
   * Passes the event ids of receipts to the worker. Returns the reason why it cannot, or null. Updates do not need
   * them.
   */
  async #knowIds({ scan }: Running, worker: UploadWorker, model: ModelFacts | null): Promise<string | null> {
    if (model === null) return IDS_NOT_COMPARED;
    const { store, clock } = this.#deps;
    try {
      for await (const ids of sentIds(store, scan.plan.modelId, clock))
        await worker.call('know-ids', { ids });
      return null;
    } catch (problem) {
      return `The event ids could not be compared with receipts: ${toAppError(problem).message}`;
    }
  }

  #finished(
    running: Running,
    result: Omit<ScanResult, 'spool'>,
    before: readonly string[],
  ): Partial<StoredScan> {
    const { plan } = running.scan;
    const { readBytes, rows, badRows, batches, sha256, state, unusualRows, repairedRows } = result;
    const { problems, ledger, questions, otherReading } = result;
    const { columns, proposed } = result;
    const notes = [...before, ...result.notes];
    if (badRows > MAX_STORED_BAD_ROWS)
      notes.push(`The first ${MAX_STORED_BAD_ROWS} bad rows are listed, the others counted.`);
    const sendMs = this.#deps.plan(plan.mode === 'update' ? 'events.update' : 'events.publish', batches);
    return {
      phase: 'done',
      readBytes,
      rows,
      badRows,
      batches,
      sha256,
      ...state,
      notes,
      sendMs,
      unusualRows,
      repairedRows,
      problems,
      ledger,
      questions,
      otherReading,
      plan: { ...plan, columns },
      proposed,
    };
  }

  #notifiedAtMs = Number.NEGATIVE_INFINITY;

  #take(running: Running, progress: ScanProgress): void {
    const { newBadRows, isAgain, ...counts } = progress;
    if (isAgain) this.#forgetBadRows(running);
    running.scan = { ...running.scan, ...counts };
    for (const row of newBadRows) if (running.firstBad.length < SHOWN_BAD_ROWS) running.firstBad.push(row);
    if (newBadRows.length > 0 && counts.badRows - newBadRows.length < MAX_STORED_BAD_ROWS) {
      this.#deps.store.commit(() => this.#deps.store.scans.addBadRows(running.scan.scanId, newBadRows));
    }
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#notifiedAtMs < NOTIFY_EVERY_MS) return;
    this.#notifiedAtMs = nowMs;
    this.#deps.onDryRunChanged(this.#view(running.scan, running.firstBad));
  }

  /** Discards the bad rows of a pass before the file is read again with other decisions. */
  #forgetBadRows(running: Running): void {
    running.firstBad = [];
    const { store } = this.#deps;
    store.commit(() => store.scans.removeBadRows(running.scan.scanId));
  }

  #end(running: Running, changes: Partial<StoredScan>): StoredScan {
    running.scan = { ...running.scan, ...changes };
    try {
      this.#save(running);
    } catch (problem) {
      // The scan itself succeeded, but its result could not be written; that error is reported.
      running.scan = { ...running.scan, phase: 'failed', error: toAppError(problem).toWire() };
      this.#deps.logger.error('dry run not written', { code: running.scan.error?.code ?? '' });
    }
    this.#deps.onDryRunChanged(this.#view(running.scan, running.firstBad));
    return running.scan;
  }

  #save(running: Running): void {
    const { store } = this.#deps;
    store.commit(() => store.scans.save(running.scan));
  }

  /** Throws INVALID_ARGUMENT if there is no such dry run. */
  get(scanId: string): DryRun {
    const running = this.#running.get(scanId);
    if (running !== undefined) return this.#view(running.scan, running.firstBad);
    const scan = this.#deps.store.scans.get(scanId);
    if (scan === null) throw goneError();
    return this.#view(scan, this.#deps.store.scans.listBadRows(scanId, 0, SHOWN_BAD_ROWS));
  }

  /** Rows of the file as this dry run reads them. Throws INVALID_ARGUMENT if the dry run is gone, and FILE_* errors. */
  async checkRows(scanId: string, places: RowStart[]): Promise<CheckedRow[]> {
    const scan = this.#running.get(scanId)?.scan ?? this.#deps.store.scans.get(scanId);
    if (scan === null) throw goneError();
    const { path, plan, schema: model, sizeBytes, mtimeMs } = scan;
    return runInWorker('check-rows', { path, plan, model, state: { sizeBytes, mtimeMs }, places });
  }

  /**
   * The reason why this text cannot replace a value of the column, as a sentence; null if it can. Throws
   * INVALID_ARGUMENT if the dry run is gone.
   */
  async replacementProblem(
    scanId: string,
    replaced: { source: string; text: string | null },
  ): Promise<string | null> {
    const scan = this.#running.get(scanId)?.scan ?? this.#deps.store.scans.get(scanId);
    if (scan === null) throw goneError();
    const { replacementProblem } = await import('./validate/plan-check.ts');
    return replacementProblem(scan.plan, scan.schema, replaced);
  }

  async cancel(scanId: string): Promise<DryRun> {
    const running = this.#running.get(scanId);
    if (running !== undefined) {
      running.ending.abort();
      await running.worker?.close();
      await running.done;
    }
    return this.get(scanId);
  }

  runningIds(): string[] {
    return [...this.#running.keys()];
  }

  /** Ends every scan. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#running.keys()].map((scanId) => this.cancel(scanId)));
  }

  #view(scan: StoredScan, bad: readonly BadRow[]): DryRun {
    const firstBad: BadRow[] = [];
    let size = 0;
    for (const row of bad) {
      size += JSON.stringify(row).length;
      if (size > SHOWN_BAD_BYTES) break;
      firstBad.push(row);
    }
    const {
      scanId: dryRunId,
      phase,
      readBytes,
      sizeBytes,
      rows,
      badRows,
      batches,
      notes,
      error,
      sendMs,
      unusualRows,
      repairedRows,
      problems,
      ledger,
      questions,
      otherReading,
      sha256,
      proposed,
    } = scan;
    const modelColumns = coverageOf(scan);
    const { plan } = scan;
    // Columns of new keys are included.
    const columns = plan.columns.filter(({ reading }) => reading !== undefined || plan.takesNewKeys === true);
    const sentBefore =
      phase === 'done' && scan.sha256 !== null ? this.#deps.sentBefore(scan.sha256, scan.plan) : [];
    return {
      ...{ sentBefore },
      ...{ dryRunId, phase, readBytes, sizeBytes, rows, badRows, batches },
      ...{ firstBad, notes, error, sendMs, modelColumns, unusualRows, repairedRows, problems },
      ...{ ledger, questions, otherReading, columns, sha256, proposed },
    };
  }
}

function goneError(): AppError {
  return new AppError('INVALID_ARGUMENT', 'Expected a dry run of this connection; this one is gone.');
}

function coverageOf({ schema, plan }: StoredScan): NonNullable<DryRun['modelColumns']> | null {
  if (schema === null) return null;
  const targets = new Set([...plan.columns, ...(plan.constants ?? [])].map(({ target }) => target));
  const filled = schema.columns.filter(({ name }) => targets.has(name)).length;
  return { filled, total: schema.columns.length };
}
