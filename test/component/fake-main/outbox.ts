/** Changes in the outbox, one in each state. New changes are added, and sent immediately if requested. */
import type { InvokeResults } from '../../../electron/shared/contract.ts';
import type { JobPlan, PartDecision } from '../../../electron/shared/job-contract.ts';
import type { JobAction } from '../../../electron/shared/job-kinds/job-kind.ts';
import type { JsonObject } from '../../../electron/shared/json-body.ts';
import type { OutboxEntry, OutboxRequest } from '../../../electron/shared/outbox-model.ts';
import { CONNECTION_ID, NOW, scenario } from './scenario.ts';

const RULE: JsonObject = {
  id: 'rule-1',
  name: 'Drift of age',
  priority: 'MEDIUM',
  warning_threshold: 0.1,
  critical_threshold: 0.2,
};
const update = (body: JsonObject): OutboxRequest => ({
  operation: 'alert-rules.update',
  path: { alert_id: 'rule-1' },
  query: {},
  body,
});

function entryOf(
  given: Partial<OutboxEntry> & Pick<OutboxEntry, 'entryId' | 'title' | 'request'>,
): OutboxEntry {
  return {
    connectionId: CONNECTION_ID,
    change: 'update',
    line: 'PATCH /v3/alert-rules/rule-1',
    state: 'ready',
    reason: '',
    error: null,
    question: null,
    base: null,
    theirs: null,
    sentAtMs: null,
    needs: [],
    result: null,
    startAtMs: null,
    lateStart: null,
    createdAtMs: NOW - 3_600_000,
    endedAtMs: null,
    ...given,
  };
}

const project = (name: string): OutboxRequest => ({
  operation: 'projects.create',
  path: {},
  query: {},
  body: { name },
});

const FULL: OutboxEntry[] = [
  entryOf({
    entryId: 'outbox-5',
    title: 'Create a project: Spring campaign',
    change: 'create',
    line: 'POST /v3/projects',
    request: project('Spring campaign'),
    state: 'failed',
    reason: 'The name may hold letters and digits only.',
    error: {
      code: 'UNPROCESSABLE',
      title: 'Could not be processed',
      message: 'The name may hold letters and digits only.',
      retry: 'never',
      details: { status: 422 },
    },
  }),
  entryOf({
    entryId: 'outbox-4',
    title: 'Create an application: Refund assistant',
    change: 'create',
    line: 'POST /v3/applications',
    request: { ...project('Refund assistant'), operation: 'applications.create' },
    needs: [{ entryId: 'outbox-5', title: 'Create a project: Spring campaign', state: 'failed' }],
  }),
  entryOf({
    entryId: 'outbox-3',
    title: 'Change an alert rule: Drift of age',
    request: update({ critical_threshold: 0.3, name: 'Drift of age, EU' }),
    state: 'needs-decision',
    question: 'changed',
    reason: 'The record has changed at the service since this change was made.',
    base: RULE,
    theirs: {
      ...{ ...RULE, critical_threshold: 0.25, priority: 'HIGH' },
      ...{ updated_at: '2026-11-18T08:02:00Z', updated_by: { id: 'u7', full_name: 'Ada Kern' } },
    },
  }),
  entryOf({
    entryId: 'outbox-2',
    title: 'Delete a dataset: Refund questions',
    change: 'delete',
    line: 'DELETE /v3/evals/datasets/d1',
    request: { operation: 'datasets.delete', path: { dataset_id: 'd1' }, query: {}, body: null },
    state: 'running',
    base: { id: 'd1', name: 'Refund questions', active: true },
  }),
  entryOf({
    entryId: 'outbox-1',
    title: 'Change an alert rule: Missing values',
    request: update({ priority: 'LOW' }),
    state: 'done',
    base: RULE,
    result: {
      how: 'sent',
      atMs: NOW - 60_000,
      status: 200,
      requestId: 'r1',
      record: { ...RULE, priority: 'LOW' },
    },
    endedAtMs: NOW - 60_000,
  }),
];

let entries: OutboxEntry[] = scenario.outbox === 'full' ? [...FULL] : [];

export const list = (): readonly OutboxEntry[] => entries;

function change(entryId: string, to: Partial<OutboxEntry>): OutboxEntry {
  entries = entries.map((entry) => (entry.entryId === entryId ? { ...entry, ...to } : entry));
  const found = entries.find((entry) => entry.entryId === entryId);
  if (found === undefined) throw new Error(`No change ${entryId} in the outbox.`);
  return found;
}

const sent = (entryId: string): OutboxEntry =>
  change(entryId, {
    state: 'done',
    question: null,
    endedAtMs: NOW,
    result: { how: 'sent', atMs: NOW, status: 200, requestId: 'r2', record: null },
  });

export function put({ request, base }: JobPlan<'outbox'>): OutboxEntry {
  const entryId = `outbox-${entries.length + 1}`;
  const title = `${request.operation}: ${String(base?.['name'] ?? request.body?.['name'] ?? '')}`;
  const verb = request.operation.split('.').at(-1);
  const change = verb === 'create' || verb === 'delete' ? verb : 'update';
  const entry = entryOf({ entryId, title, change, request, base, line: request.operation, createdAtMs: NOW });
  entries = [entry, ...entries];
  return entry;
}

export function control(entryId: string, action: JobAction, startAtMs: number | null = null): OutboxEntry {
  if (action === 'restore') return change(entryId, { state: 'ready', endedAtMs: null });
  if (action === 'schedule') return change(entryId, { startAtMs });
  if (action === 'cancel') return change(entryId, { state: 'cancelled', question: null, endedAtMs: NOW });
  return sent(entryId);
}

export function decide(entryId: string, decision: PartDecision): OutboxEntry {
  return decision === 'give-up' ? control(entryId, 'cancel') : sent(entryId);
}

export function edit(entryId: string, body: JsonObject | null): OutboxEntry {
  const { request } = change(entryId, {});
  return change(entryId, {
    request: { ...request, body },
    state: 'ready',
    question: null,
    error: null,
    reason: '',
  });
}

export function sendAll(): InvokeResults['outbox:send-all'] {
  const waiting = entries.filter(({ state }) => state === 'ready' || state === 'paused');
  for (const { entryId } of waiting) sent(entryId);
  return { count: waiting.length };
}
