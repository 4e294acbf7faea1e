/**
 * Splits long work between two turns of the event loop. Needs no clock, so that it also works while time stands still
 * in tests.
 */

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves after timers and pending input were handled. */
export async function nextTurn(): Promise<void> {
  // If an answer has just arrived, the first wait ends within the same turn.
  await immediate();
  await immediate();
}
