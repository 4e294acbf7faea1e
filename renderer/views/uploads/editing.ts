/** Changes to values of a file in preparation. Each can be undone by Ctrl+Z. */
import { app } from '../../state/app.svelte.ts';
import type { CheckedTable } from '../../state/checked-table.ts';
import type { Repairing } from '../../state/repairing.ts';
import type { DraftEdits, UploadDraft } from '../../state/uploads-draft.svelte.ts';

const editsOf = (draft: UploadDraft): DraftEdits => {
  const { repairs, replacements, cellEdits, edits, takesNewKeys } = draft;
  return { repairs, replacements, cellEdits, edits, takesNewKeys };
};

/** `done`: a sentence without the full stop. `isQuiet`: the change is visible anyway, so no message is shown. */
export function editValues(draft: UploadDraft, done: string, change: () => void, isQuiet = true): void {
  const before = editsOf(draft);
  change();
  const after = editsOf(draft);
  const steps = { undo: () => draft.putEdits(before), redo: () => draft.putEdits(after) };
  app.undoHistory.push(done, steps, { isQuiet });
}

/** The file in the form that the repair panel edits. */
function repairingOf(draft: UploadDraft): Repairing {
  const { rows } = draft.check;
  return {
    get repairs() {
      return draft.repairs;
    },
    get replacements() {
      return draft.replacements;
    },
    get chosen() {
      return rows.chosen;
    },
    choose: (group) => rows.choose(group),
    showOnly: (group) => rows.showOnly(group),
    setRepairs: (chosen) => draft.setRepairs(chosen),
    setReplacements: (chosen) => draft.setReplacements(chosen),
    categoriesOf: (source) => draft.categoriesOf(source),
    problemOf: (source, text) => draft.check.problemOf(source, text),
    editCell: (edit) => draft.editCell(edit),
    edit: (done, change) => editValues(draft, done, change),
  };
}

/** The file in the form that its preview shows. */
export function tableOf(draft: UploadDraft): CheckedTable {
  const chooseType: CheckedTable['chooseType'] = (source, type) => draft.edit(source, { type });
  return {
    rows: draft.check.rows,
    repairing: repairingOf(draft),
    get isReading() {
      return draft.isReading;
    },
    isPrivate: false,
    get canEdit() {
      return draft.sendAs === 'rows';
    },
    get chooseType() {
      return draft.sendAs === 'whole' ? null : chooseType;
    },
    typeOf: (source) =>
      draft.sendAs === 'whole' ? undefined : draft.columns.find((column) => column.source === source)?.type,
    profileOf: ({ dialect }) => draft.whole.of(draft.file.fileId, dialect),
  };
}
