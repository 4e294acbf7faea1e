/**
 * Finds texts that are the same, or nearly the same, as one before them. Texts are added one after another; only
 * signatures are kept, in flat arrays (some 400 bytes a text), and a candidate's text is asked for again. Pure.
 */
import { type Bands, bandHash, bandsFor, SIGNATURE, sign } from './minhash.ts';
import { distinct, folded, likeness, mixed, shinglesOf } from './shingles.ts';

export interface Twin {
  /** The number of the text it is like, in the order of adding. */
  of: number;
  /** 1 where the texts are the same but for case and spaces. */
  likeness: number;
}

/**
 * `stored`: others may be its twins, it is not asked about itself. `leads`: is a twin of one before it, or may have
 * twins itself. `follows`: never has twins.
 */
export type TwinRole = 'stored' | 'leads' | 'follows';

interface TwinOptions {
  /** Texts at most. */
  capacity: number;
  /** From 0.5 to 1. */
  threshold: number;
  /** The text that was added as this number. */
  textOf: (index: number) => string;
}

/** Texts whose signatures are compared for one text; where more are alike, later ones are not looked at. */
const MOST_COMPARED = 5_000;
/** Texts that are compared whole for one text. */
const MOST_READ = 50;
/** Below the threshold by more than the error of an estimate from 128 places (more than four deviations). */
const ESTIMATE_SLACK = 0.16;
const NONE = -1;

export class TwinIndex {
  readonly #options: TwinOptions;
  readonly #bands: Bands;
  readonly #slots: number;
  /** By band and slot: the latest text there; `#next` leads from it to those before. */
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  /** The last byte of each place: enough to estimate how alike two texts are. */
  readonly #marks: Uint8Array;
  /** Texts by a hash of all of them: the slot holds the first, 64 bits tell it from others. */
  readonly #wholes: Int32Array;
  readonly #hashes: Uint32Array;
  /** Of texts that the slots hold: the one that stands for it, itself where it is like none, and how alike they are. */
  readonly #leaders: Int32Array;
  readonly #likenesses: Float64Array;
  readonly #seenBy: Int32Array;
  readonly #signature = new Uint32Array(SIGNATURE);
  readonly #own = new Uint8Array(SIGNATURE);
  #count = 0;

  constructor(options: TwinOptions) {
    const { capacity, threshold } = options;
    this.#options = options;
    this.#bands = bandsFor(threshold);
    this.#slots = 2 ** Math.ceil(Math.log2(Math.max(16, capacity)));
    this.#heads = new Int32Array(this.#bands.bands * this.#slots).fill(NONE);
    this.#next = new Int32Array(this.#bands.bands * capacity);
    this.#marks = new Uint8Array(capacity * SIGNATURE);
    this.#wholes = new Int32Array(2 * this.#slots).fill(NONE);
    this.#hashes = new Uint32Array(2 * capacity);
    this.#leaders = new Int32Array(capacity);
    this.#likenesses = new Float64Array(capacity);
    this.#seenBy = new Int32Array(capacity).fill(NONE);
  }

  /** Null where it is like none before it; a text without a sign never has twins. */
  add(text: string, role: TwinRole): Twin | null {
    const index = this.#count;
    const { capacity, threshold } = this.#options;
    if (index >= capacity) throw new RangeError('More texts were added than there is room for.');
    this.#count += 1;
    const plain = folded(text);
    if (plain === '') return null;
    const same = this.#findSame(plain, index, role !== 'follows');
    if (same !== null) return role === 'stored' ? null : same;
    if (threshold >= 1) return null;
    const hashes = shinglesOf(plain);
    sign(hashes, this.#signature);
    for (let place = 0; place < SIGNATURE; place += 1) {
      this.#own[place] = (this.#signature[place] ?? 0) & 0xff;
    }
    const twin = role === 'stored' ? null : this.#findLike(hashes, index);
    if (twin !== null) {
      this.#leaders[index] = twin.of;
      this.#likenesses[index] = twin.likeness;
    } else if (role !== 'follows') {
      this.#keep(index);
    }
    return twin;
  }

  /** A text that is the same; where that one is a twin itself, the one it is like. */
  #findSame(text: string, index: number, keeps: boolean): Twin | null {
    const [high, low] = hashOf(text);
    const mask = this.#wholes.length - 1;
    let slot = low & mask;
    for (; this.#wholes[slot] !== NONE; slot = (slot + 1) & mask) {
      const other = this.#wholes[slot] ?? 0;
      if (this.#hashes[2 * other] !== high || this.#hashes[2 * other + 1] !== low) continue;
      return { of: this.#leaders[other] ?? other, likeness: this.#likenesses[other] ?? 1 };
    }
    if (!keeps) return null;
    this.#wholes[slot] = index;
    this.#leaders[index] = index;
    this.#likenesses[index] = 1;
    this.#hashes[2 * index] = high;
    this.#hashes[2 * index + 1] = low;
    return null;
  }

  /** The first found of the candidates that reaches the threshold. */
  #findLike(hashes: Uint32Array, index: number): Twin | null {
    const { threshold, textOf } = this.#options;
    let own: Uint32Array | null = null;
    let [compared, read] = [0, 0];
    for (let band = 0; band < this.#bands.bands; band += 1) {
      let other = this.#heads[this.#slotOf(band)] ?? NONE;
      for (; other !== NONE; other = this.#next[other * this.#bands.bands + band] ?? NONE) {
        if (this.#seenBy[other] === index) continue;
        this.#seenBy[other] = index;
        compared += 1;
        if (compared > MOST_COMPARED || read >= MOST_READ) return null;
        if (this.#estimate(other) < threshold - ESTIMATE_SLACK) continue;
        read += 1;
        own ??= distinct(hashes);
        const alike = likeness(own, distinct(shinglesOf(folded(textOf(other)))));
        if (alike >= threshold) return { of: other, likeness: alike };
      }
    }
    return null;
  }

  #estimate(other: number): number {
    const from = other * SIGNATURE;
    let agree = 0;
    for (let place = 0; place < SIGNATURE; place += 1) {
      if (this.#marks[from + place] === this.#own[place]) agree += 1;
    }
    return agree / SIGNATURE;
  }

  #keep(index: number): void {
    this.#marks.set(this.#own, index * SIGNATURE);
    for (let band = 0; band < this.#bands.bands; band += 1) {
      const slot = this.#slotOf(band);
      this.#next[index * this.#bands.bands + band] = this.#heads[slot] ?? NONE;
      this.#heads[slot] = index;
    }
  }

  #slotOf(band: number): number {
    return band * this.#slots + (bandHash(this.#signature, band, this.#bands.rows) & (this.#slots - 1));
  }
}

/** 64 bits of a text. */
function hashOf(text: string): [number, number] {
  let [high, low] = [0x9747b28c, text.length];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    low = Math.imul(low ^ sign, 0x01000193);
    high = Math.imul(high ^ sign, 0x85ebca6b) ^ (high >>> 15);
  }
  return [mixed(high), mixed(low)];
}
