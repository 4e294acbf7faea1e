/** All spans of a trace or session, read into a tree for the view that is being set up; one of them is inspected. */
import { onDestroy, untrack } from 'svelte';
import { AppError } from '../../../electron/shared/errors.ts';
import type { ListQuery } from '../../../electron/shared/model.ts';
import { GrowingTrace } from '../../components/trace/growing-trace.svelte.ts';
import { TraceSpans } from '../../components/trace/trace-spans.ts';
import { formatCount, formatNumber } from '../../lib/format.ts';
import { nextTask } from '../../lib/next-task.ts';
import type { JsonObject } from '../../lib/records.ts';
import { spanWords } from '../../lib/span-columns.ts';
import { timesOf } from '../../lib/span-duration.ts';
import type { SpanHead } from '../../lib/trace-tree.ts';
import { app } from '../../state/app.svelte.ts';
import type { InspectorAction } from '../../state/inspector.svelte.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import { LastQuestion } from '../../state/newest.ts';
import { reportReady } from '../../state/readiness.ts';
import { refreshers } from '../../state/refreshers.ts';
import { heldList } from '../parts/held.ts';

interface SpanTreeProps {
  tabId: string;
  query: ListQuery;
  /** Of durations, where these spans do not tell. */
  unitMs: number;
  /** From a row of the list. `latest`: the one that the cursor is at, once it is read. */
  moreActions: (row: JsonObject, list: ListModel, latest: () => Promise<JsonObject>) => InspectorAction[];
  /** What Enter does on a span; null where that is nothing. */
  enterAction: (row: JsonObject) => InspectorAction | null;
  onrefresh: () => unknown;
}

/** Made while its view is set up, and of use as long as that lives. */
export class SpanTree {
  readonly list: ListModel;
  readonly #props: () => SpanTreeProps;
  readonly #trace = new GrowingTrace();
  readonly #spans: TraceSpans;
  readonly tree = $derived(this.#trace.tree);
  readonly total = $derived.by(() => this.list.freshness?.totalRows ?? this.list.count);
  /** How many spans are here and failed, in words. */
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
  readonly #question = new LastQuestion();
  #showing: Promise<unknown> = Promise.resolve();
  readonly #isPart: boolean;
  /** Of the span that was inspected last. */
  record = $state.raw<JsonObject>({});

  /** `view`: which it is; null for a part of another view, which shows the record of the cursor itself. */
  constructor(props: () => SpanTreeProps, view: string | null) {
    this.#props = props;
    const { tabId } = untrack(props);
    this.list = heldList(tabId, 'tree');
    this.#spans = new TraceSpans(this.list, () => this.#build());
    this.list.onReadAgain = () => this.#spans.follow();
    onDestroy(() => {
      this.list.onReadAgain = null;
      this.#spans.stop();
      this.#trace.stop();
    });
    // All of it: a parent may be on another page than its children. The first ones are drawn before the others come.
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
    $effect(() => app.inspector.setEmpty(tabId, this.list.count === 0 && !this.isLoading));
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

  /** The record of the span that was inspected last, once it is read. */
  async latest(): Promise<JsonObject> {
    await this.#showing;
    return this.record;
  }

  /** Null where another one is asked for meanwhile, and where the list was read anew: the tree follows. Throws AppError. */
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

  /** Shows it in the inspector, or where this is a part. */
  inspect(span: SpanHead): void {
    this.#showing = app.run(() => this.#show(span));
  }

  async #show(span: SpanHead): Promise<void> {
    const isLast = this.#question.ask();
    // The tree is drawn before the record beside it.
    await nextTask();
    const row = isLast() ? await this.recordOf(span, isLast) : null;
    if (row === null) return;
    const { tabId, unitMs, moreActions, enterAction } = this.#props();
    this.record = row;
    if (this.#isPart) return;
    app.inspector.show({
      tabId,
      kind: 'span',
      title: span.name,
      record: row,
      words: spanWords(this.tree?.unitMs ?? unitMs),
      action: enterAction(row),
      more: moreActions(row, this.list, () => this.latest()),
    });
  }

  /** The same, and opens the inspector where it is closed. */
  open(span: SpanHead): void {
    this.inspect(span);
    if (!app.settings.isInspectorOpen) void app.run(() => app.settings.set({ isInspectorOpen: true }));
  }
}
