/** Counts changed values and values left out over the spans of a file. Pure. */
import type { FileSpan } from '../../core/spans/file-span.ts';
import { counted } from '../../shared/count-text.ts';
import { LedgerCounts, type LedgerOmission, type ValueLedger } from '../../shared/value-ledger.ts';
import type { Misfits } from '../readers/row-fields.ts';
import type { SourceRow } from '../readers/row-source.ts';

const MAX_OMISSIONS = 2_000;

export class SpanLedger {
  readonly #counts = new LedgerCounts();
  readonly #leftOut = new Map<string, LedgerOmission>();
  #row = -1;

  add({ changed: { changes, leftOut } }: FileSpan, { row, line, oddities = [] }: SourceRow): void {
    this.#counts.beginRow();
    for (const { rule, source, before, after } of changes)
      this.#counts.add(this.#counts.of(rule, source), line, before, JSON.stringify(after));
    // Counted once per row: a collector's export has many spans in a row.
    if (row !== this.#row)
      for (const { kind, key, before, after } of oddities)
        this.#counts.add(this.#counts.of(kind, key), line, before, JSON.stringify(after));
    this.#row = row;
    for (const each of leftOut) this.#omit(each, line);
  }

  #omit({ name, reason }: { name: string; reason: string }, line: number): void {
    const key = `${reason} ${name}`;
    const known = this.#leftOut.get(key);
    if (known !== undefined) known.count = (known.count ?? 0) + 1;
    else if (this.#leftOut.size < MAX_OMISSIONS)
      this.#leftOut.set(key, { kind: 'key', name, count: 1, reason, line });
  }

  /** `misfits`: values that do not fit the reading of their column. */
  list(misfits: readonly Misfits[]): ValueLedger {
    return {
      changes: this.#counts.list(),
      leftOut: [...this.#leftOut.values()].toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0)),
      decisions: misfits.map(({ column, count, line, value }) => ({
        source: column,
        words: `${counted(count, 'value')} cannot be read as asked for and stay unchanged, first “${value}” in line ${line}`,
      })),
    };
  }
}
