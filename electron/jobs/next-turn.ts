/** Splits long work between two turns of the event loop, without a clock: also where time stands still, as in tests. */

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves once timers and whatever arrived have had their turn. */
export async function nextTurn(): Promise<void> {
  // The first one alone still belongs to the turn of an answer that has just arrived.
  await immediate();
  await immediate();
}
