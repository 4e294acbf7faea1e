/** All uploads of one connection, behind the channels `uploads:*` and, as jobs, `jobs:*`. */

import { isTerminal, NEW_UPLOAD, type UploadCore, uploadTransition } from '../core/jobs/upload-job.ts';
import { ageOf } from '../core/moments.ts';
import type { StoredBatch, StoredJob } from '../db/upload-store.ts';
import { STOP_GRACE_MS } from '../jobs/types.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { checkTold, type SentBefore, uploadPlace } from '../shared/sent-before.ts';
import { isModelUnread } from '../shared/upload-columns.ts';
import {
  MAX_DELETION_IDS,
  type UploadBatch,
  type UploadJob,
  type UploadPlan,
} from '../shared/upload-model.ts';
import { EMPTY_LEDGER } from '../shared/value-ledger.ts';
import { Deletions } from './deletions.ts';
import { manifestOf, writeExport } from './exports.ts';
import { readFileState } from './file-state.ts';
import { JobControl } from './job-control.ts';
import { checkUpdate, fromScan, modelOf } from './job-preparation.ts';
import { deletionSource, fileSource, uploadSource } from './job-sources.ts';
import { createPreparations } from './preparations.ts';
import { uncheckedNote } from './row-counts.ts';
import { readingKey, Scans } from './scans.ts';
import { Spools } from './spool/spools.ts';
import type { UploadOptions, Uploads, UploadsDeps } from './types.ts';
import { UploadUndo } from './undo.ts';
import { UndoCounts } from './undo-counts.ts';
import { WholeFileSender } from './whole-files.ts';

/** Maximum requests of one upload in flight if all goes well. */
export const MAX_UPLOADING = 6;

const DEFAULTS: UploadOptions = {
  maxInFlight: MAX_UPLOADING,
  isolatesRefusedRows: true,
  isolationRequests: { perBatch: 64, perJob: 640 },
  evidenceSettleMs: 300_000,
  countPauseMs: 2_000,
  idsPerDeletion: MAX_DELETION_IDS,
  isProcessAlive,
  processId: process.pid,
  processSpace: '',
};

/** Maximum age of a finished dry run that a job reuses. After that, the model may have changed. */
const YOUNG_SCAN_MS = 86_400_000;
/** A batch size that had to be reduced is used for this long: rows of another file can be much smaller. */
const LEARNED_FOR_MS = 86_400_000;

/** As for the other kinds of jobs, a process counts as gone only if the system does not know its id. */
function isProcessAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (problem) {
    return !(problem instanceof Error && 'code' in problem && problem.code === 'ESRCH');
  }
}

