/**
 * Grid rows that the main process holds and that are loaded when they become visible: spans of a build with their
 * items, or items of a version.
 */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';

type GridRow = Record<string, unknown>;
type LoadPage = (offset: number, limit: number) => Promise<{ rows: readonly object[]; matchingRows: number }>;

const MAX_ASKED = 200;
/** Maximum number of cached rows; those farthest from the visible ones are evicted first. */
const MAX_KEPT = 4_000;

export class BuildRows {
  /** Number of rows; null until the first answer. */
  total = $state<number | null>(null);
  error = $state.raw<AppError | null>(null);

  #version = $state(0);
  #rows = new Map<number, GridRow>();
  /** Rows loaded before the last reload, shown until the new ones arrive. */
  #stale = new Map<number, GridRow>();
  #range = { first: 0, end: 50 };
  #generation = 0;
  #isReading = false;
  readonly #load: LoadPage;

  constructor(load: LoadPage) {
    this.#load = load;
  }

  get count(): number {
    return this.total ?? 0;
  }

  /** The number of rows is not known while those of another filter are read. */
  get isPending(): boolean {
    return this.total === null;
  }

  row(index: number): GridRow | undefined {
    void this.#version;
    return this.#rows.get(index) ?? this.#stale.get(index);
  }

  ensure(first: number, end: number): void {
    this.#range = { first, end };
    void this.#read();
  }

  async load(first: number, end: number): Promise<void> {
    for (let at = first; at < Math.min(end, this.count); ) {
      if (this.#rows.has(at)) at += 1;
      else if (!(await this.#readFrom(at, end))) return;
    }
  }

  /** Reads the visible rows again after a change of mapping, filter or spans. The present rows are shown until then. */
  reload(options: { isOther?: boolean } = {}): void {
    this.#generation += 1;
    this.#stale = options.isOther === true ? new Map() : new Map([...this.#stale, ...this.#rows]);
    this.#rows = new Map();
    if (options.isOther === true) this.total = null;
    this.#version += 1;
    void this.#read();
  }

  #firstMissing(): number | null {
    const end = this.total === null ? this.#range.end : Math.min(this.#range.end, this.total);
    for (let at = this.#range.first; at < end; at += 1) if (!this.#rows.has(at)) return at;
    return this.total === null ? this.#range.first : null;
  }

  /** Reads one page after another until the visible rows are loaded. Never rejects. */
  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    for (let at = this.#firstMissing(); at !== null; at = this.#firstMissing()) {
      if (!(await this.#readFrom(at, this.#range.end))) break;
    }
    this.#isReading = false;
  }

  /** Reads a page. Returns false if there are no more rows. */
  async #readFrom(offset: number, end: number): Promise<boolean> {
    const generation = this.#generation;
    const limit = Math.max(1, Math.min(MAX_ASKED, end - offset));
    try {
      const { rows, matchingRows } = await this.#load(offset, limit);
      if (generation !== this.#generation) return true;
      this.error = null;
      this.total = matchingRows;
      rows.forEach((row, index) => {
        this.#rows.set(offset + index, { ...row });
      });
      this.#forgetFar();
      this.#version += 1;
      return rows.length > 0;
    } catch (thrown) {
      if (generation !== this.#generation) return true;
      this.error = toAppError(thrown);
      return false;
    }
  }

  #forgetFar(): void {
    if (this.#rows.size <= MAX_KEPT) return;
    const middle = (this.#range.first + this.#range.end) / 2;
    const far = [...this.#rows.keys()].sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle));
    for (const index of far.slice(0, this.#rows.size - MAX_KEPT)) this.#rows.delete(index);
  }
}
