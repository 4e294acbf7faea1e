/** Records, history, summary and thresholds of alert rules (SERVICE.md S4.1, F6.5). */
import { listAnswer } from '../lists.ts';
import { thresholdsIn, type WatchedRule, watchedRule } from '../monitoring/alert-evaluation.ts';
import { alertHistory, alertRecords, alertSummary, type RecordRange } from '../monitoring/alert-records.ts';
import { binOf } from '../monitoring/bins.ts';
import type { Service } from '../service.ts';
import { malformed, ServiceError } from '../service-error.ts';
import { parseTime } from '../timestamps.ts';
import { requireRule } from './alert-rules.ts';
import type { HandlerRequest, Handlers } from './handler.ts';

/** A time in the query: ISO text or a number of seconds or milliseconds. */
function queryTime(request: HandlerRequest, name: string): number {
  const text = request.query(name) ?? '';
  const timeMs = parseTime(/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
  if (timeMs === null)
    throw malformed(`${name} must be a time like "2025-09-27T17:00:00Z"; "${text}" was sent.`);
  return timeMs;
}

function rangeOf(request: HandlerRequest): RecordRange {
  const [startMs, endMs] = [queryTime(request, 'start_time'), queryTime(request, 'end_time')];
  if (endMs <= startMs) throw malformed('end_time must be later than start_time.');
  return { startMs, endMs, featureName: request.query('feature_name') };
}

function requireWatched(service: Service, id: string): WatchedRule {
  const rule = watchedRule(service.stores, requireRule(service, id));
  if (rule === null)
    throw new ServiceError(400, 'The metric of this rule is gone, so it is not evaluated any more.');
  return rule;
}

/** The requested column; by default, the first one that the rule watches. */
function featureOf(rule: WatchedRule, name: string | null): WatchedRule['features'][number] {
  if (name === null) return rule.features[0] ?? null;
  const found = rule.features.find((column) => column?.name === name);
  if (found === undefined) throw malformed(`The rule does not watch a feature "${name}".`);
  return found;
}

export const alertRecordHandlers = {
  'alert-rules.summary': (service, request) => {
    const range = rangeOf(request);
    const nowMs = service.clock.nowMs();
    const summaries = service.stores.resources.list('alert-rule').flatMap((record) => {
      const rule = watchedRule(service.stores, record);
      return rule === null ? [] : [alertSummary(rule, range, nowMs)];
    });
    return listAnswer(summaries, request);
  },

  'alert-rules.records': (service, request) => {
    const rule = requireWatched(service, request.path('alert_id'));
    return listAnswer(alertRecords(rule, rangeOf(request), service.clock.nowMs()), request);
  },

  'alert-rules.history': (service, request) => {
    const rule = requireWatched(service, request.path('alert_id'));
    return {
      kind: 'record',
      data: { items: alertHistory(rule, rangeOf(request), service.clock.nowMs()) },
    };
  },

  'alert-rules.thresholds': (service, request) => {
    const rule = requireWatched(service, request.path('alert_id'));
    const bin = binOf(queryTime(request, 'alert_time_bucket'), rule.binSize);
    const column = featureOf(rule, request.query('feature_name'));
    const { warning, critical } = thresholdsIn(rule, column, bin);
    return {
      kind: 'record',
      data: {
        alert_rule_id: rule.id,
        alert_time_bucket: bin.startMs,
        feature_name: column?.name ?? null,
        threshold_type: rule.record['threshold_type'],
        condition: rule.record['condition'],
        warning_threshold: warning,
        critical_threshold: critical,
      },
    };
  },
} satisfies Pick<
  Handlers,
  'alert-rules.summary' | 'alert-rules.records' | 'alert-rules.history' | 'alert-rules.thresholds'
>;
