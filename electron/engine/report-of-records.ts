/** Sources of reports about spans and metrics: traces, boards and alert rules. */
import { traceQuery } from '../analysis/agent-queries.ts';
import { isObject } from '../core/items/flattened.ts';
import type { ReportSource, SourceColumn } from '../core/report/choose.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import { recordTime, severityOf } from '../shared/alert-record.ts';
import { faultText, readValues, valueRows } from '../shared/chart-values.ts';
import { constantOf } from '../shared/constant-words.ts';
import { inNumbers } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import { objectsOf, textOf } from '../shared/json-fields.ts';
import type { Freshness, ListQuery } from '../shared/model.ts';
import type { ReportFact } from '../shared/report-model.ts';
import { tokenTitle } from '../shared/span-usage.ts';
import {
  CONTENT,
  checkRows,
  column,
  fact,
  isoTime,
  NUMBER,
  type Of,
  type ReportParts,
} from './report-columns.ts';
import type { Session } from './session.ts';

/** The fields of spans that are included by default, with column titles. */
const SPAN_TITLES: ReadonlyMap<string, string> = new Map([
  ['span_id', 'Span'],
  ['parent_span_id', 'Parent'],
  ['name', 'Name'],
  ['span_type', 'Type'],
  ['status_code', 'Status'],
  ['start_time', 'Start'],
  ['end_time', 'End'],
  ['duration', 'Duration, ms'],
]);
const NUMERIC = /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UBIGINT|FLOAT|DOUBLE|DECIMAL)/;

export async function traceSource(
  { session, clock }: ReportParts,
  { traceId }: Of<'trace'>,
): Promise<ReportSource> {
  const rows: unknown[][] = [];
  let names: { name: string; type: string }[] = [];
  const slicer = new TimeSlicer(clock);
  for await (const page of session.sql.read(traceQuery(traceId), new AbortController().signal)) {
    names = page.columns;
    rows.push(...page.rows);
    await slicer.pause();
  }
  if (rows.length === 0)
    throw new AppError(
      'NOT_STORED',
      `No span of the trace ${traceId} is stored on this computer. Open the trace once, then try again.`,
    );
  checkRows(rows.length);
  const titles = spanTitles(names.map(({ name }) => name));
  const columns = names.flatMap(({ name, type }, at): SourceColumn[] => {
    const isNumber = NUMERIC.test(type);
    const values = rows.map((row) => (isNumber ? plainNumber(row[at]) : (row[at] ?? null)));
    // Fields without values are left out, except the usual ones: parents and types are needed to sum tokens.
    if (values.every((value) => value === null) && !SPAN_TITLES.has(name)) return [];
    const isUsual = SPAN_TITLES.has(name) || tokenTitle(name) !== null;
    const form = isNumber ? 'number' : name.endsWith('_time') ? 'time' : 'text';
    return [{ name, title: titles.get(name) ?? name, type: form, isUsual, values }];
  });
  return {
    kind: 'trace',
    title: `Trace ${traceId}`,
    facts: [fact('Trace', traceId), fact('Filters', 'None: every stored span of the trace.')],
    rules: {},
    tables: [{ name: 'spans', title: 'Spans', rows: rows.length, columns }],
  };
}

/** Titles of columns by field. If several fields have tokens of the same kind, they keep their names. */
function spanTitles(names: readonly string[]): Map<string, string> {
  const titles = new Map(SPAN_TITLES);
  const counts = Map.groupBy(names, (name) => tokenTitle(name) ?? '');
  for (const [title, [name = '', ...others]] of counts)
    if (title !== '' && others.length === 0) titles.set(name, title);
  return titles;
}

/** Numbers with too many digits for a double stay texts. */
function plainNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null;
  return String(Number(value)) === value ? Number(value) : value;
}

/** The stored answer to a query; null if there is none. */
async function storedRecord(
  { library }: Session,
  query: ListQuery,
): Promise<{ record: Record<string, unknown>; freshness: Freshness } | null> {
  const viewId = `report ${JSON.stringify(query)}`;
  const { record, freshness } = await library.openRecord({ viewId, query, refresh: 'never' }, 'whole');
  library.release(viewId);
  return record === null ? null : { record, freshness };
}

