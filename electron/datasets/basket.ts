/** Picking: the part of the builds that fills, empties and copies baskets. */
import { Breather } from '../core/breather.ts';
import { type DatasetBuild, SPAN_STATES, type SpanRef, type SpanState } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import type { BuildControl, ControlDeps } from './build-control.ts';
import type { BuildJobs } from './build-jobs.ts';
import type { BuildLedger } from './build-ledger.ts';
import { newBuild } from './new-build.ts';
import { addSpans, fromGiven, fromRow, rangeOfQuery, readPicked, removeSpans, renewRange } from './picks.ts';
import { moveSpans, twinsAfter } from './twins.ts';
import type { Builds } from './types.ts';

type BasketMethods = Pick<
  Builds,
  'copy' | 'pickRows' | 'pickGiven' | 'pickAll' | 'stopPicking' | 'unpick' | 'exclude' | 'findPicked'
>;

/** Spans written in one commit: more would hold the main thread for too long. */
const CHUNK = 100;

export class Basket {
  readonly #deps: ControlDeps;
  readonly #control: BuildControl;
  readonly #jobs: BuildJobs;

  constructor(deps: ControlDeps, control: BuildControl, jobs: BuildJobs) {
    this.#deps = deps;
    this.#control = control;
    this.#jobs = jobs;
  }

  methods(): BasketMethods {
    const { store } = this.#deps;
    return {
      copy: (buildId) => this.#copy(buildId),
      pickRows: async (buildId, query, spans) => {
        const { stored: build } = this.#jobs.idle(buildId);
        const range = rangeOfQuery(query, build.applicationId);
        const { records, missing } = await readPicked(this.#deps, query, spans);
        const found = records.map(fromRow).filter((span) => span !== null);
        return { ...(await this.#add(buildId, found, range)), missing };
      },
      pickGiven: (buildId, spans) => this.#add(buildId, spans.map(fromGiven), null),
      pickAll: (buildId, selection) => this.#control.pickAll(buildId, selection),
      stopPicking: (buildId) => this.#control.stopPicking(buildId),
      unpick: (buildId, spans) => this.#unpick(buildId, spans),
      exclude: (buildId, positions, isExcluded) => this.#exclude(buildId, positions, isExcluded),
      findPicked: (buildId, spans) =>
        store.spans
          .find(buildId, spans)
          .map((span) => (span === null ? null : { position: span.position, state: span.state })),
    };
  }

  async #add(
    buildId: string,
    spans: Parameters<typeof addSpans>[2],
    range: Parameters<typeof addSpans>[3],
  ): Promise<{ build: DatasetBuild; added: number; known: number }> {
    const breather = new Breather(this.#deps.clock);
    let [added, known] = [0, 0];
    for (let from = 0; from < spans.length; from += CHUNK) {
      const result = addSpans(this.#deps, this.#jobs.idle(buildId), spans.slice(from, from + CHUNK), range);
      added += result.added;
      known += result.known;
      if (result.isCut) throw full();
      await breather.pause();
    }
    return { build: this.#deps.ledgers.get(buildId).view(), added, known };
  }

  async #unpick(buildId: string, spans: readonly SpanRef[] | 'all' | 'excluded'): Promise<DatasetBuild> {
    const { store, clock } = this.#deps;
    const breather = new Breather(clock);
    const next = (): { position: number; state: SpanState }[] => {
      const states = spans === 'excluded' ? (['excluded'] as const) : SPAN_STATES;
      return store.spans.page(buildId, { states, shapeIds: null }, 0, CHUNK);
    };
    if (typeof spans !== 'string') {
      const ledger = this.#jobs.idle(buildId);
      const found = store.spans.find(buildId, spans).filter((span) => span !== null);
      removeSpans(this.#deps, ledger, found);
    } else {
      for (let found = next(); found.length > 0; found = next()) {
        removeSpans(this.#deps, this.#jobs.idle(buildId), found);
        await breather.pause();
      }
    }
    const ledger = this.#jobs.idle(buildId);
    renewRange(this.#deps, ledger);
    return ledger.view();
  }

  /** Spans in other states than the opposite stay as they are. */
  #exclude(buildId: string, positions: readonly number[], isExcluded: boolean): DatasetBuild {
    const ledger = this.#jobs.idle(buildId);
    const sources: readonly SpanState[] = isExcluded ? ['unsent', 'added', 'unresolved'] : ['excluded'];
    const to = isExcluded ? 'excluded' : 'unsent';
    const twins = twinsAfter(ledger.stored.twins, positions, isExcluded);
    moveSpans(this.#deps, ledger, positions, { sources, to }, { twins });
    return ledger.view();
  }

  async #copy(buildId: string): Promise<DatasetBuild> {
    const { store, random, clock, ledgers } = this.#deps;
    const { stored: build } = ledgers.get(buildId);
    const copyId = random.uuid();
    const fresh = newBuild({ ...build, id: copyId, createdAtMs: clock.nowMs() });
    const { mapping, target, skipsAdded, skipsUnresolved, marginMs, timeRange, pickedRange } = build;
    store.commit(() => {
      store.builds.create(
        {
          ...fresh,
          name: build.name,
          mapping,
          target: keptTarget(build, target),
          skipsAdded,
          skipsUnresolved,
          twins: build.twins,
          marginMs,
          timeRange,
          pickedRange,
          nextPosition: build.nextPosition,
          firstStartMs: build.firstStartMs,
          lastStartMs: build.lastStartMs,
        },
        true,
      );
      store.spans.copyShapes(buildId, copyId);
      store.reviews.copy(buildId, copyId);
    });
    const breather = new Breather(clock);
    for (let from = 0; ; ) {
      const last = store.commit(() => store.spans.copy(buildId, copyId, from, CHUNK));
      if (last === null) break;
      from = last + 1;
      await breather.pause();
    }
    store.commit(() => store.builds.show(copyId));
    return ledgers.get(copyId).view();
  }
}

/** A new dataset that was made meanwhile is an existing one for the copy. */
function keptTarget(
  { datasetId }: BuildLedger['stored'],
  target: BuildLedger['stored']['target'],
): BuildLedger['stored']['target'] {
  if (target?.kind !== 'new' || datasetId === null) return target;
  return { kind: 'existing', datasetId, name: target.name };
}

function full(): AppError {
  return new AppError(
    'INVALID_ARGUMENT',
    'A dataset from spans takes at most 100,000 spans; the rest were not added. Send this one, then start another.',
  );
}
