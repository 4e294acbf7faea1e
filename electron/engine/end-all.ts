/** Ends components so that the failure of one does not keep the others running. */

/**
 * Runs every step even if one fails (e.g. a full disk), then throws the first failure. `in order`: each after the one
 * before.
 */
export async function endAll(
  steps: readonly (() => Promise<void> | void)[],
  when: 'in order' | 'at once' = 'in order',
): Promise<void> {
  const failures: unknown[] = [];
  const run = async (step: () => Promise<void> | void) => {
    try {
      await step();
    } catch (thrown) {
      failures.push(thrown);
    }
  };
  if (when === 'at once') await Promise.all(steps.map(run));
  else for (const step of steps) await run(step);
  if (failures.length > 0) throw failures[0];
}
