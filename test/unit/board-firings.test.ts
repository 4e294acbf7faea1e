/** Marks for fired alert rules on the time axis of a chart of a board. */
import { expect, test } from 'vitest';
import { severityOf } from '../../electron/shared/alert-record.ts';
import type { AlertBin } from '../../renderer/lib/monitoring/alert-history.ts';
import { daysOf, firingMarkers } from '../../renderer/lib/monitoring/board-firings.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS = { times: [10 * DAY, 11 * DAY, 12 * DAY], binSize: 'Day', zone: 'UTC' };

const bin = (timeMs: number, severity: string): AlertBin => ({
  timeMs,
  rawTime: '',
  value: 1,
  warning: null,
  critical: null,
  severity,
  message: '',
  feature: '',
  count: null,
  record: {},
});

test('hours of a day are one mark with the worst severity, the names of the rules and their numbers', () => {
  const marks = firingMarkers(
    [
      {
        name: 'Traffic drops',
        bins: [bin(10 * DAY + HOUR, 'WARNING'), bin(10 * DAY + 5 * HOUR, 'CRITICAL')],
      },
      { name: 'Values are missing', bins: [bin(10 * DAY, 'WARNING'), bin(12 * DAY + HOUR, 'WARNING')] },
    ],
    DAYS,
  );
  expect(marks.map(({ timeMs, value, severity, text }) => ({ timeMs, value, severity, text }))).toEqual([
    {
      timeMs: 10 * DAY,
      value: null,
      severity: severityOf('CRITICAL'),
      text: 'Traffic drops fired 2 times, Values are missing fired',
    },
    { timeMs: 12 * DAY, value: null, severity: severityOf('WARNING'), text: 'Values are missing fired' },
  ]);
});

test('records without an alert, and those before the first bin, are not marks', () => {
  const bins = [bin(11 * DAY, 'NORMAL'), bin(9 * DAY, 'CRITICAL')];
  expect(firingMarkers([{ name: 'Drift', bins }], DAYS)).toEqual([]);
  expect(
    firingMarkers([{ name: 'Drift', bins: [bin(11 * DAY, 'CRITICAL')] }], { ...DAYS, times: [] }),
  ).toEqual([]);
});

test('alerts after the end of the last bin are not marks, and those of its last hour are', () => {
  const timesOf = (hour: number, bins: Parameters<typeof firingMarkers>[1]) =>
    firingMarkers([{ name: 'Drift', bins: [bin(hour * HOUR, 'CRITICAL')] }], bins).map(
      ({ timeMs }) => timeMs,
    );
  expect([12 * 24 + 23, 13 * 24, 50 * 24].map((hour) => timesOf(hour, DAYS))).toEqual([[12 * DAY], [], []]);
  const unknown = { ...DAYS, binSize: 'a size of later' };
  expect([12 * 24 + 23, 13 * 24].map((hour) => timesOf(hour, unknown))).toEqual([[12 * DAY], []]);
  const one = { ...DAYS, times: [10 * DAY] };
  expect([10 * 24 + 23, 11 * 24].map((hour) => timesOf(hour, one))).toEqual([[10 * DAY], []]);
});

test('the range of a label covers its days and the present one', () => {
  expect(['today', '7d', '30d', 'a label of later'].map(daysOf)).toEqual([1, 8, 31, 366]);
});