export async function boardSource(
  { session }: ReportParts,
  { title, charts }: Of<'board'>,
): Promise<ReportSource> {
  const rows: { chart: string; series: string; time: string; value: number | null }[] = [];
  const facts: ReportFact[] = [];
  const taken = new Set<string>();
  for (const { title: own, about, query } of charts) {
    const answer = await storedRecord(session, query);
    // Charts of a board may have equal titles, so a number is added.
    let chart = own;
    for (let copy = 2; taken.has(chart); copy += 1) chart = `${own} (${copy})`;
    taken.add(chart);
    if (answer === null) {
      facts.push(fact(chart, 'Not stored on this computer: left out.'));
      continue;
    }
    const values = readValues(answer.record, query.body ?? {});
    for (const { time, series, value } of valueRows(values)) rows.push({ chart, series, time, value });
    const of = about === '' ? '' : `${about}, `;
    const read = `${of}read ${isoTime(answer.freshness.oldestMs)}, bins of ${values.binSize || 'any size'}`;
    // The text must not depend on the number format of this computer.
    const faults = inNumbers('comma', () =>
      values.faults.map(({ name, fault }) => `${name}: ${faultText(fault)}`),
    );
    facts.push(fact(chart, [read, ...faults].join('. ')));
  }
  if (rows.length === 0)
    throw new AppError(
      'NOT_STORED',
      'No values of this board are stored on this computer. Open the board once, then try again.',
    );
  checkRows(rows.length);
  return {
    kind: 'board',
    title,
    facts,
    rules: {},
    tables: [
      {
        ...{ name: 'values', title: 'Values', rows: rows.length },
        columns: [
          column('chart', 'Chart', rows, ({ chart }) => chart),
          column('series', 'Series', rows, ({ series }) => series),
          column('time', 'Time', rows, ({ time }) => time, { type: 'time' }),
          column('value', 'Value', rows, ({ value }) => value, NUMBER),
        ],
      },
    ],
  };
}

export async function alertSource(
  { session }: ReportParts,
  { rule, history }: Of<'alert'>,
): Promise<ReportSource> {
  const [own, found] = [await storedRecord(session, rule), await storedRecord(session, history)];
  if (own === null || found === null)
    throw new AppError(
      'NOT_STORED',
      `${own === null ? 'The alert rule' : 'The history of the alert rule'} is not stored on this computer. Open it once, then try again.`,
    );
  const records = objectsOf(found.record, 'items').flatMap((item) => {
    const latest = item['latest_record'];
    return isObject(latest) ? [{ ...latest, time_bucket: item['time_bucket'] }] : [];
  });
  type Row = (typeof records)[number] & Readonly<Record<string, unknown>>;
  const rows: readonly Row[] = records;
  const numberIn = (name: string) => (row: Row) => {
    const value = row[name];
    return value === null || value === undefined ? null : plainNumber(String(value));
  };
  const name = textOf(own.record, 'name') || 'Alert rule';
  const { start_time: from, end_time: to } = history.query;
  const range =
    from === undefined && to === undefined
      ? 'Everything that is stored.'
      : `${String(from ?? 'the first record')} to ${String(to ?? 'the last record')}`;
  return {
    kind: 'alert',
    title: `Alert: ${name}`,
    facts: [
      ...ruleFacts(own.record),
      fact('Range', range),
      fact('Read', `Rule ${isoTime(own.freshness.oldestMs)}, history ${isoTime(found.freshness.oldestMs)}`),
    ],
    rules: {},
    tables: [
      {
        ...{ name: 'records', title: 'Records', rows: rows.length },
        columns: [
          column(
            'time',
            'Time',
            rows,
            (row) => isoOrNull(recordTime(row['alert_time_bucket'] ?? row['time_bucket'])),
            { type: 'time' },
          ),
          column('severity', 'Severity', rows, (row) => severityText(row['severity'])),
          column('value', 'Value', rows, numberIn('alert_value'), NUMBER),
          column('warning', 'Warning at', rows, numberIn('warning_threshold'), NUMBER),
          column('critical', 'Critical at', rows, numberIn('critical_threshold'), NUMBER),
          column('baseline', 'Baseline', rows, numberIn('baseline_value'), NUMBER),
          column('column', 'Column', rows, (row) => row['feature_name'] ?? null),
          column('message', 'Message', rows, (row) => row['message'] ?? null, CONTENT),
        ],
      },
    ],
  };
}

const SEVERITY_WORDS = { critical: 'Critical', warning: 'Warning', normal: 'Normal' } as const;

/** Text of a severity; for an unknown one, the service's own word. */
function severityText(value: unknown): unknown {
  const severity = severityOf(value);
  return severity === 'other' ? (value ?? null) : SEVERITY_WORDS[severity];
}

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** Fields of the rule, with their titles. */
const RULE_FACTS = [
  ['priority', 'Priority'],
  ['bin_size', 'Bin size'],
  ['compare_to', 'Compared'],
  ['condition', 'Condition'],
  ['warning_threshold', 'Warning at'],
  ['critical_threshold', 'Critical at'],
  ['model', 'Model'],
  ['metric', 'Metric'],
  ['baseline', 'Baseline'],
  ['segment', 'Segment'],
  ['updated_at', 'Updated'],
] as const;

function ruleFacts(rule: Readonly<Record<string, unknown>>): ReportFact[] {
  return RULE_FACTS.flatMap(([name, title]) => {
    const value = rule[name];
    const text = isObject(value)
      ? textOf(value, 'display_name') || textOf(value, 'name') || textOf(value, 'id')
      : (constantOf(name, value) ?? String(value ?? ''));
    return text === '' ? [] : [fact(title, text)];
  });
}
