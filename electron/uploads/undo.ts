/**
 * Undoes an upload: deletes its events with as few deletions as possible, by their ids or by a time range that contains
 * no other events.
 */

import { futureStart } from '../core/jobs/start-plan.ts';
import { firstDay, planUndo, type UndoDeletion, UndoRows } from '../core/jobs/undo.ts';
import { isTerminal } from '../core/jobs/upload-job.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import { numberText } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import type { UndoPlan, UploadJob } from '../shared/upload-model.ts';
import type { Deletions } from './deletions.ts';
import type { JobControl } from './job-control.ts';
import { deletionsOf, isProduction, openBatches, unansweredDeletionsOf } from './sent-ids.ts';
import type { UndoAgreement, UploadOptions, UploadsDeps } from './types.ts';
import type { UndoCounts } from './undo-counts.ts';
import { findUndoRange, type OtherUpload, type UndoRange, unendedUpload } from './undo-range.ts';

type UndoDeps = Pick<
  UploadsDeps,
  'store' | 'client' | 'clock' | 'readBudget' | 'blockingError' | 'connection'
> & {
  options: Pick<UploadOptions, 'idsPerDeletion'>;
};

interface Found {
  plan: UndoPlan;
  rows: UndoRows;
  deletions: (UndoDeletion & Pick<UndoRange, 'range'>)[];
  job: UploadJob;
  /** Deletions that the plan takes into account. */
  known: ReadonlySet<string>;
}