/** Builds the upload engine of one connection. Reads and sends nothing until it is called. */
export function createUploads(deps: UploadsDeps): Uploads {
  const options = { ...DEFAULTS, ...deps.options };
  const { store, files, clock } = deps;
  const closing = new AbortController();
  const spools = new Spools({ ...deps, folder: deps.spoolFolder });
  const scans: Scans = new Scans({
    ...deps,
    spools,
    sentBefore: (sha256, plan) => sentBefore(sha256, plan),
  });
  const sentBefore = (sha256: string, plan: UploadPlan): SentBefore[] =>
    plan.mode === 'update'
      ? []
      : store.jobs.idsOfContent(sha256, plan).flatMap((jobId) => asSentBefore(control.view(jobId)));
  const preparations = createPreparations(deps, scans);
  const control = new JobControl({ ...deps, options, scans, spools, closing: closing.signal });
  const deletions = new Deletions({
    ...deps,
    options,
    onUploadsConcerned: (jobIds) => {
      for (const jobId of jobIds) {
        deps.onJobChanged(control.view(jobId));
        undoCounts.look(jobId);
      }
    },
  });
  const undoCounts = new UndoCounts({ ...deps, options }, control, deletions);
  const undo = new UploadUndo({ ...deps, options }, control, deletions, undoCounts);
  const wholeFiles = new WholeFileSender({ ...deps, options });
  const readModel = (plan: UploadPlan) => async (signal: AbortSignal) => {
    try {
      return await modelOf(deps.client, plan.modelId, 'dry run', signal);
    } catch (problem) {
      // A dry run works without the service. A note then names the checks that were not possible.
      return { model: null, note: uncheckedNote(toAppError(problem)) };
    }
  };
  const uploads: Omit<Uploads, 'sources'> = {
    recover: async ({ continues }) => {
      deletions.recover(continues);
      wholeFiles.jobs.recover(continues);
      for (const { path } of store.jobs.list({ isUnfinished: true })) files.keep(path);
      const recovered = control.recover(continues);
      undoCounts.recheck();
      return recovered;
    },
    inspect: (fileId, override) => files.inspect(fileId, override),
    startDryRun: async (plan) => {
      await check(plan);
      const { scanId } = await scans.start({
        path: (await files.readable(plan.fileId, plan.dialect)).path,
        plan,
        readModel: readModel(plan),
      });
      return scans.get(scanId);
    },
    getDryRun: (dryRunId) => scans.get(dryRunId),
    cancelDryRun: (dryRunId) => scans.cancel(dryRunId),
    checkRows: (dryRunId, places) => scans.checkRows(dryRunId, places),
    checkValue: (dryRunId, value) => scans.replacementProblem(dryRunId, value),
    createJob: async (plan, startsNow, startAtMs = null, preparationId = null, told = null) => {
      const job = await newJob(deps, plan, startAtMs);
      const create = () => {
        if (job.sha256 !== null) checkTold(sentBefore(job.sha256, plan), told, uploadPlace(plan), 'sent');
        store.jobs.create(job);
        if (startsNow && startAtMs === null) control.begin(job.id);
      };
      // Creates the upload in the same transaction, so that its file is never offered for sending again, and so that
      // another process sees that this content is being sent.
      try {
        if (preparationId !== null) preparations.end(preparationId, create);
        else store.commit(create);
      } catch (problem) {
        control.jobs.forget(job.id, () => undefined);
        throw problem;
      }
      control.jobs.starts.changed(job.id);
      return control.view(job.id);
    },
    listJobs: () => store.jobs.list().map((job) => control.view(job.id)),
    getJob: (jobId) => control.view(jobId),
    controlJob: async (jobId, action, startAtMs) => {
      if (action === 'gather-evidence') await undoCounts.now(jobId);
      return control.act(jobId, action, startAtMs);
    },
    listBatches: ({ jobId, states, offset, limit }) => ({
      batches: store.batches.list(jobId, states, offset, limit).map(batchView),
      total: store.batches.count(jobId, states),
    }),
    listBadRows: ({ ownerId, offset, limit }) => {
      const scanId = store.jobs.get(ownerId)?.scanId ?? ownerId;
      return {
        rows: store.scans.listBadRows(scanId, offset, limit),
        total: store.scans.countBadRows(scanId),
      };
    },
    decideBatch: (jobId, batch, decision) => control.decide(jobId, batch, decision),
    writeFile: (ownerId, what, path) => writeExport(store, ownerId, what, path, deps.connectionId),
    manifest: (jobId) => {
      const job = store.jobs.get(jobId);
      if (job === null) throw new AppError('INVALID_ARGUMENT', 'Expected an upload of this connection.');
      return manifestOf(store, job, deps.connectionId);
    },
    checkOf: (jobId) => {
      const scanId = store.jobs.get(jobId)?.scanId ?? null;
      const check = scanId === null ? null : store.scans.get(scanId);
      return { ledger: check?.ledger ?? EMPTY_LEDGER, notes: check?.notes ?? [] };
    },
    forgetJob: (jobId) => {
      const { state } = control.view(jobId);
      const ledger = isTerminal(state) ? control.jobs.resting(jobId) : control.jobs.idle(jobId);
      store.commit(() => {
        ledger.checkOwn();
        store.jobs.remove(jobId);
      });
    },
    deleteEvents: (request, startAtMs) => deletions.delete(request, startAtMs),
    recallDeletions: () => deletions.recall(),
    planUndo: (jobId, startAtMs) => undo.plan(jobId, startAtMs),
    countUndo: async (jobId) => {
      await undoCounts.now(jobId);
      return control.view(jobId);
    },
    undo: (jobId, agreed, startAtMs) => undo.undo(jobId, agreed, startAtMs),
    controlDeletion: (deletionId, action, startAtMs) => deletions.control(deletionId, action, startAtMs),
    whenSent: (deletionId) => deletions.whenSent(deletionId),
    listDeletions: () => deletions.list(),
    deletionBudget: deps.readBudget,
    getDeletion: (deletionId) => deletions.jobs.ledger(deletionId).view(),
    wholeFiles,
    preparations,
    damaged: store.damaged,
    wake: () => {
      control.jobs.wake();
      deletions.jobs.wake();
      wholeFiles.jobs.wake();
      undoCounts.recheck();
    },
    whenIdle: async (jobId) => (await control.jobs.whenOver(jobId)).view(),
    stop: async (graceMs = STOP_GRACE_MS) => {
      closing.abort();
      undoCounts.stop();
      await Promise.all([
        deletions.stop(graceMs),
        control.jobs.stop(graceMs),
        scans.stop(),
        wholeFiles.jobs.stop(graceMs),
      ]);
      spools.dropAll();
    },
  };
  return {
    ...uploads,
    sources: [
      uploadSource(uploads, control.jobs),
      fileSource(wholeFiles, wholeFiles.jobs, preparations),
      deletionSource(uploads, deletions.jobs),
    ],
  };

  async function newJob(
    { random, checkRead }: UploadsDeps,
    plan: UploadPlan,
    startAtMs: number | null,
  ): Promise<StoredJob> {
    await check(plan);
    await checkRead?.([plan.modelId]);
    const { name } = files.resolve(plan.fileId);
    const { path } = await files.readable(plan.fileId, plan.dialect);
    const state = await readFileState(path);
    const nowMs = clock.nowMs();
    const found = store.scans.findDone(readingKey(path, state, plan));
    // If the file was checked without the model, e.g. offline, it is read and checked again before the first row is
    // sent.
    const isWhole = found !== null && !isModelUnread(found.notes);
    const scan = isWhole && ageOf(found.createdAtMs, nowMs) < YOUNG_SCAN_MS ? found : null;
    if (plan.mode === 'update')
      checkUpdate(
        plan.columns.map(({ target }) => target),
        scan?.schema ?? null,
      );
    const planned: UploadCore =
      startAtMs === null ? NEW_UPLOAD : uploadTransition(NEW_UPLOAD, { type: 'schedule', startAtMs, nowMs });
    const { tallies: _tallies, ...core } = planned;
    return {
      ...core,
      id: random.uuid(),
      path,
      fileName: name,
      ...state,
      scanId: null,
      sha256: null,
      // An old check does not count, but the model must still fit the columns that were chosen by it.
      schema: found?.schema ?? null,
      plan,
      ...(scan === null ? {} : { ...fromScan(scan, plan), rows: scan.rows, rejected: scan.badRows }),
      requests: 0,
      isolationRequests: 0,
      doubtfulBatches: 0,
      doubtfulRows: 0,
      batchRows: Math.min(
        plan.batchRows,
        store.jobs.learnedBatchRows(plan.modelId, nowMs - LEARNED_FOR_MS) ?? plan.batchRows,
      ),
      maxBatchBytes: plan.maxBatchBytes,
      baseline: null,
      createdAtMs: nowMs,
      endedAtMs: null,
    };
  }
}

