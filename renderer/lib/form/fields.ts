/** A form as data: its fields, the typed values, and the resulting request body. Pure. */
import { withArticle } from '../../../electron/shared/count-text.ts';
import { cutStart, cutText } from '../../../electron/shared/cut-text.ts';
import { exactNumber, isRawNumber } from '../../../electron/shared/exact-json.ts';
import { isoTime, momentAt } from '../../../electron/shared/zone-time.ts';
import { formatStamp, shownZone } from '../format.ts';
import { JsonMistake, lineAndColumn, readJson } from '../json-places.ts';
import { isObject, type JsonObject } from '../records.ts';
import { wallTime } from '../wall-time.ts';

/** Text for most kinds, a list for `multi` and `texts`, a boolean for `flag`. */
export type FormValue = string | readonly string[] | boolean;
export type FormValues = Readonly<Record<string, FormValue>>;

interface Choice {
  value: string;
  title?: string;
  /** Shown at the right end of an option in a searchable list. */
  note?: string;
}

interface FieldBase {
  /** Key in the request body. */
  name: string;
  label: string;
  hint?: string;
  isRequired?: boolean | ((values: FormValues) => boolean);
  /** If it returns false, the field is omitted from the form and the body. */
  isShown?: (values: FormValues) => boolean;
  /** The reason why the value is invalid, checked in addition to the rules of the kind; null if it is valid. */
  check?: (values: FormValues) => string | null;
  /** Value of a new record. */
  start?: FormValue;
  /** Word before the control, if the fields read as a sentence. The label stays part of the accessible name. */
  word?: string;
  /** Consecutive fields with the same `line` are shown side by side. */
  line?: string;
  /** Whether the field is rarely used. It is collapsed unless its value differs from that of a new record. */
  isRare?: boolean;
}

export type FormField = FieldBase &
  (
    | { kind: 'text' | 'long'; placeholder?: string; isMono?: boolean; rows?: number }
    | { kind: 'number'; min?: number; max?: number; isWhole?: boolean }
    | { kind: 'flag' }
    | {
        kind: 'select';
        options: readonly Choice[];
        /** Whether a value outside the options can be typed. */
        allowsOther?: boolean;
        /** Whether the list is long enough to need a search field. */
        isSearched?: boolean;
        /** Whether the options are still loading and nothing can be chosen yet. */
        isReading?: boolean;
      }
    | { kind: 'multi'; options: readonly Choice[]; noneText: string }
    | { kind: 'texts'; placeholder?: string }
    /** `ms` and `seconds` since 1970, or ISO text. Entered in local time. */
    | { kind: 'time'; sentAs: 'ms' | 'seconds' | 'iso' }
    | { kind: 'json'; placeholder?: string; mustBe?: 'object' | 'array' }
    | {
        kind: 'reference';
        /**
         * The list from which the record is picked; `path` returns null if the list needs another field
         * first.
         */
        operation: string;
        path?: (values: FormValues) => Readonly<Record<string, string>> | null;
        query?: (values: FormValues) => Readonly<Record<string, string>>;
        noun: string;
        /** Text shown while `path` returns null. */
        needs?: string;
      }
  );

export function textOf(values: FormValues, name: string): string {
  const value = values[name];
  return typeof value === 'string' ? value : '';
}

function emptyOf(field: FormField): FormValue {
  if (field.kind === 'flag') return false;
  return field.kind === 'multi' || field.kind === 'texts' ? [] : '';
}

/**
 * Accessible name of a field's control: `In Model`. It contains the visible word, so that speech input finds the
 * control.
 */
export function spokenName({ label, word }: Pick<FormField, 'label' | 'word'>): string {
  return word === undefined || label.toLowerCase().split(' ').includes(word.toLowerCase())
    ? label
    : `${word} ${label}`;
}

/** Initial values of the form for a new record. */
export function startValues(fields: readonly FormField[]): FormValues {
  return Object.fromEntries(fields.map((field) => [field.name, field.start ?? emptyOf(field)]));
}

const WHOLE = /^-?\d+$/;

export function isRequired(field: FormField, values: FormValues): boolean {
  return typeof field.isRequired === 'function' ? field.isRequired(values) : field.isRequired === true;
}

/** `2026-03-12 14:02:33` in the display time zone: the value of a date-time field. */
export function localInput(ms: number): string {
  return formatStamp(ms);
}

const LOCAL = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Milliseconds of a typed time, in the display time zone unless the text names a zone. A date alone means the start of
 * the day. Null if it is invalid.
 */
