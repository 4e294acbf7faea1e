/**
 * Keeps texts of compared runs in memory for word searches. They are read in the background after the comparison is
 * shown.
 */
import { type TextPart, type TextRow, textPart } from '../core/items/run-texts.ts';
import { MAX_COMPARED_RUNS, runKey } from '../shared/run-comparison.ts';
import type { RunSource } from './run-source.ts';

/** Number of rows read at once, in about 5 ms. Requests are answered in between. */
const ROWS = 500;
/**
 * Maximum number of characters of one run; longer runs are searched in the store. Four such runs fit into the thread's
 * memory.
 */
const MAX_CHARACTERS = 40_000_000;
/** Maximum number of runs whose texts are kept: the runs of one comparison. */
const MAX_RUNS = MAX_COMPARED_RUNS;

/** Reads the texts of a run from a position on. */
type ReadTexts = (source: RunSource, from: number, limit: number) => TextRow[];

interface Texts {
  version: string;
  parts: TextPart[];
  characters: number;
  /** The next position to read; null if everything is read. */
  next: number | null;
  isTooLong: boolean;
}

export class KeptTexts {
  /** Texts by run, the latest run last. */
  readonly #texts = new Map<string, Texts>();
  #wanted: { source: RunSource; version: string }[] = [];

  /** The texts of a run read so far. `next`: the first position that is not read; null if there is none. */
  of({ ref }: RunSource, version: string): { parts: readonly TextPart[]; next: number | null } {
    const known = this.#texts.get(runKey(ref));
    if (known === undefined || known.version !== version || known.isTooLong) return { parts: [], next: 0 };
    return { parts: known.parts, next: known.next };
  }

  /** Sets the runs to read next, in place of those wanted before. */
  want(runs: readonly { source: RunSource; version: string }[]): void {
    this.#wanted = runs.filter(({ source, version }) => {
      const known = this.#texts.get(runKey(source.ref));
      return known?.version !== version || (known.next !== null && !known.isTooLong);
    });
  }

  get isWanting(): boolean {
    return this.#wanted.length > 0;
  }

  /** Reads some rows of the first wanted run. */
  step(read: ReadTexts): void {
    const [first] = this.#wanted;
    if (first === undefined) return;
    const { source, version } = first;
    const key = runKey(source.ref);
    const known = this.#texts.get(key);
    const own: Texts =
      known?.version === version ? known : { version, parts: [], characters: 0, next: 0, isTooLong: false };
    this.#texts.delete(key);
    this.#texts.set(key, own);
    const rows = own.next === null ? [] : read(source, own.next, ROWS);
    if (rows.length > 0) {
      const part = textPart(rows);
      own.parts.push(part);
      own.characters += part.text.length;
    }
    const last = rows.at(-1);
    own.next = last === undefined || rows.length < ROWS ? null : last.position + 1;
    if (own.characters > MAX_CHARACTERS) Object.assign(own, { isTooLong: true, parts: [], next: null });
    if (own.next === null) this.#wanted.shift();
    for (const oldest of [...this.#texts.keys()].slice(0, -MAX_RUNS)) this.#texts.delete(oldest);
  }
}
