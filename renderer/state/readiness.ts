import { client } from '../lib/client.ts';

/** What a view says of the window; main sends it nothing that needs a connection while it is `welcome` or `locked`. */
type Phase = 'welcome' | 'locked' | 'open';

let reported: Phase | null = null;
const readiness = Promise.withResolvers<void>();
/** Resolves once main was told that the first view shows its content. */
export const ready = readiness.promise;

function painted(): Promise<void> {
  return new Promise((resolve) => {
    // A hidden window paints no frames; it is as ready as it will be after a moment.
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
 * Says to main and on the root element that a view shows its content: the first one, and the first one after the window
 * went from the welcome page to a connection, or back.
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
