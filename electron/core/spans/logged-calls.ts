/**
 * Reads rows that have the values of a span under other names: runs of LangSmith, calls logged by LiteLLM, Amazon
 * Bedrock and Helicone, spans of OpenAI's Agents SDK and of Braintrust. Pure.
 */
import type { SpanChanges } from '../../shared/span-file.ts';
import { isObject } from '../items/flattened.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Keys of a run's metadata that name its thread. The first one present is used. */
const THREADS = ['session_id', 'thread_id', 'conversation_id'] as const;
const STATES: Readonly<Record<string, string>> = { success: 'OK', error: 'ERROR', failure: 'ERROR' };

const hasText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** True for a run of LangSmith. Its session is the project, not a conversation. */
const isRun = (row: Fields): boolean =>
  hasText(row['id']) && hasText(row['run_type']) && ('dotted_order' in row || 'parent_run_id' in row);

/** True for a span as the Agents SDK of OpenAI exports it. */
const isAgentSpan = (row: Fields): boolean =>
  row['object'] === 'trace.span' && hasText(row['id']) && isObject(row['span_data']);

/** True for a Braintrust span, whose root span identifies the trace. */
const isOfRoot = (row: Fields): boolean => hasText(row['root_span_id']) && 'span_parents' in row;

/** True for rows whose `id` is that of a span. */
export const hasCallId = (row: Fields): boolean => isRun(row) || isLoggedCall(row) || isAgentSpan(row);

/** True for a call in the standard log of LiteLLM. */
const isLoggedCall = (row: Fields): boolean =>
  hasText(row['id']) && hasText(row['call_type']) && 'custom_llm_provider' in row;

/** True for a record of the invocation log of Amazon Bedrock. */
const isInvocation = (row: Fields): boolean =>
  row['schemaType'] === 'ModelInvocationLog' && hasText(row['requestId']);

/** True for a request that Helicone exported. */
const isHelicone = (row: Fields): boolean =>
  hasText(row['request_id']) && 'request_body' in row && 'response_body' in row;

/** Ids and times of a call that is a trace of its own, under the names of span fields; null for other rows. */
export function placeOfCall(row: Fields): Fields | null {
  if (isInvocation(row)) return { trace_id: row['requestId'], span_id: row['requestId'] };
  if (!isHelicone(row)) return null;
  return {
    ...{ trace_id: row['request_id'], span_id: row['request_id'] },
    ...{ start_time: row['request_created_at'], end_time: row['response_created_at'] },
    duration_ms: row['delay_ms'],
  };
}

/**
 * Bounds of HTTP statuses: the lowest success, the lowest error, the highest status. Helicone writes other numbers for
 * a request without an answer.
 */
const [MIN_OK, MIN_ERROR, MAX_STATUS] = [200, 400, 599];

function fieldsOfInvocation(row: Fields): Record<string, unknown> {
  const [input, output] = [row['input'], row['output']].map((part) => (isObject(part) ? part : {}));
  const error = row['errorCode'];
  return {
    ...{ name: row['operation'], span_type: 'llm' },
    ...{ input: input?.['inputBodyJson'], output: output?.['outputBodyJson'] },
    ...(hasText(error) ? { status_code: 'ERROR', status_message: error } : {}),
  };
}

function fieldsOfHelicone(row: Fields, into: SpanChanges): Record<string, unknown> {
  const { request_properties: properties, response_status: answered } = row;
  const status = Number(answered);
  const isKnown = status >= MIN_OK && status <= MAX_STATUS;
  const word = isKnown ? (status >= MIN_ERROR ? 'ERROR' : 'OK') : undefined;
  if (word !== undefined) into.add('kind-name', 'status_code', String(answered), word);
  return {
    ...{ name: row['request_path'] ?? row['request_model'], span_type: 'llm' },
    ...{ input: row['request_body'], output: row['response_body'], status_code: word },
    session_id: isObject(properties) ? properties['Helicone-Session-Id'] : undefined,
  };
}

/** The fields of such a row that have another name in a span; null for other rows. */
export function fieldsOfCall(row: Fields, into: SpanChanges): Record<string, unknown> | null {
  if (isRun(row)) {
    const extra = isObject(row['extra']) ? row['extra'] : {};
    const metadata = isObject(extra['metadata']) ? extra['metadata'] : {};
    const thread = THREADS.map((name) => metadata[name]).find(hasText);
    return {
      ...{ parent_span_id: row['parent_run_id'], session_id: thread },
      ...{ input: row['inputs'], output: row['outputs'] },
      ...statusOf(row['status'], row['error'], into),
    };
  }
  if (isAgentSpan(row)) {
    const data = isObject(row['span_data']) ? row['span_data'] : {};
    const error = isObject(row['error']) ? row['error'] : null;
    return {
      ...{ name: data['name'] ?? data['type'], span_type: data['type'] },
      ...{ input: data['input'], output: data['output'] },
      ...(error === null ? {} : { status_code: 'ERROR', status_message: error['message'] }),
    };
  }
  if (isOfRoot(row)) {
    const parents = row['span_parents'];
    const failed = row['error'] !== null && row['error'] !== undefined;
    return {
      parent_span_id: Array.isArray(parents) ? parents[0] : undefined,
      ...(failed ? { status_code: 'ERROR', status_message: row['error'] } : {}),
    };
  }
  if (isInvocation(row)) return fieldsOfInvocation(row);
  if (isHelicone(row)) return fieldsOfHelicone(row, into);
  if (!isLoggedCall(row)) return null;
  return {
    ...{ name: row['call_type'], span_type: 'llm', input: row['messages'], output: row['response'] },
    ...statusOf(row['status'], row['error_str'], into),
  };
}

function statusOf(status: unknown, error: unknown, into: SpanChanges): Record<string, unknown> {
  const word = typeof status === 'string' ? STATES[status.toLowerCase()] : undefined;
  if (word !== undefined) into.add('kind-name', 'status_code', String(status), word);
  return { status_code: word ?? status, status_message: error };
}
