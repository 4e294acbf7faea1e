/** The part of the builds that fills, empties and copies baskets. */
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredSpan } from '../db/build-store.ts';
import type { DatasetBuild, SpanRef, SpanState } from '../shared/dataset-model.ts';
import type { BuildControl, ControlDeps } from './build-control.ts';
import type { BuildJobs } from './build-jobs.ts';
import type { BuildLedger } from './build-ledger.ts';
import { moveSpans } from './move-spans.ts';
import { nearDuplicatesAfter } from './near-duplicates.ts';
import { newBuild } from './new-build.ts';
import { rangeOfSource } from './pick-sources.ts';
import { CHUNK, PickAct, removeSpans, renewRange, turnStep } from './pick-steps.ts';
import { fromGiven, fromRow, type PickedSpan } from './picked-span.ts';
import { addSpans, rangeOfQuery, readPicked } from './picks.ts';
import { parseRecord } from './span-item.ts';
import type { Builds } from './types.ts';

type BasketMethods = Pick<
  Builds,
  | 'copy'
  | 'pickRows'
  | 'pickGiven'
  | 'pickAll'
  | 'pickOf'
  | 'stopPicking'
  | 'unpick'
  | 'step'
  | 'exclude'
  | 'findPicked'
>;

type NamedSpans = readonly SpanRef[] | 'all' | 'excluded';

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
      pickRows: async (buildId, query, spans, continues = false) => {
        const { stored: build } = this.#jobs.idle(buildId);
        const range = rangeOfQuery(query, build.applicationId);
        const { records, missing } = await readPicked(this.#deps, query, spans);
        const found = records.map(fromRow).filter((span) => span !== null);
        return { ...(await this.#add(buildId, found, range, continues)), missing };
      },
      pickGiven: (buildId, spans, continues = false) =>
        this.#add(buildId, spans.map(fromGiven), null, continues),
      pickAll: (buildId, source) => this.#control.pickAll(buildId, source),
      pickOf: (buildId, fromId, positions) => this.#pickOf(buildId, fromId, positions),
      stopPicking: (buildId) => this.#control.stopPicking(buildId),
      unpick: (buildId, spans, continues = false) => this.#unpick(buildId, spans, continues),
      step: async (buildId, direction) => {
        await this.#jobs.doTask(buildId, (ledger, signal) => turnStep(this.#deps, ledger, direction, signal));
        return this.#deps.ledgers.get(buildId).view();
      },
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
    continues: boolean,
  ): Promise<{ build: DatasetBuild; added: number; known: number }> {
    const slicer = new TimeSlicer(this.#deps.clock);
    const act = new PickAct(this.#deps, this.#jobs.idle(buildId), 'pick', continues);
    let [added, known] = [0, 0];
    for (let from = 0; from < spans.length; from += CHUNK) {
      const result = addSpans(
        this.#deps,
        this.#jobs.idle(buildId),
        spans.slice(from, from + CHUNK),
        range,
        act,
      );
      added += result.added;
      known += result.known.length;
      await slicer.pause();
    }
    return { build: this.#deps.ledgers.get(buildId).view(), added, known };
  }

  async #pickOf(buildId: string, fromId: string, positions: readonly number[]): Promise<DatasetBuild> {
    const { store } = this.#deps;
    const source = { kind: 'basket', buildId: fromId, name: '' } as const;
    const range = rangeOfSource(this.#deps, this.#jobs.idle(buildId), source);
    const found = positions.flatMap((position) => store.spans.at(fromId, position) ?? []);
    return (await this.#add(buildId, this.#spansOf(fromId, found), range, false)).build;
  }

  #spansOf(buildId: string, found: readonly StoredSpan[]): PickedSpan[] {
    const { store } = this.#deps;
    const places = found.map(({ position }) => position);
    const [records, ofFile] = [store.spans.records(buildId, places), store.spanFiles.among(buildId, places)];
    const edits = store.spans.edits(buildId, places);
    return found.map((span) => {
      const expected = edits.get(span.position);
      const text = records.get(span.position);
      const given = { ...refOf(span), start_time: span.startTime, record: parseRecord(text) };
      return {
        ...{ ...fromGiven(given), record: text ?? null, isOfFile: ofFile.has(span.position) },
        ...(expected === undefined ? {} : { expected }),
      };
    });
  }

  /** Prevents other changes of the basket meanwhile, because the action is one undo step. */
  async #unpick(buildId: string, named: NamedSpans, continues: boolean): Promise<DatasetBuild> {
    await this.#jobs.doTask(buildId, async (ledger, signal) => {
      const act = new PickAct(this.#deps, ledger, 'unpick', continues);
      const slicer = new TimeSlicer(this.#deps.clock);
      for (const spans of this.#pieces(buildId, named)) {
        removeSpans(this.#deps, ledger, spans, act);
        await slicer.pause();
        if (signal.aborted) break;
      }
      renewRange(this.#deps, ledger);
    });
    return this.#deps.ledgers.get(buildId).view();
  }

  /** The named spans in pieces, each once even if it is named repeatedly. Missing spans are not an error. */
  *#pieces(buildId: string, named: NamedSpans): Iterable<StoredSpan[]> {
    const { spans: stored } = this.#deps.store;
    if (typeof named !== 'string') {
      for (let at = 0; at < named.length; at += CHUNK) {
        const found = stored.find(buildId, named.slice(at, at + CHUNK)).filter((span) => span !== null);
        yield [...new Map(found.map((span) => [span.position, span])).values()];
      }
      return;
    }
    const states: readonly SpanState[] | null = named === 'excluded' ? ['excluded'] : null;
    for (let from = 0; ; ) {
      const found = stored.after(buildId, { states, shapeIds: null }, from, CHUNK);
      const last = found.at(-1);
      if (last === undefined) return;
      yield found;
      from = last.position + 1;
    }
  }

  /** Changes only spans in the opposite state; all others stay unchanged. */
  #exclude(buildId: string, positions: readonly number[], isExcluded: boolean): DatasetBuild {
    const ledger = this.#jobs.idle(buildId);
    const sources: readonly SpanState[] = isExcluded ? ['unsent', 'added', 'unresolved'] : ['excluded'];
    const to = isExcluded ? 'excluded' : 'unsent';
    const nearDuplicates = nearDuplicatesAfter(ledger.stored.nearDuplicates, positions, isExcluded);
    moveSpans(this.#deps, ledger, positions, { sources, to }, { nearDuplicates });
    return ledger.view();
  }

  async #copy(buildId: string): Promise<DatasetBuild> {
    const { store, random, clock, ledgers } = this.#deps;
    const { stored: build } = ledgers.get(buildId);
    const copyId = random.uuid();
    const fresh = newBuild({ ...build, id: copyId, createdAtMs: clock.nowMs() });
    const { mapping, target, ask, skipsAdded, skipsUnresolved, marginMs, timeRange, pickedRange } = build;
    store.commit(() => {
      store.builds.create(
        {
          ...fresh,
          name: build.name,
          mapping,
          target: keptTarget(build, target),
          skipsAdded,
          ask,
          skipsUnresolved,
          nearDuplicates: build.nearDuplicates,
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
    const slicer = new TimeSlicer(clock);
    // Spans that are selected meanwhile are no part of the copy, which has the positions and times of now.
    const until = build.nextPosition;
    for (let from = 0; ; ) {
      const last = store.commit(() => store.spans.copy(buildId, copyId, { from, until, limit: CHUNK }));
      if (last === null) break;
      from = last + 1;
      await slicer.pause();
    }
    store.commit(() => store.builds.show(copyId));
    return ledgers.get(copyId).view();
  }
}

const refOf = ({ traceId, spanId }: StoredSpan): SpanRef => ({ trace_id: traceId, span_id: spanId });

/** If the new dataset was created meanwhile, the copy refers to it as an existing one. */
function keptTarget(
  { datasetId }: BuildLedger['stored'],
  target: BuildLedger['stored']['target'],
): BuildLedger['stored']['target'] {
  if (target?.kind !== 'new' || datasetId === null) return target;
  return { kind: 'existing', datasetId, name: target.name };
}
