/**
 * Sends one call of a build and handles its answer. Each call is stored before it is sent, and each receipt before it
 * is reported.
 */
import type { BulkAddSpansResult } from '../api/records.ts';
import { type BuildEvent, unresolvedText } from '../core/jobs/build-job.ts';
import { writeDurably } from '../core/jobs/durable-write.ts';
import { receiptProblem } from '../core/jobs/receipt-check.ts';
import { sameSpansProblem } from '../core/jobs/same-spans.ts';
import { classifyFailure } from '../core/jobs/send-outcome.ts';
import { isNoSizeLimit, noSizeLimitError, type SentSize } from '../core/jobs/size-rejection.ts';
import { callRange } from '../core/spans/call-range.ts';
import { failedSpans } from '../core/spans/failed-spans.ts';
import { toWire } from '../core/spans/span-mapping.ts';
import { searchMargin, widened, withCall, withFound } from '../core/spans/wider-search.ts';
import type { StoredBuild, StoredSpan } from '../db/build-store.ts';
import type { BuildBatch, BuildBatchState } from '../shared/build-batch-model.ts';
import type { SpanRef, SpanState } from '../shared/dataset-model.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { BuildLedger } from './build-ledger.ts';
import { prepareItems } from './edited-items.ts';
import { callOptions } from './target-dataset.ts';
import type { DatasetsDeps } from './types.ts';

type SenderDeps = Pick<DatasetsDeps, 'store' | 'client' | 'clock' | 'logger' | 'onDatasetChanged'> & {
  ledger: BuildLedger;
  /** Called after spans were acknowledged. */
  onSuccess: () => void;
};

/** This many consecutive lost answers mean that the connection to the service has a problem. */
const MAX_UNKNOWN_IN_A_ROW = 3;

/** The service's answer to a call, with the item id of each span; null if unknown. */
interface Answer {
  itemIds: (string | null)[];
  /** Item ids as received. */
  given: string[];
  requestId: string;
}

/** A request in flight. */
interface Sent {
  answer: Promise<Answer>;
  /** Size of the request body in bytes. */
  bytes: number;
}

interface Call {
  batch: BuildBatch;
  spans: readonly StoredSpan[];
  datasetId: string;
}

interface SpanEnd {
  state: SpanState;
  itemId?: string | null;
  message?: string | null;
}

