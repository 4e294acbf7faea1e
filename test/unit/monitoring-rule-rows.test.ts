/** Rows of the list of alert rules: the sparkline, the value beside its limit, and their requests. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasFired } from '../../electron/shared/alert-record.ts';
import { readRule } from '../../electron/shared/alert-rule.ts';
import type { Freshness, ListQuery } from '../../electron/shared/model.ts';
import { followFormats } from '../../renderer/lib/format.ts';
import { type AlertBin, readHistory } from '../../renderer/lib/monitoring/alert-history.ts';
import { dayText, firingDays, firingText, hasFiringDays } from '../../renderer/lib/monitoring/firing-days.ts';
import { countText, ruleStanding, standingText } from '../../renderer/lib/monitoring/rule-standing.ts';
import { sparkOf } from '../../renderer/lib/monitoring/spark.ts';
import { RecordModel } from '../../renderer/state/record-state.svelte.ts';
import { RowValues } from '../../renderer/state/row-values.svelte.ts';
import { RECORD } from '../helpers/alert-rule.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-03-01T00:00Z');

test('points of a line are inside its image, in order; gaps are left out', () => {
  const number = fc.option(fc.double({ noNaN: true, min: -1e9, max: 1e9 }));
  const entry = fc.record({ value: number, warning: number, critical: number });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
      const values = entries.map((each, at) => ({ timeMs: at * 1_000, ...each }));
      const { points, levels } = sparkOf(values, 100, 20);
      expect(points).toHaveLength(values.filter(({ value }) => value !== null).length);
      for (const { x, y } of [...points, ...levels.flatMap((level) => level.points)]) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x).toBeLessThanOrEqual(100);
        expect(y).toBeGreaterThanOrEqual(0);
        expect(y).toBeLessThanOrEqual(20);
      }
      expect(points.map(({ x }) => x)).toEqual(points.map(({ x }) => x).toSorted((a, b) => a - b));
    }),
  );
});

test('a threshold far from the values is not drawn, as it would flatten them', () => {
  const line = (warning: number) =>
    sparkOf(
      [10, 12, 11].map((value, at) => ({ timeMs: at, value, warning, critical: null })),
      100,
      20,
    ).levels.map(({ severity }) => severity);
  expect(line(14)).toEqual(['warning']);
  expect(line(40)).toEqual([]);
});

const bins = (values: readonly (readonly [number | null, string])[]): AlertBin[] =>
  readHistory({
    items: values.map(([value, severity], at) => ({
      time_bucket: START + at * DAY,
      latest_record: { alert_value: value, warning_threshold: 0.2, critical_threshold: 0.25, severity },
    })),
  }).bins;
const rule = readRule(RECORD);
const fired = {
  latest_alert_record_severity: 'WARNING',
  latest_alert_record_value: 0.21,
  latest_threshold: 0.2,
  latest_alert_time_bucket: START,
  alert_record_count: 3,
};

describe('the value beside its limit', () => {
  test('of a rule that fired are those of its last alert, with its number of records and its end', () => {
    const ended = ruleStanding(
      rule,
      fired,
      bins([
        [0.21, 'WARNING'],
        [0.1, 'DEFAULT'],
      ]),
    );
    expect(standingText(ended, rule)).toBe('0.21 above 0.2');
    const large = { ...ended, value: 14_902_071, limit: 14_836_221 };
    expect(standingText(large, rule)).toBe('14.9M above 14.84M');
    expect(standingText({ ...large, limit: 14_901_999 }, rule)).toBe('14,902,071 above 14,901,999');
    expect(standingText(large, rule, true)).toBe('14,902,071 above 14,836,221');
    expect(countText(ended)).toBe('3 records, ended');
    expect(ended.lastMs).toBe(START);
    expect(countText(ruleStanding(rule, fired, bins([[0.21, 'WARNING']])))).toBe('3 records, ongoing');
    expect(countText(ruleStanding(rule, { ...fired, alert_record_count: 1 }, []))).toBe('1 record');
  });

  test('of a quiet rule are its newest value and the limit it would pass first', () => {
    const quiet = ruleStanding(
      rule,
      undefined,
      bins([
        [0.1, 'DEFAULT'],
        [0.15, 'DEFAULT'],
        [null, 'DEFAULT'],
      ]),
    );
    expect(standingText(quiet, rule)).toBe('0.15, limit 0.2');
    expect(countText(quiet)).toBe('');
    expect(quiet.lastMs).toBeNull();
  });

  test('are the limit alone before any value is known', () => {
    expect(standingText(ruleStanding(rule, undefined, []), rule)).toBe('limit 0.2');
    const automatic = { ...rule, warning: null, critical: null };
    expect(standingText(ruleStanding(automatic, undefined, []), automatic)).toBe('');
  });

  test('keep all digits where rounded ones would hide that the limit was passed', () => {
    const close = { ...fired, latest_alert_record_value: 1_234.56, latest_threshold: 1_234.51 };
    expect(standingText(ruleStanding(rule, close, []), rule)).toBe('1,234.56 above 1,234.51');
  });
});

const recordOf = (day: number, hour: number, severity: string) => ({
  ...{ timeMs: START + day * DAY + hour * 3_600_000, severity },
});
const FOUR_DAYS = { startMs: START, endMs: START + 4 * DAY };

test('a day has its most severe record; a day without records is not a quiet one', () => {
  const records = [
    recordOf(0, 3, 'WARNING'),
    recordOf(0, 4, 'CRITICAL'),
    recordOf(0, 5, 'DEFAULT'),
    recordOf(2, 0, 'DEFAULT'),
    recordOf(9, 0, 'CRITICAL'),
  ];
  const days = firingDays(records, FOUR_DAYS, FOUR_DAYS.endMs);
  expect(days.map(({ severity, fired }) => [severity, fired])).toEqual([
    ['critical', 2],
    [null, 0],
    ['normal', 0],
    [null, 0],
  ]);
  expect(firingText(days)).toBe('Fired on 1 of 2 days with records; no records on 2 days');
  expect(firingText(days.slice(1, 2))).toBe('No records in 1 day');
});

test('a record without a severity is not an alert, and its day is counted apart', () => {
  const summary = { latest_alert_record_severity: ' ' };
  expect(hasFired(summary)).toBe(false);
  const days = firingDays(
    [recordOf(0, 0, 'CRITICAL'), recordOf(1, 0, ''), recordOf(2, 0, 'DEFAULT'), recordOf(3, 0, ' ')],
    FOUR_DAYS,
    FOUR_DAYS.endMs,
  );
  expect(firingText(days)).toBe('Fired on 1 of 4 days with records; severity not known on 2 days');
});

test('a day that has not ended is not counted as one without records, and its alert is reported apart', () => {
  const noonMs = START + 3.5 * DAY;
  const quiet = [0, 1, 2].map((day) => recordOf(day, 0, 'DEFAULT'));
  expect(firingText(firingDays(quiet, FOUR_DAYS, noonMs))).toBe('Fired on 0 of 3 days with records');
  const fired = firingDays([...quiet, recordOf(3, 2, 'WARNING')], FOUR_DAYS, noonMs);
  expect(firingText(fired)).toMatch(/^Fired on 0 of 3 days with records; .+ UTC: Warning so far$/);
});

test('days are named in UTC in every zone', () => {
  const usual = { numbers: 'comma', dates: 'day-month', isTwelveHours: false } as const;
  onTestFinished(() => followFormats(() => ({ zone: undefined, ...usual })));
  followFormats(() => ({ zone: 'America/Los_Angeles', ...usual }));
  const days = firingDays([recordOf(1, 0, 'CRITICAL')], FOUR_DAYS, FOUR_DAYS.endMs);
  expect(days.slice(0, 2).map(dayText)).toEqual(['1 Mar 2026 UTC: no records', '2 Mar 2026 UTC: Critical']);
});

test('the days of a rule are shown only if its bins are no longer than a day', () => {
  expect(['Hour', 'Day', 'Week', 'Month', 'Quarter', ''].filter(hasFiringDays)).toEqual(['Hour', 'Day']);
});

interface Call {
  viewId: string;
  query?: ListQuery;
  refresh?: string;
}

describe('the values of rows', () => {
  const range = { startMs: START, endMs: START + 7 * DAY };
  const earlier = { startMs: START - DAY, endMs: START + 6 * DAY };
  const started = (phase: 'loading' | 'idle') => {
    const { client, calls } = recordingClient(phase);
    const histories = new RowValues({
      makeRecord: (id) => new RecordModel({ connectionId: 'one', viewId: `view.${id}`, client }),
      queryOf: (id, { endMs }) => ({
        operation: 'alert-rules.history',
        path: { alert_id: id },
        query: { end: String(endMs) },
      }),
      read: (record) => readHistory(record).bins,
    });
    const released = () =>
      calls.flatMap(({ channel, argument }) => (channel === 'library:release' ? [argument.viewId] : []));
    /** Rule, end of the time range and mode of each read. */
    const reads = () =>
      calls.flatMap(({ channel, argument: { query, refresh } }) =>
        channel === 'library:open-record'
          ? [[query?.path['alert_id'], Number(query?.query['end']), refresh]]
          : [],
      );
    return { histories, calls, released, reads };
  };
  function recordingClient(phase: 'loading' | 'idle') {
    const calls: { channel: string; argument: Call }[] = [];
    const freshness = { refresh: { phase }, newestMs: 5 } as unknown as Freshness;
    const record = {
      items: [{ time_bucket: START, latest_record: { alert_value: 3, severity: 'WARNING' } }],
    };
    const { client } = numberedClient((channel, argument: Call) => {
      calls.push({ channel, argument });
      return { recordKey: 'key', record, parts: null, goneAtMs: null, freshness };
    });
    return { client, calls };
  }

  test('are read once for all cells, and stay while the row is away if their answer came', async () => {
    const { histories, calls, released } = started('idle');
    const leave = histories.show('r', range);
    await expect.poll(() => histories.of('r')?.map(({ value }) => value)).toEqual([3]);
    expect(histories.of('r')).toBe(histories.of('r'));
    expect(histories.readAtMs('r')).toBe(5);
    leave();
    histories.show('r', range);
    expect(calls.filter(({ channel }) => channel === 'library:open-record')).toHaveLength(1);
    expect(released()).toEqual([]);
  });

  test('whose answer has not come are not asked for any more when the row leaves', async () => {
    const { histories, released } = started('loading');
    const leave = histories.show('r', range);
    await expect.poll(() => histories.of('r')?.length).toBe(1);
    leave();
    expect(released()).toEqual(['view.r']);
    expect(histories.of('r')).toBeNull();
  });

  test('are refreshed in the range that their rows want, not in the earlier one that is shown instead', async () => {
    const { histories, reads } = started('idle');
    histories.show('r', range);
    histories.ask('r', earlier);
    await histories.refresh();
    await histories.refresh();
    expect(reads()).toEqual([
      ['r', range.endMs, 'if-stale'],
      ['r', earlier.endMs, 'if-stale'],
      ['r', range.endMs, 'always'],
      ['r', range.endMs, 'always'],
    ]);
  });

  test('of rows that are not shown at a refresh are read again when they are', async () => {
    const { histories, reads } = started('idle');
    const leave = histories.show('away', range);
    histories.show('here', range);
    await expect.poll(() => histories.of('away')?.length).toBe(1);
    leave();
    await histories.refresh();
    expect(reads().slice(2)).toEqual([['here', range.endMs, 'always']]);
    histories.show('away', range)();
    histories.show('away', range);
    expect(reads().slice(3)).toEqual([['away', range.endMs, 'always']]);
  });

  test('beyond the maximum number are dropped if no row shows them, those that were left first before others', async () => {
    const { histories, released } = started('idle');
    const leaves = Array.from({ length: 200 }, (_, at) => histories.show(`r${at}`, range));
    await expect.poll(() => histories.of('r199')?.length).toBe(1);
    for (const at of [7, 3, 5]) leaves[at]?.();
    expect(released()).toEqual([]);
    histories.show('more', range);
    histories.show('r3', range);
    histories.show('most', range);
    expect(released()).toEqual(['view.r7', 'view.r5']);
    histories.show('all are shown', range);
    expect(released()).toHaveLength(2);
  });

  test('are all released with the view', async () => {
    const { histories, released } = started('idle');
    histories.show('r', range);
    histories.show('s', range);
    await expect.poll(() => histories.of('s')?.length).toBe(1);
    histories.release();
    expect(released()).toEqual(['view.r', 'view.s']);
  });
});
