/** The values of one tile. They are requested while its component exists; the stored answer is shown first. */

import { type BoardTimes, tileBody } from '../../../../electron/shared/board-times.ts';
import { earlierBody } from '../../../../electron/shared/chart-comparison.ts';
import { type QueryParts, readBody } from '../../../../electron/shared/chart-query.ts';
import type { WireError } from '../../../../electron/shared/errors.ts';
import type { ListQuery } from '../../../../electron/shared/model.ts';
import { oneTaskBehind } from '../../../components/stages.svelte.ts';
import type { ChartMarker, ChartSeries } from '../../../lib/chart/types.ts';
import { axisTitles } from '../../../lib/monitoring/axis-titles.ts';
import { type BoardTile, isComplete, subjectOfTile } from '../../../lib/monitoring/board.ts';
import { firingMarkers } from '../../../lib/monitoring/board-firings.ts';
import { withOpenEnd } from '../../../lib/monitoring/open-end.ts';
import { type ChartAnswer, readAnswer } from '../../../lib/monitoring/query-answer.ts';
import { app } from '../../../state/app.svelte.ts';
import { RecordModel } from '../../../state/record-state.svelte.ts';
import { StoredAnswer } from '../../../state/stored-answer.svelte.ts';
import { activeConnectionId } from '../../parts/tab-models.ts';
import type { SubjectFacts } from '../chart/subject-facts.svelte.ts';
import {
  shortNames,
  stateOf,
  type TileThreshold,
  tileThresholds,
  topSeries,
  watchingRules,
} from './board-series.ts';
import { firingsOfTab } from './rule-firings.svelte.ts';

interface TileOptions {
  tabId: string;
  tile: () => BoardTile;
  times: () => BoardTimes;
  facts: SubjectFacts;
}

export class TileModel {
  readonly values: StoredAnswer;
  /** The earlier period, if the service does not send it with the values. */
  readonly #earlier: StoredAnswer;
  readonly #options: TileOptions;
  /** The queries that were requested last, as text. */
  #asked: string | null = null;
  #earlierAsked = $state.raw<string | null>(null);
  readonly #given: { readonly value: StoredAnswer['shown']; readonly isBehind: boolean };

