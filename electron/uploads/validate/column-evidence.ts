/** Collects evidence from the values of a column about how to read them, and decides on one reading. Pure. */
import {
  type ColumnQuestion,
  type ColumnReading,
  DATE_ORDERS,
  type DateReading,
} from '../../shared/column-reading.ts';
import type { ColumnPlan } from '../../shared/upload-model.ts';
import type { DateOrder } from './date-order.ts';
import { type DecimalSign, decimalSignOf, readNumber } from './number-reading.ts';
import { dateOrder, readTime } from './timestamps.ts';
import { YearEvidence } from './year-evidence.ts';

/** Words that mean "no value" in columns of numbers, times, booleans, lists and JSON. */
export const NULL_WORDS: readonly string[] = [
  ...['NULL', 'null', 'Null', '\\N', 'NaN', 'nan', 'NAN', 'NaT', '#N/A', '<NA>'],
  ...['#DIV/0!', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#NULL!'],
  ...['NA', 'N/A', 'n/a', 'na', 'None', 'none', 'nil', '-', '–', '—', '−', '?', 'missing'],
  // Forms written by SAS, Stata, the World Bank, Eurostat, Oracle and database clients.
  ...['.', '..', ':', 'n.a.', 'N.A.', '(null)', '<null>', '[NULL]'],
];
/**
 * The word that means "no value" in text columns too, unless a person chose other words for the column. Databases write
 * it, and it is hardly ever meant as a text. Not used for JSON, which has its own null.
 */
export const NULL_MARK = '\\N';
const MAX_SAMPLES = 3;
const EXAMPLE_CHARS = 60;

interface Sample {
  line: number;
  text: string;
}
/** Kinds of evidence. `mended-*`: from a value that a repair rewrites. */
type Kind = DecimalSign | DateOrder | 'mended-comma' | 'mended-day';
const MENDED: Readonly<Partial<Record<Kind, Kind>>> = { comma: 'mended-comma', 'sure-day': 'mended-day' };
type ColumnType = ColumnPlan['type'];

export const isNumeric = (type: ColumnType): boolean =>
  type === 'int' || type === 'float' || type === 'decimal';
export const isText = (type: ColumnType): boolean => type === 'str' || type === 'category';

/** The evidence of one column. */
export class ColumnEvidence {
  readonly #type: ColumnType;
  readonly #samples = new Map<Kind, Sample[]>();
  /** Null words that occurred. */
  readonly nulls = new Set<string>();
  hasGroups = false;
  /** True if a value like 1,234 occurred, whose comma may separate thousands or decimals. */
  #hasOpenComma = false;
  readonly #years: YearEvidence;

  /** `nowMs`: the current time; if it is absent, two-digit years are not compared with the current year. */
  constructor(type: ColumnType, nowMs?: number) {
    this.#type = type;
    this.#years = new YearEvidence(nowMs);
  }

  /**
   * Takes a value as text in the file. Numbers of JSON files are no evidence. `isMended`: a repair replaces the text.
   */
  look(text: string, line: number, isMended = false): void {
    if (isNumeric(this.#type)) this.#lookAtNumber(text.trim(), line, isMended);
    else if (this.#type === 'timestamp') this.#lookAtTime(text.trim(), line, isMended);
  }

  /** Takes a number whose point was found by scanning its bytes. Three digits after the point could be thousands. */
  add(kind: DecimalSign, line: number, text: () => string): void {
    if ((this.#samples.get(kind)?.length ?? 0) < MAX_SAMPLES) this.#keep(kind, { line, text: text() });
  }

  /** True if the point is certainly a decimal point. Further values need not be looked at. */
  get isPointSure(): boolean {
    return this.#samples.has('point');
  }

  #lookAtNumber(text: string, line: number, isMended: boolean): void {
    const sign = decimalSignOf(text);
    if (sign !== 'none') {
      this.#keep(isMended ? (MENDED[sign] ?? sign) : sign, { line, text });
      if (!this.#hasOpenComma && sign !== 'point' && sign !== 'comma')
        this.#hasOpenComma = hasThousands(text);
    } else if (!this.hasGroups && /\D\d{3}/.test(text)) this.hasGroups = hasThousands(text);
  }

  #lookAtTime(text: string, line: number, isMended: boolean): void {
    const order = dateOrder(text);
    if (order === null) return;
    this.#years.look(text, line, order === 'none');
    if (order === 'none') return;
    this.#keep(isMended ? (MENDED[order] ?? order) : order, { line, text });
  }

  #keep(kind: Kind, sample: Sample): void {
    const samples = this.#samples.get(kind);
    if (samples === undefined) this.#samples.set(kind, [sample]);
    else if (samples.length < MAX_SAMPLES) samples.push(sample);
  }

  #of(...kinds: Kind[]): Sample[] {
    return kinds.flatMap((kind) => this.#samples.get(kind) ?? []);
  }

  /** Decides the reading of the column. Parts set in `given` stay. Returns a question if two readings are possible. */
  settle(source: string, given: ColumnReading): Settled {
    const reading: ColumnReading = { ...given };
    const words: string[] = [];
    let question: ColumnQuestion | null = null;
    const ask: Ask = (kind, reason, samples, hasYears = false) => {
      question = questionOf({ source, kind, reason, samples: samples.slice(0, MAX_SAMPLES) }, hasYears);
    };
    const nulls = [...this.nulls].filter((word) => !isText(this.#type) || word === NULL_MARK);
    if (given.nulls === undefined && nulls.length > 0) reading.nulls = nulls.toSorted();
    if (isNumeric(this.#type) && given.decimal === undefined) this.#settleDecimal(reading, words, ask);
    if (this.#type === 'timestamp' && given.days === undefined) this.#settleDays(reading, words, ask);
    return { reading, words, question };
  }

  #settleDecimal(reading: ColumnReading, words: string[], ask: Ask): void {
    const isWhole = this.#type === 'int';
    const [point, comma, mended] = [this.#of('point'), this.#of('comma'), this.#of('mended-comma')];
    const commas = [...comma, ...mended];
    const [wholePoint, wholeComma] = [this.#of('whole-point'), this.#of('whole-comma')];
    const open = this.#of('either', 'whole-point', 'whole-comma');
    const decide = (decimal: 'point' | 'comma', by: readonly Sample[]) => {
      reading.decimal = decimal;
      const other = decimal === 'point' ? 'comma' : 'point';
      // With a decimal point, values like 1.234 stay unchanged, so only values with a comma need a sentence.
      if (decimal === 'comma' || this.#hasOpenComma)
        words.push(`the ${decimal} separates decimals and the ${other} thousands${asIn(by)}`);
    };
    // Repaired values only count for the column if other values could be read unchanged.
    const areCommasOpen = comma.length > 0 || (mended.length > 0 && open.length > 0);
    if (point.length > 0 && areCommasOpen)
      ask('decimal', 'Some of its values have decimals after a comma, others after a point.', [
        ...commas.slice(0, 1),
        ...point.slice(0, 1),
        ...open.slice(0, 1),
      ]);
    else if (point.length > 0) decide('point', point);
    else if (commas.length > 0) decide('comma', commas);
    else if (isWhole && wholePoint.length > 0 && wholeComma.length === 0) decide('point', wholePoint);
    else if (isWhole && wholeComma.length > 0 && wholePoint.length === 0) decide('comma', wholeComma);
    else if (open.length > 0) ask('decimal', 'Each of its marks could separate decimals or thousands.', open);
    else if (this.hasGroups) reading.decimal = 'point';
  }

  #settleDays(reading: ColumnReading, words: string[], ask: Ask): void {
    const [sureDay, mended, month] = [this.#of('sure-day'), this.#of('mended-day'), this.#of('sure-month')];
    const day = [...sureDay, ...mended];
    const [likely, either] = [this.#of('likely-day'), this.#of('either')];
    const decide = (days: DateReading, by: readonly Sample[]) => {
      reading.days = days;
      words.push(`the ${days.replace('-first', '')} comes first in its dates${asIn(by)}`);
    };
    const years = this.#years;
    const areDaysOpen = sureDay.length > 0 || (mended.length > 0 && either.length > 0);
    if (years.isSure) decide('year-first', years.samples);
    else if (years.isLikely)
      ask(
        'days',
        'Its years have two digits, and may be the first or the last part.',
        [...years.samples],
        true,
      );
    else if (month.length > 0 && areDaysOpen)
      ask('days', 'Some of its dates can only have the day first, others only the month.', [
        ...day.slice(0, 1),
        ...month.slice(0, 1),
        ...either.slice(0, 1),
      ]);
    else if (month.length > 0) decide('month-first', month);
    else if (day.length > 0) decide('day-first', day);
    else if (either.length > 0)
      ask('days', 'In none of its dates is day or month above 12.', [...either, ...likely]);
    else if (likely.length > 0) decide('day-first', likely);
    else if (this.#of('same').length > 0) reading.days = 'day-first';
  }
}

/** `hasYears`: whether the dates may begin with a year. */
type Ask = (kind: ColumnQuestion['kind'], reason: string, samples: Sample[], hasYears?: boolean) => void;

export interface Settled {
  reading: ColumnReading;
  /** Parts of sentences that state the decisions and the values they are based on. */
  words: string[];
  question: ColumnQuestion | null;
}

const hasThousands = (text: string): boolean =>
  readNumber(text, 'point')?.rules.includes('thousands') === true;

const asIn = ([first]: readonly Sample[]): string =>
  first === undefined ? '' : `, as in ${first.text.slice(0, EXAMPLE_CHARS)} (line ${first.line})`;

function questionOf(
  {
    source,
    kind,
    reason,
    samples,
  }: Pick<ColumnQuestion, 'source' | 'kind' | 'reason'> & { samples: readonly Sample[] },
  hasYears: boolean,
): ColumnQuestion {
  const ids = kind === 'decimal' ? (['point', 'comma'] as const) : DATE_ORDERS;
  const readings = ids.map((id) => ({
    id,
    examples: samples.map(({ line, text }) => ({
      line,
      before: text.slice(0, EXAMPLE_CHARS),
      after: afterOf(id, text),
    })),
  }));
  const offered = hasYears
    ? readings.filter(({ examples }) => examples.some(({ after }) => after !== null))
    : readings.filter(({ id }) => id !== 'year-first');
  return { ...{ source, kind, reason }, readings: offered };
}

/** The text as it would be sent in a reading; null if it cannot be read that way. */
function afterOf(id: ColumnQuestion['readings'][number]['id'], text: string): string | null {
  if (id === 'point' || id === 'comma') return readNumber(text, id)?.text ?? null;
  const time = readTime(text, { days: id });
  return typeof time === 'string' ? null : time.json.replaceAll('"', '');
}

/** Evidence of a scanned number with `whole` digits before the point and `decimals` after it. */
export function pointSignOf(whole: number, decimals: number, startsWithZero: boolean): DecimalSign {
  return decimals === 3 && whole >= 1 && whole <= 3 && !startsWithZero ? 'either' : 'point';
}
