/** From an HTTP answer to a page, a record or an AppError, by the row of the endpoint table. */
import type { z } from 'zod';
import type { AppError } from '../shared/errors.ts';
import type { BaseUrl } from './base-url.ts';
import type { Endpoint } from './endpoints.ts';
import { type AnswerContext, asPage, asRecord, invalidAnswer, issueOf, parseAnswer } from './envelope.ts';
import type { HttpAnswer } from './http-client.ts';
import { isRedirect, redirectError, statusError } from './http-errors.ts';
import { operationText } from './request-target.ts';
import type { CallInput, Page, RawAnswer } from './types.ts';

const MAX_ISSUE_CHARS = 200;
/** What is deeper can be neither stored nor sorted by, nor shown as a tree. */
const MAX_LEVELS = 500;

/** The AppError of an answer outside 2xx. */
export function answerError(answer: HttpAnswer, operation: string, baseUrl: BaseUrl): AppError {
  const { status, headers, text } = answer;
  return isRedirect(status)
    ? redirectError(status, operation, targetOf(headers['location'], baseUrl))
    : statusError(status, operation, issueOf(text));
}

function targetOf(location: string | undefined, baseUrl: BaseUrl): URL | null {
  return location === undefined ? null : URL.parse(location, baseUrl.origin);
}

/** Place and message of the first issue, in parentheses; never a value. Names of fields can be of any length. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return '';
  const place = issue.path.length === 0 ? '' : ` at ${cut(issue.path.join('.'))}`;
  return `${place} (${cut(issue.message)})`;
}

function cut(text: string): string {
  return text.length > MAX_ISSUE_CHARS ? `${text.slice(0, MAX_ISSUE_CHARS)}…` : text;
}

/** Any answer as it came: parsed where it is JSON that one can go on with, else its text. */
export function readRaw(answer: HttpAnswer): Omit<RawAnswer, 'requestId'> {
  let body: unknown = null;
  if (answer.text.trim() !== '') {
    try {
      body = JSON.parse(answer.text) as unknown;
      if (isDeeper(body, MAX_LEVELS)) body = answer.text;
    } catch {
      body = answer.text;
    }
  }
  return { status: answer.status, headers: answer.headers, body };
}

function contextOf(row: Endpoint, { status, headers }: HttpAnswer): AnswerContext {
  return { operation: operationText(row), status, encoding: headers['content-encoding'] };
}

/** Throws ANSWER_INVALID, NOT_THIS_SERVICE, or what an error object in the answer says. */
export function readPage(row: Endpoint, input: CallInput, answer: HttpAnswer): Page<unknown> {
  const context = contextOf(row, answer);
  const parsed = parseOk(answer, context);
  const page = asPage(parsed, input.paging?.offset ?? Number(input.query?.['offset'] ?? 0), context);
  const items = page.items.map((item, index) => parseItem(row, item, `item ${index + 1}`, context));
  return { items, itemCount: items.length, total: page.total, pageSize: page.pageSize, offset: page.offset };
}

/**
 * The record; the items of an array (bare, or `data.ids` of the envelope: API_FACTS 12 no. 1); `{}` where nothing is
 * promised. Any 2xx is a success (no. 3), whatever status the row names, as long as the service itself answers:
 * throws as `readPage` does.
 */
export function readValue(row: Endpoint, answer: HttpAnswer): unknown {
  const context = contextOf(row, answer);
  const parsed = parseOk(answer, context);
  if (row.answer === 'array') {
    const { items } = asPage(parsed, 0, context);
    return items.map((item, index) => parseItem(row, item, `item ${index + 1}`, context));
  }
  const isEmpty = parsed.shape === 'empty' && row.item.safeParse({}).success;
  return isEmpty ? {} : parseItem(row, asRecord(parsed, context), 'the record', context);
}

/** A 2xx answer may still hold an error object, e.g. behind a gateway that rewrites statuses. */
function parseOk(answer: HttpAnswer, context: AnswerContext) {
  const parsed = parseAnswer(answer.text, context);
  if (parsed.shape !== 'error') return parsed;
  const status = parsed.code !== null && parsed.code >= 400 ? parsed.code : answer.status;
  if (status >= 400) throw statusError(status, context.operation, parsed.issue);
  throw invalidAnswer('ANSWER_INVALID', context, 'an error object with a success status');
}

function parseItem(row: Endpoint, item: unknown, what: string, context: AnswerContext): unknown {
  if (isDeeper(item, MAX_LEVELS)) {
    throw invalidAnswer('ANSWER_INVALID', context, `${what} nested more than ${MAX_LEVELS} levels deep`);
  }
  const parsed = row.item.safeParse(item);
  // As it came: the schema's copy would reorder the fields.
  if (parsed.success) return item;
  throw invalidAnswer('ANSWER_INVALID', context, `${what} in another form${firstIssue(parsed.error)}`);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}
