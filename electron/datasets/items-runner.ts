/**
 * Adds the rows of one file to a dataset or an experiment: checks the whole file, sends request after request, and then
 * searches for items of unanswered requests.
 */

import { suspensionOf } from '../core/jobs/bulk-act.ts';
import { writeDurably } from '../core/jobs/durable-write.ts';
import { receiptProblem } from '../core/jobs/receipt-check.ts';
import { classifyFailure } from '../core/jobs/send-outcome.ts';
import { isNoSizeLimit, noSizeLimitError, type SentSize } from '../core/jobs/size-rejection.ts';
import { pastMoment } from '../core/moments.ts';
import type { StoredItemsPart } from '../db/items-store.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { reachService } from '../jobs/reach-service.ts';
import { questionError } from '../shared/column-reading.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import {
  type ExtractedItem,
  type ExtractedItems,
  type FilePlace,
  itemReading,
} from '../shared/items-model.ts';
import { type ItemTarget, targetOf, withoutUnfit } from './item-target.ts';
import { badRowsError, checkFile } from './items-check.ts';
import type { ItemsLedger } from './items-ledger.ts';
import { ensureDataset } from './target-dataset.ts';
import type { ItemJobsDeps } from './types.ts';

/** Maximum size of one request body. The service's limit is not documented. */
const MAX_BYTES = 4_000_000;
/** Receipts of this many requests show whether the service keeps the ids of items. */
const MAX_RECEIPTS_COMPARED = 3;
/** If this many single items are rejected and none was accepted, the others would be rejected too. */
const MAX_REFUSED_FIRST = 5;
/** This many consecutive lost answers mean that the connection to the service has a problem. */
const MAX_UNKNOWN_IN_A_ROW = 3;
const FINAL: ReadonlySet<string> = new Set(['INVALID_ARGUMENT', 'CONFLICT']);

export class ItemsRunner extends LedgerRunner<ItemsLedger> {
  readonly #deps: ItemJobsDeps;
  readonly #target: ItemTarget;
  #refusedFirst = 0;
  #unknownInARow = 0;
  /** The first id of each answer of this run, to detect an answer that repeats the ids of earlier items. */
  readonly #firstIds = new Set<string>();

  constructor(deps: ItemJobsDeps, ledger: ItemsLedger) {
    super(deps, ledger);
    this.#deps = deps;
    this.#target = targetOf(deps, ledger);
  }

