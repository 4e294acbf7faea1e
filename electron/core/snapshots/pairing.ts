/**
 * Matches the items of two snapshots. The service has no edit operation: an edited item is a new one, so equal ids are
 * not enough. Numbers are compared first; only unmatched items are read. Pure.
 */

import type { PairedBy } from '../../shared/snapshot-model.ts';
import { elementAt } from '../element-at.ts';
import type { SnapshotColumns } from './columns.ts';

/** Indices in the two snapshots. Only `id` and `content` are certain. */
interface ItemPair {
  from: number;
  to: number;
  by: PairedBy;
}

export interface ItemPairs {
  /** Number of items with equal contents. */
  same: number;
  /** Items with equal contents but another id or other times. */
  restated: ItemPair[];
  changed: ItemPair[];
  removed: number[];
  added: number[];
}

/** Text of the item at an index. */
type ReadText = (side: 'from' | 'to', place: number) => string;

/**
 * Above this number of unmatched items on a side they are not compared by words: that takes a quarter of a millisecond
 * each.
 */
const MAX_BY_TEXT = 20_000;
/** Maximum characters compared for one side, and for one text: all words are in memory at once. */
const MAX_CHARS = { side: 30_000_000, text: 20_000 };
/** A word in more items does not identify one. */
const MAX_WITH_WORD = 32;
const MIN_ALIKE = 0.5;

/** Changes are in the order of the later snapshot, removed items in that of the earlier. */
export function pairItems(from: SnapshotColumns, to: SnapshotColumns, readText: ReadText): ItemPairs {
  const pairs: ItemPair[] = [];
  let left = { from: placesOf(from), to: placesOf(to) };
  let same = 0;
  const restated: ItemPair[] = [];
  const changed: ItemPair[] = [];
  const take = (found: readonly ItemPair[]) => {
    for (const pair of found) pairs.push(pair);
    const used = {
      from: new Set(found.map((pair) => pair.from)),
      to: new Set(found.map((pair) => pair.to)),
    };
    left = {
      from: left.from.filter((place) => !used.from.has(place)),
      to: left.to.filter((place) => !used.to.has(place)),
    };
  };
  take(byKey(left, from.names, to.names, 'id', false));
  take(byKey(left, from.bodies, to.bodies, 'content', false));
  take(byKey(left, from.sources, to.sources, 'source', true));
  take(byKey(left, from.inputs, to.inputs, 'inputs', true));
  if (left.from.length > 0 && left.to.length > 0)
    if (left.from.length <= MAX_BY_TEXT && left.to.length <= MAX_BY_TEXT)
      take(byText(left, wordsOfSide(left.from, 'from', readText), wordsOfSide(left.to, 'to', readText)));
  for (const pair of pairs) {
    if (from.bodies[pair.from] !== to.bodies[pair.to]) changed.push(pair);
    else {
      same += 1;
      const isExact =
        from.contents[pair.from] === to.contents[pair.to] && from.names[pair.from] === to.names[pair.to];
      if (!isExact) restated.push(pair);
    }
  }
  changed.sort((one, other) => one.to - other.to);
  return { same, restated, changed, removed: left.from, added: left.to };
}

interface Left {
  from: number[];
  to: number[];
}

const placesOf = ({ names }: SnapshotColumns): number[] => Array.from(names, (_, place) => place);

/** Pairs items with an equal number; `isUnique`: only if the number is unique on its side. 0 means none. */
function byKey(
  { from, to }: Left,
  fromKeys: Int32Array,
  toKeys: Int32Array,
  by: PairedBy,
  isUnique: boolean,
): ItemPair[] {
  const inTo = grouped(to, toKeys);
  const inFrom = isUnique ? grouped(from, fromKeys) : null;
  const pairs: ItemPair[] = [];
  for (const place of from) {
    const key = elementAt(fromKeys, place);
    const others = key === 0 ? undefined : inTo.get(key);
    if (others === undefined) continue;
    if (inFrom !== null && (others.length > 1 || inFrom.get(key)?.length !== 1)) continue;
    const other = others.shift();
    if (other !== undefined) pairs.push({ from: place, to: other, by });
  }
  return pairs;
}

function grouped(places: readonly number[], keys: Int32Array): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const place of places) {
    const key = elementAt(keys, place);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [place]);
    else group.push(place);
  }
  return groups;
}

/** Best match first, by the share of common words. */
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

/** One text at a time: long ones are not in memory together. */
function wordsOfSide(places: readonly number[], side: 'from' | 'to', readText: ReadText): Words[] {
  const most = Math.min(MAX_CHARS.text, Math.floor(MAX_CHARS.side / places.length));
  return places.map((place) => wordsOf(readText(side, place).slice(0, most)));
}

const wordsOf = (text: string): Words =>
  new Set(Array.from(text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu), ([word]) => word));

/** Takes two sets with a common word. */
function alike(one: Words, other: Words): number {
  let common = 0;
  for (const word of one) if (other.has(word)) common += 1;
  return common / (one.size + other.size - common);
}
