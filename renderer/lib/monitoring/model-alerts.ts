/** The rules of each model that fired, the most severe and then the latest first. Pure. */
import { hasFired, latestSeverity, recordTime, severityOf } from '../../../electron/shared/alert-record.ts';
import { isObject, textField } from '../records.ts';

type Row = Record<string, unknown>;

export interface ModelAlerts {
  /** Number of its rules. */
  rules: number;
  /** Summaries of those that fired. */
  fired: Row[];
}

const ORDER = ['critical', 'warning', 'other', 'normal'] as const;
const rank = (summary: Row) => ORDER.indexOf(severityOf(latestSeverity(summary)));
const timeOf = (summary: Row) => recordTime(summary['latest_alert_time_bucket']) ?? 0;

/** By model id. `summaries`: the latest record of each rule in a range. */
export function alertsByModel(summaries: readonly Row[]): Map<string, ModelAlerts> {
  const byModel = Map.groupBy(summaries, ({ model }) => (isObject(model) ? textField(model, 'id') : ''));
  byModel.delete('');
  const found = [...byModel].map(([id, rows]) => {
    const fired = rows.filter(hasFired).toSorted((a, b) => rank(a) - rank(b) || timeOf(b) - timeOf(a));
    return [id, { rules: rows.length, fired }] as const;
  });
  return new Map(found);
}
