/** SQL queries that the user ran, per connection. Queries saved by name are saved views. */
import { app } from './app.svelte.ts';

interface RanQuery {
  sql: string;
  atMs: number;
}

const KEY = 'sql-queries';
const MAX_RAN = 30;
/** Maximum length of a query in the history. */
const MAX_CHARACTERS = 5_000;

type Kept = Readonly<Record<string, unknown>>;
const listOf = (value: unknown): Kept[] =>
  Array.isArray(value) ? value.filter((each): each is Kept => typeof each === 'object' && each !== null) : [];

export class SqlQueries {
  /** Queries, newest first. */
  ran = $state.raw<readonly RanQuery[]>([]);

  constructor() {
    const kept = app.keep.get(KEY);
    const { ran } = (typeof kept === 'object' && kept !== null ? kept : {}) as Kept;
    this.ran = listOf(ran).flatMap(({ sql, atMs }) =>
      typeof sql === 'string' && typeof atMs === 'number' ? [{ sql, atMs }] : [],
    );
  }

  note(sql: string, atMs: number): void {
    if (sql.length > MAX_CHARACTERS) return;
    this.ran = [{ sql, atMs }, ...this.ran.filter((each) => each.sql !== sql)].slice(0, MAX_RAN);
    app.keep.set(KEY, { ran: this.ran });
  }
}
