/** Changes of values of a file in preparation, each an act that Ctrl+Z takes back. */
import { app } from '../../state/app.svelte.ts';
import type { DraftEdits, UploadDraft } from '../../state/uploads-draft.svelte.ts';

const editsOf = (draft: UploadDraft): DraftEdits => {
  const { repairs, replacements, cellEdits, edits, takesNewKeys } = draft;
  return { repairs, replacements, cellEdits, edits, takesNewKeys };
};

/** `done`: as a sentence without its full stop. `isQuiet`: the change is seen where it is made, so no message tells of it. */
export function editValues(draft: UploadDraft, done: string, change: () => void, isQuiet = true): void {
  const before = editsOf(draft);
  change();
  const after = editsOf(draft);
  const steps = { undo: () => draft.putEdits(before), redo: () => draft.putEdits(after) };
  app.acts.did(done, steps, { isQuiet });
}
