/** Queries that a person saved or ran, of one connection. They are kept beside its pages and go with it. */
import { app } from './app.svelte.ts';

interface SavedQuery {
  id: string;
  name: string;
  sql: string;
}

interface RanQuery {
  sql: string;
  atMs: number;
}

const KEY = 'sql-queries';
const MOST_RAN = 30;
/** Of a query in the history. */
const MOST_CHARACTERS = 5_000;

type Kept = Readonly<Record<string, unknown>>;
const listOf = (value: unknown): Kept[] =>
  Array.isArray(value) ? value.filter((each): each is Kept => typeof each === 'object' && each !== null) : [];

export class SqlQueries {
  saved = $state.raw<readonly SavedQuery[]>([]);
  /** The newest first. */
  ran = $state.raw<readonly RanQuery[]>([]);

  constructor() {
    const kept = app.keep.get(KEY);
    const { saved, ran } = (typeof kept === 'object' && kept !== null ? kept : {}) as Kept;
    this.saved = listOf(saved).flatMap(({ id, name, sql }) =>
      typeof id === 'string' && typeof name === 'string' && typeof sql === 'string'
        ? [{ id, name, sql }]
        : [],
    );
    this.ran = listOf(ran).flatMap(({ sql, atMs }) =>
      typeof sql === 'string' && typeof atMs === 'number' ? [{ sql, atMs }] : [],
    );
  }

  /** Under a name that is taken it replaces that query. Throws AppError where it cannot be kept. */
  async save(name: string, sql: string): Promise<void> {
    const same = this.saved.find((each) => each.name === name);
    const saved = [
      { id: same?.id ?? crypto.randomUUID(), name, sql },
      ...this.saved.filter((each) => each !== same),
    ];
    await app.keep.save(KEY, { saved, ran: this.ran });
    this.saved = saved;
  }

  /** Throws AppError where it cannot be kept. */
  async remove(id: string): Promise<void> {
    const saved = this.saved.filter((each) => each.id !== id);
    await app.keep.save(KEY, { saved, ran: this.ran });
    this.saved = saved;
  }

  note(sql: string, atMs: number): void {
    if (sql.length > MOST_CHARACTERS) return;
    this.ran = [{ sql, atMs }, ...this.ran.filter((each) => each.sql !== sql)].slice(0, MOST_RAN);
    app.keep.set(KEY, { saved: this.saved, ran: this.ran });
  }
}
