/** Queries with a body: spans, their fields, metric values, and scores. */
import { endpoint, llmQueryBody, monitoringQueryBody, type OperationId } from '../api/endpoints.ts';
import * as records from '../api/records.ts';
import { SPAN_ORDERING } from '../core/spans/span-rules.ts';
import { cutText } from '../shared/cut-text.ts';
import { AppError } from '../shared/errors.ts';
import { isJsonObject } from '../shared/json-fields.ts';
import { type ListQuery, listQuery } from '../shared/model.ts';
import { isoWithOffset, isZone } from '../shared/zone-time.ts';
import { bodyFields } from './body-fields.ts';
import type { CommandContext } from './context.ts';
import { QUERY_BODY } from './examples.ts';
import { counted, readable } from './human-text.ts';
import { readBodyObject } from './json-argument.ts';
import { bodyInput } from './operation-input.ts';
import { table } from './output.ts';
import { answerList, answerRecord } from './read-commands.ts';
import { flagOf } from './resource-table.ts';
import { jsonText } from './terminal-text.ts';
import { plainTimeText } from './time-range.ts';

export const spans = (context: CommandContext) => ask(context, 'spans.query');
export const spanFields = (context: CommandContext) => ask(context, 'spans.fields');
export const query = (context: CommandContext) => ask(context, 'queries.run');

/** Reads through the library, so that the answer is stored and available with --offline. */
async function ask(context: CommandContext, operation: OperationId): Promise<void> {
  const body = rangeIn(context, operation, await bodyOf(context, operation));
  if (operation === 'queries.run') checkQuery(body);
  const asked: ListQuery = listQuery.parse({
    operation,
    path: {},
    query: {},
    body: operation === 'spans.query' ? { ...USUAL_ORDER, ...body } : body,
  });
  if (endpoint(operation).answer === 'paginated') await answerList(context, asked);
  else if (operation === 'spans.fields') await answerRecord(context, asked, fieldsTable);
  else await answerRecord(context, asked);
}

/**
 * The default order, stated explicitly because offline, filtered and ordered lists are derived from the list with this
 * order.
 */
const USUAL_ORDER = { ordering: SPAN_ORDERING };

/** Table of attribute keys and evaluator outputs, with the number of spans that have each. */
function fieldsTable(record: Readonly<Record<string, unknown>>): string {
  const parsed = records.spanFields.safeParse(record);
  // The service may use other names for the fields.
  if (!parsed.success) return jsonText(record, 2);
  const { total_spans: total, sampled, span_attributes: keys, evaluator_outputs: outputs } = parsed.data;
  const rows = [
    ...(keys ?? []).map(({ key, count }) => ({ field: `SpanAttribute::${key}`, spans: count })),
    ...(outputs ?? []).map((each) => ({
      field: `${each.rule_name ?? ''}: ${each.output_name ?? ''}`,
      spans: each.count,
    })),
  ];
  const of = sampled === true ? ', a sample of all' : '';
  return `${table(rows.map(readable), ['field', 'spans'], WIDEST_FIELD)}\n${counted(rows.length, 'field')} of ${counted(total, 'span')}${of}`;
}

/** Wide, because a person types keys again, so they must not be cut. */
const WIDEST_FIELD = 200;

/** Throws the errors of the schema that fits the body best: both kinds of query body have one. */
function checkQuery(body: Record<string, unknown>): void {
  const schema = Object.hasOwn(body, 'application_id') ? llmQueryBody : monitoringQueryBody;
  const checked = schema.safeParse(body);
  if (checked.success) return;
  const [issue] = checked.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--body: ${where}${issue?.message ?? 'not as expected'}. ${QUERY_FORM}`,
  );
}

const QUERY_FORM = `A body is such as ${QUERY_BODY}; models lists the ids.`;

const EQUAL_SESSION = 'Span::session_id';

/** The spans that the flags select; for one session, in order of their start. */
export async function askedSpans(context: CommandContext, sessionId: string | null): Promise<ListQuery> {
  const body = await bodyOf(context, 'spans.query');
  if (sessionId !== null && body['filter'] !== undefined)
    throw new AppError('INVALID_ARGUMENT', 'export session expects no --filter: the session is the filter.');
  const rules = [{ field: EQUAL_SESSION, operator: 'eq', value: sessionId }];
  const ofSession = { ordering: 'start_time', filter: { condition: 'AND', rules } };
  return listQuery.parse({
    operation: 'spans.query',
    path: {},
    query: {},
    body: sessionId === null ? { ...USUAL_ORDER, ...body } : { ...ofSession, ...body },
  });
}

/** The time range of a metric query, which goes into its filters; a time label there would override it. */
function rangeIn({ args }: CommandContext, operation: OperationId, body: Record<string, unknown>) {
  const [start, end] = [args.text('start'), args.text('end')];
  if (operation !== 'queries.run' || (start === null && end === null)) return body;
  if (start === null || end === null) {
    throw new AppError('INVALID_ARGUMENT', 'query expects both --start and --end, or --since.');
  }
  const filters = isJsonObject(body['filters']) ? body['filters'] : null;
  const zone = zoneOf(filters?.['time_zone']);
  const range = { start_time: timeIn(zone, start), end_time: timeIn(zone, end) };
  return { ...body, filters: { ...filters, time_label: null, time_range: range } };
}

/** The time zone of a query; null if it has none. Throws INVALID_ARGUMENT for a zone that is not known here. */
function zoneOf(zone: unknown): string | null {
  if (zone === undefined || zone === null || zone === '') return null;
  if (typeof zone === 'string' && isZone(zone)) return zone;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected filters.time_zone to be the name of a time zone, such as Europe/Berlin or UTC, got ${cutText(jsonText(zone), 60)}.`,
  );
}

/** Without a zone in the query, times are in UTC. Otherwise they have an offset, so that they mean the same moment. */
const timeIn = (zone: string | null, time: string): string =>
  zone === null ? plainTimeText(time) : isoWithOffset(Date.parse(time), zone);

/** Scores are requested each time, because an evaluator may answer differently. */
export async function score(context: CommandContext): Promise<void> {
  const body = await bodyOf(context, 'evaluators.score');
  const session = await context.session();
  const { value } = await session.client.call(
    'evaluators.score',
    { body },
    { priority: 'click', signal: context.signal, isExact: true },
  );
  context.output.answer(value, () => jsonText(value, 2));
}

/**
 * `--body` merged with the fields given by flags, which take precedence. Throws INVALID_ARGUMENT if a required field is
 * missing.
 */
async function bodyOf(context: CommandContext, operation: OperationId): Promise<Record<string, unknown>> {
  const given = await readBodyObject(context);
  const fields = bodyFields(operation);
  const isGiven = (name: string) => given?.[name] !== undefined || context.args.text(flagOf(name)) !== null;
  const missing = fields.filter(({ name, isRequired }) => isRequired && !isGiven(name));
  if (missing.length === 0 && (given !== null || fields.length > 0)) {
    return { ...given, ...(await bodyInput(context, operation)) };
  }
  const flags = missing.length === 0 ? ['--body'] : missing.map(({ name }) => `--${flagOf(name)}`);
  throw new AppError(
    'INVALID_ARGUMENT',
    `${context.args.command} expects ${flags.join(', ')}.${operation === 'queries.run' ? ` ${QUERY_FORM}` : ''}${flags.includes('--start') ? ' --since 7d stands for --start and --end.' : ''}`,
  );
}
