/** The rules that fired: of each model, the most severe first; of all, the latest first. Pure. */
import { hasFired, latestSeverity, recordTime, severityOf } from '../../../electron/shared/alert-record.ts';
import { readRule } from '../../../electron/shared/alert-rule.ts';
import { textField } from '../records.ts';

type Row = Record<string, unknown>;

export interface ModelAlerts {
  /** Number of its rules; null if some could not be read. */
  rules: number | null;
  /** Summaries of those that fired. */
  fired: Row[];
}

const ORDER = ['critical', 'warning', 'other', 'normal'] as const;
const rank = (summary: Row) => ORDER.indexOf(severityOf(latestSeverity(summary)));
const timeOf = (summary: Row) => recordTime(summary['latest_alert_time_bucket']) ?? 0;

/** The rules that fired, the latest first; of the same time, the most severe first. */
export const newestAlerts = (summaries: readonly Row[]): Row[] =>
  summaries.filter(hasFired).toSorted((a, b) => timeOf(b) - timeOf(a) || rank(a) - rank(b));

/**
 * Finds the rules of a model in `summaries`, the latest record of each rule in a range. A record without the id of a
 * model belongs to the models with its name.
 */
export function modelAlerts(summaries: readonly Row[]): (model: Row) => ModelAlerts {
  const byId = new Map<string, Row[]>();
  const byName = new Map<string, Row[]>();
  for (const summary of summaries) {
    const { modelId, modelName } = readRule(summary);
    const [map, key] = modelId === '' ? [byName, modelName] : [byId, modelId];
    const rows = map.get(key);
    if (rows === undefined) map.set(key, [summary]);
    else rows.push(summary);
  }
  byName.delete('');
  return (model) => {
    const rows = [
      ...(byId.get(textField(model, 'id')) ?? []),
      ...(byName.get(textField(model, 'name')) ?? []),
    ];
    const fired = rows.filter(hasFired).toSorted((a, b) => rank(a) - rank(b) || timeOf(b) - timeOf(a));
    return { rules: rows.length, fired };
  };
}
