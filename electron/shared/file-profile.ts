/** What is known of the columns of a file once every row of it was read. */
import type { ColumnProfile } from './analysis-model.ts';

/** A row that does not fit what the rows before it were. */
interface TypeChange {
  row: number;
  line: number;
  value: string;
  before: string;
  after: string;
}

/** A column over every row. */
export interface WholeType {
  name: string;
  /** As a plan of an upload names it; `empty` where no row has a value. */
  type: string;
  /** In the order of the rows. */
  changes: TypeChange[];
}

export interface FileProfile {
  rows: number;
  /** Are no rows, and not counted. */
  badRows: number;
  /** Values that cannot be read as was said of their column, one sentence for each column. */
  notes: string[];
  columns: ColumnProfile[];
  types: WholeType[];
}
