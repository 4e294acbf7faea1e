/** Background errors that no caller waited for, and answers in another form, as messages in the window. */
import { client } from '../../lib/client.ts';
import { toast } from '../../state/toast.ts';

const SHOWN_MS = 20_000;

/** Returns a function that unsubscribes. */
export function followFailures(): () => void {
  return client.on('app:failed', ({ what, message }) => {
    toast(`Failed in the background: ${what}`, {
      description: `${message} Everything else works. The log has the cause.`,
      duration: SHOWN_MS,
    });
  });
}

/** Reports the first difference of each connection; Diagnostics lists all of them. Returns a function that unsubscribes. */
export function followDifferences(): () => void {
  const told = new Set<string>();
  return client.on('connections:difference', ({ connectionId, text }) => {
    if (told.has(connectionId)) return;
    told.add(connectionId);
    toast('The service answers in another form than expected', {
      description: `${text} The self-check in Diagnostics lists every difference.`,
      duration: SHOWN_MS,
    });
  });
}
