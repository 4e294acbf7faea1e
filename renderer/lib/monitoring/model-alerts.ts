/** The rules that fired. Those of one model are ordered by severity, the list of all by time. Pure. */
import { hasFired, latestSeverity, recordTime, severityOf } from '../../../electron/shared/alert-record.ts';
import { readRule } from '../../../electron/shared/alert-rule.ts';
import { textField } from '../records.ts';

type Row = Record<string, unknown>;

export interface ModelAlerts {
  /** Number of rules of the model; null if some could not be read. */
  rules: number | null;
  /** Summaries of the rules that fired. */
  fired: Row[];
}

const ORDER = ['critical', 'warning', 'other', 'normal'] as const;
const rank = (summary: Row) => ORDER.indexOf(severityOf(latestSeverity(summary)));
const timeOf = (summary: Row) => recordTime(summary['latest_alert_time_bucket']) ?? 0;

/** The rules that fired, latest first; if the times are equal, most severe first. */
export const newestAlerts = (summaries: readonly Row[]): Row[] =>
  summaries.filter(hasFired).toSorted((a, b) => timeOf(b) - timeOf(a) || rank(a) - rank(b));

/**
 * Finds the rules of a model in `summaries`, which have the latest record of each rule in a range. A record without a
 * model id is assigned to the models with its model name.
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
