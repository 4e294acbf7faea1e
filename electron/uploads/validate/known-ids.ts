/** Compares the event ids of a file with those in receipts, and finds repeated ids. Pure. */
import { counted, numberText } from '../../shared/count-text.ts';
import { excerptOf } from '../readers/row-source.ts';

const FIRST_SIZE = 1_024;
const MAX_NAMED = 3;
const ID_CHARS = 60;

/**
 * A set of ids stored as hashes of 53 bits, at most 16 bytes per id, because receipts may name millions. With ten
 * million ids, about one in a billion missing ids is taken for a present one.
 */
export class KnownIds {
  #slots = new Float64Array(FIRST_SIZE);
  #count = 0;

  /** Returns false if the id was already present. */
  add(id: string): boolean {
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    const before = this.#count;
    this.#put(hashOf(id));
    return this.#count > before;
  }

  get size(): number {
    return this.#count;
  }

  has(id: string): boolean {
    const hash = hashOf(id);
    return this.#slots[this.#placeOf(hash)] === hash;
  }

  #put(hash: number): void {
    const at = this.#placeOf(hash);
    if (this.#slots[at] === hash) return;
    this.#slots[at] = hash;
    this.#count += 1;
  }

  /** The slot of a hash, or the free slot for it. */
  #placeOf(hash: number): number {
    const { length } = this.#slots;
    let at = hash % length;
    while (this.#slots[at] !== 0 && this.#slots[at] !== hash) at = (at + 1) % length;
    return at;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    this.#count = 0;
    for (const hash of before) if (hash !== 0) this.#put(hash);
  }
}

/** Never returns 0, which marks a free slot. */
function hashOf(id: string): number {
  let high = 0x9e37_79b9;
  let low = 0x85eb_ca6b;
  for (let at = 0; at < id.length; at += 1) {
    const unit = id.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x85eb_ca77);
    low = Math.imul(low ^ unit, 0xc2b2_ae3d);
    high ^= low >>> 15;
    low ^= high >>> 13;
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0) + 1;
}

/** Compares the ids of an update with those of receipts. */
export class IdCheck {
  readonly #known: KnownIds;
  readonly #named: string[] = [];
  #ids = 0;
  #unknown = 0;

  constructor(known: KnownIds) {
    this.#known = known;
  }

  add(id: string | null, line: number): void {
    if (id === null) return;
    this.#ids += 1;
    if (this.#known.has(id)) return;
    this.#unknown += 1;
    if (this.#named.length < MAX_NAMED)
      this.#named.push(`“${excerptOf(id).slice(0, ID_CHARS)}” (line ${line})`);
  }

  /** Notes for the person before the update; empty if the file has no ids. */
  notes(): string[] {
    if (this.#ids === 0) return [];
    const all = counted(this.#ids, 'event id');
    if (this.#unknown === 0) return [`Receipts kept on this computer name the event of every row (${all}).`];
    const more = this.#unknown > this.#named.length ? ' and others' : '';
    return [
      `No receipt kept on this computer names ${numberText(this.#unknown)} of ${all}: ${this.#named.join(', ')}${more}. If these events were published elsewhere, send the update. Otherwise correct the ids, or publish these rows first.`,
    ];
  }
}

/** Maximum number of ids that are compared with each other. They take at most 128 MB. */
const MAX_COMPARED_IDS = 8_000_000;

/** Finds ids that occur in several rows of one file. */
export class RepeatedIds {
  readonly #seen = new KnownIds();
  readonly #named: string[] = [];
  readonly #word: string;
  #rows = 0;
  #isPartial = false;

  /** `word`: the name of an id, such as `event id`. */
  constructor(word: string) {
    this.#word = word;
  }

  /** Returns whether the id occurs in an earlier row. */
  add(id: string | null, line: number): boolean {
    if (id === null) return false;
    if (this.#seen.size >= MAX_COMPARED_IDS) {
      this.#isPartial = true;
      return false;
    }
    if (this.#seen.add(id)) return false;
    this.#rows += 1;
    if (this.#named.length < MAX_NAMED)
      this.#named.push(`“${excerptOf(id).slice(0, ID_CHARS)}” (again in line ${numberText(line)})`);
    return true;
  }

  /** Number of rows with an id that occurs in an earlier row. */
  get rows(): number {
    return this.#rows;
  }

  notes(): string[] {
    const partial = this.#isPartial
      ? [`Only the first ${counted(MAX_COMPARED_IDS, this.#word)} were compared with each other.`]
      : [];
    if (this.#rows === 0) return partial;
    const more = this.#rows > this.#named.length ? ' and others' : '';
    const rows = `${counted(this.#rows, 'row')} ${this.#rows === 1 ? 'has' : 'have'}`;
    return [
      `${rows} ${/^[aeiou]/.test(this.#word) ? 'an' : 'a'} ${this.#word} that occurs in an earlier row of this file: ${this.#named.join(', ')}${more}.`,
      ...partial,
    ];
  }
}