export class UploadUndo {
  readonly #deps: UndoDeps;
  readonly #control: JobControl;
  readonly #deletions: Deletions;
  readonly #counts: Pick<UndoCounts, 'before'>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: UndoDeps, control: JobControl, deletions: Deletions, counts: Pick<UndoCounts, 'before'>) {
    this.#deps = deps;
    this.#counts = counts;
    this.#control = control;
    this.#deletions = deletions;
  }

  /** `startAtMs`: when its first deletions start; null for now. Throws INVALID_ARGUMENT for a time that has passed. */
  async plan(jobId: string, startAtMs: number | null = null): Promise<UndoPlan> {
    return (await this.#find(jobId, startAtMs)).plan;
  }

  /** Undoes run one after the other, because two at once would delete the same events twice. */
  undo(
    jobId: string,
    agreed: UndoAgreement,
    startAtMs: number | null = null,
  ): Promise<{ deletionIds: string[] }> {
    const done = this.#last.then(() => this.#undo(jobId, agreed, startAtMs));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #undo(
    jobId: string,
    agreed: UndoAgreement,
    startAtMs: number | null,
  ): Promise<{ deletionIds: string[] }> {
    const blockingError = this.#deps.blockingError();
    if (blockingError?.code === 'READ_ONLY') throw blockingError;
    const found = await this.#find(jobId, startAtMs);
    const { problem, events } = found.plan;
    if (problem !== '') throw new AppError('INVALID_ARGUMENT', problem);
    const count = found.deletions.length;
    if (events !== agreed.events || count !== agreed.deletions) {
      throw new AppError(
        'CONFLICT',
        `Expected to delete ${numberText(agreed.events)} events in ${agreed.deletions} deletions; now it would be ${numberText(events)} in ${count}. Nothing was deleted. Review the new plan and undo again.`,
      );
    }
    await this.#counts.before(jobId);
    // The upload may have been resumed meanwhile: rows sent since then would remain.
    const cannot = this.#cannot(this.#control.view(jobId));
    const { acknowledged } = this.#control.view(jobId).counts;
    if (cannot !== '' || acknowledged !== found.job.counts.acknowledged) {
      throw new AppError(
        'CONFLICT',
        `${cannot === '' ? 'The upload sent more rows meanwhile.' : cannot} Nothing was deleted. Review the new plan and undo again.`,
      );
    }
    const open = found.deletions.some(({ range }) => range !== null)
      ? unendedUpload(this.#deps.store, { id: jobId, plan: found.job.plan })
      : null;
    if (open !== null) {
      throw new AppError(
        'CONFLICT',
        `${open} may send events into the days of this undo by now. Nothing was deleted. Review the new plan and undo again.`,
      );
    }
    return { deletionIds: this.#deletions.planAll(jobId, this.#parts(found), found.known) };
  }

  #parts({ job, rows, deletions }: Found) {
    const { fileName, plan } = job;
    return deletions.map(({ ids, range, startAtMs }, at) => ({
      request: {
        ...{ modelId: plan.modelId, eventIds: range === null ? ids : null, timeRange: range },
        updateMetrics: false,
      },
      what: `Undo of ${fileName}, ${at + 1} of ${deletions.length}: ${numberText(ids.length)} events`,
      rows: ids.reduce((sum, id) => sum + (rows.events.get(id) ?? 0), 0),
      startAtMs,
      provenAtMs: range === null ? null : startAtMs,
    }));
  }

  async #find(jobId: string, startAtMs: number | null): Promise<Found> {
    const { clock, readBudget, options } = this.#deps;
    const beginMs = startAtMs === null ? null : futureStart(startAtMs, clock.nowMs());
    const known = this.#deletions.idsOf(jobId);
    const job = this.#control.view(jobId);
    const rows = new UndoRows();
    const cannot = this.#cannot(job);
    const others = cannot === '' ? await this.#gather(rows, job) : [];
    const budget = readBudget();
    const nowMs = clock.nowMs();
    const left = Math.max(0, budget.limit - budget.usedToday);
    const today = { nowMs, left, limit: budget.limit };
    const days = { ...firstDay(today, beginMs), planned: this.#planned(nowMs) };
    const byIds = planUndo(new Set(rows.events.keys()), days, options.idsPerDeletion);
    const { range, reason } = await this.#range(jobId, rows, others, byIds);
    const deletions =
      range === null
        ? byIds.map((each) => ({ ...each, range }))
        : [{ ids: [...rows.events.keys()], startAtMs: nowMs, range }];
    const isAccepted = job.deletions.some(({ outcome }) => outcome === 'accepted');
    const nothing = deletions.length === 0 ? nothingLeft(rows, isAccepted) : '';
    const plan: UndoPlan = {
      jobId,
      problem: cannot === '' ? nothing : cannot,
      rows: rows.rows,
      events: rows.events.size,
      deletions: deletions.map(({ ids, startAtMs, range: of }) => ({
        events: ids.length,
        startAtMs,
        isNow: startAtMs <= nowMs,
        range: of,
      })),
      reason,
      left: { unknown: job.counts.unknown, withoutId: rows.withoutId, shared: rows.shared },
      deleted: rows.deleted,
      maybeDeleted: rows.maybeDeleted,
      budget,
    };
    return { plan, rows, deletions, job, known };
  }

  #cannot({ plan, state, jobId, createdAtMs }: UploadJob): string {
    const { baseUrl, movedFrom } = this.#deps.connection ?? {};
    if (movedFrom !== undefined && createdAtMs < movedFrom.atMs && movedFrom.atMs <= this.#deps.clock.nowMs())
      return `This upload was made before the address of this connection was changed from ${movedFrom.baseUrl} to ${baseUrl}, where events with the same IDs may be others. To undo it, use a connection to the service that has the events. If the same service has moved, delete them by their IDs, which the receipts of the upload list.`;
    if (plan.mode === 'update')
      return 'This upload changed events that were there before: only new events can be deleted.';
    if (!isProduction(plan))
      return `The service deletes events of PRODUCTION only; these went to ${plan.envType}.`;
    if (isTerminal(state)) return '';
    if (state === 'running' || state === 'waiting')
      return 'This upload is still being sent. Pause or cancel it first.';
    return this.#control.jobs.isBusy(jobId)
      ? 'The last requests of this upload are still being answered. Try again in a moment.'
      : '';
  }

  /**
   * One deletion by time, if it replaces several deletions and is sent at once. It is not planned for later, because
   * the proof may not hold on another day.
   */
  async #range(
    jobId: string,
    rows: UndoRows,
    others: readonly OtherUpload[],
    byIds: readonly UndoDeletion[],
  ): Promise<UndoRange> {
    const job = this.#deps.store.jobs.get(jobId);
    const isSentNow = byIds[0] !== undefined && byIds[0].startAtMs <= this.#deps.clock.nowMs();
    if (byIds.length < 2 || job === null) return { range: null, reason: '' };
    if (!isSentNow)
      return { range: null, reason: 'Not by time: when it starts, other events may lie among these.' };
    return findUndoRange(this.#deps, job, rows, others);
  }

  /** Works in small steps, because an upload may have millions of rows. Returns the other uploads of the model. */
  async #gather(rows: UndoRows, { jobId, plan }: UploadJob): Promise<OtherUpload[]> {
    const { store, clock } = this.#deps;
    const slicer = new TimeSlicer(clock);
    const deletions = deletionsOf(store, plan.modelId);
    const own = deletions(jobId);
    const unanswered = unansweredDeletionsOf(store, plan.modelId)(jobId);
    for (const batch of this.#batches(jobId)) {
      rows.add(batch, own, unanswered);
      await slicer.pause();
    }
    const others: OtherUpload[] = [];
    for (const other of store.jobs.list()) {
      const isSame = other.plan.modelId === plan.modelId && isProduction(other.plan);
      if (other.id === jobId || !isSame) continue;
      const ofOther = deletions(other.id);
      let stored = 0;
      for (const batch of this.#batches(other.id)) {
        stored += other.plan.mode === 'update' ? batch.rows : rows.keepShared(batch, ofOther);
        await slicer.pause();
      }
      for (const batch of other.plan.mode === 'update' ? [] : this.#openBatches(other.id, clock.nowMs())) {
        rows.keepShared(batch, ofOther);
        await slicer.pause();
      }
      if (stored > 0 || other.plan.mode === 'publish') others.push({ job: other, rows: stored });
    }
    return others;
  }

  *#batches(jobId: string) {
    for (const { part, receipt } of this.#deps.store.batches.acknowledged(jobId)) {
      yield { rows: part.rows, eventIds: receipt?.eventIds ?? null, answeredAtMs: part.answeredAtMs };
    }
  }

  /** Batches whose rows the service may have or get. */
  *#openBatches(jobId: string, nowMs: number) {
    for (const { rows, ownIds, sentAtMs } of openBatches(this.#deps.store, jobId))
      yield { rows, eventIds: ownIds, answeredAtMs: sentAtMs ?? nowMs };
  }

  /** Start times of the deletions that use the daily budget of today and later days. */
  #planned(nowMs: number): number[] {
    const { deletions } = this.#deps.store;
    // A paused one is sent as soon as there is a new token.
    const soon = deletions.list().filter(({ state }) => state === 'sending' || state === 'paused');
    return [...deletions.scheduled().map(({ startAtMs }) => startAtMs), ...soon.map(() => nowMs)];
  }
}

function nothingLeft({ deleted, withoutId, shared }: UndoRows, isAccepted: boolean): string {
  if (isAccepted && withoutId + shared === 0)
    return 'The service accepted the deletion of all events of this upload, and does not report when it is done. If they stay, delete them by the file of receipts.';
  if (deleted > 0 && withoutId + shared === 0) return 'All events of this upload are deleted, or will be.';
  return 'No event of this upload can be deleted by an id of its own.';
}
