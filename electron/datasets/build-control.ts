/** Lets a person send or pause a whole build, and decide about its problems. */
import { type BuildEvent, isIdle } from '../core/jobs/build-job.ts';
import { NEW_SEARCH } from '../core/spans/wider-search.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { BuildBatch } from '../shared/build-batch-model.ts';
import type { BuildAsk, DatasetBuild, UnresolvedAction } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import { AND_ALSO } from '../shared/item-row.ts';
import type { PickSource } from '../shared/pick-source.ts';
import { askService, fetchBare } from './ask-service.ts';
import { verify } from './build-check.ts';
import type { BuildDeps, BuildJobs } from './build-jobs.ts';
import { type BuildLedger, obstacleOf } from './build-ledger.ts';
import { refOf } from './build-sender.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { fillFrom, pickAll } from './pick-all.ts';
import { rangeOfSource } from './pick-sources.ts';
import type { BuildAction } from './types.ts';

export interface ControlDeps extends BuildDeps {
  /** Deletes the rows of removed builds in the background. */
  tidyUp: () => void;
  /** Aborts work that does not run as a job. */
  closing: AbortSignal;
}

const SPANS_AT_ONCE = 200;

/** The new state of a call's spans for each decision of a person. */
const DECISIONS = { stored: 'acknowledged', resend: 'unsent', 'give-up': 'given-up' } as const;

export class BuildControl {
  readonly #deps: ControlDeps;
  readonly #jobs: BuildJobs;

  constructor(deps: ControlDeps, jobs: BuildJobs) {
    this.#deps = deps;
    this.#jobs = jobs;
  }

  /** `startAtMs` is only used by `schedule`. */
  async act(buildId: string, action: BuildAction, startAtMs: number | null = null): Promise<DatasetBuild> {
    const build = await this.#act(buildId, action, startAtMs);
    this.#jobs.starts.changed(buildId);
    return build;
  }

