/** Evidence of whether numeric dates begin with a year of two digits: 26-01-05. Pure. */
import { yearFirst } from './timestamps.ts';

interface Sample {
  line: number;
  text: string;
}

const MAX_SAMPLES = 3;
/** Plans reach into the next year. */
const MAX_YEARS_AHEAD = 1;

export class YearEvidence {
  #dates = 0;
  /** Dates that begin with a year, if one is first. */
  #fitting = 0;
  #hasOnlyDashes = true;
  #hasDots = false;
  readonly #lastYear: number;
  /** A date whose first part would be a year after the last one that is likely. */
  #hasFutureYear = false;
  /** A date whose first part is no day and no month. */
  #hasYearAlone = false;
  /** First and last parts; at most a hundred of each. */
  readonly #first = new Set<string>();
  readonly #last = new Set<string>();
  readonly samples: Sample[] = [];

  /** `nowMs`: the current time; without it, every year is likely. */
  constructor(nowMs?: number) {
    this.#lastYear =
      nowMs === undefined ? Number.POSITIVE_INFINITY : new Date(nowMs).getUTCFullYear() + MAX_YEARS_AHEAD;
  }

  /** Takes a numeric date; `isNeither`: it begins neither with a day nor with a month. */
  look(text: string, line: number, isNeither: boolean): void {
    this.#dates += 1;
    // One date that cannot begin with a year settles it.
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

  /** True if all of them can begin with a year, and one can begin with nothing else. */
  get isSure(): boolean {
    return this.#canBe && this.#hasYearAlone;
  }

  /**
   * True if all of them can begin with a year, and the last parts vary more than the first ones, as days do; as much is
   * enough with dashes. Dates with dots have the day first, and so have dates whose first part would be a year to come.
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
