/** What the panel of repairs works on: a file that becomes events, or items. */
import type { ProblemGroup, Repair, Replacement } from '../../electron/shared/upload-model.ts';
import type { RepairChoice, ReplacementChoice } from '../lib/repair-edits.ts';

export interface Repairing {
  readonly repairs: readonly Repair[];
  readonly replacements: readonly Replacement[];
  /** The group that a person chose, by its key; empty: none yet. */
  readonly chosen: string;
  choose(group: ProblemGroup): void;
  /** Shows the rows of a group alone; null where rows are not shown. */
  readonly narrowTo: ((group: ProblemGroup) => void) | null;
  setRepairs(chosen: readonly RepairChoice[]): void;
  setReplacements(chosen: readonly ReplacementChoice[]): void;
  /** Values that are known for a column; empty where none are. */
  categoriesOf(source: string): string[];
  /** Why a text cannot stand in place of a value of a column, in words; null where it can. Rejects with AppError. */
  problemOf(source: string, text: string): Promise<string | null>;
  /** Makes a change that can be taken back; `done`: as a sentence without its full stop. */
  edit(done: string, change: () => void): void;
}
