/**
 * Finds texts that are equal or nearly equal to an earlier one. Texts are added one by one. Only signatures are stored,
 * in flat arrays (about 400 bytes per text); the text of a candidate is requested again. Pure.
 */
import { type Bands, bandHash, bandsFor, SIGNATURE, sign } from './minhash.ts';
import { distinct, folded, likeness, mixed, shinglesOf } from './shingles.ts';

export interface NearDuplicate {
  /** Index of the similar text, in order of addition. */
  of: number;
  /** Similarity, from the threshold to 1. It is 1 if the texts are equal except for case and spaces. */
  likeness: number;
}

/**
 * `stored`: later texts are compared with it, but it is not checked itself. `leads`: it is checked, and later texts are
 * compared with it. `follows`: it is only checked.
 */
export type NearDuplicateRole = 'stored' | 'leads' | 'follows';

interface NearDuplicateOptions {
  /** Maximum number of texts. */
  capacity: number;
  /** Threshold of similarity, from 0.5 to 1. */
  threshold: number;
  /** Returns the text that was added with this index. */
  textOf: (index: number) => string;
}

/** Maximum number of signatures compared for one text. Further similar ones are ignored. */
const MAX_COMPARED = 5_000;
/** Maximum number of texts compared in full for one text. */
const MAX_READ = 50;
/**
 * Distance below the threshold that exceeds the error of an estimate from 128 slots (more than four standard
 * deviations).
 */
const ESTIMATE_SLACK = 0.16;
const NONE = -1;

export class NearDuplicateIndex {
  readonly #options: NearDuplicateOptions;
  readonly #bands: Bands;
  readonly #slots: number;
  /** The latest text for each band and slot. `#next` links to the earlier ones. */
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  /** The last byte of each slot, which is enough to estimate similarity. */
  readonly #marks: Uint8Array;
  /** Texts by a hash of the whole text. A slot holds the first text; 64 bits distinguish it from others. */
  readonly #wholes: Int32Array;
  readonly #hashes: Uint32Array;
  /** For each stored text: the text it is a near-duplicate of, or itself, and the similarity. */
  readonly #leaders: Int32Array;
  readonly #likenesses: Float64Array;
  readonly #seenBy: Int32Array;
  readonly #signature = new Uint32Array(SIGNATURE);
  readonly #own = new Uint8Array(SIGNATURE);
  #count = 0;

  constructor(options: NearDuplicateOptions) {
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

  /** Null if the text is similar to no earlier one. A text without characters never has near-duplicates. */
  add(text: string, role: NearDuplicateRole): NearDuplicate | null {
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
    const nearDuplicate = role === 'stored' ? null : this.#findLike(hashes, index);
    if (nearDuplicate !== null) {
      this.#leaders[index] = nearDuplicate.of;
      this.#likenesses[index] = nearDuplicate.likeness;
    } else if (role !== 'follows') {
      this.#keep(index);
    }
    return nearDuplicate;
  }

  /** An equal earlier text. If that is itself a near-duplicate, the text that it is similar to. */
  #findSame(text: string, index: number, keeps: boolean): NearDuplicate | null {
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

  /** The first candidate that reaches the threshold. */
  #findLike(hashes: Uint32Array, index: number): NearDuplicate | null {
    const { threshold, textOf } = this.#options;
    let own: Uint32Array | null = null;
    let [compared, read] = [0, 0];
    for (let band = 0; band < this.#bands.bands; band += 1) {
      let other = this.#heads[this.#slotOf(band)] ?? NONE;
      for (; other !== NONE; other = this.#next[other * this.#bands.bands + band] ?? NONE) {
        if (this.#seenBy[other] === index) continue;
        this.#seenBy[other] = index;
        compared += 1;
        if (compared > MAX_COMPARED || read >= MAX_READ) return null;
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

/** A 64-bit hash of a text. */
function hashOf(text: string): [number, number] {
  let [high, low] = [0x9747b28c, text.length];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    low = Math.imul(low ^ sign, 0x01000193);
    high = Math.imul(high ^ sign, 0x85ebca6b) ^ (high >>> 15);
  }
  return [mixed(high), mixed(low)];
}
