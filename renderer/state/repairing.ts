/** The file that the repair panel edits. Its rows become events or items. */
import type { RepairKind } from '../../electron/shared/repair-options.ts';
import type { CellEdit, ProblemGroup, Repair, Replacement } from '../../electron/shared/upload-model.ts';
import type { RepairChoice, ReplacementChoice } from '../lib/repair-edits.ts';
import { REPAIR_WORDS, replacementsOf } from '../lib/repair-words.ts';

export interface Repairing {
  readonly repairs: readonly Repair[];
  readonly replacements: readonly Replacement[];
  /** Key of the group that the user selected; empty if none is. */
  readonly chosen: string;
  choose(group: ProblemGroup): void;
  /** Shows only the rows of this group. */
  showOnly(group: ProblemGroup): void;
  setRepairs(chosen: readonly RepairChoice[]): void;
  setReplacements(chosen: readonly ReplacementChoice[]): void;
  /** Known values of a column; there may be none. */
  categoriesOf(source: string): string[];
  /**
   * The reason why a text (null: no value) cannot replace a value of a column, as a sentence; null if it can. Rejects
   * with AppError.
   */
  problemOf(source: string, text: string | null): Promise<string | null>;
  /** Edits one cell of the content that was checked last. Entering the original value removes the edit. */
  editCell(edit: CellEdit): void;
  /** Makes a change that can be undone. `done`: a sentence about it without the full stop. */
  edit(done: string, change: () => void): void;
}

/**
 * Chooses how to treat the values of a group, which can be undone: repair them in one way, replace them one by one, or
 * (null) neither. Any choice but `replace` removes the replacements.
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
