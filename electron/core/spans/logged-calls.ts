/**
 * Runs of LangSmith and calls logged by LiteLLM: rows that have the values of a span under other names. Pure.
 */
import type { SpanChanges } from '../../shared/span-file.ts';
import { isObject } from '../items/flattened.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Keys of a run's metadata that name its thread, the first one present counts. */
const THREADS = ['session_id', 'thread_id', 'conversation_id'] as const;
const STATES: Readonly<Record<string, string>> = { success: 'OK', error: 'ERROR', failure: 'ERROR' };

const hasText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** True for a run of LangSmith; its session is the project, not a conversation. */
export const isRun = (row: Fields): boolean =>
  hasText(row['id']) && hasText(row['run_type']) && ('dotted_order' in row || 'parent_run_id' in row);

/** True for a call in the standard log of LiteLLM. */
export const isLoggedCall = (row: Fields): boolean =>
  hasText(row['id']) && hasText(row['call_type']) && 'custom_llm_provider' in row;

/** The fields of such a row that a span has under another name; null for other rows. */
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
