/** The latest alert of each rule in a time range, by rule id: the list of summaries as a lookup table. */
import { untrack } from 'svelte';
import { summaryQuery } from '../../electron/shared/alert-record.ts';
import type { AppError, WireError } from '../../electron/shared/errors.ts';
import type { TimeRange } from '../../electron/shared/model.ts';
import { textField } from '../lib/records.ts';
import type { ListModel, Row } from './list-state.svelte.ts';
import { wholeRows } from './whole-list.svelte.ts';

/** Delay before the list is read again, so that it can read its own rows first. */
const SETTLED_MS = 300;

export class RuleSummaries {
  readonly list: ListModel;
  #byRule = $state.raw<ReadonlyMap<string, Row>>(new Map());
  /** Whether the shown data is that of the previous range, because data of this range is not available yet. */
  #isBefore = $state(false);
  /** Whether the data of the previous range covers all rules. */
  #isBeforeWhole = false;
  /** The state of the list for which all rows were read. */
  #readAt = $state.raw<string | null>(null);

  constructor(list: ListModel) {
    this.list = list;
    list.onRows = (rows) => this.#take(rows);
  }

  /**
   * Whether data for all rules is available, even if from an earlier read. Then a rule without data did not fire. False
   * after an error without a complete stored answer.
   */
  get isKnown(): boolean {
    const { phase, count, freshness } = this.list;
    if (phase === 'failed') return false;
    if (this.#isBefore && this.#byRule.size > 0) return this.#isBeforeWhole;
    if (freshness?.isComplete !== true || freshness.source === 'none') return false;
    return this.#hasReadAll || (count === 0 ? this.list.isKnownEmpty : this.#byRule.size >= count);
  }

  /** Whether reading has ended with or without data, or data of the previous range is shown. */
  get isOver(): boolean {
    return this.isRead || this.isKnown || (this.#isBefore && this.#byRule.size > 0) || this.list.isKnownEmpty;
  }

  /** The reason why data is missing or out of date; null if the last read succeeded. */
  get failure(): AppError | WireError | null {
    const { error, freshness } = this.list;
    return error ?? (freshness?.refresh.phase === 'failed' ? freshness.refresh.error : null);
  }

  /** Whether no rows are expected: all rows of the range are read, or reading them failed. */
  get isRead(): boolean {
    return this.list.phase === 'failed' || this.#hasReadAll;
  }

  get #hasReadAll(): boolean {
    const { freshness } = this.list;
    if (this.#readAt === null || freshness?.refresh.phase === 'loading') return false;
    return this.#readAt === this.#stateKey;
  }

  /** Identifies the list and its rows; null while it is being opened. */
  get #stateKey(): string | null {
    const { phase, query, count, freshness } = this.list;
    if (phase !== 'ready') return null;
    return JSON.stringify([query, count, freshness?.newestMs, freshness?.refresh.phase]);
  }

  /** The summaries of all rules read so far. */
  get all(): Row[] {
    return [...this.#byRule.values()];
  }

  /** Summary of a rule; undefined if there is none, or none yet. */
  of(ruleId: string): Row | undefined {
    return this.#byRule.get(ruleId);
  }

  /** Opens the summary of another range. */
  async open(range: TimeRange, refresh: 'if-stale' | 'always' = 'if-stale'): Promise<void> {
    const query = summaryQuery(range);
    if (JSON.stringify(this.list.query) === JSON.stringify(query)) return;
    if (!this.#isBefore) this.#isBeforeWhole = this.isKnown;
    this.#isBefore = true;
    await this.list.open(query, refresh);
  }

  /**
   * Keeps all rows loaded, because the lookup by rule needs all of them. Must be called during component
   * initialization.
   */
  keepRead(): void {
    $effect(() => {
      if (this.#stateKey === null) return;
      const timer = setTimeout(() => void this.readAll(true), SETTLED_MS);
      untrack(() => void this.readAll(false));
      return () => clearTimeout(timer);
    });
  }

  /**
   * Reads all rows. `isSettled`: the list already had time to read its own rows again. Then rules without a row, such as
   * deleted ones, are forgotten.
   */
  async readAll(isSettled: boolean): Promise<void> {
    if (this.#isBefore && this.list.freshness?.refresh.phase !== 'loading') this.#take([]);
    const state = this.#stateKey;
    await this.list.load(0, this.list.count);
    if (!isSettled || state !== this.#stateKey) return;
    const rows = wholeRows(this.list);
    if (rows !== null) this.#take(rows, true);
    this.#readAt = state;
  }

  /** `isWhole`: these are the rows of all rules. */
  #take(rows: readonly Row[], isWhole = false): void {
    const next = new Map(this.#isBefore || isWhole ? [] : this.#byRule);
    this.#isBefore = false;
    for (const row of rows) next.set(textField(row, 'alert_rule_id'), row);
    this.#byRule = next;
  }
}
