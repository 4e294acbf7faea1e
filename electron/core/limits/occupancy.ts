import { elementAt } from '../element-at.ts';

/**
 * Answer times of one lane's requests, oldest first. Requests that still occupy a window are found by binary search.
 */
export class Occupancy {
  #times: number[] = [];
  #ids: number[] = [];
  #start = 0;

  /** Adds a new request. Times nearly always arrive in order. */
  add(id: number, atMs: number): void {
    let index = this.#times.length;
    const last = this.#times[index - 1];
    if (last !== undefined && index > this.#start && last > atMs) index = this.#firstAfter(atMs);
    if (index === this.#times.length) {
      this.#times.push(atMs);
      this.#ids.push(id);
    } else {
      this.#times.splice(index, 0, atMs);
      this.#ids.splice(index, 0, id);
    }
  }

  /** Searches from the newest, because only requests that another process changed are removed. */
  remove(id: number): void {
    for (let index = this.#ids.length - 1; index >= this.#start; index--) {
      if (this.#ids[index] !== id) continue;
      this.#times.splice(index, 1);
      this.#ids.splice(index, 1);
      return;
    }
  }

  /** The number of requests answered later than `timeMs`. */
  countAfter(timeMs: number): number {
    return this.#times.length - this.#firstAfter(timeMs);
  }

  /** Answer time of the `rank`th (from 0) request answered after `timeMs`; null if there are fewer. */
  timeAfter(timeMs: number, rank: number): number | null {
    return this.#times[this.#firstAfter(timeMs) + rank] ?? null;
  }

  /** Removes requests answered at `timeMs` or earlier. */
  trim(timeMs: number): void {
    this.#start = this.#firstAfter(timeMs);
    if (this.#start > 512 && this.#start * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#start);
      this.#ids = this.#ids.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Moves answer times up to `untilMs` back by `byMs`. The order is preserved. */
  shiftBack(untilMs: number, byMs: number): void {
    const end = this.#firstAfter(untilMs);
    for (let index = this.#start; index < end; index++) {
      this.#times[index] = elementAt(this.#times, index) - byMs;
    }
  }

  #firstAfter(timeMs: number): number {
    let low = this.#start;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (elementAt(this.#times, middle) <= timeMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
