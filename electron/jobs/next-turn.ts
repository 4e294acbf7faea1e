/**
 * Splits long work between two turns of the event loop without a clock, so that it also works while time stands still
 * in tests.
 */

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves after timers and pending input have had their turn. */
export async function nextTurn(): Promise<void> {
  // The first one still belongs to the turn of an answer that has just arrived.
  await immediate();
  await immediate();
}