  async #act(buildId: string, action: BuildAction, startAtMs: number | null): Promise<DatasetBuild> {
    if (action === 'schedule' || action === 'commit') await this.#checkRead(this.#jobs.idle(buildId));
    switch (action) {
      case 'schedule':
        return this.#schedule(buildId, startAtMs);
      case 'unschedule':
        // The build keeps its state and waits for a person.
        return this.#jobs.change(buildId, (ledger) => ledger.apply([{ type: 'unschedule' }])).view();
      case 'pause':
        return this.#suspend(buildId, { type: 'pause', reason: 'Paused.', error: null });
      case 'cancel':
        return this.#suspend(buildId, { type: 'cancel' });
      case 'commit':
        return this.#commit(this.#jobs.idle(buildId));
      case 'resume':
        return this.#resume(buildId);
      case 'gather-evidence':
        await this.#jobs.doTask(buildId, async (ledger, signal) => {
          await gatherEvidence(this.#deps, ledger, signal);
          settleRest(ledger);
        });
        break;
      case 'verify':
        await this.#jobs.doTask(buildId, (ledger, signal) => verify(this.#deps, ledger, signal));
    }
    return this.#deps.ledgers.get(buildId).view();
  }

  /** Throws INVALID_ARGUMENT for a past time and for a build that cannot be sent, and READ_ONLY. */
  #schedule(buildId: string, startAtMs: number | null): DatasetBuild {
    const idle = this.#jobs.idle(buildId);
    this.#checkSendable(idle);
    const nowMs = this.#deps.clock.nowMs();
    return this.#jobs
      .change(buildId, (ledger) => ledger.apply([{ type: 'schedule', startAtMs, nowMs }]))
      .view();
  }

  #commit(idle: BuildLedger): DatasetBuild {
    this.#checkSendable(idle);
    return this.#jobs.start(idle.id, (ledger) => ledger.apply([{ type: 'start' }])).view();
  }

  #resume(buildId: string): DatasetBuild {
    const own = this.#jobs.own(buildId);
    // Repeating the request has the same effect, also while the build waits.
    if (!own.isIdle) this.#jobs.runner(buildId)?.loop.wake();
    else {
      this.#checkSendable(own);
      this.#continue(buildId);
    }
    return this.#jobs.ledger(buildId).view();
  }

  /** Resumes at once, or when the calls in flight have ended. */
  #continue(buildId: string): void {
    this.#jobs.start(buildId, (ledger) => ledger.apply([{ type: 'resume' }]));
  }

  /**
   * Rejects with CONFLICT for a draft with spans, or for a dataset, that were read only at a former address of the
   * connection.
   * Spans of files are what a person wants to send. A build that was begun is continued by a person who knows that the
   * service is the same.
   */
  async #checkRead({ id, stored }: BuildLedger): Promise<void> {
    const { checkRead, store, clock } = this.#deps;
    if (checkRead === undefined || stored.state !== 'editing') return;
    const { target } = stored;
    const ids = target?.kind === 'existing' ? [target.datasetId] : [];
    const slicer = new TimeSlicer(clock);
    for (let from = 0; ; ) {
      const spans = store.spans.after(id, { states: ['unsent'], shapeIds: null }, from, SPANS_AT_ONCE);
      const last = spans.at(-1);
      if (last === undefined) break;
      const ofFile = store.spanFiles.among(
        id,
        spans.map(({ position }) => position),
      );
      const picked = spans.filter(({ position }) => !ofFile.has(position)).map(refOf);
      for (const { span_id, trace_id } of picked) ids.push(`${span_id}${AND_ALSO}${trace_id}`);
      from = last.position + 1;
      await slicer.pause();
    }
    await checkRead(ids);
  }

  #checkSendable(ledger: BuildLedger): void {
    const obstacle = obstacleOf(ledger, this.#deps.isReadOnly());
    if (obstacle !== null) throw obstacle;
  }

  /** Calls in flight still get their answers; no more calls are sent. */
  #suspend(buildId: string, how: BuildEvent): DatasetBuild {
    const ledger = this.#jobs.own(buildId);
    ledger.apply([how]);
    this.#jobs.runner(buildId)?.loop.wake();
    return ledger.view();
  }

  pickAll(buildId: string, source: PickSource): DatasetBuild {
    const idle = this.#jobs.idle(buildId);
    if (idle.stored.state !== 'editing') {
      throw new AppError('INVALID_ARGUMENT', 'Spans can be added only while the build is being edited.');
    }
    rangeOfSource(this.#deps, idle, source);
    return this.#jobs
      .startTask(
        buildId,
        (ledger) => ledger.apply([], fillFrom(ledger.stored, source)),
        (ledger, signal) => pickAll(this.#deps, ledger, source, signal),
      )
      .view();
  }

  /**
   * Asks the service for spans of files, and for spans of which only the ids are stored. Allowed only while the build
   * is being edited. Rejects with the error that prevents asking; answers received before are kept.
   */
  async ask(buildId: string): Promise<DatasetBuild> {
    const { state } = this.#jobs.idle(buildId).stored;
    if (state !== 'editing') {
      throw new AppError('INVALID_ARGUMENT', 'Spans can be asked for only while the build is being edited.');
    }
    await this.#jobs.doTask(buildId, async (ledger, signal) => {
      const phase = (to: BuildAsk['phase']) => {
        const { ask } = ledger.stored;
        if (ask !== null) ledger.apply([], { ask: { ...ask, phase: to } });
      };
      phase('running');
      try {
        await fetchBare(this.#deps, ledger, signal);
        if (ledger.stored.ask !== null) await askService(this.#deps, ledger, signal);
      } finally {
        if (ledger.stored.ask?.phase === 'running') phase('due');
      }
    });
    return this.#deps.ledgers.get(buildId).view();
  }

  stopPicking(buildId: string): DatasetBuild {
    this.#jobs.checkFree(buildId);
    const ledger = this.#deps.ledgers.get(buildId);
    const runner = this.#jobs.runner(buildId);
    // Another task, or the sending of the build, may have begun since the person saw the spans being picked.
    if (runner?.isTask === true && ledger.stored.fill?.phase === 'running') runner.loop.abort();
    return ledger.view();
  }

  /**
   * A person's choice after a 422: its spans are left out, requested again, or searched for in wider time ranges. Then
   * the build resumes.
   */
  settleUnresolved(buildId: string, action: UnresolvedAction, marginMs: number | null): DatasetBuild {
    // A check of the dataset may be in progress: it does not change spans that the service could not find.
    const ledger = this.#jobs.resting(buildId);
    if (ledger.core.tallies.unresolved === 0) {
      throw new AppError(
        'INVALID_ARGUMENT',
        'Expected a build with spans that the service could not find; this one has none.',
      );
    }
    this.#checkSendable(ledger);
    if (action === 'widen') {
      ledger.apply([], { search: NEW_SEARCH });
      this.#continue(buildId);
      return ledger.view();
    }
    const to = action === 'exclude' ? 'excluded' : 'unsent';
    const { spans } = this.#deps.store;
    ledger.apply([], marginMs === null ? {} : { marginMs }, undefined, () => {
      const states = { from: 'unresolved', to } as const;
      return [{ type: 'move', ...states, count: spans.move(buildId, states, 0, ledger.stored.nextPosition) }];
    });
    this.#continue(buildId);
    return ledger.view();
  }

  /** Applies a person's decision on a call whose answer was lost. Sending it again starts the build. */
  decide(buildId: string, number: number, decision: keyof typeof DECISIONS): DatasetBuild {
    // Other calls may be in flight meanwhile, but only this function changes this call.
    const ledger = this.#jobs.own(buildId);
    const { store, clock } = this.#deps;
    const batch = store.batches.get(buildId, number);
    const { datasetId } = ledger.stored;
    if (batch?.state !== 'unknown' || datasetId === null) {
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected a request of unknown outcome; request ${number + 1} is ${batch?.state ?? 'not there'}.`,
      );
    }
    const spans = store.spans.ofBatch(buildId, number);
    const state = DECISIONS[decision];
    const decided: BuildBatch = { ...batch, state };
    ledger.apply([{ type: 'move', from: 'unknown', to: state, count: spans.length }], {}, () => {
      store.batches.save(buildId, decided);
      for (const { position } of spans) {
        store.spans.change(buildId, position, { state, batch: decision === 'resend' ? null : number });
      }
      if (decision !== 'stored') return;
      const receipts = spans.map((span) => ({ ...refOf(span), itemId: null }));
      store.spans.saveReceipts(datasetId, buildId, receipts, clock.nowMs());
    });
    if (ledger.core.state === 'needs-decision' && decision === 'resend') this.#continue(buildId);
    else settleRest(ledger);
    return ledger.view();
  }
}

/** Ends a build if nothing is left to send or to decide. */
function settleRest(ledger: BuildLedger): void {
  const { state, tallies } = ledger.core;
  const isOpen = tallies.unsent > 0 || tallies.unknown > 0 || tallies.unresolved > 0;
  if (!isOpen && isIdle(state)) ledger.apply([{ type: 'settle' }]);
}
