/** Who waits in which lane and who is under way, group by group: for people who want to know what is before what. */
import type { Lane } from '../core/budget-ledger.ts';
import type { WaitingGroup } from '../shared/traffic-model.ts';
import { type ChosenPriorities, rankOf } from './chosen-priorities.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Job, LaneState } from './job.ts';

const MOST_GROUPS = 100;

/** What of a lane waits for another attempt. */
export interface Retrying {
  count: number;
  /** Ledger time of the next of these attempts. */
  nextAtMs: number;
  longestWaitMs: number;
}

export const NONE_RETRYING: Retrying = { count: 0, nextAtMs: Number.POSITIVE_INFINITY, longestWaitMs: 0 };

/** Time since a waiting request was asked for, failed attempts and all. */
export const waitedMs = (job: Job, nowMs: number): number =>
  job.trip.queuedMs + job.trip.networkMs + nowMs - job.waitingSinceMs;

/** Lanes of which something failed and is to be sent again. */
export function retryingByLane({ delayed }: Pick<Dispatcher, 'delayed'>, nowMs: number) {
  const byLane = new Map<LaneState, Retrying>();
  for (const job of delayed.values()) {
    if (job.state !== 'delayed') continue;
    const known = byLane.get(job.lane) ?? NONE_RETRYING;
    byLane.set(job.lane, {
      count: known.count + 1,
      nextAtMs: Math.min(known.nextAtMs, job.trip.retryAtMs),
      longestWaitMs: Math.max(known.longestWaitMs, waitedMs(job, nowMs)),
    });
  }
  return byLane;
}

/** The groups of a token's lanes, most urgent first in each; `toWall` turns ledger time into wall time. */
export function waitingGroups(
  dispatcher: Dispatcher,
  chosen: ChosenPriorities,
  token: Pick<Lane, 'origin' | 'tokenId'>,
  toWall: (ledgerMs: number) => number,
): WaitingGroup[] {
  const nowMs = dispatcher.nowMs();
  const isOfToken = ({ key }: LaneState) => key.origin === token.origin && key.tokenId === token.tokenId;
  const groups = new Map<string, WaitingGroup>();
  const groupOf = (job: Job): WaitingGroup => {
    const { operation } = job.lane.key;
    const name = `${operation}\n${rankOf(job.priority)}\n${job.group}`;
    const known = groups.get(name);
    if (known !== undefined) return known;
    const { group, priority } = job;
    const ahead = Object.values(job.lane.queue.sizes()).slice(0, rankOf(priority));
    const added: WaitingGroup = {
      operation,
      group,
      priority,
      isChosen: chosen.has(token, group),
      queued: 0,
      retrying: 0,
      inFlight: 0,
      longestWaitMs: 0,
      ahead: ahead.reduce((sum, size) => sum + size, 0),
      retryAtMs: null,
    };
    groups.set(name, added);
    return added;
  };
  for (const lane of dispatcher.active) {
    if (!isOfToken(lane)) continue;
    for (const head of lane.queue.heads()) {
      const group = groupOf(head);
      group.longestWaitMs = waitedMs(head, nowMs);
      group.queued += head.inGroup?.size ?? 0;
    }
  }
  for (const job of dispatcher.delayed.values()) {
    if (job.state !== 'delayed' || !isOfToken(job.lane)) continue;
    const group = groupOf(job);
    group.retrying++;
    group.longestWaitMs = Math.max(group.longestWaitMs, waitedMs(job, nowMs));
    group.retryAtMs = Math.min(group.retryAtMs ?? Number.POSITIVE_INFINITY, toWall(job.trip.retryAtMs));
  }
  for (const job of dispatcher.flights.jobs()) if (isOfToken(job.lane)) groupOf(job).inFlight++;
  return [...groups.values()]
    .sort(
      (a, b) =>
        a.operation.localeCompare(b.operation) ||
        rankOf(a.priority) - rankOf(b.priority) ||
        b.longestWaitMs - a.longestWaitMs,
    )
    .slice(0, MOST_GROUPS);
}
