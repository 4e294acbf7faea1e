/** Lists waiting and in-flight requests by lane and group, to show people the order in which they are served. */
import type { Lane } from '../core/limits/budget-ledger.ts';
import type { WaitingGroup } from '../shared/traffic-model.ts';
import { type ChosenPriorities, rankOf } from './chosen-priorities.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { LaneState, QueuedRequest } from './queued-request.ts';

const MAX_GROUPS = 100;

/** A lane's requests that wait for a retry. */
export interface Retrying {
  count: number;
  /** Ledger time of the next retry. */
  nextAtMs: number;
  longestWaitMs: number;
}

export const NONE_RETRYING: Retrying = { count: 0, nextAtMs: Number.POSITIVE_INFINITY, longestWaitMs: 0 };

/** Time since a waiting request was submitted, including failed attempts. */
export const waitedMs = (request: QueuedRequest, nowMs: number): number =>
  request.trip.queuedMs + request.trip.networkMs + nowMs - request.waitingSinceMs;

/** Lanes with failed requests that will be retried. */
export function retryingByLane({ delayed }: Pick<Dispatcher, 'delayed'>, nowMs: number) {
  const byLane = new Map<LaneState, Retrying>();
  for (const request of delayed.values()) {
    if (request.state !== 'delayed') continue;
    const known = byLane.get(request.lane) ?? NONE_RETRYING;
    byLane.set(request.lane, {
      count: known.count + 1,
      nextAtMs: Math.min(known.nextAtMs, request.trip.retryAtMs),
      longestWaitMs: Math.max(known.longestWaitMs, waitedMs(request, nowMs)),
    });
  }
  return byLane;
}

/** The groups in a token's lanes, most urgent first in each lane. `toWall` converts ledger time to wall time. */
export function waitingGroups(
  dispatcher: Dispatcher,
  chosen: ChosenPriorities,
  token: Pick<Lane, 'origin' | 'tokenId'>,
  toWall: (ledgerMs: number) => number,
): WaitingGroup[] {
  const nowMs = dispatcher.nowMs();
  const isOfToken = ({ key }: LaneState) => key.origin === token.origin && key.tokenId === token.tokenId;
  const groups = new Map<string, WaitingGroup>();
  const groupOf = (request: QueuedRequest): WaitingGroup => {
    const { operation } = request.lane.key;
    const name = `${operation}\n${rankOf(request.priority)}\n${request.group}`;
    const known = groups.get(name);
    if (known !== undefined) return known;
    const { group, priority } = request;
    const ahead = Object.values(request.lane.queue.sizes()).slice(0, rankOf(priority));
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
  for (const request of dispatcher.delayed.values()) {
    if (request.state !== 'delayed' || !isOfToken(request.lane)) continue;
    const group = groupOf(request);
    group.retrying++;
    group.longestWaitMs = Math.max(group.longestWaitMs, waitedMs(request, nowMs));
    group.retryAtMs = Math.min(group.retryAtMs ?? Number.POSITIVE_INFINITY, toWall(request.trip.retryAtMs));
  }
  for (const request of dispatcher.inFlight.requests())
    if (isOfToken(request.lane)) groupOf(request).inFlight++;
  return [...groups.values()]
    .sort(
      (a, b) =>
        a.operation.localeCompare(b.operation) ||
        rankOf(a.priority) - rankOf(b.priority) ||
        b.longestWaitMs - a.longestWaitMs,
    )
    .slice(0, MAX_GROUPS);
}
