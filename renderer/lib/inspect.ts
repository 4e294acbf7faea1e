/**
 * A record as the inspector shows it: the main content first, then plain fields as text, and nested fields separately.
 * Pure.
 */

import { constantOf } from '../../electron/shared/constant-words.ts';
import { doubleOf, isRawNumber } from '../../electron/shared/exact-json.ts';
import { NOT_KEPT, notKept } from '../../electron/shared/item-row.ts';
import { isNested, type Message, readNested } from '../../electron/shared/messages/message.ts';
import { attributeOf, spanMessages, spanTexts } from '../../electron/shared/messages/span-messages.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import { capitalized, formatFull, formatNumber, formatStamp } from './format.ts';
import { searchFor } from './read/find.ts';
import { unitOf, withUnit } from './read/units.ts';
import { isObject, type JsonObject } from './records.ts';

/** Labels and formats of a kind of record that differ from the raw ones. */
export interface FieldWords {
  labels: Readonly<Record<string, string>>;
  write: Readonly<Record<string, (value: number) => string>>;
  /** Whether the fields are named by the service, so that their names are put into words. */
  isOfService?: boolean;
}
const NO_WORDS: FieldWords = { labels: {}, write: {} };
/** For records of the service's lists. */
export const SERVICE_WORDS: FieldWords = { labels: {}, write: {}, isOfService: true };

const SHORT_LABELS: Readonly<Record<string, string>> = { created_at: 'Created', updated_at: 'Updated' };

/** Looks up only own keys: a field can be called `constructor`. */
const ownOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** A unit at the end of a name, which the label gives in words or the value shows. */
const UNIT_AT_END = /_(?:ms|millis|bytes|usd|percent|pct)$/;

/**
 * `Critical threshold` for `critical_threshold`, `Latency` for `latency_ms`. Names in another spelling stay unchanged.
 */
function labelOfField(name: string, { labels, isOfService = false }: FieldWords): string {
  const known = ownOf(labels, name) ?? (isOfService ? ownOf(SHORT_LABELS, name) : undefined);
  if (known !== undefined) return known;
  if (!isOfService || !/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name)) return name;
  const bare = name.replace(UNIT_AT_END, '');
  return capitalized(bare.replaceAll('_', ' '));
}

/** The label of a field whose value is shown without a unit: `Latency, ms` for `latency_ms`. */
function titleOfField(name: string, words: FieldWords): string {
  const label = labelOfField(name, words);
  const unit = words.isOfService === true && UNIT_AT_END.test(name) ? unitOf(name) : null;
  return unit === null || ownOf(words.labels, name) !== undefined || label === name
    ? label
    : `${label}, ${unit}`;
}

/** The label of a field of a record of the service, with the unit in its name. */
export const fieldTitle = (name: string): string => titleOfField(name, SERVICE_WORDS);

/**
 * Nested objects whose field names come from the service. In all others, such as metadata, users may have chosen the
 * names.
 */
const SERVICE_OBJECTS: ReadonlySet<string> = new Set(
  'activity,application,baseline,created_by,environment,metric,model,org,organization,project,projects,updated_by,user'.split(
    ',',
  ),
);
export const isServiceObject = (name: string): boolean => SERVICE_OBJECTS.has(name);

const REFERENCE_FIELDS: ReadonlySet<string> = new Set(
  'id,name,display_name,full_name,type,type_display_name,asset_type,title,email,version'.split(','),
);

/** Objects whose keys a person chose, so that they are never references to a record of the service. */
const OF_PERSONS: ReadonlySet<string> = new Set(
  'inputs,expected_outputs,metadata,extras,attributes,span_attributes'.split(','),
);

/** Another record that is only referred to: its name, and its other fields in a tooltip. */
function referenceOf(value: unknown): { value: string; title: string; isMono: boolean } | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const fields = Object.entries(value);
  if (!fields.every(([name, each]) => REFERENCE_FIELDS.has(name) && typeof each === 'string')) return null;
  const texts = new Map<string, string>(fields);
  const field = ['display_name', 'name', 'title', 'full_name'].find((each) => (texts.get(each) ?? '') !== '');
  if (field === undefined) return null;
  const rest = fields.filter(([each]) => each !== field && each !== 'version');
  const shown = [texts.get(field), texts.get('version') ?? ''].filter((text) => text !== '').join(' ');
  const said = rest.map(([each, text]) => `${fieldTitle(each)} ${constantOf(each, text) ?? text}`);
  return { value: shown, title: said.join(', '), isMono: false };
}

