/**
 * What main told of rows since a question was asked: an answer that comes after it may have been made before it.
 * Every change is told, so what was told last is never older than an answer. Pure.
 */
export class Tellings {
  #count = 0;
  readonly #toldAt = new Map<string, number>();
  readonly #gone = new Set<string>();

  /** To be noted when a question is asked. */
  get now(): number {
    return this.#count;
  }

  /** Answers whether it holds: not of a row that was removed. */
  told(id: string): boolean {
    if (this.#gone.has(id)) return false;
    this.#count += 1;
    this.#toldAt.set(id, this.#count);
    return true;
  }

  /** A row that was removed does not come back with an answer that was made before. */
  gone(id: string): void {
    this.#gone.add(id);
  }

  /** Was this row told of, or removed, since? */
  isNewer(id: string, asked: number): boolean {
    return this.#gone.has(id) || (this.#toldAt.get(id) ?? 0) > asked;
  }

  /** The rows of an answer, with those that were told of since as they are known; new ones first. */
  merge<T>(answer: readonly T[], known: readonly T[], asked: number, idOf: (row: T) => string): readonly T[] {
    const later = new Map(
      known.filter((row) => this.isNewer(idOf(row), asked)).map((row) => [idOf(row), row]),
    );
    const rows = answer.flatMap((row) => {
      const id = idOf(row);
      const newer = later.get(id);
      later.delete(id);
      return newer ?? (this.#gone.has(id) ? [] : [row]);
    });
    return [...later.values(), ...rows];
  }

  clear(): void {
    this.#toldAt.clear();
    this.#gone.clear();
  }
}
