import { formatCount } from '../../lib/format.ts';
import { app } from '../../state/app.svelte.ts';
import { type BuildName, buildJob } from '../../state/build-actions.ts';
import { jobs } from '../../state/jobs.svelte.ts';
import { toast } from '../../state/toast.ts';

/** Asks for the target, writes the file, and tells the user its name. Does nothing if the user cancelled. */
export function saveBuildFile(
  name: BuildName,
  what: 'receipts' | 'unresolved' | 'items' | 'review' | 'spans' | 'verdicts',
): Promise<void> {
  return app.run(async () => {
    const saved = await jobs.save(buildJob(name), what, name.connectionId);
    if (saved !== null)
      toast(`Saved ${saved.fileName}`, {
        description: [`${formatCount(saved.rows, 'row')}.`, ...(saved.notes ?? [])].join(' '),
      });
  });
}
