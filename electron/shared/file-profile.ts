/** Facts about the columns of a file, known after all rows were read. */
import type { ColumnProfile } from './analysis-model.ts';

/** A row that does not fit the type of the earlier rows. */
interface TypeChange {
  row: number;
  line: number;
  value: string;
  before: string;
  after: string;
}

/** The profile of a column over all rows. */
export interface WholeType {
  name: string;
  /** In the terms of an upload plan; `empty` if no row has a value. */
  type: string;
  /** In row order. */
  changes: TypeChange[];
}

export interface FileProfile {
  rows: number;
  /** Not included in the rows. */
  badRows: number;
  /** Values that do not fit their column's reading, one sentence for each column. */
  notes: string[];
  columns: ColumnProfile[];
  types: WholeType[];
}
