/** Converts an HTTP answer to a page, a record or an AppError, according to the endpoint table. */

import { type Difference, NOT_UTF8 } from '../shared/answer-differences.ts';
import { cutText } from '../shared/cut-text.ts';
import { AppError } from '../shared/errors.ts';
import { isRawNumber, parseExact, withPlainNumbers } from '../shared/exact-json.ts';
import { NOT_FINITE } from '../shared/item-row.ts';
import * as z from '../shared/zod.ts';
import { MAX_LEVELS, MAX_RECORD_CHARS } from './answer-bounds.ts';
import type { Reading, RowSet, StoredKind, ValueForm } from './answer-protocol.ts';
import { readApart, readRowsApart } from './answer-thread.ts';
import type { BaseUrl } from './base-url.ts';
import { conform, wrongType } from './conform.ts';
import { type Endpoint, endpoint, type OperationId } from './endpoints.ts';
import { type AnswerContext, asPage, asRecord, invalidAnswer, issueOf, parseAnswer } from './envelope.ts';
import type { HttpAnswer } from './http-client.ts';
import { isRedirect, redirectError, statusError } from './http-errors.ts';
import { type ItemRow, toItemRow, toMarkedRow } from './item-row.ts';
import { weigh } from './json-pieces.ts';
import { operationText } from './request-target.ts';
import type { CallInput, Page, RawAnswer } from './types.ts';

const MAX_ISSUE_CHARS = 200;
/** Number of rows per step of background work. A step takes less than a millisecond. */
const ROWS_A_STEP = 100;

/** The AppError for an answer with a status other than 2xx. */
export function answerError(answer: HttpAnswer, operation: string, baseUrl: BaseUrl): AppError {
  const { status, headers, text } = answer;
  return isRedirect(status)
    ? redirectError(status, operation, targetOf(headers['location'], baseUrl))
    : statusError(status, operation, issueOf(text));
}

function targetOf(location: string | undefined, baseUrl: BaseUrl): URL | null {
  return location === undefined ? null : URL.parse(location, baseUrl.origin);
}

/**
 * The first problem with the form of `item`: its path, followed by the expected and the actual type in parentheses;
 * never a value. Field names may have any length.
 */
export function firstIssue(error: z.ZodError, item: unknown): string {
  const issue = error.issues[0];
  if (issue === undefined) return '';
  const place = issue.path.length === 0 ? '' : ` at ${cut(issue.path.join('.'))}`;
  return `${place} (${cut(wrongType(issue, item) ?? issue.message)})`;
}

const cut = (text: string): string => cutText(text, MAX_ISSUE_CHARS);

/** Any answer as received: parsed if it is valid JSON, otherwise its text. Numbers are exact. */
export async function readRaw(
  answer: HttpAnswer,
  onDifferences: OnDifferences,
): Promise<Omit<RawAnswer, 'requestId'>> {
  const { status, headers } = answer;
  const body =
    answer.large === null
      ? rawBody(answer, onDifferences)
      : await readApart(answer.large, { ...readingOf('raw', answer), isExact: true }, onDifferences);
  return { status, headers, body };
}

export function rawBody(
  { text, isUtf8 }: Pick<HttpAnswer, 'text' | 'isUtf8'>,
  onDifferences: OnDifferences,
): unknown {
  if (!isUtf8) onDifferences([NOT_UTF8]);
  if (text.trim() === '') return null;
  try {
    const body = parseExact(text);
    return isDeeper(body, MAX_LEVELS) ? text : body;
  } catch {
    return text;
  }
}

function readingOf(kind: Reading['kind'], { status, headers }: HttpAnswer): Reading {
  const encoding = headers['content-encoding'] ?? null;
  return { kind, operation: null, status, encoding, offset: 0 };
}

function contextOf(row: Endpoint, { status, headers }: HttpAnswer): AnswerContext {
  return { operation: operationText(row), status, encoding: headers['content-encoding'] };
}

const offsetOf = ({ paging, query }: CallInput): number => paging?.offset ?? Number(query?.['offset'] ?? 0);

