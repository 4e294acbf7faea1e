/** All spans of a trace or session as a tree, for the view that creates it. One of the spans is inspected. */

import { onDestroy, untrack } from 'svelte';
import { AppError } from '../../../electron/shared/errors.ts';
import type { ListQuery } from '../../../electron/shared/model.ts';
import { timesOf } from '../../../electron/shared/span-unit.ts';
import { GrowingTrace } from '../../components/trace/growing-trace.svelte.ts';
import { TraceSpans } from '../../components/trace/trace-spans.ts';
import { formatCount, formatNumber } from '../../lib/format.ts';
import { nextTask } from '../../lib/next-task.ts';
import type { JsonObject } from '../../lib/records.ts';
import { spanWords } from '../../lib/span-columns.ts';
import { failedBelow, hasFailed, problemWithin } from '../../lib/span-problem.ts';
import type { SpanHead } from '../../lib/trace-tree.ts';
import { app } from '../../state/app.svelte.ts';
import type { InspectorAction } from '../../state/inspector.svelte.ts';
import { setPanelOpen } from '../../state/inspector-panel.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import { LatestRequest } from '../../state/newest.ts';
import { reportReady } from '../../state/readiness.ts';
import { refreshers } from '../../state/refreshers.ts';
import { listOfTab } from '../parts/tab-models.ts';

interface SpanTreeProps {
  tabId: string;
  query: ListQuery;
  /** Unit of durations to use if the spans do not determine it. */
  unitMs: number;
  /** Actions for a row of a list. `latest`: returns the record at the cursor once it is loaded. */
  moreActions: (row: JsonObject, list: ListModel, latest: () => Promise<JsonObject>) => InspectorAction[];
  /** The action of Enter on a span; null if there is none. */
  enterAction: (row: JsonObject) => InspectorAction | null;
  onrefresh: () => unknown;
}

/** Must be created during the initialization of its view, and can be used as long as the view exists. */
export class SpanTree {
  readonly list: ListModel;
  readonly #props: () => SpanTreeProps;
  readonly #trace = new GrowingTrace();
  readonly #spans: TraceSpans;
  readonly tree = $derived(this.#trace.tree);
  readonly total = $derived.by(() => this.list.freshness?.totalRows ?? this.list.count);
  /** The numbers of loaded and of failed spans, as text. */
  readonly counts = $derived.by(() => {
    const { count, failed } = this.tree ?? { count: 0, failed: 0 };
    return [
      count < this.total
        ? `${formatNumber(count)} of ${formatCount(this.total, 'span')} here`
        : formatCount(count, 'span'),
      ...(failed === 0 ? [] : [`${formatNumber(failed)} with errors`]),
    ];
  });
  readonly #refresh = $derived.by(() => this.list.freshness?.refresh);
  readonly failure = $derived.by(
    () =>
      this.list.error?.toWire() ??
      (this.#refresh?.phase === 'failed' && this.#refresh.error.code !== 'OFFLINE'
        ? this.#refresh.error
        : null),
  );
  readonly isLoading = $derived.by(() =>
    this.list.phase !== 'ready' && this.list.phase !== 'failed' ? true : this.#refresh?.phase === 'loading',
  );
  readonly #latest = new LatestRequest();
  #showing: Promise<unknown> = Promise.resolve();
  readonly #isPart: boolean;
  /** Record of the last inspected span. */
  record = $state.raw<JsonObject>({});

  /**
   * `view`: the kind of view; null for a part of another view, which shows the record under the cursor itself instead
   * of in the inspector.
   */
  constructor(props: () => SpanTreeProps, view: string | null) {
    this.#props = props;
    const { tabId } = untrack(props);
    this.list = listOfTab(tabId, 'tree');
    this.#spans = new TraceSpans(this.list, () => this.#build());
    this.list.onReadAgain = () => this.#spans.follow();
    onDestroy(() => {
      this.list.onReadAgain = null;
      this.#spans.stop();
      this.#trace.stop();
    });
    // Reads all spans, because a parent can be on another page than its children. The first spans are drawn before the
    // others arrive.
    $effect(() => {
      if (this.list.phase === 'ready' && this.list.count >= 0) untrack(() => this.#spans.follow());
    });
    $effect(() => {
      void props().unitMs;
      untrack(() => this.#trace.tree && this.#build());
    });
    $effect(() => {
      const wanted = props().query;
      untrack(() => {
        if (JSON.stringify(this.list.query) !== JSON.stringify(wanted)) void this.list.open(wanted);
      });
    });
    if (view !== null) this.#standAlone(tabId, view);
    this.#isPart = view === null;
  }

  #standAlone(tabId: string, view: string): void {
    $effect(() => refreshers.set(tabId, () => this.refreshAll()));
    $effect(() => app.inspector.setEmpty(tabId, this.list.phase === 'failed' || this.list.isKnownEmpty));
    $effect(() => {
      if (this.list.phase === 'failed' || (this.list.phase === 'ready' && !this.isLoading))
        void reportReady(view);
    });
  }

  #build(): void {
    this.#trace.update(() => ({ spans: this.#spans.spans, unitMs: this.#props().unitMs }));
  }

  refreshAll(): Promise<unknown> {
    return Promise.all([this.list.refresh(), this.#props().onrefresh()]);
  }

  /** The record of the span that was inspected last, once it is loaded. */
  async latest(): Promise<JsonObject> {
    await this.#showing;
    return this.record;
  }

  /**
   * The record of a span. Null if another one was requested meanwhile, or if the list was read again, as the tree then
   * changes too. Throws AppError.
   */
  async recordOf(
    { place, name, spanId }: SpanHead,
    isLast: () => boolean = () => true,
  ): Promise<JsonObject | null> {
    await this.list.load(place, place + 1);
    if (!isLast()) return null;
    const row: JsonObject | undefined = this.list.row(place);
    if (row === undefined)
      throw new AppError('NOT_STORED', `The record of the span ${name} is not stored any more: refresh.`);
    return timesOf(row).spanId === spanId ? row : null;
  }

  /** Shows a span in the inspector, or in this part. */
  inspect(span: SpanHead): void {
    this.#showing = app.run(() => this.#show(span));
  }

  async #show(span: SpanHead): Promise<void> {
    const isLast = this.#latest.ask();
    // Waits, so that the tree is drawn before the record.
    await nextTask();
    const row = isLast() ? await this.recordOf(span, isLast) : null;
    if (row === null) return;
    const { tabId, unitMs, moreActions, enterAction } = this.#props();
    this.record = row;
    if (this.#isPart) return;
    const problem = problemWithin(row, hasFailed(row) ? await this.#failedIn(span) : null);
    if (!isLast()) return;
    app.inspector.show({
      tabId,
      kind: 'span',
      title: span.name,
      record: row,
      words: spanWords(this.tree?.unitMs ?? unitMs),
      problem,
      action: enterAction(row),
      more: moreActions(row, this.list, () => this.latest()),
    });
  }

  /** The failed span inside another one, with its record; null if none is loaded. */
  async #failedIn({ place }: SpanHead): Promise<{ name: string; row: JsonObject } | null> {
    const node = this.tree?.lines.find((line) => line.node.place === place)?.node;
    const inner = node === undefined ? null : failedBelow(node);
    if (inner === null) return null;
    await this.list.load(inner.place, inner.place + 1);
    const row: JsonObject | undefined = this.list.row(inner.place);
    return row === undefined ? null : { name: inner.name, row };
  }

  /** Shows a span, and opens the inspector if it is closed. */
  open(span: SpanHead): void {
    this.inspect(span);
    void app.run(() => setPanelOpen(app, true));
  }
}
