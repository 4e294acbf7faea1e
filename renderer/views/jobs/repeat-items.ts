/** Entries in the menu of a job that concern its repeat. */
import { activeRepeat, type Repeat } from '../../../electron/shared/repeat-model.ts';
import { app } from '../../state/app.svelte.ts';
import { type JobName, jobs } from '../../state/jobs.svelte.ts';

interface Repeatable {
  state: string;
  repeat?: Repeat | null;
}

/** `open`: opens the dialog for the repeat rule. */
export function repeatItems(
  own: Repeatable,
  name: JobName,
  open: () => void,
): { id: string; title: string; run: () => void }[] {
  if (activeRepeat(own) !== null)
    return [
      {
        id: 'end-repeat',
        title: 'End the repeat',
        run: () => app.run(() => jobs.repeat(name, { type: 'end' })),
      },
    ];
  const isStopped = own.state === 'done' || own.state === 'cancelled' || own.state === 'paused';
  return isStopped ? [{ id: 'repeat', title: 'Repeat…', run: open }] : [];
}
