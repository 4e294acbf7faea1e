import { toast } from 'svelte-sonner';
import { app } from '../../state/app.svelte.ts';
import { uploads } from '../../state/uploads.svelte.ts';

/** Asks where, writes the file, and says its name; nothing is said where the person cancelled. */
export function saveRows(
  ownerId: string,
  what: 'receipts' | 'refused-rows' | 'bad-rows',
  connectionId: string,
): Promise<void> {
  return app.run(async () => {
    const fileName = await uploads.save(ownerId, what, connectionId);
    if (fileName !== null) toast(`Saved ${fileName}`);
  });
}