/** Rejects with ANSWER_INVALID, ANSWER_TOO_LARGE, NOT_THIS_SERVICE, or the error object in the answer. */
export async function readPage(
  operation: OperationId,
  input: CallInput,
  answer: HttpAnswer,
  form: ValueForm,
  onDifferences: OnDifferences,
): Promise<Page<unknown>> {
  const offset = offsetOf(input);
  // The cast is safe, because `exactPage` built the page, here or in the thread.
  if (answer.large !== null) {
    return (await readApart(
      answer.large,
      { ...readingOf('page', answer), ...form, operation, offset },
      onDifferences,
    )) as Page<unknown>;
  }
  const page = exactPage({ row: endpoint(operation), ...form, onDifferences }, offset, answer);
  return form.isExact ? page : (withPlainNumbers(page) as Page<unknown>);
}

/** The form in which items of an answer are returned. */
interface ItemForm extends ValueForm {
  row: Endpoint;
  onDifferences: OnDifferences;
}

/** Called for each record that differs from its known form, with the differences. */
type OnDifferences = (differences: readonly Difference[]) => void;

/** Returns the page with exact numbers. Throws the errors of `readPage`. */
export function exactPage(form: ItemForm, offset: number, answer: HttpAnswer): Page<unknown> {
  const context = contextOf(form.row, answer);
  const page = asPage(parseOk(form, answer, context), offset, context);
  form.onDifferences(page.differences);
  const items = page.items.map((item, index) => parseItem(form, item, `item ${index + 1}`, context));
  return { items, itemCount: items.length, total: page.total, pageSize: page.pageSize, offset: page.offset };
}

/**
 * The record; the items of an array (plain, or `data.ids` of the envelope: SERVICE.md F12 no. 1); `{}` if no fields are
 * promised. Any 2xx is a success (no. 3), whatever status the row states, if the service itself answers. Rejects like
 * `readPage`.
 */
export async function readValue(
  operation: OperationId,
  answer: HttpAnswer,
  form: ValueForm,
  onDifferences: OnDifferences,
): Promise<unknown> {
  if (answer.large !== null) {
    return readApart(answer.large, { ...readingOf('value', answer), ...form, operation }, onDifferences);
  }
  const value = exactValue({ row: endpoint(operation), ...form, onDifferences }, answer);
  return form.isExact ? value : withPlainNumbers(value);
}

/** Returns the value with exact numbers. Throws the errors of `readPage`. */
export function exactValue(form: ItemForm, answer: HttpAnswer): unknown {
  const { row } = form;
  const context = contextOf(row, answer);
  const parsed = parseOk(form, answer, context);
  if (row.answer === 'array') {
    const { items } = asPage(parsed, 0, context);
    return items.map((item, index) => parseItem(form, item, `item ${index + 1}`, context));
  }
  const isEmpty = parsed.shape === 'empty' && row.item.safeParse({}).success;
  if (isEmpty) return {};
  const isBare = parsed.shape === 'bare' && isKnown(row, parsed.record);
  return parseItem(form, isBare ? parsed.record : asRecord(parsed, context), 'the record', context);
}

/**
 * The storable data of an answer: the rows of a page, or the record as one row. If an item exceeds the maximum size of
 * a stored record, its row says so. `standBack`: awaited between steps, if nobody waits for the rows. Rejects like
 * `readPage`.
 */
export async function readStored(
  kind: StoredKind,
  operation: OperationId,
  input: CallInput,
  answer: HttpAnswer,
  standBack: (() => Promise<void>) | null,
  onDifferences: OnDifferences,
): Promise<RowSet> {
  const offset = offsetOf(input);
  if (answer.large === null) {
    const form = { row: endpoint(operation), isExact: true, onDifferences };
    const { rows, ...rest } = exactRows(kind, form, offset, answer);
    if (standBack === null) return { rows: [...rows], ...rest };
    const taken: ItemRow[] = [];
    for (const row of rows) {
      taken.push(row);
      if (taken.length % ROWS_A_STEP !== 0) continue;
      await new Promise((resolve) => setImmediate(resolve));
      await standBack();
    }
    return { rows: taken, ...rest };
  }
  const reading = { ...readingOf(kind, answer), operation, offset };
  return readRowsApart(answer.large, reading, onDifferences);
}

/** Throws the errors of `readPage`, also while the rows are iterated. */
export function exactRows(kind: StoredKind, form: ItemForm, offset: number, answer: HttpAnswer): RowsToTake {
  if (kind === 'record') return { rows: [toItemRow(exactValue(form, answer), null)], total: null, offset: 0 };
  const context = contextOf(form.row, answer);
  const page = asPage(parseOk(form, answer, context), offset, context);
  form.onDifferences(page.differences);
  return { rows: rowsOf(form, page.items, context), total: page.total, offset: page.offset };
}

