/** The texts and the available actions of a bulk change in every state. */
import { describe, expect, test } from 'vitest';
import type { BulkAct, BulkState } from '../../electron/shared/bulk-contract.ts';
import { bulkAsJob } from '../../electron/shared/job-kinds/bulk.ts';
import { bulkNote, bulkText, failureText, goingText } from '../../renderer/lib/bulk-words.ts';
import { controlsOf } from '../../renderer/lib/job-controls.ts';

const NOW = Date.UTC(2026, 4, 1, 12);
const words = {
  title: 'Delete 5 baselines',
  noun: 'baseline',
  nouns: 'baselines',
  going: 'Deleting',
  done: 'deleted',
};

function act(
  state: BulkState,
  counts: Partial<BulkAct['counts']> = {},
  rest: Partial<BulkAct> = {},
): BulkAct {
  return {
    bulkId: 'b',
    connectionId: 'c',
    operation: 'baselines.delete',
    words,
    state,
    reason: '',
    error: null,
    counts: { waiting: 0, sending: 0, done: 0, failed: 0, changed: 0, unknown: 0, left: 0, ...counts },
    total: 5,
    requestsLeft: 0,
    readsIfPlannedBy: null,
    etaMs: null,
    createdAtMs: NOW,
    endedAtMs: null,
    startAtMs: null,
    lateStart: null,
    ...rest,
  };
}

test.each<[string, BulkAct]>([
  ['Deleting baselines: 2 of 5', act('running', { waiting: 2, sending: 1, done: 2 }, { etaMs: 900 })],
  ['Deleting baselines: 1 of 5 · 2 min left', act('running', { done: 1, waiting: 4 }, { etaMs: 120_000 })],
  ['Deleting baselines waiting at 1 of 5', act('waiting', { done: 1, waiting: 4 })],
  ['Deleting baselines paused at 0 of 5', act('paused', { waiting: 5 })],
  ['5 baselines deleted', act('done', { done: 5 })],
  [
    '1 baseline deleted · 2 not deleted · 2 not started',
    act('stopped', { done: 1, failed: 1, unknown: 1, left: 2 }),
  ],
  ['4 baselines deleted · 1 left as others changed it', act('done', { done: 4, changed: 1 })],
  [
    '2 baselines deleted · 1 not deleted · 2 left as others changed them',
    act('done', { done: 2, failed: 1, changed: 2 }),
  ],
])('%s', (text, given) => {
  expect(bulkText(given, NOW)).toBe(text);
});

test('a planned change shows its start', () => {
  const planned = act('scheduled', { waiting: 5 }, { startAtMs: NOW + 3_600_000 });
  expect(bulkText(planned, NOW)).toMatch(/^Delete 5 baselines starts at .+, in 1 h$/);
  expect(bulkText(planned, NOW, true)).toMatch(/^It starts at .+, in 1 h$/);
});

describe('actions available on a change', () => {
  const controls = (given: BulkAct) => controlsOf(bulkAsJob(given)).map(({ action }) => action);
  test.each<[BulkAct, string[]]>([
    [act('scheduled', { waiting: 5 }), ['start', 'schedule', 'unschedule']],
    [act('running', { waiting: 5 }), ['pause', 'cancel']],
    [act('waiting', { waiting: 5 }), ['pause', 'cancel']],
    [act('paused', { waiting: 5 }), ['resume', 'schedule', 'cancel']],
    [act('done', { done: 5 }), ['forget']],
    [act('done', { done: 4, unknown: 1 }), ['retry', 'forget']],
    [act('stopped', { done: 1, left: 4 }), ['retry', 'forget']],
  ])('in %#', (given, actions) => {
    expect(controls(given)).toEqual(actions);
  });
});

test('shows why it is suspended; shows a late start too while it continues', () => {
  expect(bulkNote(act('paused', {}, { reason: 'The token is not accepted.' }), NOW)).toBe(
    'The token is not accepted.',
  );
  const lateStart = { plannedAtMs: NOW - 7_200_000, startedAtMs: NOW };
  expect(bulkNote(act('running', {}, { lateStart }), NOW)).toMatch(/^Planned for /);
  expect(bulkNote(act('done', { done: 5 }, { lateStart }), NOW)).toBeNull();
});

test('shows a failure with the message of the service if there is one', () => {
  const error = {
    code: 'CONFLICT' as const,
    title: 'Already exists or changed',
    message: 'DELETE … was answered with status 409.',
    retry: 'never' as const,
    details: { issues: [{ reason: 'Conflict', message: 'A rule uses it.' }] },
  };
  expect(failureText('failed', error)).toBe('A rule uses it.');
  expect(failureText('unknown', null)).toBe('No answer came: the change may or may not have been made.');
});

test('the status bar counts running changes', () => {
  expect(goingText([act('done', { done: 5 }), act('scheduled')])).toBeNull();
  expect(goingText([act('running', { done: 2, waiting: 3 })])).toBe('deleting 2 of 5');
  expect(goingText([act('running'), act('waiting')])).toBe('2 changes');
});
