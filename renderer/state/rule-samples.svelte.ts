/** All evaluator rules of the connection, to mark results that cover only a sample. */
import { untrack } from 'svelte';
import { type RuleChoice, sampleNote } from '../lib/rule-samples.ts';
import type { ListModel } from './list-state.svelte.ts';
import { RowsById } from './whole-list.svelte.ts';

const MAX_RULES = 2_000;

export class RuleSamples {
  readonly list: ListModel;
  readonly #rows: RowsById;

  constructor(list: ListModel) {
    this.list = list;
    this.#rows = new RowsById(list, MAX_RULES);
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
      void this.#rows.read();
      if (!freshness.isComplete && isIdle && freshness.missingRows === undefined && count < MAX_RULES)
        void this.list.fetchMore();
    });
  }

  /** `of a 10 % sample`; empty if the rules score all spans, or are unknown. */
  noteOf(applicationId: string, choice: RuleChoice): string {
    return sampleNote(this.#rows.all, applicationId, choice);
  }
}
