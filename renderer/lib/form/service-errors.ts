/** Assigns the validation messages of the service to the fields of a form. Pure. */
import type { WireError } from '../../../electron/shared/errors.ts';
import { type FormField, type FormValues, textOf } from './fields.ts';

interface PlacedErrors {
  /** The service's message for each field, by field name. */
  byField: Readonly<Record<string, string>>;
  /** Messages that belong to no field of the form. */
  rest: readonly string[];
}

const ERRORS_OF_SERVICE: ReadonlySet<string> = new Set([
  'BAD_REQUEST',
  'CONFLICT',
  'UNPROCESSABLE',
  'NOT_FOUND',
]);

/** Whether the input was rejected, by the service or by the check of the body before sending. */
export function isFormError(error: WireError): boolean {
  return ERRORS_OF_SERVICE.has(error.code) || error.code === 'INVALID_ARGUMENT';
}

/**
 * Minimum length of a field name to be searched anywhere in a message. Shorter names are ordinary words: `type`,
 * `name`.
 */
const TELLING = 6;

/**
 * A message belongs to a field if it begins with its name (`type must be …`), contains its name, or quotes
 * its value.
 */
function fieldOf(message: string, fields: readonly FormField[], values: FormValues): FormField | undefined {
  const first = /^\W*(?:body\.)?(\w+)/.exec(message)?.[1];
  const words = new Set(message.match(/\w+/g) ?? []);
  return (
    fields.find(({ name }) => name === first) ??
    fields.find(({ name }) => name.length >= TELLING && words.has(name)) ??
    fields.find(({ name }) => {
      const typed = textOf(values, name).trim();
      return typed.length > 1 && message.includes(`"${typed}"`);
    })
  );
}

export function placeErrors(
  error: WireError,
  fields: readonly FormField[],
  values: FormValues = {},
): PlacedErrors {
  const byField: Record<string, string> = {};
  const rest: string[] = [];
  for (const { message, help } of error.details.issues ?? []) {
    const text = [message, help].filter((part) => part !== undefined && part !== '').join(' ');
    const field =
      fieldOf(message, fields, values) ??
      (error.code === 'CONFLICT' ? fields.find(({ name }) => name === 'name') : undefined);
    if (field === undefined) rest.push(text);
    else byField[field.name] = [byField[field.name], text].filter((part) => part !== undefined).join(' ');
  }
  return { byField, rest };
}
