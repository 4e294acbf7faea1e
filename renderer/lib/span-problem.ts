/** Whether a span failed, and what its failure says. Pure. */
import { isObject, type JsonObject, textField } from './records.ts';

/** Attributes that hold the message of an exception, by OpenTelemetry and by the service. */
const MESSAGE_KEYS = [
  'exception.message',
  'error.message',
  'system.exception.message',
  'system.error.message',
];

const SILENT = 'Failed without a message.';
const isError = (status: unknown): boolean => String(status ?? '').toUpperCase() === 'ERROR';

/** `ERROR` in any case; the other words of the service are not failures. */
export const hasFailed = (row: JsonObject): boolean => isError(row['status_code']);

/** The message of a failed span with the field it is in, or a sentence if it has none; null for other spans. */
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

/** The first failed span below this one that has no failed span below it; null if none failed there. */
export function failedBelow<S extends Step>(span: S): S | null {
  let found: S | null = null;
  for (let at: S | undefined = span; at !== undefined; ) {
    const next: S | undefined = at.children.find(({ status }) => isError(status));
    found = next ?? found;
    at = next;
  }
  return found;
}

/** The problem of a span, with the message of the span that failed inside of it if it has none itself. */
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