export function readLocal(text: string): number | null {
  const found = LOCAL.exec(text.trim());
  if (found === null) return null;
  const [, day, clock = '00:00', zone = ''] = found;
  // Whether the date and time exist does not depend on the zone.
  const wallMs = wallTime(day ?? '', clock);
  if (wallMs === null) return null;
  if (zone === '') return momentAt(wallMs, shownZone());
  const ms = Date.parse(`${day}T${clock}${zone}`);
  return Number.isNaN(ms) ? null : ms;
}

function valueFrom(field: FormField, given: unknown): FormValue {
  if (given === null || given === undefined) return emptyOf(field);
  switch (field.kind) {
    case 'flag':
      return given === true;
    case 'multi':
    case 'texts':
      return Array.isArray(given) ? given.map(String) : [];
    case 'json':
      return isObject(given) && Object.keys(given).length === 0 ? '' : JSON.stringify(given, null, 2);
    case 'time': {
      const ms = typeof given === 'number' ? (field.sentAs === 'seconds' ? given * 1_000 : given) : NaN;
      const parsed = Number.isNaN(ms) ? isoTime(String(given)) : ms;
      return parsed === null ? '' : localInput(parsed);
    }
    case 'reference':
      return isObject(given) ? String(given['id'] ?? '') : String(given);
    default:
      return String(given);
  }
}

/** Values of a form that edits or duplicates this record. */
export function valuesOf(fields: readonly FormField[], record: JsonObject): FormValues {
  return Object.fromEntries(
    fields.map((field) => {
      const reference = field.name.endsWith('_id') ? record[field.name.slice(0, -'_id'.length)] : undefined;
      return [field.name, valueFrom(field, record[field.name] ?? reference)];
    }),
  );
}

export function isShown(field: FormField, values: FormValues): boolean {
  return field.isShown?.(values) ?? true;
}

/** The fields grouped into lines, in their order: consecutive fields with the same line form a group. */
export function linesOf(fields: readonly FormField[]): FormField[][] {
  const lines: FormField[][] = [];
  for (const field of fields) {
    const last = lines.at(-1);
    if (field.line !== undefined && last?.[0]?.line === field.line) last.push(field);
    else lines.push([field]);
  }
  return lines;
}

function isEmpty(value: FormValue | undefined): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return Array.isArray(value) && value.length === 0;
}

const MAX_SHOWN_CHARS = 80;

/** Number of characters shown before the first difference of two long values. */
const BEFORE_DIFFERENCE = 24;

/** Strings of a JSON text, its spaces, and the characters that are followed by a space on one line. */
const JSON_PARTS = /"(?:[^"\\]|\\.)*"|\s+|[:,]/g;

/** JSON on one line, whatever its spelling was. */
const onOneLine = (json: string): string =>
  json.replaceAll(JSON_PARTS, (part) => (part.startsWith('"') ? part : part.trim() === '' ? '' : `${part} `));

/** A value that is not empty, as the user sees it in its control. */
function shownText(field: FormField, value: string | readonly string[]): string {
  const titleOf = (one: string) =>
    'options' in field ? (field.options.find((choice) => choice.value === one)?.title ?? one) : one;
  if (typeof value !== 'string') return value.map(titleOf).join(', ');
  return field.kind === 'json' ? onOneLine(value) : titleOf(value);
}

/**
 * A change of a value as a part of a sentence: `was “low”, is now “high”`. Long values are cut so that their first
 * difference is visible; an empty one is “not set”, without quotes.
 */
export function changeText(field: FormField, was: FormValue, now: FormValue): string {
  const texts = [was, now].map((value) =>
    typeof value === 'boolean' || isEmpty(value) ? null : shownText(field, value),
  );
  const [before, after] = texts;
  const isLong = texts.some((text) => text !== null && text.length > MAX_SHOWN_CHARS);
  const from = isLong && before && after ? differenceOf(before, after) - BEFORE_DIFFERENCE : 0;
  const [one, other] = [was, now].map((value, at) => {
    if (typeof value === 'boolean') return value ? 'on' : 'off';
    const text = texts[at];
    return text ? `“${cutText(cutStart(text, from), MAX_SHOWN_CHARS)}”` : 'not set';
  });
  return `was ${one}, is now ${other}`;
}

