/** The start page: order and texts of waiting work, recently ended work, and sparklines. */
import { describe, expect, test } from 'vitest';
import type { Job } from '../../electron/shared/job-contract.ts';
import type { Freshness } from '../../electron/shared/model.ts';
import { kindWordsOf } from '../../renderer/lib/job-labels.ts';
import {
  changedSince,
  endedSince,
  firedSince,
  unreadLists,
  type Wait,
  waitCount,
  waitingNote,
  waitingSum,
  waitingTitle,
  waitsOf,
} from '../../renderer/lib/start-page.ts';

const job = (parts: Partial<Job>): Job =>
  ({
    ...{ kind: 'deletion', id: 'x', title: '3 events', state: 'running', reason: '', error: null, of: null },
    ...{ progress: { done: 0, total: null }, unknown: 0, requests: [], startAtMs: null, lateStart: null },
    ...{ createdAtMs: 0, endedAtMs: null, own: { progress: null } },
    ...parts,
  }) as Job;

const waits = (jobs: readonly Job[]): Wait[] => waitsOf({ jobs, files: [], forms: [], asksForToken: false });
const wait = (parts: Partial<Job>): Wait => ({ kind: 'job', job: job(parts) });

describe('waiting work', () => {
  const jobs = [
    job({ id: 'old', createdAtMs: 1 }),
    job({ id: 'over', state: 'done', endedAtMs: 5 }),
    job({ id: 'later', state: 'ready', startAtMs: 200 }),
    job({ id: 'rests', state: 'paused' }),
    job({ id: 'sooner', state: 'ready', startAtMs: 100 }),
    job({ id: 'decide', state: 'needs-decision' }),
    job({ id: 'new', createdAtMs: 2 }),
  ];
  test('decisions first, then running jobs, the next starts, suspended jobs; no finished ones', () => {
    expect(waits(jobs).map((each) => each.kind === 'job' && each.job.id)).toEqual([
      'decide',
      'new',
      'old',
      'sooner',
      'later',
      'rests',
    ]);
    expect(waitingSum(waits(jobs))).toBe('1 decision, 2 running, 2 planned, 1 paused or in preparation');
    expect(waitingSum([])).toBe('');
  });

  test('each shows its kind and why it waits', () => {
    expect(waitingTitle(wait({ state: 'needs-decision' }))).toBe('Decide: Deletion: 3 events');
    expect(waitingNote(wait({ state: 'waiting', reason: 'The service is not reached.' }), 0)).toBe(
      'The service is not reached.',
    );
    expect(waitingNote(wait({}), 0)).toBe('Deletion of events');
    expect(waitingNote(wait({ startAtMs: 3_600_000 }), 0)).toContain('in 1 h');
  });

  test('a job that copies a dataset is not said to read a file', () => {
    const own = (copyOf?: object) => ({ plan: { copyOf }, counts: { rows: null, badRows: 0, added: 0 } });
    const copying = { kind: 'items', title: 'Edited copy of Claims', own: own({ name: 'Claims' }) } as never;
    expect(waitingTitle(wait(copying))).toBe('New dataset: Edited copy of Claims');
    expect(waitingNote(wait(copying), 0)).toBe('Copy of a dataset');
    expect(kindWordsOf(job(copying)).name).toBe('Copy of a dataset');
    const reading = { kind: 'items', title: 'claims.csv', own: own() } as never;
    expect(waitingTitle(wait(reading))).toBe('Items from claims.csv');
  });

  test('files in preparation, form drafts and a rejected token are listed with jobs, and counted', () => {
    const all = waitsOf({
      jobs: [job({ id: 'runs' }), job({ id: 'rests', state: 'paused' })],
      files: [{ kind: 'file', id: 'f', name: 'churn.csv' }],
      forms: [
        { kind: 'form', id: 'old', title: 'New dataset', atMs: 0 },
        { kind: 'form', id: 'new', title: 'New rule', atMs: 60_000 },
      ],
      asksForToken: true,
    });
    expect(all.map(waitingTitle)).toEqual([
      'Decide: Enter a new token',
      'Deletion: 3 events',
      'Deletion: 3 events',
      'Upload of churn.csv',
      'New rule',
      'New dataset',
    ]);
    expect(waitingSum(all)).toBe('1 decision, 1 running, 4 paused or in preparation');
    expect(waitCount(all)).toBe(5);
  });

  test('recently ended work is listed with its failures', () => {
    const ended = [
      job({ state: 'done', endedAtMs: 10 }),
      job({ state: 'failed', endedAtMs: 20 }),
      job({ endedAtMs: 4 }),
    ];
    expect(endedSince(ended, 5)).toEqual({ ended: 2, failed: 1 });
  });
});

test('lists without an answer of the service are named as not read, unless they are being read', () => {
  const list = (source: 'none' | 'stored', refresh: 'idle' | 'loading' = 'idle') => ({
    phase: 'ready' as const,
    freshness: { source, refresh: { phase: refresh } } as Freshness,
  });
  const failed = { phase: 'failed', freshness: null } as const;
  const opening = { phase: 'opening', freshness: null } as const;
  expect(unreadLists({ alerts: list('stored'), datasets: list('none') })).toBe('datasets');
  expect(unreadLists({ alerts: failed, datasets: list('none') })).toBe('alerts and datasets');
  expect(unreadLists({ alerts: opening, datasets: list('none', 'loading') })).toBe('');
});

describe('what happened since the connection was left', () => {
  const left = Date.parse('2026-03-12T09:00:00Z');
  const fired = (bin_size: string, latest_alert_time_bucket: string) => ({
    ...{
      bin_size,
      latest_alert_time_bucket,
      latest_alert_record_severity: 'CRITICAL',
      alert_record_count: 1,
    },
  });

  test.each([
    ['Hour', '2026-03-12T08:00:00Z', 0],
    ['Hour', '2026-03-12T08:30:00Z', 1],
    ['Day', '2026-03-11T00:00:00Z', 0],
    ['Day', '2026-03-12T00:00:00Z', 1],
    ['Week', '2026-03-09T00:00:00Z', 1],
    ['Week', '2026-03-02T00:00:00Z', 0],
    ['Month', '2026-03-01T00:00:00Z', 1],
    ['Quarter', '2026-01-01T00:00:00Z', 1],
    ['Month', '2026-02-01T00:00:00Z', 0],
  ])('an alert counts if its bin (%s from %s) ended later', (bin, start, count) => {
    expect(firedSince([fired(bin, start)], left)).toBe(count);
  });

  test('a new dataset does not hide a changed one', () => {
    const [before, after] = ['2026-03-01T00:00:00Z', '2026-03-12T10:00:00Z'];
    const rows = [
      { created_at: after },
      { created_at: after, updated_at: after },
      { created_at: before, updated_at: after },
      { created_at: before, updated_at: before },
      { created_at: before },
    ];
    expect(changedSince(rows, left)).toEqual({ created: 2, changed: 1 });
  });
});
