/** Columns and keys of a file that are not sent, with the number of values of each. */
import { findColumn, type ModelFacts } from '../../shared/upload-columns.ts';
import type { ColumnPlan } from '../../shared/upload-model.ts';
import type { LedgerOmission } from '../../shared/value-ledger.ts';
import { ownField, type SourceRow } from '../readers/row-source.ts';

/** Maximum number of keys listed by name, for files in which keys are data. The other keys are counted together. */
const MAX_KEYS = 1_000;

interface Unsent {
  name: string;
  /** Index among the cells; -1 in JSON files. */
  index: number;
  count: number;
  /** Line of the first value; 0 if there is none. */
  line: number;
}

export class FileKeys {
  readonly #model: ModelFacts | null;
  readonly #known: ReadonlySet<string>;
  /** Columns of the plan without a field. */
  readonly unsent: readonly Unsent[];
  readonly #extra = new Map<string, Unsent>();
  #further = 0;

  constructor(
    columns: readonly Pick<ColumnPlan, 'source' | 'target'>[],
    header: readonly string[] | null,
    model: ModelFacts | null,
  ) {
    this.#model = model;
    this.#known = new Set(columns.map(({ source }) => source));
    this.unsent = columns.flatMap(({ source, target }) => {
      const index = header === null ? -1 : header.indexOf(source);
      const isThere = header === null || index >= 0;
      return target === null && isThere ? [{ name: source, index, count: 0, line: 0 }] : [];
    });
  }

  add(row: SourceRow): void {
    if (row.record === null) {
      for (const each of this.unsent) if ((row.cells?.[each.index] ?? '') !== '') count(each, row.line);
      return;
    }
    const { record, line } = row;
    for (const each of this.unsent) if ((ownField(record, each.name) ?? null) !== null) count(each, line);
    for (const key of Object.keys(record))
      if (!this.#known.has(key) && record[key] !== null) this.#addExtra(key, line);
  }

  #addExtra(key: string, line: number): void {
    const seen = this.#extra.get(key);
    if (seen !== undefined) count(seen, line);
    else if (this.#extra.size < MAX_KEYS) this.#extra.set(key, { name: key, index: -1, count: 1, line });
    else this.#further += 1;
  }

  /** Keys of rows that no column of the plan reads. */
  get extra(): readonly string[] {
    return [...this.#extra.keys()];
  }

  leftOut(): LedgerOmission[] {
    const reasonOf = (name: string): string => {
      if (this.#model === null || findColumn(this.#model, name) !== null) return 'it is mapped to no field';
      return 'the model has no such column';
    };
    const omission = (
      kind: LedgerOmission['kind'],
      { name, count: values, line }: Unsent,
    ): LedgerOmission => ({
      ...{ kind, name, count: values, reason: reasonOf(name), line: line === 0 ? null : line },
    });
    const further: LedgerOmission[] =
      this.#further === 0
        ? []
        : [
            {
              kind: 'key',
              name: '',
              count: this.#further,
              reason: 'they belong to further keys',
              line: null,
            },
          ];
    return [
      ...this.unsent.map((each) => omission('column', each)),
      ...[...this.#extra.values()].map((each) => omission('key', each)),
      ...further,
    ];
  }
}

export function count(unsent: Unsent, line: number): void {
  unsent.count += 1;
  if (unsent.line === 0) unsent.line = line;
}