/** Number of characters that two texts have in common at their beginning. */
function differenceOf(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

type Parsed = { isOk: true; value: unknown } | { isOk: false; problem: string };
const ok = (value: unknown): Parsed => ({ isOk: true, value });
const bad = (problem: string): Parsed => ({ isOk: false, problem });

/** The value in the body for a form value that is not empty. */
function parseValue(field: FormField, value: FormValue): Parsed {
  const text = typeof value === 'string' ? value : '';
  switch (field.kind) {
    case 'number': {
      const value = exactNumber(text);
      if (value === null) return bad('Expected a number.');
      const number = Number(value);
      const isWhole = isRawNumber(value) ? WHOLE.test(value.digits) : Number.isInteger(number);
      if (field.isWhole === true && !isWhole) return bad('Expected a whole number.');
      if (field.min !== undefined && number < field.min) return bad(`Expected at least ${field.min}.`);
      if (field.max !== undefined && number > field.max) return bad(`Expected at most ${field.max}.`);
      return ok(value);
    }
    case 'time': {
      const ms = readLocal(text);
      if (ms === null) return bad('Expected a time such as 2026-03-12 14:00.');
      if (field.sentAs === 'iso') return ok(new Date(ms).toISOString());
      return ok(field.sentAs === 'seconds' ? Math.round(ms / 1_000) : ms);
    }
    case 'json':
      return parseJson(text, field.mustBe);
    case 'text':
    case 'select':
    case 'reference':
      return ok(text.trim());
    default:
      return ok(value);
  }
}

/** Whether the body has the same value for both, e.g. for `0.3` and `0.30`. */
export function isSameSent(field: FormField, one: FormValue, other: FormValue): boolean {
  const sent = (value: FormValue): unknown => {
    const parsed = isEmpty(value) ? ok(null) : parseValue(field, value);
    return parsed.isOk ? parsed.value : value;
  };
  return JSON.stringify(sent(one)) === JSON.stringify(sent(other));
}

function parseJson(text: string, mustBe: 'object' | 'array' | undefined): Parsed {
  let value: unknown;
  try {
    value = readJson(text).value;
  } catch (thrown) {
    if (!(thrown instanceof JsonMistake)) throw thrown;
    const { line, column } = lineAndColumn(text, thrown.at);
    return bad(`Line ${line}, column ${column}: ${thrown.message}`);
  }
  if (mustBe === 'object' && !isObject(value)) return bad('Expected an object: {"key": "value"}.');
  if (mustBe === 'array' && !Array.isArray(value)) return bad('Expected a list: ["value"].');
  return ok(value);
}

interface FormBody {
  body: JsonObject;
  /** By field name; `OTHER_FIELDS` stands for the box of other fields. Empty if the body can be sent. */
  problems: Readonly<Record<string, string>>;
}

/** Name of the box for fields that the form does not know. */
export const OTHER_FIELDS = ' other';

/**
 * The body made from these values. With `before`, it contains only differences, and cleared fields are null;
 * without it, empty fields are omitted.
 */
export function formBody(
  fields: readonly FormField[],
  values: FormValues,
  other: string,
  before: FormValues | null = null,
): FormBody {
  const body: JsonObject = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    if (!isShown(field, values)) continue;
    const value = values[field.name] ?? emptyOf(field);
    const isSame = before !== null && JSON.stringify(before[field.name]) === JSON.stringify(value);
    const problem = fieldProblem(field, value, values);
    if (problem !== null) problems[field.name] = problem;
    else if (!isSame) setField(body, field, value, before !== null);
  }
  addOthers(fields, other, body, problems);
  return { body, problems };
}

function setField(body: JsonObject, field: FormField, value: FormValue, isChange: boolean): void {
  if (isEmpty(value)) {
    if (isChange) body[field.name] = field.kind === 'json' && field.mustBe === 'object' ? {} : null;
    return;
  }
  const parsed = parseValue(field, value);
  if (parsed.isOk) body[field.name] = parsed.value;
}

function fieldProblem(field: FormField, value: FormValue, values: FormValues): string | null {
  if (isEmpty(value)) {
    if (!isRequired(field, values)) return field.check?.(values) ?? null;
    return field.kind === 'reference' ? `Choose ${withArticle(field.noun)}.` : `${field.label} is required.`;
  }
  const parsed = parseValue(field, value);
  return parsed.isOk ? (field.check?.(values) ?? null) : parsed.problem;
}

function addOthers(
  fields: readonly FormField[],
  other: string,
  body: JsonObject,
  problems: Record<string, string>,
): void {
  if (other.trim() === '') return;
  const parsed = parseJson(other, 'object');
  if (!parsed.isOk) {
    problems[OTHER_FIELDS] = parsed.problem;
    return;
  }
  const own = isObject(parsed.value) ? parsed.value : {};
  const double = Object.keys(own).find((key) => fields.some(({ name }) => name === key));
  if (double === undefined) Object.assign(body, own);
  else problems[OTHER_FIELDS] = `“${double}” is already a field above.`;
}
