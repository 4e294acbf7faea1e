/** Seeded random choices. Streams are independent, so an additional draw in one place changes nothing elsewhere. */

export interface Draw {
  /** Returns a number from 0 to 1, but not 1. */
  next(): number;
  /** Returns an integer from `from` to `to`, both included. */
  whole(from: number, to: number): number;
  chance(share: number): boolean;
  /** Returns an element of the list. Throws if the list is empty. */
  of<T>(list: readonly T[]): T;
  /** Returns one of the names with a probability according to its weight. */
  weighted<N extends string>(weights: Readonly<Record<N, number>>): N;
  hex(digits: number): string;
  uuid(): string;
}

/** FNV-1a hash, so that streams differ by their names. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export function drawOf(seed: number, stream: string): Draw {
  let state = (hashOf(stream) ^ Math.imul(seed + 1, 0x9e3779b1)) >>> 0;
  /** The generator Mulberry32. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  const hex = (digits: number) => Array.from({ length: digits }, () => whole(0, 15).toString(16)).join('');
  return {
    next,
    whole,
    hex,
    chance: (share) => next() < share,
    of: <T>(list: readonly T[]) => {
      const chosen = list[Math.floor(next() * list.length)];
      if (chosen === undefined) throw new Error(`Nothing to draw from in ${stream}.`);
      return chosen;
    },
    weighted: <N extends string>(weights: Readonly<Record<N, number>>) => {
      const entries = Object.entries(weights) as [N, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      const last = entries.at(-1);
      if (last === undefined) throw new Error(`Nothing to draw from in ${stream}.`);
      return last[0];
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[whole(0, 3)] ?? '8'}${hex(3)}-${hex(12)}`,
  };
}