/** A constant in words, or yes and no; the value as the service wrote it is in the tooltip. */
function constantField(
  name: string,
  value: unknown,
): { value: string; title: string; isMono: boolean } | null {
  const text = typeof value === 'boolean' ? (value ? 'yes' : 'no') : constantOf(name, value);
  return text === null || value === '' ? null : { value: text, title: String(value), isMono: false };
}

/** The words that are shown for constants: of the field itself, or within an object of the service. */
function wordsIn(name: string, value: unknown, { isOfService = false }: FieldWords): string[] {
  if (!isOfService || OF_PERSONS.has(name)) return [];
  if (isObject(value) && isServiceObject(name))
    return Object.entries(value).flatMap(([each, inner]) => constantOf(each, inner) ?? []);
  const field = constantField(name, value);
  return field === null ? [] : [field.value];
}

/** Whether the value is null, or an empty text, list or object. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && !isRawNumber(value) && Object.keys(value).length === 0;
}

interface LeadField {
  name: string;
  label: string;
  value: unknown;
}

interface InspectedFields {
  /** The missing part of the record and the reason; null if it is complete. */
  missing: string | null;
  /** The messages of a language model span, shown in place of its input and output. */
  conversation: { messages: Message[]; notes: { input: string; output: string } } | null;
  lead: LeadField[];
  plain: { name: string; label: string; value: string; title?: string; isMono: boolean }[];
  /** `isOfService`: whether the names of its fields come from the service. */
  nested: { name: string; label: string; value: unknown; isOfService: boolean }[];
  /** Labels of the fields without a value. */
  empty: string[];
}

/** Fields that users look for first in a span or an item. */
const LEAD = [
  { name: 'input', label: 'Input' },
  { name: 'output', label: 'Output' },
  // Fields of tool spans from an export.
  { name: 'tool_input', label: 'Input' },
  { name: 'tool_output', label: 'Output' },
  { name: 'inputs', label: 'Inputs' },
  { name: 'expected_outputs', label: 'Expected outputs' },
  // Fields of items; they come before the ids of the item's origin.
  { name: 'metadata', label: 'Metadata', beside: 'inputs' },
  { name: 'extras', label: 'Extras', beside: 'inputs' },
] as const;
const IDENTIFIER = /^[0-9a-f-]{20,}$/i;
/** The fields whose name or content matches the search; all fields for an empty search. */
export function describeFields(
  record: JsonObject,
  search: string,
  words: FieldWords = NO_WORDS,
): InspectedFields {
  const found = searchFor(search);
  const labelOf = (name: string, value: unknown) =>
    withUnit(name, value) === null ? titleOfField(name, words) : labelOfField(name, words);
  const isHit = (name: string, value: unknown) =>
    [name, labelOf(name, value), textOf(value), ...wordsIn(name, value, words)].some(found.isHit);
  const messages = spanMessages(record);
  const isLead = ({ name }: { name: string }) => isNested(record[name]) || isText(record[name]);
  const leading: LeadField[] = LEAD.filter(
    (each) => isLead(each) && (!('beside' in each) || isNested(record[each.beside])),
  ).map(({ name, label }) => ({ name, label, value: record[name] }));
  if (messages === null) leading.unshift(...leadOfAttributes(record, leading));
  const fields: InspectedFields = {
    missing: notKept(record),
    conversation:
      messages !== null && isHit('conversation', messages) ? { messages, notes: notesOf(record) } : null,
    lead: [],
    plain: [],
    nested: [],
    empty: [],
  };
  for (const { name, label, value } of leading) {
    const isSaid = messages !== null && (name === 'input' || name === 'output');
    if (!isSaid && isHit(name, value))
      fields.lead.push({ name, label: ownOf(words.labels, name) ?? label, value });
  }
  for (const [name, value] of inOrder(record, words)) {
    const isEmptySide = messages !== null && value === '' && (name === 'input' || name === 'output');
    if (name === NOT_KEPT || isEmptySide || leading.some((each) => each.name === name)) continue;
    if (!isHit(name, value)) continue;
    const isOfService = words.isOfService === true && !OF_PERSONS.has(name);
    const reference = isOfService ? (referenceOf(value) ?? constantField(name, value)) : null;
    if (isEmpty(value)) fields.empty.push(labelOf(name, value));
    else if (reference !== null) fields.plain.push({ name, label: labelOf(name, value), ...reference });
    else if (isNested(value))
      fields.nested.push({
        ...{ name, label: labelOf(name, value), value },
        isOfService: words.isOfService === true && isServiceObject(name),
      });
    else
      fields.plain.push({
        name,
        label: labelOf(name, value),
        ...plainField(value, ownOf(words.write, name) ?? unitWriter(name), OF_A_TIME.test(name)),
      });
  }
  return fields;
}

