/**
 * Accounts for every value of a file: it is sent unchanged, or changed by a rule that is named and counted here.
 * Omitted data is named and counted too. Shared by uploads of events and items from files. Pure.
 */

import { counted, numberText } from './count-text.ts';
import { cutText } from './cut-text.ts';
import * as z from './zod.ts';

/** Every rule that may change a value, with its description. */
export const VALUE_RULES = {
  'null-word': 'word read as no value',
  blank: 'blanks alone read as no value',
  'empty-text': 'empty text read as no value',
  'not-finite': 'NaN or infinity read as no value',
  trimmed: 'blanks around the value removed',
  'decimal-comma': 'decimal comma written as a point',
  thousands: 'separators of thousands removed',
  currency: 'currency sign removed',
  parentheses: 'number in parentheses read as negative',
  percent: 'percent sign removed',
  'percent-share': 'percentage written as a share of one',
  'minus-sign': 'dash, or minus sign apart from its digits, read as the minus of a number',
  'trailing-sign': 'sign behind the number moved to its front',
  'script-digits': 'digits or signs of another script written as 0 to 9 and their usual signs',
  'dash-decimals': 'dash in the place of decimals read as zero',
  'number-form': 'number written plainly, without a plus sign, zeros in front, a bare point or an exponent',
  'whole-number': 'zeros behind the decimal point left away',
  'number-of-text': 'text read as a number',
  'text-of-number': 'number sent as text',
  'text-of-boolean': 'true or false sent as text',
  'json-of-text': 'text read as JSON',
  'true-false': 'word read as true or false',
  'day-first': 'date read with the day first',
  'month-first': 'date read with the month first',
  'month-name': 'date with the name of a month written in digits',
  'time-form': 'time written as ISO 8601',
  'epoch-unit': 'time since 1970 written in seconds or milliseconds',
  'excel-serial': 'days since 1900 read as a time',
  zone: 'zone added to a time without one',
  'zone-twice': 'time that the clocks of its zone show twice read as the first of the two',
  utc: 'time without a zone sent unchanged, which counts as UTC',
  'far-time':
    'time of an event before 1971 or after 2098 sent unchanged: check whether it stands for no time',
  spelling: 'spelling of a category corrected',
  'category-type': 'category sent with the type that the model gives it',
  replaced: 'value replaced by the one that was chosen for it',
  edited: 'cell edited by hand',
  'repaired-null': 'value that does not fit sent as no value',
  'repaired-text': 'quotes or invisible characters around the value removed',
  'last-of-key': 'last of several values of one key taken',
  'cell-error': 'cell with an error read as no value',
  'formula-unread': 'formula without its result in the file read as no value',
  'text-formula': 'formula that stands for a text read as this text',
  'sheet-date': 'date of a sheet written as ISO 8601',
  'time-of-day': 'time of day written as text',
  'time-microseconds': 'time read to the microsecond, without further digits',
  duration: 'duration written as text',
  'duration-number': 'duration written as a number of its unit',
  'period-number': 'period of pandas written as its number since 1970',
  'sheet-digits': 'number of a sheet written in its shortest form',
  'sheet-zeros': 'zeros in front written as the sheet shows them',
  'sheet-text': 'number of a sheet written with the text that the sheet shows around its digits',
  'binary-text': 'bytes read as text',
  base64: 'bytes written as base64',
  variant: 'value of type VARIANT written as JSON',
  'typed-json': 'typed value of MongoDB or DynamoDB written as the value in it',
  'typed-text': 'value of a type that JSON lacks written as text',
  'hex-id': 'id written in lower-case hexadecimal digits',
  'nano-time': 'number since 1970 written as ISO 8601',
  'kind-name': 'kind or status written as its short name',
  'type-of-attributes': 'type of the span taken from its attributes',
} as const;
export type ValueRule = keyof typeof VALUE_RULES;
const RULE_IDS = Object.keys(VALUE_RULES) as [ValueRule, ...ValueRule[]];

export const MAX_LEDGER_EXAMPLES = 3;
const EXAMPLE_CHARS = 80;
/** Maximum listed counts; a file may have more columns than a person would read about. */
const MAX_ENTRIES = 2_000;

const ledgerExample = z.object({
  /** 1-based line of the file in which its row starts. */
  line: z.number(),
  before: z.string(),
  /** Null: no value is sent. */
  after: z.string().nullable(),
});
type LedgerExample = z.infer<typeof ledgerExample>;

/** Values of a column changed by one rule. A value changed by two rules counts for both. */
export const ledgerChange = z.object({
  rule: z.enum(RULE_IDS),
  /** Column or key of the file. */
  source: z.string(),
  /** Number of values. */
  count: z.number(),
  /** Examples from the first values. */
  examples: z.array(ledgerExample),
});
type LedgerChange = z.infer<typeof ledgerChange>;

/** Nouns for counts of omitted data, singular and plural. */
export const LEFT_OUT_KINDS = {
  column: ['value', 'values'],
  key: ['value', 'values'],
  // Keys that are counted without being named.
  'other key': ['more key', 'more keys'],
  row: ['row', 'rows'],
  sheet: ['row', 'rows'],
  cell: ['cell', 'cells'],
} as const;

