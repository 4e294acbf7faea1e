/** The order of the list of alert rules. */
import { expect, test } from 'vitest';
import { LATEST_VALUES } from '../../renderer/views/monitoring/alert/rule-columns.ts';

const SECOND = Date.parse('2026-03-12T00:00Z') / 1_000;
const summary = (severity: string, time: number) => ({
  latest_alert_record_severity: severity,
  latest_alert_time_bucket: time,
});

test('a critical alert is listed before a later warning, and the later of two alerts first', () => {
  const urgency = (severity: string, time: number) =>
    Number(LATEST_VALUES['latest.severity']?.(summary(severity, time)));
  const ordered = [
    urgency('CRITICAL', SECOND),
    urgency('CRITICAL', SECOND - 86_400),
    urgency('WARNING', SECOND + 86_400),
    urgency('NORMAL', SECOND + 2 * 86_400),
  ];
  expect(ordered.toSorted((one, two) => two - one)).toEqual(ordered);
  expect(new Set(ordered).size).toBe(4);
});
