/**
 * Remembers the compared rows of the last week, so that a row that arrives later than newer ones is compared too. Pure.
 */

/** Maximum delay with which a row can arrive after newer ones and still be compared. */
const WINDOW_MS = 7 * 86_400_000;
/** Maximum number of rows remembered, the newest of the window. Their hashes take 240 KB. */
const MAX_SEEN = 30_000;
/** Hexadecimal digits of a hash. */
const DIGITS = 8;

export interface SeenRows {
  /** Rows up to this time count as seen. For later rows, the hash decides. */
  sinceMs: number;
  /** Hashes of the ids, eight hexadecimal digits each. */
  hashes: string;
}

/** FNV-1a. A late row is mistaken for a seen one in about two of a million cases. */
function hashOfId(id: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01_00_01_93);
  return (hash >>> 0).toString(16).padStart(DIGITS, '0');
}

/**
 * Returns a function that tells whether a row was compared in an earlier reading. If `seen` is null, every row counts
 * as compared.
 */
export function seenBy(seen: SeenRows | null): (atMs: number, id: string | null) => boolean {
  if (seen === null) return () => true;
  const hashes = new Set<string>();
  for (let at = 0; at < seen.hashes.length; at += DIGITS) hashes.add(seen.hashes.slice(at, at + DIGITS));
  return (atMs, id) => id === null || atMs <= seen.sinceMs || hashes.has(hashOfId(id));
}

/** Collects the rows of one reading. */
export class SeenCount {
  readonly #times: number[] = [];
  readonly #hashes: string[] = [];

  add(atMs: number, id: string | null): void {
    if (id === null) return;
    this.#times.push(atMs);
    this.#hashes.push(hashOfId(id));
  }

  /**
   * `untilMs`: time of the newest compared row. Rows older than all rows of this reading count as seen, because an
   * earlier reading with a longer range has compared them.
   */
  finish(untilMs: number): SeenRows {
    const places = [...this.#times.keys()]
      .filter((place) => {
        const atMs = this.#times[place] ?? 0;
        return atMs > untilMs - WINDOW_MS && atMs <= untilMs;
      })
      .toSorted((one, other) => (this.#times[other] ?? 0) - (this.#times[one] ?? 0));
    const last = places[MAX_SEEN];
    const kept = places.slice(0, MAX_SEEN);
    const oldest = this.#times[kept.at(-1) ?? -1] ?? untilMs;
    return {
      sinceMs: last === undefined ? Math.max(untilMs - WINDOW_MS, oldest) : (this.#times[last] ?? untilMs),
      hashes: kept.map((place) => this.#hashes[place] ?? '').join(''),
    };
  }
}
