/**
 * Prepares a job for sending. The file must be unchanged and completely checked, and the plan must fit the model as it
 * is now. Then the baseline row count is read.
 */

import { ageOf } from '../core/moments.ts';
import type { StoredJob, StoredScan } from '../db/upload-store.ts';
import { badRowText } from '../shared/bad-row-text.ts';
import { withDecided } from '../shared/column-plan.ts';
import { questionError } from '../shared/column-reading.ts';
import { counted, numberText } from '../shared/count-text.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import { mostBadRows, policyText } from '../shared/row-policy.ts';
import type { ModelFacts } from '../shared/upload-columns.ts';
import type { UploadPlan } from '../shared/upload-model.ts';
import { fileChangedError, readFileState } from './file-state.ts';
import { type ModelChanges, modelChanges, refuseMisfits, SAME_MODEL } from './model-changes.ts';
import { noModelError, readModel, readRowCount, uncheckedNote, valueOrReason } from './row-counts.ts';
import type { Scans } from './scans.ts';
import type { UploadsDeps } from './types.ts';
import type { UploadLedger } from './upload-ledger.ts';
import type { UploadWorker } from './worker/worker-client.ts';

/** Maximum age of the model, as read by this process, when an upload continues whose first rows were sent. */
const MODEL_AGE_MS = 600_000;

interface PreparationDeps extends Pick<UploadsDeps, 'store' | 'client' | 'clock'> {
  scans: Scans;
  ledger: UploadLedger;
  worker: UploadWorker;
  /** Called with a function that ends a long read, and with null when the read is over. */
  onReading: (end: (() => void) | null) => void;
  /** Aborted when the runner ends. */
  signal: AbortSignal;
}

/**
 * Returns false if the job does not continue, because it was paused meanwhile or has failed. Throws the errors that
 * prevent sending.
 */
export async function prepareJob(deps: PreparationDeps): Promise<boolean> {
  const { ledger } = deps;
  await proveFile(deps);
  if (!ledger.isRunning) return false;
  const isJudged =
    ledger.job.scanId === null ? null : await untilHalted(deps, (signal) => isJudgedOtherwise(deps, signal));
  if (isJudged === 'halted' || !ledger.isRunning) return false;
  const isScanned = isJudged === false;
  if (!isScanned && !(await scanFile(deps))) return false;
  if (!ledger.isRunning || !mayGoOn(deps)) return false;
  if ((await untilHalted(deps, (signal) => readBaseline(deps, signal))) === 'halted') return false;
  return ledger.isRunning;
}

