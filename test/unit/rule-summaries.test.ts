/** Whether the latest alerts of all rules are known, even after a failure. */
import { describe, expect, test, vi } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import type { Freshness } from '../../electron/shared/model.ts';
import { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { RuleSamples } from '../../renderer/state/rule-samples.svelte.ts';
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

describe('after a rule was deleted', () => {
  const QUERY = { operation: 'evaluator-rules.list', path: {}, query: {} } as const;

  /** A list with the rules of the service; `deleteLast` deletes the last one, and the list is read again. */
  function changing(rules: string[]) {
    let newestMs = 5;
    const state = () => ({
      listKey: 'key',
      freshness: {
        ...{ isComplete: true, source: 'stored', refresh: { phase: 'idle' } },
        ...{ storedRows: rules.length, totalRows: rules.length, newestMs },
      },
    });
    const page = () => ({
      rows: rules.map((name, position) => ({
        position,
        record: {
          ...{ id: name, alert_rule_id: name, name, sampling_rate: name === 'last' ? 0.1 : 0.5 },
          application: { id: 'a' },
        },
      })),
      matchingRows: rules.length,
    });
    const { client, emit } = numberedClient((channel) => {
      if (channel === 'library:open-list') return { state: state(), page: page() };
      return channel === 'library:read-rows' ? page() : undefined;
    });
    const list = new ListModel({ connectionId: 'one', viewId: 'view', isOnline: () => false, client });
    const deleteLast = () => {
      rules.pop();
      newestMs += 1;
      emit('library:list-changed', { state: state() });
    };
    return { list, deleteLast };
  }

  test('its latest alert is forgotten', async () => {
    const { list, deleteLast } = changing(['first', 'last']);
    const summaries = new RuleSummaries(list);
    await summaries.open(WEEK);
    await summaries.readAll(true);
    expect(summaries.all).toHaveLength(2);
    deleteLast();
    await vi.waitFor(() => expect(list.count).toBe(1));
    await summaries.readAll(true);
    expect(summaries.all.map(({ name }) => name)).toEqual(['first']);
    expect(summaries.of('last')).toBeUndefined();
  });

  test('its sample is not named any more', async () => {
    const { list, deleteLast } = changing(['first', 'last']);
    const samples = new RuleSamples(list);
    await list.open(QUERY);
    expect([samples.noteOf('a', { rule: 'last' }), samples.noteOf('a', { rule: 'first' })]).toEqual([
      'of a 10 % sample',
      'of a 50 % sample',
    ]);
    deleteLast();
    await vi.waitFor(() => expect(samples.noteOf('a', { rule: 'last' })).toBe(''));
    expect(samples.noteOf('a', { rule: 'first' })).toBe('of a 50 % sample');
  });
});