export class BuildSender {
  readonly #deps: SenderDeps;
  readonly #ledger: BuildLedger;
  #unknownInARow = 0;
  /** The first id of each answer of this run. An answer that repeats ids of other spans contains one of these. */
  readonly #firstIds = new Set<string>();

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    this.#ledger = deps.ledger;
  }

  /** Sends these spans in one call. Never rejects if the call fails; a failure changes the build and the spans. */
  async send(datasetId: string, spans: readonly StoredSpan[], signal: AbortSignal): Promise<void> {
    const call = this.#markSending(datasetId, spans, 'spans');
    if (call !== null) await this.#settle(call, this.#requestSpans(call, signal), signal);
  }

  /**
   * Like `send`, for spans with an edited expected output, which are sent as items. Sends as many as fit into one
   * request.
   */
  async sendItems(datasetId: string, spans: readonly StoredSpan[], signal: AbortSignal): Promise<void> {
    const { count, bodyText } = await prepareItems(this.#deps, this.#ledger, spans);
    // The build was paused meanwhile.
    if (this.#ledger.core.state !== 'committing') return;
    const call = this.#markSending(datasetId, spans.slice(0, count), 'items');
    if (call !== null) await this.#settle(call, this.#requestItems(call, bodyText, signal), signal);
  }

  async #settle(call: Call, sent: Sent, signal: AbortSignal): Promise<void> {
    let write: () => void;
    try {
      const answer = await sent.answer;
      const problem = this.#problemOf(call, answer);
      write = () => this.#acknowledge(call, answer, problem);
    } catch (problem) {
      const error = toAppError(problem);
      const size = { rows: call.spans.length, bytes: sent.bytes };
      write = () => this.#takeFailure(call, error, size);
    }
    const { clock, logger } = this.#deps;
    await writeDurably(write, {
      clock,
      signal,
      onTrouble: (error) => {
        // The receipt is kept in memory until the disk accepts it. Nothing more is sent meanwhile.
        logger.error('receipt not written', { build: this.#ledger.id, code: error.code });
        this.#pause(error);
      },
    });
  }

  /**
   * Null if the call must not be sent: a time is missing, the build was paused or must ask first, or another build
   * added its spans.
   */
  #markSending(datasetId: string, spans: readonly StoredSpan[], how: BuildBatch['how']): Call | null {
    const { store, clock } = this.#deps;
    const { stored: build } = this.#ledger;
    const margin = how === 'items' ? null : searchMargin(build.search);
    const starts = spans.map(({ startMs }) => startMs);
    const usual = how === 'items' ? { startTime: '', endTime: '' } : callRange(starts, build);
    const range = usual === null || margin === null ? usual : widened(usual, margin);
    const [first, last] = [spans[0], spans.at(-1)];
    if (range === null || first === undefined || last === undefined) {
      this.#stop(
        new AppError(
          'INVALID_ARGUMENT',
          'Some spans have no start time. Set a time range that covers them, then continue.',
        ),
      );
      return null;
    }
    const batch: BuildBatch = {
      batch: store.batches.nextNumber(build.id),
      how,
      spans: spans.length,
      firstPosition: first.position,
      lastPosition: last.position,
      state: 'sending',
      ...range,
      sentAtMs: clock.nowMs(),
      answeredAtMs: null,
      requestId: null,
      error: null,
      evidence: null,
    };
    const searching = margin === null || build.search === null ? {} : { search: withCall(build.search) };
    const moved = { type: 'move', from: 'unsent', to: 'sending', count: spans.length } as const;
    let wereAdded = false;
    // Compared in the transaction that marks the call, because another process may be sending the same spans.
    const save = () => {
      if (build.skipsAdded) {
        wereAdded = store.spans.areAdded(datasetId, spans.map(refOf)).some(Boolean);
        const positions = spans.map(({ position }) => position);
        const problem = sameSpansProblem(store.spans.inOtherCalls(build.id, datasetId, positions), wereAdded);
        if (problem !== null) throw problem;
      }
      store.batches.save(build.id, batch);
      for (const { position } of spans) {
        store.spans.change(build.id, position, { state: 'sending', batch: batch.batch });
      }
    };
    try {
      this.#ledger.apply([moved], searching, save);
    } catch (problem) {
      const error = toAppError(problem);
      if (error.code !== 'NEEDS_DECISION') throw error;
      if (wereAdded) this.#skipAdded(datasetId, first.position, last.position + 1);
      else this.#pause(error);
      return null;
    }
    return { batch, spans, datasetId };
  }

  #skipAdded(datasetId: string, from: number, to: number): void {
    const { spans } = this.#deps.store;
    this.#ledger.apply([], {}, undefined, () => [
      {
        type: 'move',
        from: 'unsent',
        to: 'added',
        count: spans.markAdded(this.#ledger.id, datasetId, from, to),
      },
    ]);
  }

  #requestSpans({ batch, spans, datasetId }: Call, signal: AbortSignal): Sent {
    const { applicationId, mapping } = this.#ledger.stored;
    const body = {
      application_id: applicationId,
      start_time: batch.startTime,
      end_time: batch.endTime,
      spans: spans.map(refOf),
      mapping: toWire(mapping),
    };
    const options = callOptions(this.#ledger, signal);
    const request = { path: { dataset_id: datasetId }, body };
    const answer = this.#deps.client
      .call('datasets.add-spans', request, options)
      .then(({ value, requestId }) => ({
        itemIds: idsOf(spans, value),
        given: value.items.map(({ item_id }) => item_id),
        requestId,
      }));
    return { answer, bytes: Buffer.byteLength(JSON.stringify(body)) };
  }

  #requestItems({ spans, datasetId }: Call, bodyText: string, signal: AbortSignal): Sent {
    const options = { ...callOptions(this.#ledger, signal), isOnce: true };
    const request = { path: { dataset_id: datasetId }, bodyText };
    const answer = this.#deps.client
      .call('datasets.add-items', request, options)
      .then(({ value, requestId }) => {
        const given = Array.isArray(value) ? value.map(String) : [];
        return { itemIds: spans.map((_, index) => given[index] || null), given, requestId };
      });
    return { answer, bytes: Buffer.byteLength(bodyText) };
  }

  /** The reason why the ids are not a valid receipt of the spans; null if they are. */
  #problemOf({ spans }: Call, { given, itemIds }: Answer): AppError | null {
    const problem = receiptProblem(given, {
      thing: 'span',
      noun: 'item id',
      count: spans.length,
      own: null,
      isTaken: (id) => this.#firstIds.has(id),
    });
    const [first = ''] = given;
    if (first.trim() !== '') this.#firstIds.add(first);
    if (problem !== null) return problem;
    const missing = itemIds.filter((id) => id === null).length;
    return missing === 0 ? null : otherSpans(spans.length, missing);
  }

  /** The service said that it stored the spans, so they are never sent again, even if the receipt is invalid. */
  #acknowledge(call: Call, { itemIds: ids, requestId }: Answer, problem: AppError | null): void {
    this.#unknownInARow = 0;
    const error = problem?.toWire() ?? null;
    const { search } = this.#ledger.stored;
    const found =
      searchMargin(search) === null || search === null || call.batch.how === 'items'
        ? {}
        : { search: withFound(search, call.spans.length) };
    this.#end(
      call,
      { state: 'acknowledged', requestId, error, ids },
      (index) => ({ state: 'acknowledged', itemId: ids[index] ?? null }),
      found,
    );
    this.#deps.onSuccess();
    this.#deps.onDatasetChanged(call.datasetId);
  }

  #takeFailure(call: Call, error: AppError, size: SentSize): void {
    const requestId = error.details.requestId ?? null;
    const outcome = classifyFailure(error, size);
    if (outcome.kind !== 'unknown') this.#unknownInARow = 0;
    const ended = { requestId, error: error.toWire() };
    switch (outcome.kind) {
      case 'unsent':
        this.#end(call, { state: 'unsent', ...ended }, () => ({ state: 'unsent' }));
        if (outcome.next === 'wait') this.#wait(error);
        else if (error.details.status === 404) this.#stop(gone(error));
        else this.#pause(isNoSizeLimit(error, size) ? noSizeLimitError(error, size) : error);
        return;
      case 'refused':
        this.#refuse(call, error, requestId);
        return;
      case 'too-large':
        this.#shrink(call, error, requestId);
        return;
      case 'unknown':
        this.#unknownInARow += 1;
        this.#end(call, { state: 'unknown', ...ended }, () => ({ state: 'unknown' }));
        if (outcome.next === 'pause' || this.#unknownInARow >= MAX_UNKNOWN_IN_A_ROW) this.#pause(error);
    }
  }

  /**
   * Nothing of a rejected call was stored (SERVICE.md S4.9 rule 4), so spans that the answer does not name can be sent
   * again.
   */
  #refuse(call: Call, error: AppError, requestId: string | null): void {
    const ended = { state: 'refused' as const, requestId, error: error.toWire() };
    const { messages } = failedSpans(error.details.issues ?? [], call.spans.map(refOf));
    const { skipsUnresolved, search } = this.#ledger.stored;
    const searches = search !== null && search.end === null && call.batch.how === 'spans';
    if (error.details.status !== 422 || messages.size === 0) {
      if (searches && searchMargin(search) !== null && error.details.status !== 404) {
        // The service does not accept such a wide range, so the requested spans stay not found.
        const refused = { ...search, isRefused: true };
        this.#end(call, ended, () => ({ state: 'unresolved' }), { search: refused });
        return;
      }
      this.#end(call, ended, () => ({ state: 'unsent' }));
      this.#stop(error);
      return;
    }
    const skips = skipsUnresolved && !searches;
    this.#end(call, ended, (index) => {
      const message = messages.get(index);
      if (message === undefined) return { state: 'unsent' };
      return { state: skips ? 'excluded' : 'unresolved', message };
    });
    if (!skips && !searches) {
      this.#stop(new AppError('UNPROCESSABLE', unresolvedText(messages.size), error.details, error));
    }
  }

  #shrink(call: Call, error: AppError, requestId: string | null): void {
    const ended = { state: 'refused' as const, requestId, error: error.toWire() };
    const callSpans = Math.max(1, Math.ceil(call.spans.length / 2));
    this.#end(call, ended, () => ({ state: 'unsent' }), { callSpans });
    if (call.spans.length === 1) this.#stop(error);
  }

  /** Stores the end of a call: the batch, each of its spans, and the receipts if the call was stored. */
  #end(
    { batch, spans, datasetId }: Call,
    ended: Pick<BuildBatch, 'requestId' | 'error'> & {
      state: BuildBatchState;
      ids?: readonly (string | null)[];
    },
    endOf: (index: number) => SpanEnd,
    changes: Partial<StoredBuild> = {},
  ): void {
    const { store, clock } = this.#deps;
    const { id } = this.#ledger;
    const { ids, ...result } = ended;
    const atMs = clock.nowMs();
    const ends = spans.map((_, index) => endOf(index));
    const counts = Map.groupBy(ends, ({ state }) => state);
    const events = [...counts].map(
      ([to, { length }]): BuildEvent => ({ type: 'move', from: 'sending', to, count: length }),
    );
    this.#ledger.apply(events, changes, () => {
      store.batches.save(id, { ...batch, ...result, answeredAtMs: atMs });
      spans.forEach(({ position }, index) => {
        const end = ends[index];
        if (end === undefined) return;
        const isOfCall = end.state === 'acknowledged' || end.state === 'unknown';
        store.spans.change(id, position, { ...end, batch: isOfCall ? batch.batch : null });
      });
      if (ids === undefined) return;
      const receipts = spans.map((span, index) => ({ ...refOf(span), itemId: ids[index] ?? null }));
      store.spans.saveReceipts(datasetId, id, receipts, atMs);
    });
  }

  #suspend(type: 'fail' | 'pause' | 'wait', error: AppError): void {
    if (this.#ledger.core.state !== 'committing') return;
    this.#ledger.applyAnyhow([{ type, reason: error.message, error: error.toWire() }]);
  }

  #stop(error: AppError): void {
    this.#suspend('fail', error);
  }

  #pause(error: AppError): void {
    this.#suspend('pause', error);
  }

  #wait(error: AppError): void {
    this.#suspend('wait', error);
  }
}

