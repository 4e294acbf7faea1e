/**
 * Reads an answer body: the envelope of SERVICE.md S2.1 to S2.3, and known deviations from it (SERVICE.md F9 and F12):
 * a plain array, plain items, a plain record, `data.ids`, no `kind`, `{"error": "text"}`, version 2.0, counts as texts.
 */

import type { Difference } from '../shared/answer-differences.ts';
import { numberText } from '../shared/count-text.ts';
import { cutText } from '../shared/cut-text.ts';
import { AppError, type ErrorDetails } from '../shared/errors.ts';
import { isRawNumber } from '../shared/exact-json.ts';
import { parseAnswerJson } from './answer-json.ts';
import { type ServiceIssue, SIGN_IN } from './http-errors.ts';

interface ParsedPage {
  shape: 'page';
  items: unknown[];
  total: number | null;
  pageSize: number | null;
  /** Null if the answer does not state it. */
  offset: number | null;
  apiVersion: string | null;
  /** True if counts are written as texts. */
  differences: readonly Difference[];
  /** The object that contains the items. */
  record: Record<string, unknown>;
}

type ParsedAnswer =
  | ParsedPage
  | { shape: 'record'; record: Record<string, unknown>; apiVersion: string | null }
  /** An object without the envelope. It is a record, or no answer of the service. */
  | { shape: 'bare'; record: Record<string, unknown> }
  | { shape: 'array'; items: unknown[] }
  | { shape: 'error'; code: number | null; issue: ServiceIssue; apiVersion: string | null }
  | { shape: 'empty' };

/** Maximum number of entries of an error that are read: one for each span of the largest call (SERVICE.md F3.3). */
const MAX_ISSUES = 200;
const MAX_TEXT = 500;

/** Facts about an answer in addition to its text. Used only in messages. */
export interface AnswerContext {
  operation: string;
  status: number;
  /** The header Content-Encoding, if present. */
  encoding?: string | undefined;
}

