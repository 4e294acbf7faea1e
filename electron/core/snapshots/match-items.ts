/**
 * Matches the items of two snapshots. The service has no edit operation, so an edited item is a new one with a new id,
 * and comparing ids is not enough. Numbers are compared first; only unmatched items are read. Pure.
 */

import type { PairedBy } from '../../shared/snapshot-model.ts';
import { elementAt } from '../element-at.ts';
import type { SnapshotColumns } from './columns.ts';

/** Indices of two matching items in the snapshots. Only pairs by `id` and by `content` are certain. */
interface ItemPair {
  from: number;
  to: number;
  by: PairedBy;
}

export interface ItemPairs {
  /** Number of items with equal contents. */
  same: number;
  /** Number of items with equal contents but another id or other times. */
  restated: number;
  changed: ItemPair[];
  removed: number[];
  added: number[];
}

/** Text of the item at an index. */
type ReadText = (side: 'from' | 'to', place: number) => string;

/**
 * Maximum number of unmatched items on a side that are compared by words. Comparing takes a quarter of a millisecond
 * for each.
 */
const MAX_BY_TEXT = 20_000;
/** Maximum number of characters compared for one side, and for one text, because all words are in memory at once. */
const MAX_CHARS = { side: 30_000_000, text: 20_000 };
/** Maximum number of items with the same word. A more frequent word does not identify an item. */
const MAX_WITH_WORD = 32;
const MIN_ALIKE = 0.5;

/**
 * Pairs the items of two snapshots. Changes are in the order of the later snapshot, removed items in that of the
 * earlier one.
 */
export function pairItems(from: SnapshotColumns, to: SnapshotColumns, readText: ReadText): ItemPairs {
  const pairing = new Pairing(from.names.length, to.names.length);
  pairing.byKey(from.names, to.names, 'id', false);
  pairing.byKey(from.bodies, to.bodies, 'content', false);
  pairing.byKey(from.sources, to.sources, 'source', true);
  pairing.byKey(from.inputs, to.inputs, 'inputs', true);
  const left = pairing.left();
  if (left.from.length > 0 && left.to.length > 0)
    if (left.from.length <= MAX_BY_TEXT && left.to.length <= MAX_BY_TEXT) {
      const words = [wordsOfSide(left.from, 'from', readText), wordsOfSide(left.to, 'to', readText)] as const;
      for (const pair of byText(left, ...words)) pairing.pair(pair.from, pair.to, 'text');
    }
  const changed: ItemPair[] = [];
  let [same, restated] = [0, 0];
  for (const pair of pairing.pairs()) {
    if (from.bodies[pair.from] !== to.bodies[pair.to]) changed.push({ ...pair });
    else {
      same += 1;
      const isExact =
        from.contents[pair.from] === to.contents[pair.to] && from.names[pair.from] === to.names[pair.to];
      if (!isExact) restated += 1;
    }
  }
  changed.sort((one, other) => one.to - other.to);
  const { from: removed, to: added } = pairing.left();
  return { same, restated, changed, removed, added };
}

interface Left {
  from: number[];
  to: number[];
}

const WAYS = ['id', 'content', 'source', 'inputs', 'text'] as const satisfies readonly PairedBy[];
const NONE = -1;
/** Minimum ratio of slots to numbers. With at least a third of the slots free, few numbers collide. */
const MIN_SLOTS_PER_KEY = 1.5;
/** Golden ratio for 32 bits. It maps neighbouring blocks of numbers to distant slots. */
const HASH_FACTOR = 0x9e3779b1;
/** Numbers of new items are consecutive, so the slots of a block share a cache line. */
const BLOCK_BITS = 4;
const BLOCK_MASK = 15;

/**
 * The pairs found so far. Takes five bytes for each item of the earlier snapshot and one byte for each item of the
 * later one.
 */
class Pairing {
  /** Index in the later snapshot of each item of the earlier one, or NONE. */
  readonly #partners: Int32Array;
  readonly #ways: Uint8Array;
  readonly #isTaken: Uint8Array;
  #paired = 0;

  constructor(from: number, to: number) {
    this.#partners = new Int32Array(from).fill(NONE);
    this.#ways = new Uint8Array(from);
    this.#isTaken = new Uint8Array(to);
  }

  pair(from: number, to: number, by: (typeof WAYS)[number]): void {
    this.#partners[from] = to;
    this.#ways[from] = WAYS.indexOf(by);
    this.#isTaken[to] = 1;
    this.#paired += 1;
  }

