/** Latest alert of each rule in a range, by the rule's id: the summary list as a table to look things up in. */

import type { TimeRange } from '../../electron/shared/model.ts';
import { rangeQuery } from '../lib/monitoring/alert-range.ts';
import { textField } from '../lib/records.ts';
import type { ListModel, Row } from './list-state.svelte.ts';

export class RuleSummaries {
  readonly list: ListModel;
  #byRule = $state.raw<ReadonlyMap<string, Row>>(new Map());
  /** What is shown is of the range before, until there is something of this one. */
  #isBefore = false;

  constructor(list: ListModel) {
    this.list = list;
    list.onRows = (rows) => this.#take(rows);
  }

  /** Has the summary come, or is it sure that none comes now? */
  get isKnown(): boolean {
    const { phase, count, freshness } = this.list;
    if (this.#byRule.size > 0 || phase === 'failed') return true;
    return phase === 'ready' && count === 0 && freshness?.refresh.phase !== 'loading';
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
    const query = { operation: 'alert-rules.summary', path: {}, query: rangeQuery(range) };
    if (JSON.stringify(this.list.query) === JSON.stringify(query)) return;
    this.#isBefore = true;
    await this.list.open(query, refresh);
  }

  /** Reads every row there is. Call again when there are more, and when it is known that there are none. */
  readAll(): Promise<void> {
    if (this.#isBefore && this.list.freshness?.refresh.phase !== 'loading') this.#take([]);
    return this.list.load(0, this.list.count);
  }

  #take(rows: readonly Row[]): void {
    const next = new Map(this.#isBefore ? [] : this.#byRule);
    this.#isBefore = false;
    for (const row of rows) next.set(textField(row, 'alert_rule_id'), row);
    this.#byRule = next;
  }
}
