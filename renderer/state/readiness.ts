import { client } from '../lib/client.ts';

let hasReported = false;
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

/** Says once, to main and on the root element, that the first view shows its content. */
export async function reportReady(view: string): Promise<void> {
  if (hasReported) return;
  // Behind the lock the first view is still to come.
  hasReported = view !== 'locked';
  await painted();
  document.documentElement.dataset['ready'] = view;
  await client.invoke('app:report-ready', { view });
  if (view !== 'locked') readiness.resolve();
}