type RowsToTake = Omit<RowSet, 'rows'> & { rows: Iterable<ItemRow> };

/** Drops each item once its row exists, so that a page of large items is not in memory twice. */
function* rowsOf(form: ItemForm, items: unknown[], context: AnswerContext): Generator<ItemRow> {
  for (const [index, item] of items.entries()) {
    items[index] = null;
    yield rowOf(form, item, `item ${index + 1}`, context);
  }
}

function rowOf(form: ItemForm, item: unknown, what: string, context: AnswerContext): ItemRow {
  checkItem(form, item, what, context);
  const { identity } = form.row;
  return isTooLarge(item) ? toMarkedRow(item, identity, MAX_KEPT) : toItemRow(item, identity);
}

/** An answer with 2xx may still contain an error object, for example behind a gateway that rewrites statuses. */
function parseOk({ onDifferences }: ItemForm, answer: HttpAnswer, context: AnswerContext) {
  if (!answer.isUtf8) onDifferences([NOT_UTF8]);
  const parsed = parseAnswer(answer.text, context);
  if (parsed.shape !== 'error') return parsed;
  const status = parsed.code !== null && parsed.code >= 400 ? parsed.code : answer.status;
  if (status >= 400) throw statusError(status, context.operation, parsed.issue);
  throw invalidAnswer('ANSWER_INVALID', context, 'an error object with a success status');
}

/** The item as it was sent, if numbers are exact (for storage and output); otherwise in the form of the table. */
function parseItem(form: ItemForm, item: unknown, what: string, context: AnswerContext): unknown {
  const checked = checkItem(form, item, what, context);
  if (isTooLarge(item)) throw recordTooLarge(context, what);
  return form.isExact ? item : checked;
}

/**
 * The item in the form of the table. Returns the original item if it already has that form, because the schema's copy
 * would reorder the fields. Throws ANSWER_INVALID.
 */
function checkItem(
  { row, isExact, onDifferences }: ItemForm,
  item: unknown,
  what: string,
  context: AnswerContext,
): unknown {
  if (isDeeper(item, MAX_LEVELS)) {
    throw invalidAnswer('ANSWER_INVALID', context, `${what} nested more than ${MAX_LEVELS} levels deep`);
  }
  // A number beyond double precision counts as a number.
  const parsed = row.item.safeParse(withPlainNumbers(item));
  if (parsed.success || isOnlyNotFinite(item, parsed.error)) return item;
  const { value, differences } = conform(row.item, item);
  if (value !== undefined || (isExact && isRecord(item))) {
    onDifferences(differences);
    return value ?? item;
  }
  throw invalidAnswer('ANSWER_INVALID', context, `${what} in another form${firstIssue(parsed.error, item)}`);
}

const isRecord = (item: unknown): item is object =>
  typeof item === 'object' && item !== null && !Array.isArray(item) && !isRawNumber(item);

/** Whether the value is a record with at least one field of the table, in whatever form. */
function isKnown({ item: schema }: Endpoint, item: unknown): boolean {
  if (!isRecord(item) || !(schema instanceof z.ZodObject)) return false;
  return Object.keys(schema.shape).some((name) => Object.hasOwn(item, name));
}

/** Whether the record is valid except for values that are missing because they were written as NaN or Infinity. */
function isOnlyNotFinite(item: unknown, { issues }: z.ZodError): boolean {
  if (typeof item !== 'object' || item === null || !Object.hasOwn(item, NOT_FINITE)) return false;
  return issues.every(({ path }) => {
    let value: unknown = item;
    for (const name of path)
      value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    return value === null;
  });
}

const MAX_KEPT = `${MAX_RECORD_CHARS / 1_048_576} MB`;
const isTooLarge = (item: unknown): boolean => weigh(item, MAX_RECORD_CHARS) >= MAX_RECORD_CHARS;

function recordTooLarge({ operation, status }: AnswerContext, what: string): AppError {
  return new AppError(
    'ANSWER_TOO_LARGE',
    `${operation}: ${what} is larger than ${MAX_KEPT}, which is the most that is kept of one record. It was not stored.`,
    {
      operation,
      status,
      outcome: 'answered',
      nextStep: 'Read it with the command line: "request" prints an answer of up to 64 MB.',
    },
  );
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  if (levels === 0) return true;
  for (const part of parts) if (typeof part === 'object' && isDeeper(part, levels - 1)) return true;
  return false;
}
