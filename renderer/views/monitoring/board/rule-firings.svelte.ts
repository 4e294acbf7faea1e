/**
 * The times at which alert rules of a board fired. The history of each rule is requested once per tab; the stored
 * answer is shown first.
 */
import { untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { daysUpTo, rangeQuery } from '../../../../electron/shared/alert-record.ts';
import type { ListQuery, TimeRange } from '../../../../electron/shared/model.ts';
import { type AlertBin, readHistory } from '../../../lib/monitoring/alert-history.ts';
import { daysOf } from '../../../lib/monitoring/board-firings.ts';
import { app } from '../../../state/app.svelte.ts';
import { clock } from '../../../state/clock.svelte.ts';
import { StoredAnswer } from '../../../state/stored-answer.svelte.ts';
import { recordOfTab } from '../../parts/tab-models.ts';

const queryOf = (ruleId: string, range: TimeRange): ListQuery => ({
  ...{ operation: 'alert-rules.history', path: { alert_id: ruleId } },
  query: rangeQuery(range),
});

class RuleFirings {
  readonly #tabId: string;
  /** Requested queries as text, by rule id. */
  readonly #wanted = new Map<string, string>();
  /** Histories by rule id. */
  readonly #histories = new SvelteMap<string, StoredAnswer>();

  constructor(tabId: string) {
    this.#tabId = tabId;
  }

  /**
   * Requests the history of a rule in the range of a time label, once. If it cannot be read, uses the stored history of
   * an earlier range. Reactive.
   */
  ask(ruleId: string, label: string): void {
    const range = daysUpTo(
      untrack(() => clock.nowMs),
      daysOf(label),
    );
    const wanted = queryOf(ruleId, range);
    const text = JSON.stringify(wanted);
    const name = `firings.${ruleId}`;
    const history = app.tabs.hold(this.#tabId, name, () => new StoredAnswer(recordOfTab(this.#tabId, name)));
    untrack(() => this.#histories.set(ruleId, history));
    const isLost = history.reading === 'lost';
    if (this.#wanted.get(ruleId) !== text) {
      this.#wanted.set(ruleId, text);
      void untrack(() => history.ask(wanted));
    } else if (isLost && history.isFor(wanted)) {
      const stored = history.record.freshness?.storedRange ?? null;
      if (stored !== null) void untrack(() => history.ask(queryOf(ruleId, stored)));
    }
  }

  /** The bins in which a rule fired; empty while they are unknown. */
  binsOf(ruleId: string): readonly AlertBin[] {
    const shown = this.#histories.get(ruleId)?.shown;
    return shown === null || shown === undefined ? [] : readHistory(shown.record).bins;
  }
}

export const firingsOfTab = (tabId: string): RuleFirings =>
  app.tabs.hold(tabId, 'rule firings', () => new RuleFirings(tabId));
