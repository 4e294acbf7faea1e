/** Latest alert of each rule in a range, by rule id: the summary list as a lookup table. */
import { untrack } from 'svelte';
import { summaryQuery } from '../../electron/shared/alert-record.ts';
import type { AppError, WireError } from '../../electron/shared/errors.ts';
import type { TimeRange } from '../../electron/shared/model.ts';
import { textField } from '../lib/records.ts';
import type { ListModel, Row } from './list-state.svelte.ts';

/** Delay that lets the list read its own rows first. */
const SETTLED_MS = 300;

export class RuleSummaries {
  readonly list: ListModel;
  #byRule = $state.raw<ReadonlyMap<string, Row>>(new Map());
  /** The data shown belongs to the previous range, until data of this one is available. */
  #isBefore = $state(false);
  /** Whether that data covers every rule. */
  #isBeforeWhole = false;
  /** State of the list whose rows were all read. */
  #readAt = $state.raw<string | null>(null);

  constructor(list: ListModel) {
    this.list = list;
    list.onRows = (rows) => this.#take(rows);
  }

  /**
   * Whether data of every rule is available, even if from an earlier read: a rule without data did not fire. False after
   * a failure without a complete stored answer.
   */
  get isKnown(): boolean {
    const { phase, count, freshness } = this.list;
    if (phase === 'failed') return false;
    if (this.#isBefore && this.#byRule.size > 0) return this.#isBeforeWhole;
    if (freshness?.isComplete !== true || freshness.source === 'none') return false;
    return this.#hasReadAll || (count === 0 ? this.list.isKnownEmpty : this.#byRule.size >= count);
  }

  /** Whether reading has ended, with or without data, or data of the previous range is shown. */
  get isOver(): boolean {
    return this.isRead || this.isKnown || (this.#isBefore && this.#byRule.size > 0) || this.list.isKnownEmpty;
  }

  /** Why the data is absent or out of date; null if its last read did not fail. */
  get failure(): AppError | WireError | null {
    const { error, freshness } = this.list;
    return error ?? (freshness?.refresh.phase === 'failed' ? freshness.refresh.error : null);
  }

  /** Whether no rows are in flight: all of the range are read, or reading them failed. */
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

  /** All rules of the summary that have been read. */
  get all(): Row[] {
    return [...this.#byRule.values()];
  }

  /** Undefined if the summary does not contain it, or not yet. */
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

  /** Keeps all rows loaded, as lookup by rule needs every row. Must be called during component initialization. */
  keepRead(): void {
    $effect(() => {
      if (this.#stateKey === null) return;
      const timer = setTimeout(() => void this.#readAll(true), SETTLED_MS);
      untrack(() => void this.#readAll(false));
      return () => clearTimeout(timer);
    });
  }

  /** `isSettled`: the list has had time to read its own rows again. */
  async #readAll(isSettled: boolean): Promise<void> {
    if (this.#isBefore && this.list.freshness?.refresh.phase !== 'loading') this.#take([]);
    const state = this.#stateKey;
    await this.list.load(0, this.list.count);
    if (isSettled && state === this.#stateKey) this.#readAt = state;
  }

  #take(rows: readonly Row[]): void {
    const next = new Map(this.#isBefore ? [] : this.#byRule);
    this.#isBefore = false;
    for (const row of rows) next.set(textField(row, 'alert_rule_id'), row);
    this.#byRule = next;
  }
}
