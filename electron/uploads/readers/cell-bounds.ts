/**
 * The cells of one row of delimited text, as positions in a buffer. Its memory is reused for each row. The positions
 * are small integers in an integer array, because calculating with doubles is several times as slow.
 */
export class CellBounds {
  /** Start, end, and marks for `cellText` of each cell; only the first `length` numbers are meaningful. */
  items = new Int32Array(192);
  /** Number of items in use, three for each cell. */
  length = 0;

  get cells(): number {
    return this.length / 3;
  }

  push(start: number, end: number, marks: number): void {
    const at = this.length;
    if (at + 3 > this.items.length) {
      const larger = new Int32Array(this.items.length * 2);
      larger.set(this.items);
      this.items = larger;
    }
    const { items } = this;
    items[at] = start;
    items[at + 1] = end;
    items[at + 2] = marks;
    this.length = at + 3;
  }

  startOf(cell: number): number {
    return this.items[cell * 3] ?? 0;
  }

  endOf(cell: number): number {
    return this.items[cell * 3 + 1] ?? 0;
  }

  marksOf(cell: number): number {
    return this.items[cell * 3 + 2] ?? 0;
  }

  isEmpty(cell: number): boolean {
    return this.startOf(cell) === this.endOf(cell);
  }
}
