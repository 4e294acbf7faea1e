/** Whether a span failed, and what its failure says. Pure. */
import { isObject, type JsonObject, textField } from './records.ts';

/** Attributes that hold the message of an exception, by OpenTelemetry and by the service. */
const MESSAGE_KEYS = [
  'exception.message',
  'error.message',
  'system.exception.message',
  'system.error.message',
];

/** `ERROR` in any case; the other words of the service are no failures. */
export const hasFailed = (row: JsonObject): boolean =>
  String(row['status_code'] ?? '').toUpperCase() === 'ERROR';

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
  return (
    texts.find(({ text }) => text !== '') ?? { text: 'Failed without a message.', field: 'status_message' }
  );
}
