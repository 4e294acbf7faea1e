import type { LaneState } from './queued-request.ts';

/** Every this many sends, the lane that has waited longest goes first, whatever its priority. */
export const FAIR_TURN = 16;

/** Chooses among lanes that may send: the one with the most urgent request, then the least recently served. */
export function chooseLane(lanes: readonly LaneState[], turn: number): LaneState {
  const isFair = turn % FAIR_TURN === 0;
  let best: LaneState | undefined;
  for (const lane of lanes) {
    if (best === undefined) {
      best = lane;
      continue;
    }
    const byLevel = isFair ? 0 : lane.queue.nextLevel - best.queue.nextLevel;
    if (byLevel < 0 || (byLevel === 0 && lane.servedAtTurn < best.servedAtTurn)) best = lane;
  }
  if (best === undefined) throw new RangeError('There is no lane to choose from.');
  return best;
}
