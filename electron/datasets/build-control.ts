/** Sends, pauses, decides and recovers builds, and keeps two processes from working on the same one. */
import { isIdle } from '../core/build-job.ts';
import { LeaseKeeper } from '../core/lease.ts';
import type { StoredBuildBatch } from '../db/build-store.ts';
import type { DatasetBuild, SpanSelection } from '../shared/dataset-model.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { verify } from './build-check.ts';
import { type BuildLedger, type BuildLedgers, problemsOf } from './build-ledger.ts';
import { BuildRunner } from './build-runner.ts';
import { refOf } from './build-sender.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { newFill, pickAll } from './pick-all.ts';
import type { BuildAction, DatasetOptions, DatasetsDeps } from './types.ts';

export interface ControlDeps extends DatasetsDeps {
  options: DatasetOptions;
  ledgers: BuildLedgers;
  /** Deletes what was forgotten, in the background. */
  tidyUp: () => void;
}

/** What is being done with a build: sending it, filling its basket, reading its items back. */
interface Active {
  ledger: BuildLedger;
  runner: BuildRunner | null;
  abort: AbortController;
  /** Resolves when it has ended and the lease is free again. */
  ended: Promise<void>;
}

export class BuildControl {
  readonly #deps: ControlDeps;
  readonly #leases: LeaseKeeper;
  readonly #active = new Map<string, Active>();
  #isStopping = false;

