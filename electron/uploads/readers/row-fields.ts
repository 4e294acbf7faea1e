/**
 * Returns the values of a row by column, converted by the readings that a person chose, in the same way as for uploads.
 * Pure.
 */
import { isRawNumber, parseExact } from '../../shared/exact-json.ts';
import { SpanChanges } from '../../shared/span-file.ts';
import { afterOf } from '../../shared/value-ledger.ts';
import type { ValueReading } from '../../shared/value-readings.ts';
import { withDefaults } from '../validate/settle-columns.ts';
import { textOfFormula } from '../validate/text-formula.ts';
import { dateOrder } from '../validate/timestamps.ts';
import { type Converter, createConverter, digitsOf, isBad } from '../validate/values.ts';
import { excerptOf, type SourceRow } from './row-source.ts';

interface Rule {
  nulls: ReadonlySet<string>;
  /** Null if the reading only replaces null words. */
  converter: Converter | null;
  /** True if the order of day and month is unknown: dates such as 03/05/2026 are not converted. */
  needsOrder: boolean;
}

/** Values that do not fit the reading of their column; they stay unchanged. */
export interface Misfits {
  column: string;
  count: number;
  /** Line of the first such value. */
  line: number;
  value: string;
}

interface Fields {
  fields: Record<string, unknown>;
  /** The changed values are added to it. The object is valid until the next row. */
  into: SpanChanges;
}

export class RowFields {
  readonly #header: readonly string[] | null;
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #otherRule: Rule | null;
  readonly #misfits = new Map<string, Misfits>();
  #into = new SpanChanges();

  /** `header`: null if each row names its columns. */
  constructor(header: readonly string[] | null, readings: readonly ValueReading[]) {
    this.#header = header;
    this.#rules = new Map(
      readings.flatMap((each) => (each.source === null ? [] : [[each.source, ruleOf(each)]])),
    );
    const other = readings.find(({ source }) => source === null);
    this.#otherRule = other === undefined ? null : ruleOf(other);
  }

  /** The row must be well formed. Missing cells of a short row are null. */
  read({ cells, record, line }: SourceRow): Fields {
    if (this.#into.changes.length > 0) this.#into = new SpanChanges();
    if (record !== null && this.#rules.size === 0 && this.#otherRule === null)
      return { fields: record, into: this.#into };
    const given: readonly (readonly [string, unknown])[] =
      cells === null
        ? Object.entries(record ?? {})
        : (this.#header ?? []).map((name, index) => [name, cells[index] ?? null] as const);
    const fields = Object.fromEntries(
      given.map(([name, value]) => [name, this.#valueOf(name, value, cells !== null, line)]),
    );
    return { fields, into: this.#into };
  }

  /** In the order of their first occurrence. */
  misfits(): Misfits[] {
    return [...this.#misfits.values()];
  }

  #valueOf(name: string, given: unknown, isCell: boolean, line: number): unknown {
    const formula = isCell && typeof given === 'string' ? textOfFormula(given) : null;
    if (formula !== null) this.#into.add('text-formula', name, String(given), formula);
    const value = formula ?? given;
    const rule = this.#rules.get(name) ?? this.#otherRule;
    const text = textOf(value);
    // An empty text remains an empty text, and is counted separately.
    if (rule === null || text === null || text.trim() === '') return value;
    if (rule.nulls.has(text.trim())) {
      this.#into.add('null-word', name, text, null);
      return null;
    }
    if (rule.converter === null) return value;
    const json = isCell ? rule.converter.fromText(text) : rule.converter.fromJson(value);
    if (isBad(json) || (rule.needsOrder && dateOrder(text.trim()) !== null)) {
      const found = this.#misfits.get(name) ?? { column: name, count: 0, line, value: excerptOf(text) };
      this.#misfits.set(name, { ...found, count: found.count + 1 });
      return value;
    }
    for (const each of rule.converter.applied) this.#into.add(each, name, text, afterOf(json));
    // A number in a cell remains a text.
    return isCell && json !== 'null' && !json.startsWith('"') ? json : parseExact(json);
  }
}

function ruleOf(column: ValueReading): Rule {
  const { decimal, days, zone, unit, nulls = [] } = column.reading;
  const isConverted = [decimal, days, zone, unit].some((part) => part !== undefined);
  const { type, reading } = withDefaults(column);
  const converter = isConverted
    ? createConverter({
        ...{ type, reading, nullWords: [], categories: null, dimensions: null, timeFormat: null },
      })
    : null;
  return { nulls: new Set(nulls), converter, needsOrder: type === 'timestamp' && days === undefined };
}

/** Null if the value is neither a text nor a number. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return digitsOf(value);
  return isRawNumber(value) ? value.digits : null;
}
