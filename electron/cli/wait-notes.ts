/** Why something waits, as it is said while it is followed. Pure. */

interface Heard {
  state: string;
  /** Empty where it goes on. */
  reason: string;
  error: object | null;
  counts: { done: number };
}

/**
 * Gives the line that is to be said for each change that is heard, or null. A reason is said once, however often it is
 * tried meanwhile; again where something was done in between.
 */
export function createWaitNotes(): (heard: Heard) => string | null {
  let said: { reason: string; done: number } | null = null;
  return ({ state, reason, error, counts: { done } }) => {
    if (error === null || (said?.reason === reason && said.done === done)) return null;
    said = { reason, done };
    return `${state}: ${reason}`;
  };
}
