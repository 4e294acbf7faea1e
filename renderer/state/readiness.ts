import { client } from '../lib/client.ts';

/** State of the window. In `welcome` and `locked`, the main process sends nothing that needs a connection. */
type Phase = 'welcome' | 'locked' | 'open';

let reported: Phase | null = null;
const readiness = Promise.withResolvers<void>();
/** Resolves when the main process knows that the first view shows its content. */
export const ready = readiness.promise;

function painted(): Promise<void> {
  return new Promise((resolve) => {
    // A hidden window paints no frames, so it counts as ready after a short delay.
    const fallback = setTimeout(resolve, 500);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        clearTimeout(fallback);
        resolve();
      }),
    );
  });
}

const phaseOf = (view: string): Phase => (view === 'welcome' || view === 'locked' ? view : 'open');

/**
 * Reports, to the main process and on the root element, that a view shows its content: the first view, and the first
 * view after each change between the welcome page and a connection.
 */
export async function reportReady(view: string): Promise<void> {
  const phase = phaseOf(view);
  if (reported === phase) return;
  reported = phase;
  await painted();
  document.documentElement.dataset['ready'] = view;
  await client.invoke('app:report-ready', { view });
  if (phase !== 'locked') readiness.resolve();
}