  readonly subject = $derived.by(() => subjectOfTile(this.#options.tile()));
  readonly body = $derived.by(() => tileBody(this.#options.tile(), this.#options.times()));
  readonly queries = $derived.by(() => readBody(this.body).queries);
  /** Derived from text, so that an equal body is not requested again. */
  readonly query: ListQuery = $derived({ operation: 'queries.run', path: {}, query: {}, body: this.body });
  readonly titles = $derived.by(() => {
    const { right } = this.#options.tile();
    return axisTitles(this.queries, right, (query) => this.#metricOf(query));
  });

  readonly #read = $derived.by(() => {
    const shown = this.#given.value;
    if (shown === null) return null;
    const body = shown.query.body ?? {};
    const answer = this.#answered(shown.record, body, null);
    const { comparison } = answer;
    const asked =
      comparison === null || comparison.isThere
        ? null
        : earlierBody(body, comparison.asked, answer.series, answer.zone);
    if (asked === null) return { answer, asked: null, isEarlierMissing: comparison?.isThere === false };
    const query: ListQuery = { operation: 'queries.run', path: {}, query: {}, body: asked };
    const before = this.#earlier.shown;
    const isIts = before !== null && JSON.stringify(before.query) === JSON.stringify(query);
    const both = isIts ? this.#answered(shown.record, body, before.record) : answer;
    return { answer: both, asked: query, isEarlierMissing: both.comparison?.isThere === false };
  });
  readonly answer: ChartAnswer | null = $derived(this.#read?.answer ?? null);
  /** All series of the answer. */
  readonly all: readonly ChartSeries[] = $derived(shortNames(this.answer?.series ?? []));
  /** The series that are drawn. */
  readonly series: readonly ChartSeries[] = $derived.by(() => topSeries(this.all, this.#options.tile().top));
  readonly hasValues = $derived(this.all.some(({ values }) => values.some((value) => value !== null)));
  readonly #rules = $derived.by(() =>
    this.subject.kind === 'model' ? this.#options.facts.rules(this.subject.modelId) : [],
  );
  readonly thresholds: readonly TileThreshold[] = $derived.by(() => {
    const { tile, times } = this.#options;
    return tileThresholds(tile(), times().label, this.#rules);
  });
  readonly #watching = $derived.by(() => watchingRules(this.#options.tile(), this.#rules));
  /** Marks for the bins in which rules about the values of the tile fired. */
  readonly markers: readonly ChartMarker[] = $derived.by(() => {
    const firings = firingsOfTab(this.#options.tabId);
    const rules = this.#watching.map(({ id, name }) => ({ name, bins: firings.binsOf(id) }));
    const { binSize = '', zone = 'UTC' } = this.answer ?? {};
    return firingMarkers(rules, { times: this.all[0]?.times ?? [], binSize, zone });
  });
  /** The worst severity of the watched series, even if they are not drawn. */
  readonly state = $derived(stateOf(this.all, this.thresholds));
  readonly isReading = $derived.by(() => this.#given.isBehind);
  readonly isLoading = $derived.by(() => this.values.isLoading || this.#given.isBehind);
  /** Whether the earlier period was requested but has no values. */
  readonly isEarlierMissing = $derived(this.#read?.isEarlierMissing === true);
  /** Whether values, or those of the earlier period, are still expected. */
  readonly isAwaited = $derived.by(() => {
    if (this.isLoading) return true;
    const asked = this.#read?.asked ?? null;
    if (asked === null || !this.isEarlierMissing || this.#earlier.failure !== null) return false;
    return this.#earlierAsked !== JSON.stringify(asked) || this.#earlier.isLoading;
  });
  /** Whether there is anything to request. */
  readonly isComplete = $derived.by(() => isComplete(this.#options.tile()));
  readonly isOffline = $derived.by(
    () =>
      this.values.failure?.code === 'OFFLINE' ||
      app.network.phaseOf(this.values.record.connectionId) === 'switched-off',
  );

  /** Whether a refresh was requested before the first request. */
  #isAnew = false;

  /** Must be called during component initialization. `tile` and `times` are reactive. */
  constructor(options: TileOptions) {
    this.#options = options;
    const { tabId, tile } = options;
    const answerOf = (name: string) =>
      new StoredAnswer(
        new RecordModel({ connectionId: activeConnectionId(), viewId: `tab-${tabId}.${name}.${tile().id}` }),
      );
    this.values = answerOf('tile');
    this.#earlier = answerOf('tile-earlier');
    this.#given = oneTaskBehind(() => this.values.shown);
  }

  get tile(): BoardTile {
    return this.#options.tile();
  }
  get failure(): WireError | null {
    return this.values.failure;
  }
  get id(): string {
    return this.tile.id;
  }
  get name(): string {
    return this.tile.title;
  }

  /** Requests values, metrics and alert rules. An equal query is requested only once. */
  ask(): void {
    if (!this.isComplete) {
      this.#clear();
      return;
    }
    const { facts } = this.#options;
    this.#asked = JSON.stringify(this.query);
    facts.openMetrics(this.subject);
    if (this.subject.kind === 'model') facts.openRules(this.subject.modelId);
    void this.values.ask(this.query, this.#isAnew ? 'always' : 'if-stale');
    this.#isAnew = false;
  }
  /** Requests the history of the rules about the values of the tile, once there are values. Reactive. */
  askFirings(): void {
    const { tabId, times } = this.#options;
    if (!this.hasValues) return;
    for (const { id } of this.#watching) firingsOfTab(tabId).ask(id, times().label);
  }
  /** Requests the earlier period if the answer lacks it. Reactive. */
  askEarlier(): void {
    const asked = this.#read?.asked ?? null;
    if (asked === null) return;
    this.#earlierAsked = JSON.stringify(asked);
    void this.#earlier.ask(asked);
  }
  /** Removes the values of another query, e.g. of the previous range, as a tile out of view is not requested yet. */
  forgetOther(): void {
    if (this.#asked !== null && this.#asked !== JSON.stringify(this.query)) this.#clear();
  }
  #clear(): void {
    this.#asked = null;
    this.values.clear();
    this.#earlier.clear();
  }
  /**
   * Requests the values again. A tile that was not requested yet, e.g. because it is out of view, does so with its
   * first request.
   */
  async refresh(): Promise<void> {
    if (this.#asked === null) this.#isAnew = true;
    else await this.values.refresh();
  }
  /** Ends all requests of the tile. */
  dispose(): void {
    this.values.record.dispose();
    this.#earlier.record.dispose();
  }

  #metricOf(query: QueryParts) {
    return this.#options.facts.metricOf(this.subject, query);
  }

  #answered(record: unknown, body: NonNullable<ListQuery['body']>, before: unknown): ChartAnswer {
    const names = {
      metric: (query: QueryParts) => this.#metricOf(query)?.name,
      column: (query: QueryParts, column: string) =>
        this.#metricOf(query)?.columns.find(({ id }) => id === column)?.title,
      baseline: () => undefined,
    };
    const answer = readAnswer(record, body, names, this.#options.tile().right, before);
    const readMs = this.values.record.freshness?.newestMs ?? Number.POSITIVE_INFINITY;
    return { ...answer, series: withOpenEnd(answer.series, answer, readMs) };
  }
}