export function refOf({ traceId, spanId }: Pick<StoredSpan, 'traceId' | 'spanId'>): SpanRef {
  return { trace_id: traceId, span_id: spanId };
}

/** Explains a 404 during a build. */
export function gone(error: AppError): AppError {
  return new AppError(
    'NOT_FOUND',
    'The dataset or the application no longer exists. Nothing of this request was written. To write to another dataset, copy the build.',
    error.details,
    error,
  );
}

/**
 * The item id of each span, found by the span's ids. If the answer names no spans but has one item for each, the order
 * decides.
 */
function idsOf(spans: readonly StoredSpan[], { items }: BulkAddSpansResult): (string | null)[] {
  const byRef = new Map<string, string>();
  for (const { trace_id, span_id, item_id } of items)
    if (item_id.trim() !== '') byRef.set(`${trace_id ?? ''} ${span_id ?? ''}`, item_id);
  const isNameless = items.every(({ span_id }) => span_id === null || span_id === undefined);
  return spans.map(({ traceId, spanId }, index) => {
    if (isNameless && items.length === spans.length) return items[index]?.item_id || null;
    return byRef.get(`${traceId} ${spanId}`) ?? byRef.get(` ${spanId}`) ?? null;
  });
}

/** The error for items that belong to other spans than those sent. */
function otherSpans(spans: number, missing: number): AppError {
  return new AppError(
    'RECEIPT_DOUBTFUL',
    `The service accepted ${spans} spans and returned as many item ids, but its answer does not name ${missing} of the spans. Nothing is sent again.`,
    {
      outcome: 'answered',
      reason: 'other spans',
      nextStep: 'Compare the items of the dataset with the spans that were selected.',
    },
  );
}
