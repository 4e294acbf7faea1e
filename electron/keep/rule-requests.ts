/**
 * Determines the lists and records of an alert rule: those that its page requests, some only after others were read.
 * Pure.
 */
import {
  chartedColumns,
  MAX_LINES,
  type RuleParts,
  readRule,
  recordsOfHistory,
  ruleBody,
  ruleColumns,
  thresholdsQuery,
} from '../shared/alert-rule.ts';
import { textOf } from '../shared/json-fields.ts';
import type { KeepPlan } from '../shared/keep-model.ts';
import { ANY_COLUMN, readMetrics } from '../shared/metrics.ts';
import { isoTime } from '../shared/zone-time.ts';
import { asked, type KeepRequest, list, record } from './keep-request.ts';

const WEEK_MS = 7 * 86_400_000;
/** Maximum number of bins in a history whose thresholds are kept, the newest first. Each takes one request. */
const MAX_BINS = 100;
/** Maximum number of columns kept separately for a rule on every column. */
const MAX_CHOICES = 60;

type Range = NonNullable<KeepPlan['range']>;
type Found = Readonly<Record<string, unknown>>;

export function timesOf({ startMs, endMs }: Pick<Range, 'startMs' | 'endMs'>) {
  return { start_time: new Date(startMs).toISOString(), end_time: new Date(endMs).toISOString() };
}

export function requestsOfRule({ id, range, body }: KeepPlan): KeepRequest[] {
  const path = { alert_id: id };
  return [
    list('alert-rules.list'),
    record('alert-rules.get', path, {}, 'rule-model'),
    record('alert-rules.notification', path),
    ...(range === null
      ? []
      : [
          // The list of rules shows which rules fired in the last days.
          list('alert-rules.summary', {}, timesOf({ startMs: range.endMs - WEEK_MS, endMs: range.endMs })),
          ...recordsOf(id, range, ''),
        ]),
    ...(body === null || body === undefined ? [] : [asked('queries.run', body)]),
  ];
}

/** `feature`: name of a column; empty for all columns. */
function recordsOf(id: string, range: Range, feature: string): KeepRequest[] {
  const path = { alert_id: id };
  const query = { ...timesOf(range), ...(feature === '' ? {} : { feature_name: feature }) };
  return [
    // The thresholds of a bin are kept once for all columns, because the records of a column refer to them.
    record('alert-rules.history', path, query, feature === '' ? 'rule-bins' : null),
    list('alert-rules.records', path, query),
  ];
}

/** Requests for the model of a rule, whose columns and metrics determine what the rule's pages show. */
export function modelOfRule(found: Found, plan: KeepPlan): KeepRequest[] {
  const rule = readRule(found);
  const { modelId, features } = rule;
  if (modelId === '') return [];
  const path = { model_id: modelId };
  const isAny = features.includes(ANY_COLUMN);
  return [
    record('models.get', path),
    // The metrics tell the columns of a rule on every column.
    record('models.metrics', path, {}, isAny && plan.range !== null ? 'rule-values' : null),
    ...(isAny ? [] : valuesOfRule(rule, plan, null)),
  ];
}

/**
 * Requests for the values that the rule judges, and for its records for each column. `metrics`: the service's answer.
 */
export function valuesOfRule(rule: RuleParts, { id, range }: KeepPlan, metrics: Found | null): KeepRequest[] {
  if (range === null) return [];
  const metric = readMetrics(metrics).find((each) => each.id === rule.metricId);
  const { start_time: start, end_time: end } = timesOf(range);
  const values = (columns: readonly string[]) => {
    const body = ruleBody(rule, columns, { start, end });
    return body === null ? [] : [asked('queries.run', body)];
  };
  const all = chartedColumns(rule, metric, '');
  const isNameless = rule.features.includes(ANY_COLUMN) && all.length === 0;
  const choices = ruleColumns(rule, metric).slice(0, MAX_CHOICES);
  return [
    ...(isNameless || all.length > MAX_LINES ? [] : values(all)),
    ...(choices.length < 2
      ? []
      : choices.flatMap((name) => [
          ...recordsOf(id, range, name),
          ...values(chartedColumns(rule, metric, name)),
        ])),
  ];
}

/** The thresholds of the newest bins of a history. */
export function binsOfRule(history: Found, alertId: string): KeepRequest[] {
  return recordsOfHistory(history)
    .flatMap((found) => (found === null || found.time === undefined || found.time === null ? [] : [found]))
    .toSorted((a, b) => timeOf(b.time) - timeOf(a.time))
    .slice(0, MAX_BINS)
    .map(({ record: latest, time }) => {
      const query = thresholdsQuery(alertId, String(time), textOf(latest, 'feature_name'));
      return { query, form: 'record', leadsTo: null };
    });
}

/** A time for ordering only: a number in any unit, or ISO text. */
function timeOf(time: unknown): number {
  const number = Number(time);
  return Number.isNaN(number) ? (isoTime(String(time)) ?? 0) : number;
}
