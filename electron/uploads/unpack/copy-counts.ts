/** Counts the values that are changed in a readable copy, by rule and column. Pure. */
import { cut, MAX_LEDGER_EXAMPLES, type ValueRule } from '../../shared/value-ledger.ts';
import type { CopyChange } from './copy-facts.ts';

/** Examples refer to rows of the file until their lines in the copy are known. */
export class CopyCounts {
  readonly #counts = new Map<ValueRule, Map<number | string, CopyChange>>();
  /** Numbers of the rows that have an example. */
  readonly rows = new Set<number>();

  /** Counts one more value. Returns the change to add an example to, or null if there are enough. */
  add(rule: ValueRule, column: number | string): CopyChange | null {
    const ofRule = this.#counts.get(rule) ?? new Map<number | string, CopyChange>();
    if (ofRule.size === 0) this.#counts.set(rule, ofRule);
    const change = ofRule.get(column) ?? { rule, source: '', count: 0, examples: [] };
    if (change.count === 0) ofRule.set(column, change);
    change.count += 1;
    return change.examples.length < MAX_LEDGER_EXAMPLES ? change : null;
  }

  /** `after`: null for no value. */
  example(change: CopyChange, row: number, before: string, after: string | null): void {
    change.examples.push({ line: row, before: cut(before), after: after === null ? null : cut(after) });
    this.rows.add(row);
  }

  /** Sorted by number of values, largest first. `nameOf`: name of a column; `lineOf`: line of a row with an example. */
  list(
    nameOf: (column: number | string) => { source: string; letter?: string },
    lineOf: (row: number) => number,
  ): CopyChange[] {
    return [...this.#counts.values()]
      .flatMap((ofRule) => [...ofRule])
      .map(([column, change]) => ({
        ...change,
        ...nameOf(column),
        examples: change.examples.map((each) => ({ ...each, line: lineOf(each.line) })),
      }))
      .toSorted((a, b) => b.count - a.count)
      .slice(0, MAX_CHANGES);
  }
}

/** Maximum number of changes listed. A file may have more columns than a person can read about. */
const MAX_CHANGES = 2_000;
