/** Where in a form a refusal of the service belongs. Pure. */
import type { WireError } from '../../../electron/shared/errors.ts';
import type { FormField } from './fields.ts';

export interface PlacedRefusals {
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

/** A message begins with the field's name (`type must be …`), or names one that no word of a sentence looks like. */
function fieldOf(message: string, fields: readonly FormField[]): FormField | undefined {
  const first = /^\W*(?:body\.)?([\w]+)/.exec(message)?.[1];
  const atStart = fields.find(({ name }) => name === first);
  if (atStart !== undefined) return atStart;
  const words = new Set(message.match(/\w+/g) ?? []);
  return fields.find(({ name }) => name.includes('_') && words.has(name));
}

export function placeRefusals(error: WireError, fields: readonly FormField[]): PlacedRefusals {
  const byField: Record<string, string> = {};
  const rest: string[] = [];
  const issues = error.details.issues ?? [];
  for (const { message, help } of issues) {
    const text = [message, help].filter((part) => part !== undefined && part !== '').join(' ');
    const field =
      fieldOf(message, fields) ??
      (error.code === 'CONFLICT' ? fields.find(({ name }) => name === 'name') : undefined);
    if (field === undefined) rest.push(text);
    else byField[field.name] = [byField[field.name], text].filter((part) => part !== undefined).join(' ');
  }
  return { byField, rest };
}
