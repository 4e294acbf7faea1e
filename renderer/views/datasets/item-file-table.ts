/** A file of items as its preview and its repairs show it. Every change can be undone by Ctrl+Z. */
import { app } from '../../state/app.svelte.ts';
import type { CheckedTable } from '../../state/checked-table.ts';
import type { ItemFile, ItemValueEdits } from '../../state/item-file.svelte.ts';
import type { Repairing } from '../../state/repairing.ts';

export function itemTable(draft: ItemFile): CheckedTable {
  return {
    rows: draft.rows,
    repairing: repairingOf(draft),
    get isReading() {
      return draft.isReading;
    },
    canEdit: true,
    // Fields of items are private, as everywhere else.
    isPrivate: true,
    // The list of columns has the choice of types.
    chooseType: null,
    typeOf: (source) => draft.columns.find((column) => column.source === source)?.type,
    profileOf: () => null,
  };
}

function repairingOf(draft: ItemFile): Repairing {
  const edits = (): ItemValueEdits => {
    const { repairs, replacements, cellEdits } = draft;
    return { repairs, replacements, cellEdits };
  };
  return {
    get repairs() {
      return draft.repairs;
    },
    get replacements() {
      return draft.replacements;
    },
    get chosen() {
      return draft.rows.chosen;
    },
    choose: (group) => draft.rows.choose(group),
    showOnly: (group) => draft.rows.showOnly(group),
    setRepairs: (chosen) => draft.setRepairs(chosen),
    setReplacements: (chosen) => draft.setReplacements(chosen),
    categoriesOf: () => [],
    problemOf: (source, text) => draft.problemOf(source, text),
    editCell: (edit) => draft.editCell(edit),
    edit: (done, change) => {
      const before = edits();
      change();
      const after = edits();
      const steps = { undo: () => draft.putEdits(before), redo: () => draft.putEdits(after) };
      app.undoHistory.push(done, steps, { isQuiet: true });
    },
  };
}
