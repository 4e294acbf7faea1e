/** SQL that was typed but not run is a draft: its tab is not closed automatically, and it survives the window. */
import { app } from '../../state/app.svelte.ts';
import type { Draftable } from '../../state/drafts.svelte.ts';
import type { SqlQueries } from '../../state/sql-queries.svelte.ts';
import { setParam } from '../parts/params.ts';

export class SqlDraft implements Draftable {
  /** The whole text when a query was last run. */
  #ran = $state('');
  readonly #tabId: string;
  readonly #queries: Pick<SqlQueries, 'ran'>;

  constructor(tabId: string, queries: Pick<SqlQueries, 'ran'>) {
    this.#tabId = tabId;
    this.#queries = queries;
  }

  get draft(): { sql: string } | null {
    const sql = app.tabs.list.find(({ id }) => id === this.#tabId)?.params['sql'] ?? '';
    const isRun = sql === this.#ran || this.#queries.ran.some((each) => each.sql === sql);
    return sql.trim() === '' || isRun ? null : { sql };
  }

  takeDraft({ sql }: Readonly<Record<string, unknown>>): void {
    if (typeof sql === 'string') this.#put(sql);
  }

  noteRun(whole: string): void {
    this.#ran = whole;
  }

  reset(): void {
    this.#put('');
  }

  #put(sql: string): void {
    const tab = app.tabs.list.find(({ id }) => id === this.#tabId);
    if (tab !== undefined) setParam(tab, 'sql', sql);
  }
}
