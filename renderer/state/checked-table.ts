/** A file in preparation as its preview shows it: rows of the file, and after a check their problems and edits. */
import type { FileProfile } from '../../electron/shared/file-profile.ts';
import type { ColumnPlan, DryRun, FilePreview } from '../../electron/shared/upload-model.ts';
import type { CheckedRows } from './checked-rows.svelte.ts';
import type { Repairing } from './repairing.ts';

/** The part of a check of the whole file that concerns its rows. */
export type CheckOfRows = Pick<DryRun, 'dryRunId' | 'problems' | 'firstBad' | 'sha256'>;

export interface CheckedTable {
  readonly rows: CheckedRows;
  readonly repairing: Repairing;
  /** Whether the start of the file is being read. */
  readonly isReading: boolean;
  /** Whether values with a problem can be edited in place. */
  readonly canEdit: boolean;
  /** Whether the values are texts by people, which privacy mode hides. */
  readonly isPrivate: boolean;
  /** Sets the type of a column; null if the types are only displayed. */
  readonly chooseType: ((source: string, type: ColumnPlan['type']) => void) | null;
  /** The type that the user chose for a column; undefined if none. */
  typeOf(source: string): ColumnPlan['type'] | undefined;
  /** Profiles of the columns over all rows; null while they are unknown. */
  profileOf(preview: FilePreview): FileProfile | null;
}
