/** Finds alerts in the summaries of rules that a person was not notified of yet. Pure. */
import {
  type FiredAlert,
  hasFired,
  latestSeverity,
  recordTime,
  type Severity,
  severityOf,
  summaryName,
} from '../shared/alert-record.ts';
import { objectOf, textOf } from '../shared/json-fields.ts';
import * as z from '../shared/zod.ts';

/** The newest known alert by rule id. */
export const knownAlerts = z.record(
  z.string(),
  z.object({ timeMs: z.number(), severity: z.enum(['critical', 'warning', 'normal', 'other']) }),
);
type KnownAlerts = z.infer<typeof knownAlerts>;

const RANK: Readonly<Record<Severity, number>> = { normal: 0, other: 1, warning: 2, critical: 3 };

function alertOf(summary: Readonly<Record<string, unknown>>): FiredAlert | null {
  const ruleId = textOf(summary, 'alert_rule_id');
  const timeMs = recordTime(summary['latest_alert_time_bucket']);
  if (ruleId === '' || timeMs === null || !hasFired(summary)) return null;
  return {
    ruleId,
    name: summaryName(summary),
    modelName: textOf(objectOf(summary, 'model'), 'name'),
    severity: severityOf(latestSeverity(summary)),
    timeMs,
  };
}

/**
 * New alerts, the most severe first. `known`: the result of the last check; null before the first one, when all alerts
 * become known and none is new. An alert of the same bin is new if it is more severe than before.
 */
export function newAlerts(
  summaries: readonly Readonly<Record<string, unknown>>[],
  known: KnownAlerts | null,
): { fired: FiredAlert[]; known: KnownAlerts } {
  const now = summaries.flatMap((summary) => alertOf(summary) ?? []);
  const isNew = ({ ruleId, timeMs, severity }: FiredAlert): boolean => {
    const before = known?.[ruleId];
    if (before === undefined || timeMs > before.timeMs) return true;
    return timeMs === before.timeMs && RANK[severity] > RANK[before.severity];
  };
  return {
    fired:
      known === null
        ? []
        : now.filter(isNew).sort((a, b) => RANK[b.severity] - RANK[a.severity] || b.timeMs - a.timeMs),
    known: Object.fromEntries(now.map(({ ruleId, timeMs, severity }) => [ruleId, { timeMs, severity }])),
  };
}