/** Input and output of a span that has them only in its attributes, e.g. of a tool span. */
function leadOfAttributes(record: JsonObject, known: readonly LeadField[]): LeadField[] {
  const texts = spanTexts(record);
  const found = [
    { name: 'input', label: 'Input', value: readNested(texts.input) },
    { name: 'output', label: 'Output', value: readNested(texts.output) },
  ];
  return found.filter(
    ({ label, value }) =>
      value !== undefined && value !== null && value !== '' && !known.some((each) => each.label === label),
  );
}

/** The most important facts of a span: type, time, tokens, cost and model. */
export function recordFacts(record: JsonObject, words: FieldWords = NO_WORDS): string[] {
  const type = record['span_type'];
  if (typeof type !== 'string' || type === '') return [];
  const duration = doubleOf(record['duration']);
  const write = words.write['duration'];
  const tokens = withUnit('tokens', attributeOf(record, ['gen_ai.usage.total_tokens']));
  const cost = withUnit('cost_usd', attributeOf(record, ['cost_usd']));
  const model = attributeOf(record, ['gen_ai.request.model', 'model_name']);
  const facts = [type, duration === null ? null : write?.(duration), tokens, cost, model];
  return facts.filter((fact) => typeof fact === 'string');
}

/** Fields with labels come first, in the order of the labels; then the others; identifiers last. */
function inOrder(record: JsonObject, { labels }: FieldWords): [string, unknown][] {
  const places = new Map(Object.keys(labels).map((name, at) => [name, at]));
  const isIdentifier = (value: unknown) => typeof value === 'string' && IDENTIFIER.test(value);
  const place = ([name, value]: [string, unknown]) =>
    places.get(name) ?? places.size + (isIdentifier(value) ? 1 : 0);
  return Object.entries(record).sort((a, b) => place(a) - place(b));
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function unitWriter(name: string): ((value: number) => string) | undefined {
  return withUnit(name, 0) === null ? undefined : (value) => withUnit(name, value) ?? formatNumber(value);
}

/** Names of fields whose numbers are times: `alert_time_bucket`, `alert_run_start_time`. */
const OF_A_TIME = /_time(_bucket)?$/i;
/** Milliseconds between 2001 and 2096. Other numbers in such fields are durations or something else. */
const isEpochMs = (value: number): boolean => Number.isInteger(value) && value >= 1e12 && value < 4e12;

function plainField(
  value: unknown,
  write: ((value: number) => string) | undefined,
  isTime: boolean,
): { value: string; title?: string; isMono: boolean } {
  if (isRawNumber(value)) {
    const number = value.isWhole ? null : doubleOf(value);
    return {
      value: (number !== null && write?.(number)) || formatNumber(value),
      title: value.digits,
      isMono: false,
    };
  }
  if (typeof value === 'number') {
    if (isTime && isEpochMs(value))
      return { value: formatStamp(value), title: `${formatFull(value)} (${value})`, isMono: false };
    return { value: write?.(value) ?? formatNumber(value), title: String(value), isMono: false };
  }
  if (typeof value === 'string') {
    const ms = parseTime(value);
    if (ms !== null) return { value: formatStamp(ms), title: `${formatFull(ms)} (${value})`, isMono: false };
    return { value, isMono: IDENTIFIER.test(value) };
  }
  return { value: JSON.stringify(value) ?? 'null', isMono: true };
}

/** Token counts of a span's input and output, if the span has them. */
function notesOf(record: JsonObject): { input: string; output: string } {
  const note = (title: string, name: string) => {
    const count = attributeOf(record, [`gen_ai.usage.${name}`]);
    const text = withUnit(name, count);
    return text === null ? title : `${title} · ${text}`;
  };
  return { input: note('Input', 'input_tokens'), output: note('Output', 'output_tokens') };
}

/** The whole record as readable text, with real line breaks and without escapes. */
export function readableText(value: unknown, indent = ''): string {
  if (!isNested(value)) return leafText(value, indent);
  return Object.entries(value as object)
    .map(([name, each]) => {
      const label = Array.isArray(value) ? '-' : `${name}:`;
      const isBlock = isNested(each) || (typeof each === 'string' && /[\r\n]/.test(each));
      if (!isBlock) return `${indent}${label} ${leafText(each, '')}`;
      return `${indent}${label}\n${readableText(each, `${indent}  `)}`;
    })
    .join('\n');
}

function leafText(value: unknown, indent: string): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `${indent}${line}`)
    .join('\n');
}
