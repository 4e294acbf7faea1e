/** Shows messages about errors in the background that no caller waits for, and about answers of an unexpected form. */
import { client } from '../../lib/client.ts';
import { toast } from '../../state/toast.ts';

const SHOWN_MS = 20_000;

/** Follows the errors. Returns a function that unsubscribes. */
export function followFailures(): () => void {
  return client.on('app:failed', ({ what, message }) => {
    toast(`Failed in the background: ${what}`, {
      description: `${message} Everything else works. The log has the cause.`,
      duration: SHOWN_MS,
    });
  });
}

/**
 * Reports the first difference for each connection; Diagnostics lists all of them. Returns a function that
 * unsubscribes.
 */
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
