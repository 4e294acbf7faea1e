/** Background errors that no caller waited for, as messages in the window. */
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