  /** Pairs items with equal numbers; 0 means no number. `isUnique`: only numbers that occur once on each side. */
  byKey(fromKeys: Int32Array, toKeys: Int32Array, by: (typeof WAYS)[number], isUnique: boolean): void {
    const [leftInFrom, leftInTo] = [fromKeys.length - this.#paired, toKeys.length - this.#paired];
    if (leftInFrom === 0 || leftInTo === 0) return;
    const isLeft = (place: number) => elementAt(this.#partners, place) === NONE;
    const inTo = new PlacesByKey(toKeys, leftInTo, (place) => elementAt(this.#isTaken, place) === 0);
    const inFrom = isUnique ? new PlacesByKey(fromKeys, leftInFrom, isLeft) : null;
    for (let place = 0; place < fromKeys.length; place += 1) {
      if (!isLeft(place)) continue;
      const key = elementAt(fromKeys, place);
      if (key === 0 || (inFrom !== null && !(inFrom.isUnique(key) && inTo.isUnique(key)))) continue;
      const other = inTo.take(key);
      if (other !== NONE) this.pair(place, other, by);
    }
  }

  /** The pairs in the order of the earlier snapshot. Yields the same object each time. */
  *pairs(): Generator<ItemPair> {
    const pair: ItemPair = { from: 0, to: 0, by: 'id' };
    for (let place = 0; place < this.#partners.length; place += 1) {
      const other = elementAt(this.#partners, place);
      if (other === NONE) continue;
      pair.from = place;
      pair.to = other;
      pair.by = elementAt(WAYS, elementAt(this.#ways, place));
      yield pair;
    }
  }

  left(): Left {
    const left: Left = { from: [], to: [] };
    for (const [place, other] of this.#partners.entries()) if (other === NONE) left.from.push(place);
    for (const [place, taken] of this.#isTaken.entries()) if (taken === 0) left.to.push(place);
    return left;
  }
}

/** The indices of each number in a column, the lowest first. A hash table in typed arrays. */
class PlacesByKey {
  readonly #keys: Int32Array;
  /** For each slot, any index with the number of the slot, or NONE. */
  readonly #slots: Int32Array;
  /** For each slot, the lowest index with its number that was not taken yet, or NONE. */
  readonly #heads: Int32Array;
  /** For each index, the next one with the same number, or NONE. */
  readonly #next: Int32Array;
  readonly #shift: number;

  /** `count`: number of indices that `isLeft` accepts. */
  constructor(keys: Int32Array, count: number, isLeft: (place: number) => boolean) {
    const bits = Math.max(BLOCK_BITS, Math.ceil(Math.log2(count * MIN_SLOTS_PER_KEY)));
    this.#keys = keys;
    this.#slots = new Int32Array(2 ** bits).fill(NONE);
    this.#heads = new Int32Array(2 ** bits).fill(NONE);
    this.#next = new Int32Array(keys.length);
    this.#shift = 32 - bits;
    for (let place = keys.length - 1; place >= 0; place -= 1) if (isLeft(place)) this.#add(place);
  }

  #add(place: number): void {
    const slot = this.#slotOf(elementAt(this.#keys, place));
    this.#slots[slot] = place;
    this.#next[place] = elementAt(this.#heads, slot);
    this.#heads[slot] = place;
  }

  /** The slot that holds a number, or the free slot where it would be stored. */
  #slotOf(key: number): number {
    const last = this.#slots.length - 1;
    const block = (Math.imul(key >>> BLOCK_BITS, HASH_FACTOR) >>> this.#shift) & ~BLOCK_MASK;
    for (let slot = block | (key & BLOCK_MASK); ; slot = (slot + 1) & last) {
      const place = elementAt(this.#slots, slot);
      if (place === NONE || this.#keys[place] === key) return slot;
    }
  }

  isUnique(key: number): boolean {
    const head = elementAt(this.#heads, this.#slotOf(key));
    return head !== NONE && this.#next[head] === NONE;
  }

  /** Takes the lowest remaining index with this number; NONE if there is none left. */
  take(key: number): number {
    const slot = this.#slotOf(key);
    const head = elementAt(this.#heads, slot);
    if (head !== NONE) this.#heads[slot] = elementAt(this.#next, head);
    return head;
  }
}

/** Pairs items by their words. The pair with the largest share of common words comes first. */
function byText({ from, to }: Left, fromWords: readonly Words[], toWords: readonly Words[]): ItemPair[] {
  const holders = new Map<string, number[]>();
  toWords.forEach((words, index) => {
    for (const word of words) {
      const known = holders.get(word);
      if (known === undefined) holders.set(word, [index]);
      else known.push(index);
    }
  });
  const found: { score: number; left: number; right: number }[] = [];
  fromWords.forEach((words, left) => {
    const candidates = new Set<number>();
    for (const word of words) {
      const known = holders.get(word);
      if (known !== undefined && known.length <= MAX_WITH_WORD)
        for (const index of known) candidates.add(index);
    }
    for (const right of candidates) {
      const score = alike(words, elementAt(toWords, right));
      if (score >= MIN_ALIKE) found.push({ score, left, right });
    }
  });
  found.sort((one, other) => other.score - one.score || one.left - other.left || one.right - other.right);
  const usedLeft = new Set<number>();
  const usedRight = new Set<number>();
  const pairs: ItemPair[] = [];
  for (const { left, right } of found) {
    if (usedLeft.has(left) || usedRight.has(right)) continue;
    usedLeft.add(left);
    usedRight.add(right);
    pairs.push({ from: elementAt(from, left), to: elementAt(to, right), by: 'text' });
  }
  return pairs;
}

type Words = ReadonlySet<string>;

/** Reads one text at a time, so that long texts are not in memory together. */
function wordsOfSide(places: readonly number[], side: 'from' | 'to', readText: ReadText): Words[] {
  const most = Math.min(MAX_CHARS.text, Math.floor(MAX_CHARS.side / places.length));
  return places.map((place) => wordsOf(readText(side, place).slice(0, most)));
}

const wordsOf = (text: string): Words =>
  new Set(Array.from(text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu), ([word]) => word));

/** Share of common words of two sets, which must have at least one in common. */
function alike(one: Words, other: Words): number {
  let common = 0;
  for (const word of one) if (other.has(word)) common += 1;
  return common / (one.size + other.size - common);
}
