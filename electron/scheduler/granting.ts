/** Which requests are sent next, and the permits they are sent with: recorded beforehand, or in one transaction. */
import type { LedgerWriter } from '../core/budget-ledger.ts';
import { mostSpare } from '../core/spare-permits.ts';
import { chooseLane } from './choose-lane.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Job, LaneState } from './job.ts';

export class Granting {
  readonly #dispatcher: Dispatcher;
  /** Counts the sends of all lanes. */
  turn = 0;
  /** What was found out about the lanes of this pass still holds. */
  #isFresh = false;

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  /**
   * Permits for as many waiting requests of `lanes` as fit, as long as there are permits that were recorded
   * beforehand. What remains in `lanes` may send more, with a transaction. All of `lanes` were found ready just now.
   */
  fromStock(lanes: LaneState[]): Job[] {
    const { deps, settings } = this.#dispatcher;
    const nowMs = deps.budget.nowMs();
    const granted: Job[] = [];
    this.#isFresh = true;
    for (let lane = this.#next(lanes, nowMs); lane !== null; lane = this.#next(lanes, nowMs)) {
      const { limiter } = lane;
      if (mostSpare(limiter) === 0) break;
      const openUntilMs = nowMs + settings.requestBoundMs;
      const permitId = deps.budget.take(lane.id, openUntilMs, openUntilMs + limiter.horizonMs);
      if (permitId === null) break;
      const job = this.#take(lane, nowMs);
      job.trip.openUntilMs = openUntilMs;
      job.trip.permitId = permitId;
      limiter.start(permitId, nowMs);
      granted.push(job);
    }
    return granted;
  }

  /** The same with one transaction, which is over when this returns. Throws as `transact` does: none was granted then. */
  recorded(lanes: LaneState[], isDurable: boolean): Job[] {
    const { deps, lanes: all } = this.#dispatcher;
    const granted: Job[] = [];
    try {
      deps.budget.transact(isDurable, (changes, writer) => {
        all.apply(changes);
        this.#isFresh = false;
        const nowMs = deps.budget.nowMs();
        for (let lane = this.#next(lanes, nowMs); lane !== null; lane = this.#next(lanes, nowMs)) {
          const job = this.#take(lane, nowMs);
          job.trip.permitId = 0;
          granted.push(job);
          this.#record(job, writer, nowMs);
        }
      });
    } catch (thrown) {
      for (const job of granted.reverse()) this.#putBack(job);
      throw thrown;
    }
    return granted;
  }

  #record(job: Job, writer: LedgerWriter, nowMs: number): void {
    const { id, limiter } = job.lane;
    const { trip } = job;
    trip.openUntilMs = nowMs + this.#dispatcher.settings.requestBoundMs;
    const keepUntilMs = trip.openUntilMs + limiter.horizonMs;
    trip.permitId = writer.permit(id, trip.openUntilMs, keepUntilMs, mostSpare(limiter));
    if (limiter.start(trip.permitId, nowMs)) writer.saveLearned(id, JSON.stringify(limiter.state));
  }

  /** A request that got its permit and is not sent: it takes no place any more. */
  undo(job: Job): void {
    const { limiter, origin } = job.lane;
    limiter.release(job.trip.permitId);
    origin.inFlight--;
    if (job.trip.isProbe) origin.breaker.abandonProbe();
  }

  #putBack(job: Job): void {
    this.undo(job);
    // What was found out about its lane since then does not hold.
    job.lane.wakeAtMs = 0;
    this.#dispatcher.enqueue(job, true);
  }

  /** The lane whose turn it is among `lanes`; those that cannot send any more leave the list. */
  #next(lanes: LaneState[], nowMs: number): LaneState | null {
    while (lanes.length > 0) {
      const lane = chooseLane(lanes, this.turn + 1);
      if (this.#isFresh || (lane.queue.size > 0 && this.#dispatcher.isReady(lane, nowMs))) return lane;
      lanes.splice(lanes.indexOf(lane), 1);
    }
    return null;
  }

  #take(lane: LaneState, nowMs: number): Job {
    const job = lane.queue.shift();
    if (job === null) throw new RangeError('A lane without requests is not ready.');
    if (lane.queue.size === 0) this.#dispatcher.active.delete(lane);
    lane.origin.inFlight++;
    job.state = 'granted';
    const trip = job.begin();
    trip.isProbe = lane.origin.breaker.decide(nowMs).kind === 'probe';
    if (trip.isProbe) lane.origin.breaker.startProbe();
    this.turn++;
    lane.servedAtTurn = this.turn;
    this.#isFresh = false;
    return job;
  }
}
