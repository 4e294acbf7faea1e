/** Bulk changes that end immediately or start later. The outcome for each record is the same as of a single change. */
import type { BulkAct, BulkItem, BulkItemState } from '../../../electron/shared/bulk-contract.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import type { JobPlan, PartQuery } from '../../../electron/shared/job-contract.ts';
import type { JobAction } from '../../../electron/shared/job-kinds/job-kind.ts';
import * as resources from './resources.ts';
import { CONNECTION_ID, NOW, scenario } from './scenario.ts';
import { FAILED } from './traffic.ts';

interface Kept {
  given: JobPlan<'bulk'>;
  act: BulkAct;
  items: BulkItem[];
}

const kept: Kept[] = [];

const CHANGED: WireError = {
  code: 'CONFLICT',
  title: 'Already exists or changed',
  message:
    'Somebody else changed this baseline meanwhile, so it was not deleted. Look at it, and retry if you still want this.',
  retry: 'never',
  details: { outcome: 'unsent' },
};

export const list = (): BulkAct[] => kept.map(({ act }) => act);

export function create(given: JobPlan<'bulk'>, startAtMs: number | null): BulkAct {
  const { request, words, records } = given;
  const total = records.length;
  const items = records.map((record, position) => ({
    ...record,
    position,
    state: 'waiting' as const,
    error: null,
    job: null,
  }));
  const act: BulkAct = {
    bulkId: `bulk-${kept.length + 1}`,
    connectionId: CONNECTION_ID,
    operation: request.operation,
    words,
    state: 'scheduled',
    reason: '',
    error: null,
    counts: countsOf(items),
    total,
    requestsLeft: total,
    readsIfPlannedBy: null,
    etaMs: null,
    createdAtMs: NOW,
    endedAtMs: null,
    startAtMs,
    lateStart: null,
  };
  const made: Kept = { given, act, items };
  kept.unshift(made);
  return startAtMs === null ? send(made) : act;
}

function countsOf(items: readonly BulkItem[]): Record<BulkItemState, number> {
  const of = (state: BulkItemState) => items.filter((item) => item.state === state).length;
  return {
    waiting: of('waiting'),
    sending: of('sending'),
    done: of('done'),
    failed: of('failed'),
    changed: of('changed'),
    unknown: of('unknown'),
    left: of('left'),
  };
}

function send(one: Kept): BulkAct {
  const { operation, body, ids } = one.given.request;
  one.items = one.items.map((item) => {
    if (item.state === 'done') return item;
    if (scenario.act === 'changed' && item.position === 0)
      return { ...item, state: 'changed', error: CHANGED };
    try {
      resources.act({ operation, path: { [ids.name]: item.id }, body });
      return { ...item, state: 'done', error: null };
    } catch (thrown) {
      const error = thrown as WireError;
      return { ...item, state: error.details.outcome === 'unknown' ? 'unknown' : 'failed', error };
    }
  });
  one.act = {
    ...one.act,
    state: 'done',
    startAtMs: null,
    counts: countsOf(one.items),
    requestsLeft: 0,
    endedAtMs: NOW,
  };
  return one.act;
}

function find(bulkId: string): Kept {
  const found = kept.find(({ act }) => act.bulkId === bulkId);
  if (found === undefined) throw new Error(`No change ${bulkId}.`);
  return found;
}

export function control(bulkId: string, action: JobAction, startAtMs: number | null): BulkAct {
  const one = find(bulkId);
  if (action === 'start' || action === 'resume' || action === 'retry') return send(one);
  if (action === 'schedule') one.act = { ...one.act, state: 'scheduled', startAtMs };
  else if (action === 'pause') one.act = { ...one.act, state: 'paused', reason: 'Paused.' };
  else {
    one.items = one.items.map((item) => (item.state === 'waiting' ? { ...item, state: 'left' } : item));
    const counts = countsOf(one.items);
    one.act = { ...one.act, state: 'stopped', startAtMs: null, counts, endedAtMs: NOW };
  }
  return one.act;
}

export function listItems(
  bulkId: string,
  { states, offset, limit }: PartQuery<'bulk'>,
): { parts: BulkItem[]; total: number } {
  if (scenario.hasLostRecords === true) throw FAILED;
  const items = find(bulkId).items.filter(({ state }) => states === null || states.includes(state));
  return { parts: items.slice(offset, offset + limit), total: items.length };
}

export function forget(bulkId: string): void {
  kept.splice(kept.indexOf(find(bulkId)), 1);
}
