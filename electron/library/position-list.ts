/** A growing list of positions, stored in four bytes each. */
import type { Positions } from './positions.ts';

export class PositionList {
  #positions: Positions = new Int32Array(1_024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(position: number): void {
    if (this.#size === this.#positions.length) {
      const wider: Positions = new Int32Array(this.#size * 2);
      wider.set(this.#positions);
      this.#positions = wider;
    }
    this.#positions[this.#size] = position;
    this.#size += 1;
  }

  /** The positions without a copy. Valid until the next one is added. */
  values(): Positions {
    return this.#positions.subarray(0, this.#size);
  }
}
