/** Changes of values of a file in preparation, each an act that Ctrl+Z takes back. */
import { app } from '../../state/app.svelte.ts';
import type { DraftEdits, UploadDraft } from '../../state/uploads-draft.svelte.ts';

const editsOf = ({ repairs, replacements, cellEdits }: UploadDraft): DraftEdits => ({
  ...{ repairs, replacements, cellEdits },
});

/** `done`: as a sentence without its full stop. The change is seen where it is made, so no message tells of it. */
export function editValues(draft: UploadDraft, done: string, change: () => void): void {
  const before = editsOf(draft);
  change();
  const after = editsOf(draft);
  const steps = { undo: () => draft.putEdits(before), redo: () => draft.putEdits(after) };
  app.acts.did(done, steps, { isQuiet: true });
}
