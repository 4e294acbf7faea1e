/** All evaluator rules of the connection, to mark results that cover only a sample. */
import { untrack } from 'svelte';
import { textField } from '../lib/records.ts';
import { type RuleChoice, sampleNote } from '../lib/rule-samples.ts';
import type { ListModel, Row } from './list-state.svelte.ts';
import { wholeRows } from './whole-list.ts';

const MAX_RULES = 2_000;

const byId = (rows: readonly Row[]) => rows.map((row) => [textField(row, 'id'), row] as const);

export class RuleSamples {
  readonly list: ListModel;
  #rows: ReadonlyMap<string, Row> = $state.raw(new Map());

  constructor(list: ListModel) {
    this.list = list;
    list.onRows = (read) => {
      this.#rows = new Map([...this.#rows, ...byId(read)]);
    };
    list.onReadAgain = () => void this.#readAgain();
  }

  /** Forgets deleted rules, if the list is complete. */
  async #readAgain(): Promise<void> {
    await this.list.load(0, Math.min(this.list.count, MAX_RULES));
    const rows = wholeRows(this.list);
    if (rows !== null) this.#rows = new Map(byId(rows));
  }

  /** Reads all rules. Must be called in an effect, which runs again whenever rows arrive. */
  keepRead(): void {
    const { phase, freshness, count } = this.list;
    void freshness?.newestMs;
    const isIdle = freshness?.refresh.phase === 'idle';
    untrack(() => {
      if (this.list.query === null)
        void this.list.open({ operation: 'evaluator-rules.list', path: {}, query: {} });
      if (phase !== 'ready' || freshness === null) return;
      void this.list.load(0, Math.min(count, MAX_RULES));
      if (!freshness.isComplete && isIdle && freshness.missingRows === undefined && count < MAX_RULES)
        void this.list.fetchMore();
    });
  }

  /** `of a 10 % sample`; empty if the rules score all spans, or are unknown. */
  noteOf(applicationId: string, choice: RuleChoice): string {
    return sampleNote([...this.#rows.values()], applicationId, choice);
  }
}
