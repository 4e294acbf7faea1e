/** Texts of compared runs: read in the background after the comparison is shown, for its searches for words. */
import { type TextPart, type TextRow, textPart } from '../core/items/run-texts.ts';
import { MAX_COMPARED_RUNS, runKey } from '../shared/run-comparison.ts';
import type { RunSource } from './run-source.ts';

/** Rows read at once, in about 5 ms: requests are answered in between. */
const ROWS = 500;
/** Characters of one run; one with more is searched in the store. Four of them fit into the memory of the thread. */
const MAX_CHARACTERS = 40_000_000;
/** Runs whose texts are kept: those of one comparison. */
const MAX_RUNS = MAX_COMPARED_RUNS;

/** The rows of a run from a position on. */
type ReadTexts = (source: RunSource, from: number, limit: number) => TextRow[];

interface Texts {
  version: string;
  parts: TextPart[];
  characters: number;
  /** The next position to read; null: everything is read. */
  next: number | null;
  isTooLong: boolean;
}

export class KeptTexts {
  /** By run, the latest last. */
  readonly #texts = new Map<string, Texts>();
  #wanted: { source: RunSource; version: string }[] = [];

  /** The texts of a run that are read; `next`: the first position without them, null if there is none. */
  of({ ref }: RunSource, version: string): { parts: readonly TextPart[]; next: number | null } {
    const known = this.#texts.get(runKey(ref));
    if (known === undefined || known.version !== version || known.isTooLong) return { parts: [], next: 0 };
    return { parts: known.parts, next: known.next };
  }

  /** Reads these runs next, instead of the ones asked for before. */
  want(runs: readonly { source: RunSource; version: string }[]): void {
    this.#wanted = runs.filter(({ source, version }) => {
      const known = this.#texts.get(runKey(source.ref));
      return known?.version !== version || (known.next !== null && !known.isTooLong);
    });
  }

  get isWanting(): boolean {
    return this.#wanted.length > 0;
  }

  /** Reads some rows of a wanted run. */
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
