/** The reason of a wait, as printed while a job is followed. Pure. */

interface Heard {
  state: string;
  /** Empty if it is not waiting. */
  reason: string;
  error: object | null;
  counts: { done: number };
}

/**
 * Returns a function that gives the line to print for a change, or null. A reason is printed once, however often the
 * job retries; again if there was progress in between.
 */
export function createWaitNotes(): (heard: Heard) => string | null {
  let said: { reason: string; done: number } | null = null;
  return ({ state, reason, error, counts: { done } }) => {
    if (error === null || (said?.reason === reason && said.done === done)) return null;
    said = { reason, done };
    return `${state}: ${reason}`;
  };
}