  handleFailure(error: AppError): void {
    if (this.phase() !== 'running') return;
    // A retry would not help if the name is taken or the file has changed.
    const isFinal = error.code.startsWith('FILE_') || FINAL.has(error.code);
    const how = isFinal ? 'fail' : suspensionOf(error);
    this.ledger.applyAnyhow([{ type: how, reason: error.message, error: error.toWire() }]);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.ledger.stored.rows === null) await this.#check(signal);
    if (this.shouldContinue) await this.#ensureDataset(signal);
    if (this.shouldContinue) await this.#reachService(signal);
    while (this.shouldContinue) {
      const pending = this.#deps.store.items.parts.next(this.ledger.id, 'pending');
      const isNext = pending === null ? await this.#cutNext(signal) : await this.#sendAgain(pending, signal);
      if (!isNext) break;
    }
    if (this.shouldContinue && this.ledger.core.open.unknown > 0) await this.#lookFor(signal);
    if (this.shouldContinue) this.ledger.apply([{ type: 'settle' }]);
  }

  /** If the file has bad rows, nothing is sent unless a person chose to leave them out. */
  async #check(signal: AbortSignal): Promise<void> {
    const { plan, path, sizeBytes, mtimeMs } = this.ledger.stored;
    const file = { path, state: { sizeBytes, mtimeMs } };
    const check = await checkFile(this.#deps, plan, file, () => this.shouldContinue && !signal.aborted);
    if (check === null || !this.shouldContinue) return;
    if (check.questions.length > 0) throw questionError(check.questions);
    const { rows, badRows, columns, ledger } = check;
    this.ledger.change(() => undefined, { rows, badRows, decided: columns, valueLedger: ledger });
    const error = badRowsError(check, plan);
    if (error !== null) throw error;
  }

  async #ensureDataset(signal: AbortSignal): Promise<void> {
    const { newIn, datasetName: name } = this.ledger.stored.plan;
    if (newIn === undefined) return;
    const { ledger } = this;
    await ensureDataset(
      this.#deps,
      {
        group: `items ${ledger.id}`,
        get stored() {
          const target = { kind: 'new', name, description: null, metadata: null } as const;
          const { madeDatasetId: datasetId, creatingSinceMs } = ledger.stored;
          return { datasetId, creatingSinceMs, target, applicationId: newIn.applicationId };
        },
        note: ({ datasetId, creatingSinceMs }) =>
          ledger.change(() => undefined, {
            ...(datasetId === undefined ? {} : { madeDatasetId: datasetId }),
            ...(creatingSinceMs === undefined ? {} : { creatingSinceMs }),
          }),
      },
      signal,
    );
  }

  #reachService(signal: AbortSignal): Promise<void> {
    const options = { priority: 'click', group: `items ${this.ledger.id}`, signal } as const;
    return reachService(() => this.#deps.client.call('server-info.get', {}, options));
  }

  async #cut(start: FilePlace | null, lastRow: number | null, rows: number): Promise<ExtractedItems> {
    const { plan, path, sizeBytes, mtimeMs, decided } = this.ledger.stored;
    const columns = decided ?? plan.columns;
    const cut = await this.#deps.extractItems({
      ...{ path, start, reading: itemReading({ ...plan, columns }), seed: this.ledger.id },
      state: { sizeBytes, mtimeMs },
      most: { rows, bytes: MAX_BYTES, lastRow },
    });
    return withoutUnfit(plan, cut);
  }

  /** Creates a request from the next rows. Returns false after the last row. */
  async #cutNext(signal: AbortSignal): Promise<boolean> {
    const { parts } = this.#deps.store.items;
    const { id } = this.ledger;
    if (this.ledger.stored.isRead) return false;
    for (let start = parts.last(id)?.end ?? null; ; ) {
      const cut = await this.#cut(start, null, this.ledger.stored.plan.itemsPerRequest);
      if (!this.shouldContinue) return false;
      const isRead = cut.end === null;
      const part = partOf(cut, parts.nextNumber(id));
      if (part !== null) {
        await this.#send(part, cut.items, signal, { isRead });
        return true;
      }
      if (isRead) {
        this.ledger.change(() => undefined, { isRead });
        return false;
      }
      start = cut.end;
    }
  }

  /** Sends a request that was unsent, split, or marked for another attempt, with the same rows as before. */
  async #sendAgain(part: StoredItemsPart, signal: AbortSignal): Promise<boolean> {
    const cut = await this.#cut(part.start, part.lastRow, Number.MAX_SAFE_INTEGER);
    if (!this.shouldContinue) return false;
    await this.#send(part, cut.items, signal, {});
    return true;
  }

  async #send(
    part: StoredItemsPart,
    items: readonly ExtractedItem[],
    signal: AbortSignal,
    changes: { isRead?: boolean },
  ): Promise<void> {
    const { clock, logger, store } = this.#deps;
    const { id } = this.ledger;
    const sending = {
      ...part,
      state: 'sending' as const,
      sentAtMs: clock.nowMs(),
      error: null,
      evidence: null,
    };
    this.ledger.change(() => store.items.parts.save(id, sending), changes);
    const bodyText = this.#target.bodyOf(items);
    let write: () => void;
    try {
      const { ids: given, requestId } = await this.#target.send(bodyText, signal);
      const problem = given === null ? null : this.#problemOf(given, items.length);
      const ids = problem === null ? (given ?? items.map(this.#target.idOf)) : items.map(() => '');
      const acknowledged = { ...sending, requestId, error: problem?.toWire() ?? null };
      write = () => this.#acknowledge(acknowledged, { rows: items.map(({ row }) => row), ids });
    } catch (problem) {
      const error = toAppError(problem);
      const size = { rows: items.length, bytes: Buffer.byteLength(bodyText) };
      write = () => this.#takeFailure(sending, items, error, size);
    }
    await writeDurably(write, {
      clock,
      signal,
      onTrouble: (error) => {
        logger.error('receipt not written', { items: id, code: error.code });
        this.#suspend('pause', error);
      },
    });
  }

  /** The reason why the ids are not a valid receipt of the items; null if they are. */
  #problemOf(given: readonly string[], count: number): AppError | null {
    const isTaken = (id: string) => this.#firstIds.has(id);
    const problem = receiptProblem(given, { thing: 'item', noun: 'item id', count, own: null, isTaken });
    const [first = ''] = given;
    if (first.trim() !== '') this.#firstIds.add(first);
    return problem;
  }

  /** The service said that it stored the items, so they are never sent again, even if the receipt is invalid. */
  #acknowledge(part: StoredItemsPart, receipt: { rows: number[]; ids: string[] }): void {
    const { store, clock } = this.#deps;
    const { id } = this.ledger;
    this.ledger.change(() => {
      store.items.parts.save(id, { ...part, state: 'acknowledged', answeredAtMs: clock.nowMs() });
      store.items.parts.saveReceipt(id, part.part, receipt);
    });
    this.#refusedFirst = Number.NEGATIVE_INFINITY;
    this.#unknownInARow = 0;
    this.loop.succeed();
    this.#target.added();
  }

  #takeFailure(
    part: StoredItemsPart,
    items: readonly ExtractedItem[],
    error: AppError,
    size: SentSize,
  ): void {
    const outcome = classifyFailure(error, size);
    if (outcome.kind !== 'unknown') this.#unknownInARow = 0;
    const ended: StoredItemsPart = {
      ...part,
      error: error.toWire(),
      requestId: error.details.requestId ?? null,
      answeredAtMs: this.#deps.clock.nowMs(),
    };
    switch (outcome.kind) {
      case 'unsent':
        this.#save([{ ...ended, state: 'pending' }]);
        this.#suspend(
          error.details.status === 404 ? 'fail' : outcome.next,
          isNoSizeLimit(error, size) ? noSizeLimitError(error, size) : error,
        );
        return;
      case 'refused':
      case 'too-large':
        // The service rejects a whole request because of one bad item (F3.2). Halving finds the item.
        if (items.length > 1) {
          this.#save(halves(ended, items, this.#deps.store.items.parts.nextNumber(this.ledger.id)));
          return;
        }
        this.#save([{ ...ended, state: 'refused' }]);
        this.#refusedFirst += 1;
        if (this.#refusedFirst >= MAX_REFUSED_FIRST) this.#suspend('fail', error);
        return;
      case 'unknown':
        this.#unknownInARow += 1;
        this.#save([{ ...ended, state: 'unknown' }]);
        if (outcome.next === 'pause' || this.#unknownInARow >= MAX_UNKNOWN_IN_A_ROW)
          this.#suspend('pause', error);
    }
  }

  #save(parts: readonly StoredItemsPart[]): void {
    const { store } = this.#deps;
    this.ledger.change(() => {
      for (const part of parts) store.items.parts.save(this.ledger.id, part);
    });
  }

  #suspend(type: 'fail' | 'pause' | 'wait', error: AppError): void {
    if (this.phase() !== 'running') return;
    this.ledger.applyAnyhow([{ type, reason: error.message, error: error.toWire() }]);
  }

  /** Item ids are generated here, so an unanswered request was stored if the service has them. */
  async #lookFor(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#deps;
    const { parts } = store.items;
    const { id } = this.ledger;
    const countHeld = await this.#target.counter(signal);
    const readAtMs = clock.nowMs();
    const isKept = await this.#areIdsKept();
    for (const { part, start, lastRow } of parts.list(id, ['unknown'], 0, Number.MAX_SAFE_INTEGER)) {
      const { items } = await this.#cut(start, lastRow, Number.MAX_SAFE_INTEGER);
      const found = await countHeld(items);
      // Read again, because a person may have decided on the request meanwhile.
      const now = parts.get(id, part);
      if (now?.state !== 'unknown') continue;
      if (found === items.length && found > 0) {
        const receipt = { rows: items.map(({ row }) => row), ids: items.map(this.#target.idOf) };
        this.ledger.change(() => {
          parts.save(id, { ...now, state: 'acknowledged', evidence: { found, atMs: readAtMs } });
          parts.saveReceipt(id, part, receipt);
        });
        continue;
      }
      // Stored for the next search, which otherwise waits for a time that may be far away.
      const sentAtMs = pastMoment(now.sentAtMs, readAtMs);
      const isEvidence = found > 0 || (isKept && this.#isSettled(sentAtMs, readAtMs));
      this.#save([{ ...now, sentAtMs, evidence: isEvidence ? { found, atMs: readAtMs } : null }]);
    }
  }

  /** True if a request sent at this time would be visible by now, if the service had executed it. */
  #isSettled(sentAtMs: number | null, nowMs: number): boolean {
    return sentAtMs === null || nowMs - sentAtMs >= this.#deps.options.evidenceSettleMs;
  }

  /** False if the receipts name other ids than those that were sent. Then no item can be found by the id sent. */
  async #areIdsKept(): Promise<boolean> {
    const { parts } = this.#deps.store.items;
    const { id } = this.ledger;
    for (const { part, start, lastRow } of parts.list(id, ['acknowledged'], 0, MAX_RECEIPTS_COMPARED)) {
      const receipt = parts.receipt(id, part);
      if (receipt === null) continue;
      const { items } = await this.#cut(start, lastRow, Number.MAX_SAFE_INTEGER);
      const sent = new Set(items.map(this.#target.idOf));
      if (receipt.ids.some((given) => given !== '' && !sent.has(given))) return false;
    }
    return true;
  }
}

function partOf({ items, end }: ExtractedItems, part: number): StoredItemsPart | null {
  const [first, last] = [items[0], items.at(-1)];
  if (first === undefined || last === undefined) return null;
  return {
    ...{ part, items: items.length, firstRow: first.row, lastRow: last.row, start: first.start, end },
    ...{ state: 'pending', sentAtMs: null, answeredAtMs: null, requestId: null, error: null, evidence: null },
  };
}

/** Splits the rows of a request into two requests. The first one keeps the number. */
function halves(part: StoredItemsPart, items: readonly ExtractedItem[], number: number): StoredItemsPart[] {
  const middle = Math.ceil(items.length / 2);
  const second = items[middle];
  const last = items[middle - 1];
  if (second === undefined || last === undefined) return [{ ...part, state: 'refused' }];
  const left = { ...part, state: 'pending' as const };
  return [
    { ...left, items: middle, lastRow: last.row, end: second.start },
    { ...left, part: number, items: items.length - middle, firstRow: second.row, start: second.start },
  ];
}
