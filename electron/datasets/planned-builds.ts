/** Builds that begin, or go on, by themselves later. */
import { type PlannedSource, PlannedStarts } from '../core/planned-starts.ts';
import { readable } from '../core/readable.ts';
import type { BuildPlan, DatasetBuild } from '../shared/dataset-model.ts';
import type { BuildWorks, WorksDeps } from './build-works.ts';
import { obstacleOf } from './obstacle.ts';
import type { BuildAction } from './types.ts';

export class PlannedBuilds {
  readonly #deps: WorksDeps;
  readonly #works: BuildWorks;
  readonly starts: PlannedStarts;

  constructor(deps: WorksDeps, works: BuildWorks) {
    this.#deps = deps;
    this.#works = works;
    this.starts = new PlannedStarts({
      ...deps,
      what: 'build',
      planned: () => deps.store.builds.scheduled(),
      begin: (buildId, nowMs) => this.#begin(buildId, nowMs),
    });
  }

  /** Throws INVALID_ARGUMENT for a time that has passed and a build that cannot be sent, READ_ONLY. */
  schedule(buildId: string, startAtMs: number | null): DatasetBuild {
    const ledger = this.#works.idle(buildId);
    const obstacle = obstacleOf(ledger, this.#deps.isReadOnly());
    if (obstacle !== null) throw obstacle;
    ledger.apply([{ type: 'schedule', startAtMs, nowMs: this.#deps.clock.nowMs() }]);
    return ledger.view();
  }

  /** It stays as it is, and waits for a person. */
  unschedule(buildId: string): DatasetBuild {
    const ledger = this.#works.own(buildId);
    ledger.apply([{ type: 'unschedule' }]);
    return ledger.view();
  }

  /** Its time has come. Another process on the same folder may be quicker. */
  #begin(buildId: string, nowMs: number): void {
    // Its basket is being filled, here or by a command line: it begins when that has ended.
    if (this.#works.isBusy(buildId)) return;
    const ledger = this.#works.idle(buildId);
    const { startAtMs } = ledger.core;
    if (startAtMs === null || startAtMs > nowMs) return;
    const obstacle = obstacleOf(ledger, this.#deps.isReadOnly());
    if (obstacle === null) this.#works.send(ledger, () => ledger.apply([{ type: 'due', nowMs }]));
    else ledger.apply([{ type: 'miss', error: obstacle.toWire() }]);
  }

  async whenIdle(buildId: string): Promise<DatasetBuild> {
    for (;;) {
      const build = await this.#works.whenIdle(buildId);
      if (!(await this.starts.wait(buildId))) return build;
    }
  }

  source(
    control: (buildId: string, action: BuildAction, startAtMs: number | null) => Promise<DatasetBuild>,
    plan: (buildId: string) => BuildPlan,
  ): PlannedSource {
    const { store, ledgers } = this.#deps;
    return {
      kind: 'build',
      starts: this.starts,
      list: () =>
        readable(store.builds.scheduled(), ({ id, startAtMs }) => {
          const { name, error } = ledgers.get(id).build;
          return { kind: 'build', id, title: name, startAtMs, error, requests: plan(id).requests, of: null };
        }),
      control: async (id, action, startAtMs) => {
        const start = ledgers.get(id).core.state === 'editing' ? 'commit' : 'resume';
        const actions = { start, schedule: 'schedule', cancel: 'unschedule' } as const;
        await control(id, actions[action], startAtMs);
      },
    };
  }
}
