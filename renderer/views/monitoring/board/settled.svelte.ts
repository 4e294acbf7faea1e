/** Waits for a reactive condition. */

/** Resolves with true once `isReady` is true, or with false after `maxMs`. */
export async function settled(isReady: () => boolean, maxMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), maxMs);
  const stop = $effect.root(() => {
    $effect(() => {
      if (isReady()) resolve(true);
    });
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stop();
  }
}