/** Part of the file that is not sent. */
export const ledgerOmission = z.object({
  kind: z.enum(
    Object.keys(LEFT_OUT_KINDS) as [keyof typeof LEFT_OUT_KINDS, ...(keyof typeof LEFT_OUT_KINDS)[]],
  ),
  /** Name of the column, key or sheet; empty for rows and other keys. */
  name: z.string(),
  /** Count in the unit of the kind; null if nothing was counted. */
  count: z.number().nullable(),
  /** The reason as a sentence without its full stop: "the model has no such column". */
  reason: z.string(),
  /** Line of the first omitted part; null if it has no line. */
  line: z.number().nullable(),
});
export type LedgerOmission = z.infer<typeof ledgerOmission>;

/** How a column was parsed, if its values allow several ways. */
const ledgerDecision = z.object({
  source: z.string(),
  /** Part of a sentence: "the comma separates decimals (12,50 in line 2)". */
  words: z.string(),
});

export const valueLedger = z.object({
  changes: z.array(ledgerChange),
  leftOut: z.array(ledgerOmission),
  decisions: z.array(ledgerDecision),
});
export type ValueLedger = z.infer<typeof valueLedger>;

export const EMPTY_LEDGER: ValueLedger = { changes: [], leftOut: [], decisions: [] };

/**
 * Counts one rule in one column while rows are read. Values that do not become examples need no object of their own.
 */
export class RuleCount {
  readonly rule: ValueRule;
  readonly source: string;
  count = 0;
  readonly examples: LedgerExample[] = [];

  constructor(rule: ValueRule, source: string) {
    this.rule = rule;
    this.source = source;
  }

  /** A list with only this count, created once instead of for each value. */
  readonly alone: readonly RuleCount[] = [this];

  get hasExamples(): boolean {
    return this.examples.length >= MAX_LEDGER_EXAMPLES;
  }

  /** Removes the latest value, which was in this line. */
  undo(line: number): void {
    this.count -= 1;
    if (this.examples.length > this.count) this.examples.pop();
    else if (this.examples.at(-1)?.line === line && this.examples.length > 0) this.examples.pop();
  }
}

/** Truncated for examples. */
export const cut = (text: string): string => cutText(text, EXAMPLE_CHARS);

/** The counts of all rules and columns of one reading. */
export class LedgerCounts {
  readonly #counts = new Map<string, RuleCount>();
  /** The counts that the current row changed. */
  readonly #row: RuleCount[] = [];

  beginRow(): void {
    if (this.#row.length > 0) this.#row.length = 0;
  }

  /** Removes all values of the current row from the counts, because the row is not sent. */
  undoRow(line: number): void {
    for (const count of this.#row) count.undo(line);
    this.#row.length = 0;
  }

  /** Counts a changed value; `json` is the value sent instead. */
  add(count: RuleCount, line: number, before: string, json: string): void {
    this.bump(count);
    if (!count.hasExamples) count.examples.push({ line, before: cut(before), after: afterOf(json) });
  }

  /** Counts a value without considering it as an example. */
  bump(count: RuleCount): void {
    count.count += 1;
    this.#row.push(count);
  }

  /** The count of a rule in a column. If there are more columns than the maximum, the count is not listed. */
  of(rule: ValueRule, source: string): RuleCount {
    const key = `${rule} ${source}`;
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    const made = new RuleCount(rule, source);
    if (this.#counts.size < MAX_ENTRIES) this.#counts.set(key, made);
    return made;
  }

  /** Counts with at least one value, in descending order. */
  list(): LedgerChange[] {
    return [...this.#counts.values()]
      .filter(({ count }) => count > 0)
      .map(({ rule, source, count, examples }) => ({ rule, source, count, examples }))
      .toSorted((a, b) => b.count - a.count);
  }
}

/** Example: `12,50 → 12.50 (line 2)`; an unchanged value is written only once. */
function exampleText({ line, before, after }: LedgerExample): string {
  const place = `(line ${numberText(line)})`;
  // The rule describes the meaning of the value, which is unchanged.
  if (before === after) return `${before} ${place}`;
  return `${before === '' ? 'empty text' : before} → ${after ?? 'no value'} ${place}`;
}

/** A JSON value for display. */
export function afterOf(json: string): string | null {
  if (json === 'null') return null;
  return cut(json.startsWith('"') ? String(JSON.parse(json)) : json);
}

/** One line for each rule of a column, each omission and each decision, for text output. */
export function ledgerLines({ changes, leftOut, decisions }: ValueLedger): string[] {
  return [
    ...decisions.map(({ source, words }) => `${source}: ${words}.`),
    ...changes.map(({ rule, source, count, examples }) => {
      const shown = examples.map(exampleText).join(', ');
      return `${source}: ${VALUE_RULES[rule]}, ${counted(count, 'value')}${shown === '' ? '' : `: ${shown}`}.`;
    }),
    ...leftOut.map(omissionText),
  ];
}

/** Example: `Not sent: key “note”, 600 values, first in line 2,401: the model has no such column.` */
function omissionText({ kind, name, count, reason, line }: LedgerOmission): string {
  const [one, several] = LEFT_OUT_KINDS[kind];
  const what = name === '' ? '' : `${kind} “${cut(name)}”`;
  const number = count === null ? '' : counted(count, one, several);
  const first = line === null ? '' : `first in line ${numberText(line)}`;
  return `Not sent: ${[what, number, first].filter((part) => part !== '').join(', ')}: ${reason}.`;
}
