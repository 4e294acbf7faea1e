/** A file in preparation as its preview shows it: rows of the file, with marks and edits after a check. */
import type { FileProfile } from '../../electron/shared/file-profile.ts';
import type { ColumnPlan, DryRun, FilePreview } from '../../electron/shared/upload-model.ts';
import type { CheckedRows } from './checked-rows.svelte.ts';
import type { Repairing } from './repairing.ts';

/** The part of a check of a whole file that concerns its rows. */
export type CheckOfRows = Pick<DryRun, 'dryRunId' | 'problems' | 'firstBad' | 'sha256'>;

export interface CheckedTable {
  readonly rows: CheckedRows;
  readonly repairing: Repairing;
  /** The start of the file is being read. */
  readonly isReading: boolean;
  /** Marked cells can be edited in place. */
  readonly canEdit: boolean;
  /** The values are texts of people, which privacy mode hides. */
  readonly isPrivate: boolean;
  /** Sets the type of a column; null if types are only shown. */
  readonly chooseType: ((source: string, type: ColumnPlan['type']) => void) | null;
  /** The chosen type of a column; undefined if none was chosen. */
  typeOf(source: string): ColumnPlan['type'] | undefined;
  /** Columns over all rows; null while they are unknown. */
  profileOf(preview: FilePreview): FileProfile | null;
}
