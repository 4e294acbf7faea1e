/** Ends several components, even if one of them fails. */

/**
 * Runs every step even if one fails (e.g. because of a full disk), then throws the first failure. `in order`: each step
 * starts after the previous one has ended.
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
