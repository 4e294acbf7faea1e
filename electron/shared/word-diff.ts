/**
 * Differences between two texts, by words. The middle of long equal sections is left out, so texts of any length can be
 * shown. Pure.
 */

/** A section of text. After a long one, `hidden` characters of its middle were left out. */
export interface TextPiece {
  kind: 'same' | 'removed' | 'added';
  text: string;
  hidden?: number;
}

/** Words, single characters of scripts without spaces, runs of spaces, and other single characters. */
const TOKEN =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}])[\p{L}\p{N}\p{M}_])+|\s+|./gsu;
/** Maximum differing words before the text is divided at unique words. */
const MAX_EDITS = 300;

type Kind = 'same' | 'removed' | 'added';

/** `same` and `removed` together form `before`, `same` and `added` together form `after`. */
export function diffWords(before: string, after: string): TextPiece[] {
  const one = before.match(TOKEN) ?? [];
  const other = after.match(TOKEN) ?? [];
  const pieces: TextPiece[] = [];
  const add = (kind: Kind, tokens: readonly string[]) => {
    const text = tokens.join('');
    if (text === '') return;
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  compare(one, other, add, true);
  return joinedAcrossSpaces(pieces);
}

type Add = (kind: Kind, tokens: readonly string[]) => void;

function compare(one: readonly string[], other: readonly string[], add: Add, mayDivide: boolean): void {
  let head = 0;
  while (head < one.length && head < other.length && one[head] === other[head]) head += 1;
  let tail = 0;
  const most = Math.min(one.length, other.length) - head;
  while (tail < most && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  add('same', one.slice(0, head));
  const left = one.slice(head, one.length - tail);
  const right = other.slice(head, other.length - tail);
  if (left.length === 0 || right.length === 0 || !addShortest(left, right, add)) {
    if (!(mayDivide && left.length > 0 && right.length > 0 && divide(left, right, add))) {
      add('removed', left);
      add('added', right);
    }
  }
  add('same', one.slice(one.length - tail));
}

/** Finds the fewest edits (Myers); returns false if there are more than allowed. */
function addShortest(one: readonly string[], other: readonly string[], add: Add): boolean {
  const most = Math.min(MAX_EDITS, one.length + other.length);
  const reach = new Int32Array(2 * most + 3);
  const at = (k: number) => k + most + 1;
  const steps: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits += 1) {
    steps.push(reach.slice());
    for (let k = -edits; k <= edits; k += 2) {
      const isDown = k === -edits || (k !== edits && (reach[at(k - 1)] ?? 0) < (reach[at(k + 1)] ?? 0));
      let x = isDown ? (reach[at(k + 1)] ?? 0) : (reach[at(k - 1)] ?? 0) + 1;
      while (x < one.length && x - k < other.length && one[x] === other[x - k]) x += 1;
      reach[at(k)] = x;
      if (x >= one.length && x - k >= other.length) {
        addPath(one, other, steps, at, add);
        return true;
      }
    }
  }
  return false;
}

function addPath(
  one: readonly string[],
  other: readonly string[],
  steps: readonly Int32Array[],
  at: (k: number) => number,
  add: Add,
): void {
  const path: [Kind, string][] = [];
  let x = one.length;
  let y = other.length;
  for (let edits = steps.length - 1; edits >= 0; edits -= 1) {
    const reach = steps[edits] ?? new Int32Array();
    const k = x - y;
    const isDown = k === -edits || (k !== edits && (reach[at(k - 1)] ?? 0) < (reach[at(k + 1)] ?? 0));
    const fromK = isDown ? k + 1 : k - 1;
    const fromX = edits === 0 ? 0 : (reach[at(fromK)] ?? 0);
    const fromY = edits === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      path.push(['same', one[x] ?? '']);
    }
    if (edits === 0) break;
    if (isDown) {
      y -= 1;
      path.push(['added', other[y] ?? '']);
    } else {
      x -= 1;
      path.push(['removed', one[x] ?? '']);
    }
  }
  for (const [kind, token] of path.reverse()) add(kind, [token]);
}

/** Divides the texts at words that occur once in both, in the same order; returns false if there are none. */
function divide(one: readonly string[], other: readonly string[], add: Add): boolean {
  const inOne = singles(one);
  const inOther = singles(other);
  const anchors = [...inOne].flatMap(([token, x]) => {
    const y = inOther.get(token);
    return y === undefined ? [] : [{ x, y }];
  });
  const kept = rising(anchors);
  if (kept.length === 0) return false;
  let x = 0;
  let y = 0;
  for (const anchor of kept) {
    compare(one.slice(x, anchor.x), other.slice(y, anchor.y), add, false);
    add('same', one.slice(anchor.x, anchor.x + 1));
    x = anchor.x + 1;
    y = anchor.y + 1;
  }
  compare(one.slice(x), other.slice(y), add, false);
  return true;
}

/** The position of each token that occurs exactly once, in the order of the text. */
function singles(tokens: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  tokens.forEach((token, index) => {
    places.set(token, places.has(token) ? -1 : index);
  });
  for (const [token, place] of places) if (place === -1 || token.trim() === '') places.delete(token);
  return places;
}

/** The longest subsequence whose `y` increases with `x`. */
function rising(anchors: readonly { x: number; y: number }[]): { x: number; y: number }[] {
  const ends: number[] = [];
  const before: number[] = [];
  anchors.forEach(({ y }, index) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((anchors[ends[middle] ?? 0]?.y ?? 0) < y) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = index;
  });
  const kept: { x: number; y: number }[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const anchor = anchors[index];
    if (anchor !== undefined) kept.push(anchor);
  }
  return kept.reverse();
}

/** Joins a single space between two changes to them, so that a reader sees one change instead of stripes. */
function joinedAcrossSpaces(pieces: readonly TextPiece[]): TextPiece[] {
  const joined: TextPiece[] = [];
  let removed = '';
  let added = '';
  const flush = () => {
    if (removed !== '') joined.push({ kind: 'removed', text: removed });
    if (added !== '') joined.push({ kind: 'added', text: added });
    removed = '';
    added = '';
  };
  pieces.forEach((piece, index) => {
    const isChanging = removed !== '' || added !== '';
    const hasNext = index + 1 < pieces.length;
    if (piece.kind === 'removed') removed += piece.text;
    else if (piece.kind === 'added') added += piece.text;
    else if (isChanging && hasNext && piece.text.trim() === '') {
      removed += piece.text;
      added += piece.text;
    } else {
      flush();
      joined.push(piece);
    }
  });
  flush();
  return joined;
}

/** Characters kept at either end of a long piece. */
const SAME_CHARS = 240;
const CHANGED_CHARS = 4_000;

/** Leaves out the middle of long pieces; `hidden` is the number of characters left out. */
export function foldPieces(pieces: readonly TextPiece[]): TextPiece[] {
  return pieces.flatMap((piece) => {
    const kept = piece.kind === 'same' ? SAME_CHARS : CHANGED_CHARS;
    const hidden = piece.text.length - 2 * kept;
    if (hidden < kept) return [piece];
    const { kind, text } = piece;
    return [
      { kind, text: text.slice(0, kept), hidden },
      { kind, text: text.slice(-kept) },
    ];
  });
}
