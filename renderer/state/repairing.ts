/** The object that the repair panel edits: a file that becomes events or items. */
import type { RepairKind } from '../../electron/shared/repair-options.ts';
import type { CellEdit, ProblemGroup, Repair, Replacement } from '../../electron/shared/upload-model.ts';
import type { RepairChoice, ReplacementChoice } from '../lib/repair-edits.ts';
import { REPAIR_WORDS, replacementsOf } from '../lib/repair-words.ts';

export interface Repairing {
  readonly repairs: readonly Repair[];
  readonly replacements: readonly Replacement[];
  /** Key of the group selected by the user; empty if none is. */
  readonly chosen: string;
  choose(group: ProblemGroup): void;
  /** Shows only the rows of a group. */
  showOnly(group: ProblemGroup): void;
  setRepairs(chosen: readonly RepairChoice[]): void;
  setReplacements(chosen: readonly ReplacementChoice[]): void;
  /** Known values of a column; can be empty. */
  categoriesOf(source: string): string[];
  /**
   * The reason why a text (null: no value) cannot replace a value of a column, in words; null if it can.
   * Rejects with AppError.
   */
  problemOf(source: string, text: string | null): Promise<string | null>;
  /** Edits one cell of the last checked content; entering its original value removes the edit. */
  editCell(edit: CellEdit): void;
  /** Makes an undoable change; `done`: a sentence without the full stop. */
  edit(done: string, change: () => void): void;
}

/**
 * Makes an undoable change: values of the group are repaired in one way, replaced one by one, or (null) neither. Any
 * way but `replace` takes its replacements back.
 */
export function chooseRepair(
  draft: Repairing,
  group: ProblemGroup,
  choice: RepairKind | 'replace' | null,
): void {
  const { source, problem } = group;
  const replaced = replacementsOf(group, draft.replacements);
  const words =
    choice === null ? 'no repair' : choice === 'replace' ? 'replace' : REPAIR_WORDS[choice].toLowerCase();
  draft.edit(`${source}: ${words}`, () => {
    if (choice !== 'replace' && replaced.length > 0)
      draft.setReplacements(replaced.map(({ value }) => ({ source, value, with: undefined })));
    draft.setRepairs([{ source, problem, kind: choice === 'replace' ? null : choice }]);
  });
}
