/**
 * Breadth-first search of every state that a machine can reach within its bounds. The steps of a machine are the
 * reducers of the product. States are distinguished by a hash of 52 bits of their key. Among ten million states, two
 * have the same hash with a probability of about one in a hundred; the search then misses the successors of one of
 * them.
 */

/** A step that the world, the user or a clock can make. */
export interface Step<S> {
  /** Name of the step in a counter-example. */
  readonly name: string;
  /**
   * Returns the state after the step; null if the product rejects it, which must agree with `isPossible`. Throws other
   * errors of the product.
   */
  readonly apply: () => S | null;
  /** Whether the product must accept the step according to the documented rules. Absent if both are right. */
  readonly isPossible?: boolean;
  /** The fault of the new state according to the rules of this step; null if there is none. */
  readonly check?: (after: S) => string | null;
}

export interface Machine<S> {
  readonly name: string;
  readonly starts: readonly S[];
  readonly steps: (state: S) => readonly Step<S>[];
  /** A text with everything that determines the successors of a state. */
  readonly key: (state: S) => string;
  /** The fault of a state, or of the step that led to it; null if there is none. */
  readonly problem: (state: S, before: S | null, step: string) => string | null;
  /** Whether no work is left. Such a state must be reachable from every state. */
  readonly isEnd: (state: S) => boolean;
}

export interface Exploration {
  readonly machine: string;
  readonly states: number;
  readonly steps: number;
  readonly ends: number;
  /** Maximum length of the shortest path to a state. */
  readonly depth: number;
  /**
   * The reason why the search ended early, with the steps that lead there; null if every state was visited and is
   * sound.
   */
  readonly failure: string | null;
}

/** A set of hashes with open addressing. Each hash has an index, in the order in which it was added. */
class States {
  #hashes = new Float64Array(1 << 16).fill(-1);
  #indexes = new Uint32Array(1 << 16);
  size = 0;