/** Requests of `read` end when the job is halted, because they may wait in the queue for long. */
async function untilHalted<T>(
  { onReading, signal }: Pick<PreparationDeps, 'onReading' | 'signal'>,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T | 'halted'> {
  const halt = new AbortController();
  onReading(() => halt.abort());
  try {
    return await read(AbortSignal.any([signal, halt.signal]));
  } catch (problem) {
    if (halt.signal.aborted) return 'halted';
    throw problem;
  } finally {
    onReading(null);
  }
}

/**
 * Checks size, date and, once per process, the hash of the whole file. A new date with the old content counts as the
 * same file. Throws FILE_CHANGED, FILE_NOT_FOUND.
 */
async function proveFile({ ledger, store, worker, onReading }: PreparationDeps): Promise<void> {
  const { path, sizeBytes, mtimeMs, sha256, id: jobId, fileName } = ledger.job;
  const now = await readFileState(path);
  const isSameDate = now.mtimeMs === mtimeMs;
  if (now.sizeBytes !== sizeBytes) throw fileChangedError(fileName);
  if (sha256 === null) {
    if (!isSameDate) throw fileChangedError(fileName);
    return;
  }
  const hasSent = store.batches.last(jobId) !== null;
  if ((isSameDate && (ledger.isFileProven || !hasSent)) || !ledger.isRunning) return;
  onReading(() => {
    worker.close().catch(() => undefined);
  });
  const found = await worker.call('hash', { path });
  onReading(null);
  if (found.sha256 !== sha256) throw fileChangedError(fileName);
  ledger.isFileProven = true;
  if (!isSameDate) ledger.apply([], { mtimeMs: now.mtimeMs });
}

/**
 * Reads the model again, because it may have changed since the file was checked, days ago for a planned upload. Returns
 * true if the file has to be checked again, because the ranges or categories of its fields are different now. Throws
 * CONFLICT if the values do not fit the columns of the model any more, and the errors of reading.
 */
async function isJudgedOtherwise(deps: PreparationDeps, signal: AbortSignal): Promise<boolean> {
  const { ledger, clock } = deps;
  const hasSent = hasSentRows(deps);
  const ageMs = ageOf(ledger.modelReadAtMs ?? Number.NEGATIVE_INFINITY, clock.nowMs());
  if (ledger.job.schema === null || (hasSent && ageMs < MODEL_AGE_MS)) return false;
  const changes = compareModel(deps, await readModelAgain(deps, signal));
  // If some rows were sent, the others are judged like them.
  return changes.isJudgedOtherwise && !hasSent;
}

function readModelAgain(
  { ledger, client }: PreparationDeps,
  signal: AbortSignal,
): Promise<ModelFacts | null> {
  const { id, plan } = ledger.job;
  return readModel(client, plan.modelId, `upload ${id}`, signal);
}

/** Throws CONFLICT if the values of the file do not fit the columns of the model any more. */
function compareModel(deps: PreparationDeps, now: ModelFacts | null): ModelChanges {
  const { ledger, clock } = deps;
  const { schema, plan, fileName } = ledger.job;
  if (schema === null) return SAME_MODEL;
  const changes = modelChanges(schema, now, plan);
  refuseMisfits(changes, { modelName: plan.modelName, fileName, hasSent: hasSentRows(deps) });
  ledger.modelReadAtMs = clock.nowMs();
  return changes;
}

function hasSentRows({ ledger, store }: PreparationDeps): boolean {
  return store.batches.last(ledger.id) !== null;
}

/** Reads and checks the whole file before the first row is sent. */
async function scanFile(deps: PreparationDeps): Promise<boolean> {
  const { ledger, client, scans, worker, onReading } = deps;
  const { path, plan, id: jobId, schema } = ledger.job;
  ledger.note('Reading and checking the whole file first.');
  const { scanId, done } = await scans.start({
    path,
    plan,
    worker,
    readModel: async (signal) => {
      if (schema === null) return modelOf(client, plan.modelId, jobId, signal);
      const model = await readModelAgain(deps, signal);
      compareModel(deps, model);
      return { model, note: null };
    },
  });
  const cancel = () => {
    scans.cancel(scanId).catch(() => undefined);
  };
  onReading(cancel);
  // The job may have been halted before the check began.
  if (!ledger.isRunning) cancel();
  const scan = await done;
  onReading(null);
  if (scan.phase === 'failed' && scan.error !== null) throw fromWire(scan.error);
  if (scan.phase !== 'done' || !ledger.isRunning) return false;
  ledger.note('');
  ledger.apply([{ type: 'scanned', rows: scan.rows, rejected: scan.badRows }], fromScan(scan, plan));
  return true;
}

/** The job fields taken from a finished scan. */
export function fromScan(
  scan: StoredScan,
  plan: UploadPlan,
): Pick<StoredJob, 'scanId' | 'sha256' | 'schema' | 'sizeBytes' | 'mtimeMs' | 'plan' | 'decided'> {
  const { scanId, sha256, schema, sizeBytes, mtimeMs } = scan;
  const before = new Set(plan.columns.map((column) => JSON.stringify(column)));
  const decided = scan.plan.columns.filter((column) => !before.has(JSON.stringify(column)));
  const of = { scanId, sha256, schema, sizeBytes, mtimeMs };
  return decided.length === 0 ? { ...of, plan } : { ...of, plan: withDecided(plan, decided), decided };
}

/**
 * Reads the model that rows are checked with. If the service does not provide it, rows are checked by their types
 * alone.
 */
export function modelOf(
  client: UploadsDeps['client'],
  modelId: string,
  group: string,
  signal: AbortSignal,
): Promise<{ model: ModelFacts | null; note: string | null }> {
  return valueOrReason<{ model: ModelFacts | null; note: string | null }>(
    async () => {
      const model = await readModel(client, modelId, group, signal);
      return { model, note: model === null ? uncheckedNote(null) : null };
    },
    (_reason, error) => ({ model: null, note: uncheckedNote(error) }),
  );
}

/** Throws if the plan does not fit this model; returns false if bad rows end the job. */
function mayGoOn({ ledger, store }: PreparationDeps): boolean {
  const { plan, schema, rejected, rows, scanId } = ledger.job;
  if (plan.mode === 'update')
    checkUpdate(
      plan.columns.map((column) => column.target),
      schema,
    );
  const questions = (scanId === null ? null : store.scans.get(scanId))?.questions ?? [];
  if (questions.length > 0) {
    const error = questionError(questions).toWire();
    ledger.apply([{ type: 'fail', reason: error.message, error }]);
    return false;
  }
  if (rejected <= mostBadRows(plan.onBadRow, rows ?? 0)) return true;
  const first = scanId === null ? undefined : store.scans.listBadRows(scanId, 0, 1)[0];
  const where = first === undefined ? '' : ` The first is in ${badRowText(first)}`;
  const text = `${numberText(rejected)} of ${counted(rows ?? 0, 'row')} cannot be sent, and this upload ${policyText(plan.onBadRow)}: nothing was sent.${where}`;
  const details = first === undefined ? {} : { line: first.line };
  const error = new AppError('FILE_MALFORMED', text, details).toWire();
  ledger.apply([{ type: 'fail', reason: error.message, error }]);
  return false;
}

/** Throws INVALID_ARGUMENT if an update does not say which events it changes. */
export function checkUpdate(targets: readonly (string | null)[], schema: ModelFacts | null): void {
  if (schema === null) return;
  if (schema.eventIdColumn === null) throw noModelError();
  if (targets.includes(schema.eventIdColumn)) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Updates need the id of each event: expected a column that goes to “${schema.eventIdColumn}”. Map one.`,
  );
}

/** Reads the row count before the first batch, for later evidence. */
async function readBaseline(
  { ledger, client, clock, store }: PreparationDeps,
  signal: AbortSignal,
): Promise<void> {
  const { plan, id: jobId, baseline } = ledger.job;
  if (baseline !== null || plan.mode === 'update' || store.batches.last(jobId) !== null) return;
  const count = await valueOrReason(
    () => readRowCount(client, plan, `upload ${jobId}`, signal),
    (reason): { rowCount: number | null; reason: string } => ({ rowCount: null, reason }),
  );
  ledger.apply([], { baseline: { ...count, atMs: clock.nowMs() } });
}
