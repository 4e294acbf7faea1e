/** Where in a form a refusal of the service belongs. Pure. */
import type { WireError } from '../../../electron/shared/errors.ts';
import { type FormField, type FormValues, textOf } from './fields.ts';

interface PlacedRefusals {
  /** What the service says of a field, by the field's name. */
  byField: Readonly<Record<string, string>>;
  /** Further messages that name no field of the form. */
  rest: readonly string[];
}

const REFUSALS: ReadonlySet<string> = new Set(['BAD_REQUEST', 'CONFLICT', 'UNPROCESSABLE', 'NOT_FOUND']);

/** Did the service, or the check of the body before it, refuse what was typed? */
export function isRefusal(error: WireError): boolean {
  return REFUSALS.has(error.code) || error.code === 'INVALID_ARGUMENT';
}

/** Shorter names are words of any sentence: `type`, `name`. */
const TELLING = 6;

/** A message begins with the field's name (`type must be …`), names it, or quotes what was typed in it. */
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

export function placeRefusals(
  error: WireError,
  fields: readonly FormField[],
  values: FormValues = {},
): PlacedRefusals {
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
