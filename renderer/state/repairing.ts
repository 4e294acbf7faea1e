/** The object that the repair panel edits: a file that becomes events or items. */
import type { ProblemGroup, Repair, Replacement } from '../../electron/shared/upload-model.ts';
import type { RepairChoice, ReplacementChoice } from '../lib/repair-edits.ts';

export interface Repairing {
  readonly repairs: readonly Repair[];
  readonly replacements: readonly Replacement[];
  /** Key of the group selected by the user; empty if none is. */
  readonly chosen: string;
  choose(group: ProblemGroup): void;
  /** Shows only the rows of a group; null if rows are not shown. */
  readonly narrowTo: ((group: ProblemGroup) => void) | null;
  setRepairs(chosen: readonly RepairChoice[]): void;
  setReplacements(chosen: readonly ReplacementChoice[]): void;
  /** Known values of a column; can be empty. */
  categoriesOf(source: string): string[];
  /**
   * The reason why a text cannot replace a value of a column, in words; null if it can. Rejects with
   * AppError.
   */
  problemOf(source: string, text: string): Promise<string | null>;
  /** Makes an undoable change; `done`: a sentence without the full stop. */
  edit(done: string, change: () => void): void;
}
