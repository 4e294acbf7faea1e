/** Latest alert of each rule in a range, by the rule's id: the summary list as a table to look things up in. */
import { untrack } from 'svelte';
import { summaryQuery } from '../../electron/shared/alert-record.ts';
import type { TimeRange } from '../../electron/shared/model.ts';
import { textField } from '../lib/records.ts';
import type { ListModel, Row } from './list-state.svelte.ts';

/** After the list has read again what it shows itself. */
const SETTLED_MS = 300;

export class RuleSummaries {
  readonly list: ListModel;
  #byRule = $state.raw<ReadonlyMap<string, Row>>(new Map());
  /** What is shown is of the range before, until there is something of this one. */
  #isBefore = $state(false);
  /** The state of the list whose rows were all read. */
  #readAt = $state.raw<string | null>(null);

  constructor(list: ListModel) {
    this.list = list;
    list.onRows = (rows) => this.#take(rows);
  }

  /** Does it say of every rule what there is to say, if only of an earlier reading? */
  get isKnown(): boolean {
    if (this.isRead || (this.#isBefore && this.#byRule.size > 0)) return true;
    const { phase, count, freshness } = this.list;
    const isLoading = freshness?.refresh.phase === 'loading';
    if (count === 0) return phase === 'ready' && !isLoading;
    return freshness?.isComplete === true && this.#byRule.size >= count;
  }

  /** Are all rows of the range read, and none on their way? */
  get isRead(): boolean {
    const { phase, freshness } = this.list;
    if (phase === 'failed') return true;
    return freshness?.refresh.phase !== 'loading' && this.#readAt === this.#stateKey;
  }

  /** Unlike that of the list with other rows; null while it is being opened. */
  get #stateKey(): string | null {
    const { phase, query, count, freshness } = this.list;
    if (phase !== 'ready') return null;
    return JSON.stringify([query, count, freshness?.newestMs, freshness?.refresh.phase]);
  }

  /** Every rule of the summary, as far as it was read. */
  get all(): Row[] {
    return [...this.#byRule.values()];
  }

  /** Undefined where the summary does not have it, or not yet. */
  of(ruleId: string): Row | undefined {
    return this.#byRule.get(ruleId);
  }

  /** Another range has other latest alerts. */
  async open(range: TimeRange, refresh: 'if-stale' | 'always' = 'if-stale'): Promise<void> {
    const query = summaryQuery(range);
    if (JSON.stringify(this.list.query) === JSON.stringify(query)) return;
    this.#isBefore = true;
    await this.list.open(query, refresh);
  }

  /** Looked up by rule, every row is needed, and again when it came anew. To be called where a view is made. */
  keepRead(): void {
    $effect(() => {
      if (this.#stateKey === null) return;
      const timer = setTimeout(() => void this.#readAll(true), SETTLED_MS);
      untrack(() => void this.#readAll(false));
      return () => clearTimeout(timer);
    });
  }

  /** `isSettled`: the list has had its time to read its own rows again. */
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