/** The earlier upload for a warning; empty if nothing of it was sent or will be. */
function asSentBefore(job: UploadJob): SentBefore[] {
  const { jobId, fileName, createdAtMs, counts, deletions, state, startAtMs } = job;
  const { rows, acknowledged, unknown } = counts;
  const isOpen = !isTerminal(state) && state !== 'ready';
  if (acknowledged + unknown === 0 && !isOpen) return [];
  const planned = state === 'scheduled' && startAtMs !== null ? { startAtMs } : {};
  const gone = deletions.filter(({ outcome }) => outcome === 'deleted');
  const deleted = Math.min(
    acknowledged,
    gone.reduce((sum, deletion) => sum + deletion.rows, 0),
  );
  return [{ jobId, fileName, atMs: createdAtMs, rows, acknowledged, unknown, deleted, isOpen, ...planned }];
}

/**
 * Imported when the first plan is made, because its rules bring the tables of all encodings. Throws INVALID_ARGUMENT.
 */
async function check(plan: UploadPlan): Promise<void> {
  const { checkPlan } = await import('./validate/plan-check.ts');
  checkPlan(plan);
}

function batchView(batch: StoredBatch): UploadBatch {
  const { firstRow, lastRow, rows, state, attempts, sentAtMs, answeredAtMs } = batch;
  const { requestId, error, evidence } = batch;
  return {
    batch: batch.batch,
    firstRow,
    lastRow,
    rows,
    state,
    attempts,
    sentAtMs,
    answeredAtMs,
    requestId,
    error,
    evidence,
  };
}
