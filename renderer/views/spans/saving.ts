import { toast } from 'svelte-sonner';
import { formatCount } from '../../lib/format.ts';
import { app } from '../../state/app.svelte.ts';
import { type BuildName, saveBuild } from '../../state/build-actions.ts';

/** Asks where, writes the file, and says its name; nothing is said where the person cancelled. */
export function saveBuildFile(name: BuildName, what: 'receipts' | 'unresolved' | 'items'): Promise<void> {
  return app.run(async () => {
    const saved = await saveBuild(name, what);
    if (saved !== null) toast(`Saved ${saved.fileName}`, { description: formatCount(saved.rows, 'row') });
  });
}
