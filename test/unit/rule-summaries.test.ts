/** Whether the latest alerts of all rules are known, even after a failure. */
import { describe, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import type { Freshness } from '../../electron/shared/model.ts';
import { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { RuleSummaries } from '../../renderer/state/rule-summaries.svelte.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

const DAY = 86_400_000;
const WEEK = { startMs: 0, endMs: 7 * DAY };
const FAILED = {
  phase: 'failed',
  error: {
    code: 'CONNECTION_LOST',
    title: 'Failed',
    message: 'The service failed.',
    retry: 'later',
    details: {},
  },
  atMs: 1,
};

interface Answer {
  rows: number;
  total: number;
  isComplete: boolean;
  source: Freshness['source'];
  refresh: unknown;
}

/** `answers` are the lists of the ranges in turn. An error means that the list cannot be opened. */
function opened(...answers: (Answer | AppError)[]) {
  const { client } = numberedClient((channel) => {
    if (channel !== 'library:open-list') return undefined;
    const answer = answers.shift();
    if (answer === undefined || answer instanceof AppError) throw answer ?? new Error('one range more');
    const { rows, total, ...rest } = answer;
    const freshness = { ...rest, storedRows: rows, totalRows: total, newestMs: rows === 0 ? null : 5 };
    const records = Array.from({ length: rows }, (_, at) => ({
      position: at,
      record: { alert_rule_id: `rule ${at}`, latest_alert_record_severity: 'WARNING' },
    }));
    return {
      state: { listKey: `key ${answers.length}`, freshness },
      page: { rows: records, matchingRows: rows },
    };
  });
  const list = new ListModel({ connectionId: 'one', viewId: 'view', isOnline: () => false, client });
  return new RuleSummaries(list);
}
const whole: Answer = { rows: 2, total: 2, isComplete: true, source: 'stored', refresh: { phase: 'idle' } };
const nothing: Answer = { rows: 0, total: 0, isComplete: false, source: 'none', refresh: FAILED };

describe('the latest alerts', () => {
  test('are known if all are stored, and after a failed refresh with its failure', async () => {
    const stored = opened({ ...whole, refresh: FAILED });
    expect(stored.isKnown).toBe(false);
    expect(stored.isOver).toBe(false);
    await stored.open(WEEK);
    expect([stored.isKnown, stored.isOver, stored.all.length]).toEqual([true, true, 2]);
    expect(stored.failure?.message).toBe('The service failed.');
    const none = opened({ ...whole, rows: 0, total: 0 });
    await none.open(WEEK);
    expect([none.isKnown, none.failure]).toEqual([true, null]);
  });

  test('are not known after a failure without a stored answer, although reading has ended', async () => {
    const unread = opened(nothing);
    await unread.open(WEEK);
    expect([unread.isKnown, unread.isOver]).toEqual([false, true]);
    expect(unread.failure?.message).toBe('The service failed.');
    const closed = opened(new AppError('OFFLINE', 'Spandeck is offline.'));
    await closed.open(WEEK);
    expect([closed.isKnown, closed.isOver, closed.failure?.code]).toEqual([false, true, 'OFFLINE']);
  });

  test('are not known while only some of them are stored', async () => {
    const some = opened({ ...whole, total: 5, isComplete: false, refresh: FAILED });
    await some.open(WEEK);
    expect(some.all).toHaveLength(2);
    expect(some.isKnown).toBe(false);
  });

  test('are not those of an earlier range if the wanted one fails', async () => {
    const moved = opened(whole, new AppError('OFFLINE', 'Spandeck is offline.'));
    await moved.open(WEEK);
    expect(moved.isKnown).toBe(true);
    await moved.open({ startMs: DAY, endMs: 8 * DAY });
    expect([moved.isKnown, moved.isOver]).toEqual([false, true]);
  });
});
