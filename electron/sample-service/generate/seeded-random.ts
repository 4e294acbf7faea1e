/** A small random generator with a seed (sfc32): the same seed gives the same workspace, including identifiers. */
import type { Random } from '../../core/ports.ts';

export class SeededRandom implements Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.imul(seed, 0x9e3779b1) | 0;
    this.#c = 0x51a4d7e1;
    for (let round = 0; round < 16; round += 1) this.bits();
  }

  /** 32 random bits. */
  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }

  next(): number {
    return this.bits() / 4_294_967_296;
  }

  /** An integer in [least, most]. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** A number in [least, most) with at most `digits` decimals. */
  decimal(least: number, most: number, digits: number): number {
    return Number((least + this.next() * (most - least)).toFixed(digits));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[Math.floor(this.next() * list.length)] ?? list[0];
  }

  /** Lowercase hex digits, never all zero. */
  hex(length: number): string {
    let text = '';
    while (text.length < length) text += this.bits().toString(16).padStart(8, '0');
    const cut = text.slice(0, length);
    return /[1-9a-f]/.test(cut) ? cut : `${cut.slice(1)}1`;
  }

  uuid(): string {
    const hex = this.hex(32);
    const variant = '89ab'[this.bits() % 4] ?? '8';
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `${variant}${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join('-');
  }

  shuffle<T>(list: readonly T[]): T[] {
    return list
      .map((item) => ({ item, key: this.next() }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ item }) => item);
  }
}
