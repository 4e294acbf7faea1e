/** What a person does with a build as a whole: sends, pauses, decides. */
import { isIdle } from '../core/build-job.ts';
import type { BuildBatch } from '../shared/build-batch-model.ts';
import type { DatasetBuild, SpanSelection } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import { verify } from './build-check.ts';
import type { BuildLedger } from './build-ledger.ts';
import { refOf } from './build-sender.ts';
import type { BuildWorks, WorksDeps } from './build-works.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { obstacleOf } from './obstacle.ts';
import { newFill, pickAll } from './pick-all.ts';
import { PlannedBuilds } from './planned-builds.ts';
import type { BuildAction } from './types.ts';

export interface ControlDeps extends WorksDeps {
  /** Deletes what was forgotten, in the background. */
  tidyUp: () => void;
}

/** What a decision makes of a call and of its spans. */
const DECISIONS = { stored: 'acknowledged', resend: 'unsent', 'give-up': 'given-up' } as const;

export class BuildControl {
  readonly #deps: ControlDeps;
  readonly #works: BuildWorks;
  readonly planned: PlannedBuilds;

  constructor(deps: ControlDeps, works: BuildWorks) {
    this.#deps = deps;
    this.#works = works;
    this.planned = new PlannedBuilds(deps, works);
  }

  /** `startAtMs` belongs to `schedule`. */
  async act(buildId: string, action: BuildAction, startAtMs: number | null = null): Promise<DatasetBuild> {
    const build = await this.#act(buildId, action, startAtMs);
    this.planned.starts.changed(buildId);
    return build;
  }

  async #act(buildId: string, action: BuildAction, startAtMs: number | null): Promise<DatasetBuild> {
    switch (action) {
      case 'schedule':
        return this.planned.schedule(buildId, startAtMs);
      case 'unschedule':
        return this.planned.unschedule(buildId);
      case 'pause':
        return this.#pause(buildId);
      case 'commit':
        return this.#commit(this.#works.idle(buildId));
      case 'resume':
        return this.#resume(buildId);
      case 'gather-evidence':
        await this.#works.alone(buildId, async (ledger, signal) => {
          await gatherEvidence(this.#deps, ledger, signal);
          settleRest(ledger);
        });
        break;
      case 'verify':
        await this.#works.alone(buildId, (ledger, signal) => verify(this.#deps, ledger, signal));
    }
    return this.#deps.ledgers.get(buildId).view();
  }

  #commit(ledger: BuildLedger): DatasetBuild {
    this.#checkSendable(ledger);
    this.#works.send(ledger, () => ledger.apply([{ type: 'commit' }]));
    return ledger.view();
  }

  #resume(buildId: string): DatasetBuild {
    const ledger = this.#works.own(buildId);
    // Asked for twice, or while it waits: the wish is the same.
    if (!isIdle(ledger.core.state)) this.#works.get(buildId)?.runner?.loop.wake();
    else {
      this.#checkSendable(ledger);
      this.#works.goOn(ledger);
    }
    return ledger.view();
  }

  #checkSendable(ledger: BuildLedger): void {
    const obstacle = obstacleOf(ledger, this.#deps.isReadOnly());
    if (obstacle !== null) throw obstacle;
  }

  /** What is on its way is still answered; nothing follows it. */
  #pause(buildId: string): DatasetBuild {
    const ledger = this.#works.own(buildId);
    ledger.apply([{ type: 'pause', reason: 'Paused.', error: null }]);
    this.#works.get(buildId)?.runner?.loop.wake();
    return ledger.view();
  }

  pickAll(buildId: string, selection: SpanSelection): DatasetBuild {
    const ledger = this.#works.idle(buildId);
    const { applicationId, state } = ledger.build;
    if (state !== 'editing') {
      throw new AppError('INVALID_ARGUMENT', 'Only a build that is edited takes more spans.');
    }
    if (selection.application_id !== applicationId) {
      throw new AppError(
        'INVALID_ARGUMENT',
        'The query asks for spans of another application than the build.',
      );
    }
    this.#works.run(
      ledger,
      (signal) => pickAll(this.#deps, ledger, selection, signal),
      () => ledger.apply([], { fill: newFill(selection) }),
    );
    return ledger.view();
  }

  stopPicking(buildId: string): DatasetBuild {
    this.#works.get(buildId)?.abort.abort();
    return this.#deps.ledgers.get(buildId).view();
  }

  /** After a 422: its spans are left out, or asked for again; then it goes on. */
  settleUnresolved(buildId: string, action: 'exclude' | 'retry', marginMs: number | null): DatasetBuild {
    const ledger = this.#works.idle(buildId);
    if (ledger.core.tallies.unresolved === 0) {
      throw new AppError(
        'INVALID_ARGUMENT',
        'Expected a build with spans that the service could not find; this one has none.',
      );
    }
    this.#checkSendable(ledger);
    const to = action === 'exclude' ? 'excluded' : 'unsent';
    const { spans } = this.#deps.store;
    ledger.apply([], marginMs === null ? {} : { marginMs }, undefined, () => {
      const states = { from: 'unresolved', to } as const;
      return [{ type: 'move', ...states, count: spans.move(buildId, states, 0, ledger.build.nextPosition) }];
    });
    this.#works.goOn(ledger);
    return ledger.view();
  }

  /** A person's decision on a call whose answer was lost. Sending it again starts the build. */
  decide(buildId: string, number: number, decision: keyof typeof DECISIONS): DatasetBuild {
    // Other calls may be on their way meanwhile: this one is touched by nobody else.
    const ledger = this.#works.own(buildId);
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
    const state = DECISIONS[decision];
    const decided: BuildBatch = { ...batch, state };
    ledger.apply([{ type: 'move', from: 'unknown', to: state, count: spans.length }], {}, () => {
      store.batches.save(buildId, decided);
      for (const { position } of spans) {
        store.spans.change(buildId, position, { state, batch: decision === 'resend' ? null : number });
      }
      if (decision !== 'stored') return;
      const receipts = spans.map((span) => ({ ...refOf(span), itemId: null }));
      store.batches.saveReceipts(datasetId, buildId, receipts, clock.nowMs());
    });
    if (ledger.core.state === 'needs-decision' && decision === 'resend') this.#works.goOn(ledger);
    else settleRest(ledger);
    return ledger.view();
  }
}

/** Ends a build of which nothing is left to send or to decide. */
function settleRest(ledger: BuildLedger): void {
  const { state, tallies } = ledger.core;
  const isOpen = tallies.unsent > 0 || tallies.unknown > 0 || tallies.unresolved > 0;
  if (!isOpen && isIdle(state)) ledger.apply([{ type: 'settle' }]);
}
