/** Collects evidence of whether numeric dates such as 26-01-05 begin with a two-digit year. Pure. */
import { yearFirst } from './timestamps.ts';

interface Sample {
  line: number;
  text: string;
}

const MAX_SAMPLES = 3;
/** Dates may lie in the next year, because data can contain plans. */
const MAX_YEARS_AHEAD = 1;

export class YearEvidence {
  #dates = 0;
  /** Number of dates that could begin with a year. */
  #fitting = 0;
  #hasOnlyDashes = true;
  #hasDots = false;
  readonly #lastYear: number;
  /** True if the first part of a date, read as a year, is later than the last likely year. */
  #hasFutureYear = false;
  /** True if the first part of a date can be neither a day nor a month. */
  #hasYearAlone = false;
  /** Distinct first and last parts of the dates, at most a hundred of each. */
  readonly #first = new Set<string>();
  readonly #last = new Set<string>();
  readonly samples: Sample[] = [];

  /** `nowMs`: the current time; if it is absent, every year is likely. */
  constructor(nowMs?: number) {
    this.#lastYear =
      nowMs === undefined ? Number.POSITIVE_INFINITY : new Date(nowMs).getUTCFullYear() + MAX_YEARS_AHEAD;
  }

  /** Takes a numeric date. `isNeither`: its first part is neither a day nor a month. */
  look(text: string, line: number, isNeither: boolean): void {
    this.#dates += 1;
    // After one date that cannot begin with a year, the others need not be looked at.
    if (this.#fitting < this.#dates - 1) return;
    const found = yearFirst(text);
    if (found === null) return;
    this.#fitting += 1;
    this.#hasOnlyDashes &&= found.sign === '-';
    this.#hasDots ||= found.sign === '.';
    this.#hasFutureYear ||= found.fullYear > this.#lastYear;
    this.#hasYearAlone ||= isNeither;
    this.#first.add(found.year);
    this.#last.add(found.day);
    if (this.samples.length < MAX_SAMPLES) this.samples.push({ line, text });
  }

  /** True if all dates can begin with a year, and one of them can begin with nothing else. */
  get isSure(): boolean {
    return this.#canBe && this.#hasYearAlone;
  }

  /**
   * True if all dates can begin with a year, and their last parts vary more than the first, as days do. With dashes,
   * equal variation is enough. Dates with dots, or whose first part would be a future year, have the day first instead.
   */
  get isLikely(): boolean {
    const [years, days] = [this.#first.size, this.#last.size];
    const isUnlikely = this.#hasDots || this.#hasFutureYear;
    return this.#canBe && !isUnlikely && (years < days || (years === days && this.#hasOnlyDashes));
  }

  get #canBe(): boolean {
    return this.#dates > 0 && this.#fitting === this.#dates;
  }
}
