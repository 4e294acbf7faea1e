/** Whether a span failed, and the message of its failure. Pure. */
import { isObject, type JsonObject, textField } from './records.ts';

/** Attributes with the message of an exception, named by OpenTelemetry and by the service. */
const MESSAGE_KEYS = [
  'exception.message',
  'error.message',
  'system.exception.message',
  'system.error.message',
];

const SILENT = 'Failed without a message.';
const isError = (status: unknown): boolean => String(status ?? '').toUpperCase() === 'ERROR';

/** Whether the status is `ERROR`, in upper or lower case; the service's other words are no failures. */
export const hasFailed = (row: JsonObject): boolean => isError(row['status_code']);

/**
 * The message of a failed span and the field that has it, or a sentence if there is no message; null for other spans.
 */
export function spanProblem(row: JsonObject): { text: string; field: string } | null {
  if (!hasFailed(row)) return null;
  const attributes = row['span_attributes'];
  const texts = [
    { text: textField(row, 'status_message').trim(), field: 'status_message' },
    ...(isObject(attributes)
      ? MESSAGE_KEYS.map((key) => ({
          text: textField(attributes, key).trim(),
          field: `span_attributes.${key}`,
        }))
      : []),
  ];
  return texts.find(({ text }) => text !== '') ?? { text: SILENT, field: 'status_message' };
}

interface Step {
  status: string;
  children: readonly this[];
}

/** The first failed span below this one that has no failed span below itself; null if no span below failed. */
export function failedBelow<S extends Step>(span: S): S | null {
  let found: S | null = null;
  for (let at: S | undefined = span; at !== undefined; ) {
    const next: S | undefined = at.children.find(({ status }) => isError(status));
    found = next ?? found;
    at = next;
  }
  return found;
}

/** The problem of a span. If it has no message itself, the message comes from the failed span inside it. */
export function problemWithin(
  row: JsonObject,
  inner: { name: string; row: JsonObject } | null,
): ReturnType<typeof spanProblem> {
  const own = spanProblem(row);
  if (own?.text !== SILENT || inner === null) return own;
  const cause = spanProblem(inner.row);
  if (cause === null || cause.text === SILENT)
    return { ...own, text: `Failed in ${inner.name}, without a message.` };
  return { ...cause, text: `Failed in ${inner.name}: ${cause.text}` };
}
