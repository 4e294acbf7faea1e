/** Finds the alerts in the summaries of the rules that are new since the last check. */
import { expect, test } from 'vitest';
import { newAlerts } from '../../electron/core/new-alerts.ts';

const HOUR_MS = 3_600_000;
const summary = (id: string, hour: number, severity: string) => ({
  alert_rule_id: id,
  name: `Rule ${id}`,
  model: { name: 'Churn' },
  latest_alert_time_bucket: 1_700_000_000_000 + hour * HOUR_MS,
  latest_alert_record_severity: severity,
  alert_record_count: 1,
});
const firedIds = (found: ReturnType<typeof newAlerts>) => found.fired.map(({ ruleId }) => ruleId);

test('at the first check all alerts become known, and none is new', () => {
  const first = newAlerts([summary('a', 1, 'CRITICAL')], null);
  expect(first.fired).toEqual([]);
  expect(firedIds(newAlerts([summary('a', 1, 'CRITICAL')], first.known))).toEqual([]);
});

test('a later bin, a more severe alert of the same bin and an unknown rule are new, the most severe first', () => {
  const { known } = newAlerts(
    [summary('a', 1, 'WARNING'), summary('b', 1, 'WARNING'), summary('c', 2, 'CRITICAL')],
    null,
  );
  const now = [
    summary('a', 2, 'WARNING'),
    summary('b', 1, 'CRITICAL'),
    // An alert in an earlier bin, and a less severe alert in the same bin, are not new.
    summary('c', 2, 'WARNING'),
    summary('d', 3, 'WARNING'),
  ];
  const found = newAlerts(now, known);
  expect(firedIds(found)).toEqual(['b', 'd', 'a']);
  expect(found.fired[0]).toMatchObject({ name: 'Rule b', modelName: 'Churn', severity: 'critical' });
  expect(Object.keys(found.known)).toEqual(['a', 'b', 'c', 'd']);
});

test('a summary without a rule or without a time is skipped', () => {
  const odd = [
    { ...summary('', 1, 'CRITICAL') },
    { ...summary('a', 1, 'CRITICAL'), latest_alert_time_bucket: 'soon' },
  ];
  expect(newAlerts(odd, {})).toEqual({ fired: [], known: {} });
});
