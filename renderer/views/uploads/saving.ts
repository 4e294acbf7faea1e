import { app } from '../../state/app.svelte.ts';
import { jobs } from '../../state/jobs.svelte.ts';
import { toast } from '../../state/toast.ts';

/** Asks for the target, writes the file, and tells the user its name. Does nothing if the user cancelled. */
export function saveRows(
  ownerId: string,
  what: 'receipts' | 'refused-rows' | 'bad-rows',
  connectionId: string,
): Promise<void> {
  return app.run(async () => {
    const saved = await jobs.save({ kind: 'upload', id: ownerId }, what, connectionId);
    if (saved !== null) toast(`Saved ${saved.fileName}`);
  });
}
