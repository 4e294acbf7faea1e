/** Alert records, their history and the summary of a rule (SERVICE.md F6.5), computed from the rule on request. */
import type { ModelColumn } from '../../api/records.ts';
import { malformed } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import { evaluate, type Finding, type Severity, type WatchedRule } from './alert-evaluation.ts';
import { type Bin, binBefore, binOf, binsBetween } from './bins.ts';
import { unitOf, uuidOf } from './series.ts';

/** Number of bins before its creation that a rule evaluates, so that a new rule has something to show. */
const BACKFILL_BINS = 30;
/** Maximum number of bins evaluated in one request. */
const MAX_BINS = 20_000;
/** Share of bins that were evaluated a second time, with the same result. */
const REPEATED_SHARE = 0.2;
/** Share of critical bins that were a warning at first. */
const RAISED_SHARE = 0.4;
const EVALUATION_MS = 240_000;

export interface RecordRange {
  startMs: number;
  endMs: number;
  /** Null: all features. */
  featureName: string | null;
}

interface Evaluation {
  bin: Bin;
  column: ModelColumn | null;
  finding: Finding;
}

/** All results of the rule in the range until now, oldest bin first. Throws a 400 if the range is too long. */
function evaluations(rule: WatchedRule, range: RecordRange, nowMs: number): Evaluation[] {
  const columns = rule.features.filter(
    (column) => range.featureName === null || (column?.name ?? null) === range.featureName,
  );
  const firstMs = binBefore(binOf(rule.createdMs, rule.binSize), rule.binSize, BACKFILL_BINS).startMs;
  const startMs = Math.max(range.startMs, firstMs);
  const endMs = Math.min(range.endMs, nowMs);
  const bins = startMs >= endMs ? [] : binsBetween(startMs, endMs, rule.binSize, MAX_BINS);
  if (bins === null)
    throw malformed(`The range holds more than ${MAX_BINS} time buckets. Ask for a shorter one.`);
  return bins
    .filter((bin) => bin.startMs >= range.startMs && bin.endMs + rule.delayMs <= nowMs)
    .flatMap((bin) =>
      columns.flatMap((column) => {
        const finding = evaluate(rule, column, bin);
        return finding === null ? [] : [{ bin, column, finding }];
      }),
    );
}

interface Version {
  severity: Severity;
  main: number;
  sub: number;
}

/** The successive records of a bin: a warning that became critical, or the same result twice. */
function versionsOf(rule: WatchedRule, { bin, column, finding }: Evaluation): Version[] {
  const key = `${rule.id}|${column?.name ?? ''}|${bin.startMs}`;
  const { severity, thresholds } = finding;
  if (severity === 'CRITICAL' && thresholds.warning !== null && unitOf(`${key}|raised`) < RAISED_SHARE) {
    return [
      { severity: 'WARNING', main: 1, sub: 1 },
      { severity, main: 2, sub: 1 },
    ];
  }
  const first: Version = { severity, main: 1, sub: 1 };
  return severity !== 'DEFAULT' && unitOf(`${key}|again`) < REPEATED_SHARE
    ? [first, { ...first, sub: 2 }]
    : [first];
}

/** A value between the two thresholds, for a critical bin that was a warning at first. */
function earlierValue({ thresholds, value }: Finding): number {
  const { warning, critical } = thresholds;
  return warning === null || critical === null ? value : Number(((warning + critical) / 2).toFixed(4));
}

function recordOf(rule: WatchedRule, evaluation: Evaluation, version: Version, index: number): JsonRecord {
  const { bin, column, finding } = evaluation;
  const runMs = bin.endMs + rule.delayMs + (index + 1) * EVALUATION_MS;
  const isFinal = version.severity === finding.severity;
  const value = isFinal ? finding.value : earlierValue(finding);
  const limit = version.severity === 'CRITICAL' ? finding.thresholds.critical : finding.thresholds.warning;
  const about = column === null ? '' : ` of ${column.name}`;
  const word = rule.isGreater ? 'above' : 'below';
  return {
    id: uuidOf(`${rule.id}|${column?.name ?? ''}|${bin.startMs}|${version.main}.${version.sub}`),
    alert_rule_id: rule.id,
    alert_rule_revision: 1,
    alert_run_start_time: runMs,
    alert_time_bucket: bin.startMs,
    alert_value: value,
    baseline_time_bucket: finding.baseline?.bin.startMs ?? null,
    baseline_value: finding.baseline?.value ?? null,
    warning_threshold: finding.thresholds.warning,
    critical_threshold: finding.thresholds.critical,
    severity: version.severity,
    message:
      version.severity === 'DEFAULT'
        ? `${rule.metric.name}${about} is ${value}, within the thresholds.`
        : `${rule.metric.name}${about} is ${value}, ${word} ${String(limit)}.`,
    failure_reason: null,
    feature_name: column?.name ?? null,
    alert_record_main_version: version.main,
    alert_record_sub_version: version.sub,
    created_at: new Date(runMs).toISOString(),
    updated_at: new Date(runMs).toISOString(),
  };
}

function recordsOf(rule: WatchedRule, evaluation: Evaluation): JsonRecord[] {
  return versionsOf(rule, evaluation).map((version, index) => recordOf(rule, evaluation, version, index));
}

/** Records of the range that are warnings or critical, newest first. */
export function alertRecords(rule: WatchedRule, range: RecordRange, nowMs: number): JsonRecord[] {
  return evaluations(rule, range, nowMs)
    .filter(({ finding }) => finding.severity !== 'DEFAULT')
    .flatMap((evaluation) => recordsOf(rule, evaluation))
    .toReversed();
}

const RANK: Readonly<Record<Severity, number>> = { DEFAULT: 0, WARNING: 1, CRITICAL: 2 };

/** The most severe result of each bin, with its latest record; normal bins have a record with the severity DEFAULT. */
export function alertHistory(rule: WatchedRule, range: RecordRange, nowMs: number): JsonRecord[] {
  const byBin = new Map<number, Evaluation[]>();
  for (const evaluation of evaluations(rule, range, nowMs)) {
    byBin.set(evaluation.bin.startMs, [...(byBin.get(evaluation.bin.startMs) ?? []), evaluation]);
  }
  return [...byBin].map(([timeBucket, found]) => {
    const gravest = found.reduce((a, b) => (RANK[b.finding.severity] > RANK[a.finding.severity] ? b : a));
    const records = recordsOf(rule, gravest);
    return {
      time_bucket: timeBucket,
      alert_count: records.length,
      alert_history_count: records.length - 1,
      latest_record: records.at(-1),
    };
  });
}

/** The rule with its latest record in the range. */
export function alertSummary(rule: WatchedRule, range: RecordRange, nowMs: number): JsonRecord {
  const found = alertRecords(rule, range, nowMs);
  const latest = found[0];
  const { id, ...fields } = rule.record;
  const isCritical = latest?.['severity'] === 'CRITICAL';
  return {
    ...fields,
    alert_rule_id: id,
    id: latest?.['id'] ?? null,
    alert_record_count: found.length,
    alert_value: latest?.['alert_value'] ?? null,
    latest_alert_record_value: latest?.['alert_value'] ?? null,
    latest_alert_time_bucket: latest?.['alert_time_bucket'] ?? null,
    latest_alert_feature_name: latest?.['feature_name'] ?? null,
    latest_threshold: latest?.[isCritical ? 'critical_threshold' : 'warning_threshold'] ?? null,
    latest_alert_record_severity: latest?.['severity'] ?? null,
    severity: latest?.['severity'] ?? 'DEFAULT',
  };
}
