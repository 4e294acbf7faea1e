/** Latest alert of each rule in a range, by rule id: the summary list as a lookup table. */
import { untrack } from 'svelte';
import { summaryQuery } from '../../electron/shared/alert-record.ts';
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
  /** State of the list whose rows were all read. */
  #readAt = $state.raw<string | null>(null);

  constructor(list: ListModel) {
    this.list = list;
    list.onRows = (rows) => this.#take(rows);
  }

  /** Whether data of every rule is available, even if from an earlier read. */
  get isKnown(): boolean {
    if (this.isRead || (this.#isBefore && this.#byRule.size > 0)) return true;
    const { count, freshness, isKnownEmpty } = this.list;
    if (count === 0) return isKnownEmpty;
    return freshness?.isComplete === true && this.#byRule.size >= count;
  }

  /** Whether it is known which rules fired: from an answer for the range, of any age. */
  get hasAnswer(): boolean {
    if (this.#byRule.size > 0) return this.isKnown;
    const { phase, freshness } = this.list;
    return this.isKnown && phase === 'ready' && freshness !== null && freshness.source !== 'none';
  }

  /** Whether all rows of the range are read and none are in flight. */
  get isRead(): boolean {
    const { phase, freshness } = this.list;
    if (phase === 'failed') return true;
    return freshness?.refresh.phase !== 'loading' && this.#readAt === this.#stateKey;
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
