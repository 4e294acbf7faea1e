/** Determines the type of each column over every row of a file, and the row that widened it. */
import { isRawNumber } from '../../shared/exact-json.ts';
import type { WholeType } from '../../shared/file-profile.ts';
import { excerptOf, type SourceRow } from '../readers/row-source.ts';
import { commonKind, type Kind, kindOf } from './infer-types.ts';

interface Column {
  kind: Kind | null;
  changes: WholeType['changes'];
}

/** Maximum number of columns; further ones are ignored. */
const MAX_COLUMNS = 1_000;
const WORDS: Partial<Record<Kind, string>> = { text: 'str' };
const wordOf = (kind: Kind): string => WORDS[kind] ?? kind;

export class TypeScan {
  readonly #header: readonly string[] | null;
  readonly #nullWords: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #columns = new Map<string, Column>();

  /** `header`: null if each row names its columns. */
  constructor(header: readonly string[] | null, nullWords: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#header = header;
    this.#nullWords = nullWords;
    for (const name of header ?? []) this.#columnOf(name);
  }

  add(row: SourceRow): void {
    if (row.record !== null) {
      for (const [name, value] of Object.entries(row.record)) this.#take(name, row, value);
      return;
    }
    for (const [index, name] of (this.#header ?? []).entries()) this.#take(name, row, row.cells?.[index]);
  }

  list(): WholeType[] {
    return [...this.#columns].map(([name, { kind, changes }]) => {
      return { name, type: kind === null ? 'empty' : wordOf(kind), changes };
    });
  }

  #take(name: string, { row, line, record }: SourceRow, value: unknown): void {
    const column = this.#columnOf(name);
    // Stops there, because no type is wider than text.
    if (column === null || column.kind === 'text') return;
    const kind = record === null ? this.#kindOfCell(name, value) : kindOfValue(value);
    if (kind === null || kind === column.kind) return;
    const joined = column.kind === null ? kind : (commonKind(new Set([column.kind, kind])) ?? kind);
    if (joined === column.kind) return;
    if (column.kind !== null) {
      const text =
        typeof value === 'string' ? value : isRawNumber(value) ? value.digits : JSON.stringify(value);
      column.changes.push({
        ...{ row, line, value: excerptOf(text, 80) },
        ...{ before: wordOf(column.kind), after: wordOf(joined) },
      });
    }
    column.kind = joined;
  }

  #columnOf(name: string): Column | null {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    if (this.#columns.size >= MAX_COLUMNS) return null;
    const column: Column = { kind: null, changes: [] };
    this.#columns.set(name, column);
    return column;
  }

  #kindOfCell(name: string, value: unknown): Kind | null {
    const text = String(value ?? '').trim();
    return text === '' || this.#nullWords.get(name)?.has(text) === true ? null : kindOf(text);
  }
}

function kindOfValue(value: unknown): Kind | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isFinite(value) ? kindOf(String(value)) : null;
  if (isRawNumber(value)) return kindOf(value.digits);
  if (typeof value !== 'string') return 'json';
  // A JSON number in quotes is a text.
  return kindOf(value) === 'timestamp' ? 'timestamp' : 'text';
}
