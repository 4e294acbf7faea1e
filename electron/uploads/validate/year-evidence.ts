/** Evidence of whether numeric dates begin with a year of two digits: 26-01-05. Pure. */
import { yearFirst } from './timestamps.ts';

interface Sample {
  line: number;
  text: string;
}

const MAX_SAMPLES = 3;

export class YearEvidence {
  #dates = 0;
  /** Dates that begin with a year, if one is first. */
  #fitting = 0;
  #hasOnlyDashes = true;
  /** A date whose first part is no day and no month. */
  #hasYearAlone = false;
  /** First and last parts; at most a hundred of each. */
  readonly #first = new Set<string>();
  readonly #last = new Set<string>();
  readonly samples: Sample[] = [];

  /** Takes a numeric date; `isNeither`: it begins neither with a day nor with a month. */
  look(text: string, line: number, isNeither: boolean): void {
    this.#dates += 1;
    // One date that cannot begin with a year settles it.
    if (this.#fitting < this.#dates - 1) return;
    const found = yearFirst(text);
    if (found === null) return;
    this.#fitting += 1;
    this.#hasOnlyDashes &&= found.sign === '-';
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
   * enough with dashes.
   */
  get isLikely(): boolean {
    const [years, days] = [this.#first.size, this.#last.size];
    return this.#canBe && (years < days || (years === days && this.#hasOnlyDashes));
  }

  get #canBe(): boolean {
    return this.#dates > 0 && this.#fitting === this.#dates;
  }
}
