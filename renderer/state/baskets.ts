/** One basket for each application. All views of its spans share it, and it is remembered between starts. */
import { app } from './app.svelte.ts';
import { Basket } from './basket.svelte.ts';
import { detachedRoot } from './detached-root.svelte.ts';

const known = new Map<string, Basket>();

/** The basket for spans of an application. */
export function basketOf(connectionId: string, application: { id: string; name: string }): Basket {
  const key = `${connectionId} ${application.id}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const kept = `spans.basket.${application.id}`;
  const { thing: basket } = detachedRoot(
    () =>
      new Basket(application, {
        read: () => app.keep.get(kept),
        write: (buildId) => app.keep.set(kept, buildId),
        run: (work) => app.run(work),
      }),
  );
  known.set(key, basket);
  return basket;
}
