/** Failures of work in the background that nobody waited for, as a message in the window. */
import { client } from '../../lib/client.ts';
import { toast } from '../../state/toast.ts';

const SHOWN_MS = 20_000;

/** Returns what ends it. */
export function followFailures(): () => void {
  return client.on('app:failed', ({ what, message }) => {
    toast(`Failed in the background: ${what}`, {
      description: `${message} Everything else works. The log has the cause.`,
      duration: SHOWN_MS,
    });
  });
}