  constructor(deps: ControlDeps) {
    this.#deps = deps;
    this.#leases = new LeaseKeeper({
      ...deps,
      table: deps.store.leases,
      what: 'build',
      owner: deps.random.uuid(),
    });
  }

  /** The ledger of a build that a person may change now. Throws CONFLICT while something of it is on its way. */
  idle(buildId: string): BuildLedger {
    if (this.#active.has(buildId)) {
      throw new AppError('CONFLICT', 'This build is being worked on. Pause it or wait until it has ended.');
    }
    this.#leases.checkFree(buildId);
    const ledger = this.#deps.ledgers.get(buildId);
    this.#recoverOne(ledger);
    return ledger;
  }

  async act(buildId: string, action: BuildAction): Promise<DatasetBuild> {
    switch (action) {
      case 'pause':
        return this.#pause(buildId);
      case 'commit':
        return this.#commit(this.idle(buildId));
      case 'resume':
        return this.#resume(buildId);
      case 'gather-evidence':
        await this.#alone(buildId, async (ledger, signal) => {
          await gatherEvidence(this.#deps, ledger, signal);
          settleRest(ledger);
        });
        return this.#deps.ledgers.get(buildId).view();
      case 'verify':
        await this.#alone(buildId, (ledger, signal) => verify(this.#deps, ledger, signal));
        return this.#deps.ledgers.get(buildId).view();
    }
  }

  #commit(ledger: BuildLedger): DatasetBuild {
    const problems = problemsOf(ledger.build, ledger.counts());
    if (problems.length > 0) {
      throw new AppError('INVALID_ARGUMENT', `Nothing was sent. ${problems.join(' ')}`, {
        outcome: 'unsent',
      });
    }
    this.#checkWritable();
    this.#start(ledger, () => ledger.apply([{ type: 'commit' }]));
    return ledger.view();
  }

  #resume(buildId: string): DatasetBuild {
    const active = this.#active.get(buildId);
    if (active !== undefined && active.runner !== null) {
      // Asked for twice, or while it waits: the wish is the same. While its last call lands: it goes on after it.
      if (isIdle(active.ledger.core.state)) active.ledger.apply([{ type: 'resume' }]);
      active.runner.loop.wake();
      return active.ledger.view();
    }
    const ledger = this.idle(buildId);
    this.#checkWritable();
    this.#start(ledger, () => ledger.apply([{ type: 'resume' }]));
    return ledger.view();
  }

  #checkWritable(): void {
    if (!this.#deps.isReadOnly()) return;
    throw new AppError(
      'READ_ONLY',
      'Adding items changes data, and this connection is read-only. Switch that off in the connection to send the build.',
      { outcome: 'unsent' },
    );
  }

  /** What is on its way is still answered; nothing follows it. */
  #pause(buildId: string): DatasetBuild {
    const active = this.#active.get(buildId);
    if (active === undefined) this.#leases.checkFree(buildId);
    const ledger = active?.ledger ?? this.#deps.ledgers.get(buildId);
    ledger.apply([{ type: 'pause', reason: 'Paused.', error: null }]);
    active?.runner?.loop.wake();
    return ledger.view();
  }

  pickAll(buildId: string, selection: SpanSelection): DatasetBuild {
    const ledger = this.idle(buildId);
    const { applicationId, state } = ledger.build;
    if (state !== 'editing')
      throw new AppError('INVALID_ARGUMENT', 'Only a build that is edited takes more spans.');
    if (selection.application_id !== applicationId) {
      throw new AppError(
        'INVALID_ARGUMENT',
        'The query asks for spans of another application than the build.',
      );
    }
    this.#work(
      ledger,
      null,
      (signal) => pickAll(this.#deps, ledger, selection, signal),
      () => ledger.apply([], { fill: newFill(selection) }),
    );
    return ledger.view();
  }

  stopPicking(buildId: string): DatasetBuild {
    this.#active.get(buildId)?.abort.abort();
    return this.#deps.ledgers.get(buildId).view();
  }

  #start(ledger: BuildLedger, begin: () => void): void {
    const holder: { runner: BuildRunner | null } = { runner: null };
    this.#work(
      ledger,
      () => holder.runner,
      async (signal) => {
        const runner = new BuildRunner(this.#deps, ledger);
        holder.runner = runner;
        signal.addEventListener('abort', () => runner.loop.abort(), { once: true });
        if (this.#isStopping) runner.loop.stop();
        await runner.loop.done;
      },
      begin,
    );
  }

  /** Does something with a build that nobody else may do at the same time; rejects as `work` does. */
  async #alone(
    buildId: string,
    work: (ledger: BuildLedger, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const ledger = this.idle(buildId);
    let failure: unknown = null;
    const active = this.#work(ledger, null, async (signal) => {
      try {
        await work(ledger, signal);
      } catch (problem) {
        failure = problem;
      }
    });
    await active.ended;
    if (failure !== null) throw toAppError(failure);
  }

  #work(
    ledger: BuildLedger,
    runnerOf: (() => BuildRunner | null) | null,
    work: (signal: AbortSignal) => Promise<void>,
    begin: () => void = () => undefined,
  ): Active {
    const abort = new AbortController();
    const release = this.#leases.take(ledger.id, () => abort.abort());
    ledger.holdsLease = () => this.#leases.holds(ledger.id);
    const end = () => {
      this.#active.delete(ledger.id);
      ledger.holdsLease = null;
      release();
      ledger.close();
    };
    try {
      begin();
    } catch (problem) {
      end();
      throw problem;
    }
    const ended = work(abort.signal)
      .catch((problem: unknown) => {
        this.#deps.logger.error('work on a build failed', {
          build: ledger.id,
          reason: toAppError(problem).message,
        });
      })
      .then(() => {
        end();
        this.#startAgain(ledger);
      });
    const active: Active = {
      ledger,
      get runner() {
        return runnerOf?.() ?? null;
      },
      abort,
      ended,
    };
    this.#active.set(ledger.id, active);
    return active;
  }

  /** It was resumed while its last call was being answered. */
  #startAgain(ledger: BuildLedger): void {
    if (this.#isStopping || isIdle(ledger.core.state)) return;
    try {
      this.#start(ledger, () => undefined);
    } catch (problem) {
      const error = toAppError(problem);
      ledger.applyAnyhow([{ type: 'pause', reason: error.message, error: error.toWire() }]);
    }
  }

  /** After a 422: its spans are left out, or asked for again; then it goes on. */
  settleUnresolved(buildId: string, action: 'exclude' | 'retry', marginMs: number | null): DatasetBuild {
    const ledger = this.idle(buildId);
    const { unresolved } = ledger.core.tallies;
    if (unresolved === 0) {
      throw new AppError('INVALID_ARGUMENT', 'Expected a build with spans that the service could not find.');
    }
    const to = action === 'exclude' ? 'excluded' : 'unsent';
    const { store } = this.#deps;
    ledger.apply([], marginMs === null ? {} : { marginMs }, undefined, () => [
      {
        type: 'move',
        from: 'unresolved',
        to,
        count: store.spans.move(buildId, { from: 'unresolved', to }, 0, ledger.build.nextPosition),
      },
    ]);
    this.#start(ledger, () => ledger.apply([{ type: 'resume' }]));
    return ledger.view();
  }

  /** A person's decision on a call whose answer was lost. Sending it again starts the build. */
  decide(buildId: string, number: number, decision: 'stored' | 'resend' | 'give-up'): DatasetBuild {
    // Other calls may be on their way meanwhile: this one is touched by nobody else.
    const ledger = this.#active.get(buildId)?.ledger ?? this.idle(buildId);
    const { store, clock } = this.#deps;
    const batch = store.batches.get(buildId, number);
    const { datasetId } = ledger.build;
    if (batch?.state !== 'unknown' || datasetId === null) {
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected a call of unknown outcome; call ${number + 1} is ${batch?.state ?? 'not there'}.`,
      );
    }
    const spans = store.spans.ofBatch(buildId, number);
    const spanState = ({ stored: 'acknowledged', resend: 'unsent', 'give-up': 'given-up' } as const)[
      decision
    ];
    const decided: StoredBuildBatch = {
      ...batch,
      state: ({ stored: 'acknowledged', resend: 'unsent', 'give-up': 'given-up' } as const)[decision],
    };
    ledger.apply([{ type: 'move', from: 'unknown', to: spanState, count: spans.length }], {}, () => {
      store.batches.save(buildId, decided);
      for (const { position } of spans) {
        store.spans.change(buildId, position, {
          state: spanState,
          batch: decision === 'resend' ? null : number,
        });
      }
      if (decision !== 'stored') return;
      const receipts = spans.map((span) => ({ ...refOf(span), itemId: null }));
      store.batches.saveReceipts(datasetId, buildId, receipts, clock.nowMs());
    });
    if (ledger.core.state === 'needs-decision' && decision === 'resend') {
      this.#start(ledger, () => ledger.apply([{ type: 'resume' }]));
    } else settleRest(ledger);
    return ledger.view();
  }

  /** Calls that a process left on their way: nobody knows what became of them. */
  #recoverOne(ledger: BuildLedger): void {
    const { store } = this.#deps;
    const left = store.batches.list(ledger.id, ['sending'], 0, 1_000);
    const { state, tallies } = ledger.core;
    const isInterrupted = !isIdle(state);
    const { fill } = ledger.build;
    if (left.length === 0 && !isInterrupted && fill?.phase !== 'running') return;
    const error = new AppError('CONNECTION_LOST', 'The program ended before the answer came.', {
      outcome: 'unknown',
    }).toWire();
    const reason = 'It was interrupted: the program that was sending it ended.';
    ledger.apply(
      [
        { type: 'move', from: 'sending', to: 'unknown', count: tallies.sending },
        ...(isInterrupted ? [{ type: 'interrupt' as const, reason }] : []),
      ],
      fill?.phase === 'running' ? { fill: { ...fill, phase: 'stopped' } } : {},
      () => {
        for (const batch of left) store.batches.save(ledger.id, { ...batch, state: 'unknown', error });
        store.spans.move(ledger.id, { from: 'sending', to: 'unknown' }, 0, ledger.build.nextPosition);
      },
    );
  }

  recover(continues: boolean): void {
    for (const { buildId, state } of this.#deps.store.builds.list()) {
      if (this.#active.has(buildId) || this.#leases.isElsewhere(buildId)) continue;
      const ledger = this.#deps.ledgers.get(buildId);
      this.#recoverOne(ledger);
      if (!continues || isIdle(state)) continue;
      this.#start(ledger, () => ledger.apply([{ type: 'resume' }]));
    }
  }

  wake(): void {
    for (const { runner, ledger } of this.#active.values()) {
      if (ledger.core.state === 'waiting') runner?.loop.wake();
    }
  }

  async whenIdle(buildId: string): Promise<DatasetBuild> {
    for (let active = this.#active.get(buildId); active !== undefined; active = this.#active.get(buildId)) {
      await active.ended;
    }
    return this.#deps.ledgers.get(buildId).view();
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const all = [...this.#active.values()];
    for (const { runner, abort } of all) {
      // What only reads ends at once; a call on its way may still be answered.
      if (runner === null) abort.abort();
      else runner.loop.stop();
    }
    const cancel = this.#deps.clock.setTimer(() => {
      for (const { abort } of all) abort.abort();
    }, graceMs);
    await Promise.all(all.map(({ ended }) => ended));
    cancel();
  }
}

/** Ends a build of which nothing is left to send or to decide. */
function settleRest(ledger: BuildLedger): void {
  const { state, tallies } = ledger.core;
  const isOpen = tallies.unsent > 0 || tallies.unknown > 0 || tallies.unresolved > 0;
  if (!isOpen && isIdle(state)) ledger.apply([{ type: 'settle' }]);
}