  /** Adds a state. Returns its index, and whether it is new. */
  add(hash: number): { index: number; isNew: boolean } {
    if (this.size * 2 > this.#hashes.length) this.#grow();
    const slot = this.#slotOf(this.#hashes, hash);
    if (this.#hashes[slot] === hash) return { index: this.#indexes[slot] ?? 0, isNew: false };
    this.#hashes[slot] = hash;
    this.#indexes[slot] = this.size;
    this.size += 1;
    return { index: this.size - 1, isNew: true };
  }

  #slotOf(hashes: Float64Array, hash: number): number {
    const mask = hashes.length - 1;
    let slot = (hash % 0x1_0000_0000) & mask;
    while (hashes[slot] !== -1 && hashes[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const hashes = new Float64Array(this.#hashes.length * 2).fill(-1);
    const indexes = new Uint32Array(hashes.length);
    for (const [at, hash] of this.#hashes.entries()) {
      if (hash === -1) continue;
      const slot = this.#slotOf(hashes, hash);
      hashes[slot] = hash;
      indexes[slot] = this.#indexes[at] ?? 0;
    }
    this.#hashes = hashes;
    this.#indexes = indexes;
  }
}

/** A growing array of numbers. */
class Numbers {
  #held = new Uint32Array(1 << 16);
  length = 0;

  push(value: number): void {
    if (this.length === this.#held.length) {
      const held = new Uint32Array(this.#held.length * 2);
      held.set(this.#held);
      this.#held = held;
    }
    this.#held[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.#held[index] ?? 0;
  }
}

/** Two hashes combined into one number: FNV-1a, and one that multiplies by 31 with a final mix. */
function hashOf(key: string): number {
  let low = 0x811c9dc5;
  let high = 7;
  for (let at = 0; at < key.length; at += 1) {
    const code = key.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high, 31) + code;
  }
  high = Math.imul(high ^ (high >>> 15), 0x2c1b3c6d);
  high ^= high >>> 12;
  return (high & 0xf_ffff) * 0x1_0000_0000 + (low >>> 0);
}

/**
 * Rejected steps are tried in this number of states, then only in a sample, because a rejection is the slowest step.
 */
const ALL_REFUSALS = 20_000;
const SOME_REFUSALS = 32;

/** `maxStates`: the search fails if it exceeds this, because the bounds of the machine are then wrong. */
export function explore<S>(machine: Machine<S>, maxStates = 20_000_000): Exploration {
  const seen = new States();
  const parents = new Numbers();
  const names: string[] = [];
  const nameIndexes = new Map<string, number>();
  const stepOf = new Numbers();
  /** The successors of state `n` start at index `firsts[n]`. */
  const firsts = new Numbers();
  const successors = new Numbers();
  const ends: boolean[] = [];
  let level: S[] = [];
  let depth = 0;
  let steps = 0;

  const nameIndex = (name: string): number => {
    const known = nameIndexes.get(name);
    if (known !== undefined) return known;
    nameIndexes.set(name, names.length);
    names.push(name);
    return names.length - 1;
  };
  const pathTo = (index: number): string => {
    const path: string[] = [];
    for (let at = index; parents.at(at) !== at; at = parents.at(at)) path.unshift(names[stepOf.at(at)] ?? '');
    return path.join(' → ');
  };
  const report = (failure: string | null): Exploration => ({
    ...{ machine: machine.name, states: seen.size, steps, depth, failure },
    ends: ends.filter(Boolean).length,
  });
  const failAt = (index: number, step: string, problem: string): Exploration => {
    const path = [pathTo(index), step].filter((part) => part !== '').join(' → ');
    return report(`${problem}\n  after: ${path === '' ? 'the beginning' : path}`);
  };

  for (const start of machine.starts) {
    const { index, isNew } = seen.add(hashOf(machine.key(start)));
    if (!isNew) continue;
    parents.push(index);
    stepOf.push(0);
    ends.push(machine.isEnd(start));
    const problem = machine.problem(start, null, '');
    if (problem !== null) return failAt(index, '', problem);
    level.push(start);
  }
  let from = 0;
  while (level.length > 0) {
    const next: S[] = [];
    for (const state of level) {
      firsts.push(successors.length);
      const triesImpossible = from < ALL_REFUSALS || from % SOME_REFUSALS === 0;
      for (const { name, apply, isPossible, check } of machine.steps(state)) {
        if (isPossible === false && !triesImpossible) continue;
        steps += 1;
        let after: S | null;
        try {
          after = apply();
        } catch (problem) {
          return failAt(
            from,
            name,
            `It threw: ${problem instanceof Error ? problem.message : String(problem)}`,
          );
        }
        if (isPossible !== undefined && isPossible !== (after !== null))
          return failAt(
            from,
            name,
            isPossible ? 'It was refused, and has to be possible.' : 'It has to be refused.',
          );
        if (after === null) continue;
        const problem = check?.(after) ?? machine.problem(after, state, name);
        if (problem !== null) return failAt(from, name, problem);
        const { index, isNew } = seen.add(hashOf(machine.key(after)));
        successors.push(index);
        if (!isNew) continue;
        if (seen.size > maxStates) return failAt(from, name, `More than ${maxStates} states.`);
        parents.push(from);
        stepOf.push(nameIndex(name));
        ends.push(machine.isEnd(after));
        next.push(after);
      }
      from += 1;
    }
    level = next;
    if (next.length > 0) depth += 1;
  }
  firsts.push(successors.length);

  const stuck = firstWithoutEnd(ends, firsts, successors);
  return stuck === null ? report(null) : failAt(stuck, '', 'No end is reachable from here.');
}

/** The first state from which no end can be reached; null if there is none. */
function firstWithoutEnd(ends: readonly boolean[], firsts: Numbers, successors: Numbers): number | null {
  const reaches = Uint8Array.from(ends, Number);
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (let state = reaches.length - 1; state >= 0; state -= 1) {
      if (reaches[state] === 1) continue;
      for (let at = firsts.at(state); at < firsts.at(state + 1); at += 1) {
        if (reaches[successors.at(at)] !== 1) continue;
        reaches[state] = 1;
        hasChanged = true;
        break;
      }
    }
  }
  const stuck = reaches.indexOf(0);
  return stuck === -1 ? null : stuck;
}