/** Any JSON object. Only these fields are read. */
interface JsonObject {
  [field: string]: unknown;
  api_version?: unknown;
  kind?: unknown;
  data?: unknown;
  error?: unknown;
  errors?: unknown;
  code?: unknown;
  reason?: unknown;
  message?: unknown;
  help?: unknown;
  items?: unknown;
  total?: unknown;
  page_size?: unknown;
  offset?: unknown;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

function cut(value: unknown): string {
  if (isRawNumber(value)) return value.digits;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return '';
  return cutText(value, MAX_TEXT);
}

function count(value: unknown): number | null {
  const number = isDigits(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

const isDigits = (value: unknown): value is string => typeof value === 'string' && /^\d{1,15}$/.test(value);
const COUNTS = ['total', 'page_size', 'offset'] as const;

/** Builds a message with what was expected, what came, and what to do. It never contains the body itself. */
export function invalidAnswer(
  code: 'ANSWER_INVALID' | 'NOT_THIS_SERVICE',
  context: AnswerContext,
  got: string,
): AppError {
  const nextStep =
    code === 'NOT_THIS_SERVICE'
      ? `${SIGN_IN}, then try again. Otherwise check the base URL and the proxy.`
      : 'Try again. If it happens again, the service or something in between cuts or changes its answers.';
  const details: ErrorDetails = {
    status: context.status,
    operation: context.operation,
    outcome: 'answered',
    nextStep,
  };
  return new AppError(
    code,
    `${context.operation}: expected a JSON answer of the service, got ${got}.`,
    details,
  );
}

/** Parses a body. Throws only AppError NOT_THIS_SERVICE or ANSWER_INVALID. */
export function parseAnswer(text: string, context: AnswerContext): ParsedAnswer {
  if (text.trim() === '') return { shape: 'empty' };
  return readEnvelope(parseJson(text, context), context);
}

/** Parses JSON text. Throws NOT_THIS_SERVICE for a web page or other text, ANSWER_INVALID for broken JSON. */
function parseJson(text: string, context: AnswerContext): unknown {
  try {
    return parseAnswerJson(text);
  } catch {
    const { encoding = 'identity' } = context;
    if (encoding !== 'identity') {
      const got = `an answer in the encoding ${cut(encoding).slice(0, 40)}, which was not asked for`;
      throw invalidAnswer('ANSWER_INVALID', context, got);
    }
    const start = text
      .slice(0, 200)
      .replace(/^\uFEFF/, '')
      .trimStart();
    if (start.startsWith('<')) throw invalidAnswer('NOT_THIS_SERVICE', context, 'a web page');
    if (!/^[[{"]/.test(start)) throw invalidAnswer('NOT_THIS_SERVICE', context, 'text that is not JSON');
    const got = `JSON that breaks off or is not well formed after ${numberText(text.length)} characters`;
    throw invalidAnswer('ANSWER_INVALID', context, got);
  }
}

function readEnvelope(json: unknown, context: AnswerContext): ParsedAnswer {
  if (Array.isArray(json)) return { shape: 'array', items: json };
  if (!isObject(json)) {
    throw invalidAnswer('NOT_THIS_SERVICE', context, `a bare JSON ${json === null ? 'null' : typeof json}`);
  }
  const apiVersion = typeof json.api_version === 'string' ? json.api_version.slice(0, 40) : null;
  const hasError = json.error !== undefined && json.error !== null;
  if (json.kind === 'ERROR' || (hasError && !isObject(json.data))) {
    return { shape: 'error', ...readError(json.error), apiVersion };
  }
  const data = json.data;
  if (Array.isArray(data)) return page({ items: data }, data, apiVersion);
  if (isObject(data)) {
    // A NORMAL record may have a field "items" of its own (the history of alert records), so the caller must
    // distinguish them.
    const items = Array.isArray(data.items) ? data.items : null;
    if (items !== null && json.kind !== 'NORMAL') return page(data, items, apiVersion);
    return { shape: 'record', record: data, apiVersion };
  }
  if (Array.isArray(json.items)) return page(json, json.items, apiVersion);
  if (json.kind === 'NORMAL' || (apiVersion !== null && 'data' in json)) {
    return { shape: 'record', record: {}, apiVersion };
  }
  return { shape: 'bare', record: json };
}

/** The error for an object that is neither an envelope nor a known record. */
function withoutEnvelope(context: AnswerContext): AppError {
  return invalidAnswer('NOT_THIS_SERVICE', context, 'JSON without the envelope (api_version, kind, data)');
}

function page(data: JsonObject, items: unknown[], apiVersion: string | null): ParsedPage {
  return {
    shape: 'page',
    items,
    total: count(data.total),
    pageSize: count(data.page_size),
    offset: count(data.offset),
    apiVersion,
    differences: COUNTS.filter((name) => isDigits(data[name])).map((place) => ({
      ...{ place, expected: 'a number', got: 'a text' },
    })),
    record: data,
  };
}

function readError(error: unknown): { code: number | null; issue: ServiceIssue } {
  if (!isObject(error)) return { code: null, issue: { message: cut(error), issues: [] } };
  const list = Array.isArray(error.errors) ? error.errors.slice(0, MAX_ISSUES) : [];
  const issues = list.map((entry: unknown) => {
    if (!isObject(entry)) return { reason: '', message: cut(entry) };
    const help = cut(entry.help);
    return { reason: cut(entry.reason), message: cut(entry.message), ...(help === '' ? {} : { help }) };
  });
  return { code: count(error.code), issue: { message: cut(error.message), issues } };
}

/** The error object of a failed answer; null if the body has none (a proxy's page, plain text). */
export function issueOf(text: string): ServiceIssue | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(json)) return null;
  if (json.error !== undefined && json.error !== null) return readError(json.error).issue;
  return typeof json.message === 'string' ? { message: cut(json.message), issues: [] } : null;
}

/** Reads a page from any answer that contains a list. `askedOffset`: used if the answer states no offset. */
export function asPage(
  answer: ParsedAnswer,
  askedOffset: number,
  context: AnswerContext,
): Omit<ParsedPage, 'shape' | 'apiVersion' | 'offset' | 'record'> & { offset: number } {
  switch (answer.shape) {
    case 'page': {
      const { items, total, pageSize, offset, differences } = answer;
      return { items, total, pageSize, offset: offset ?? askedOffset, differences };
    }
    case 'array':
      return { items: answer.items, total: null, pageSize: null, offset: askedOffset, differences: [] };
    case 'record': {
      const { items, ids } = answer.record;
      const list = Array.isArray(items) ? items : Array.isArray(ids) ? ids : null;
      if (list === null)
        throw invalidAnswer('ANSWER_INVALID', context, 'a single record where a list is expected');
      return asPage(page(answer.record, list, null), askedOffset, context);
    }
    case 'bare':
      throw withoutEnvelope(context);
    default:
      throw invalidAnswer('ANSWER_INVALID', context, answer.shape === 'empty' ? 'an empty body' : 'an error');
  }
}

/** Reads the record from an answer. A field `data.items` stays part of the record. */
export function asRecord(answer: ParsedAnswer, context: AnswerContext): Record<string, unknown> {
  if (answer.shape === 'record') return answer.record;
  if (answer.shape === 'bare') throw withoutEnvelope(context);
  if (answer.shape === 'page') return answer.record;
  if (answer.shape === 'array') return { items: answer.items };
  throw invalidAnswer('ANSWER_INVALID', context, answer.shape === 'empty' ? 'an empty body' : 'an error');
}
