/** A record as a readable list: known fields with a label, unknown fields unchanged. Pure. */

import { constantOf } from '../../electron/shared/constant-words.ts';
import { doubleOf, isRawNumber } from '../../electron/shared/exact-json.ts';
import { NOT_KEPT } from '../../electron/shared/item-row.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import { formatClock, formatDay, formatFull, formatNumber, formatStamp } from './format.ts';
import { fieldTitle, isServiceObject } from './inspect.ts';
import { withUnit } from './read/units.ts';
import { isObject, type JsonObject, referenceName, textField } from './records.ts';
import { spanFilterText } from './span-filter.ts';

export interface KnownField {
  name: string;
  label: string;
  /**
   * Numbers since 1970 are shown as times only if the kind is `time`. A filter of spans is shown in words. With
   * `elsewhere`, another part of the view shows the field, and only the name of that part (`part`) is shown here.
   */
  kind?: 'time' | 'text' | 'json' | 'code' | 'filter' | 'elsewhere';
  part?: string;
  /** Whether the field is an author, a time or an id; such fields come last. */
  isStamp?: boolean;
}

export type FieldView =
  | { kind: 'text'; text: string; title?: string; isLong: boolean }
  | { kind: 'code'; text: string }
  | { kind: 'number'; text: string; title: string }
  | { kind: 'time'; text: string; title: string }
  | { kind: 'id'; text: string }
  | { kind: 'missing'; text: string }
  /** Another record that this one refers to. */
  | { kind: 'reference'; name: string; id: string; record: JsonObject }
  | { kind: 'texts'; texts: string[] }
  /** `isOfService`: whether the names of its fields come from the service. */
  | { kind: 'json'; value: unknown; isOfService?: boolean };

interface FieldRow {
  /** The name of the field in the record. */
  name: string;
  label: string;
  isKnown: boolean;
  view: FieldView;
}

export interface FieldSection {
  /** Null for the fields of the record itself. */
  title: string | null;
  rows: FieldRow[];
  /** Whether the section has the authors, times and ids of the record. */
  isStamps?: boolean;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_ROWS = 40;

/** Whether an object only refers to another record: it has an id and no nested values. */
function isReference(value: JsonObject): boolean {
  return textField(value, 'id') !== '' && Object.values(value).every((part) => !isNested(part));
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !isRawNumber(value) && Object.keys(value).length > 0;
}

function isPlain(value: unknown): boolean {
  return value === null || isRawNumber(value) || ['string', 'number', 'boolean'].includes(typeof value);
}

export function viewField(value: unknown, kind?: KnownField['kind']): FieldView {
  if (value === null || value === undefined) return { kind: 'missing', text: 'none' };
  if (kind === 'json') return { kind: 'json', value };
  const filter = kind === 'filter' ? spanFilterText(JSON.stringify(value)) : null;
  if (filter !== null) return { kind: 'text', text: filter, title: JSON.stringify(value), isLong: false };
  if (kind === 'code' && typeof value === 'string') return { kind: 'code', text: value };
  if (typeof value === 'boolean') return { kind: 'text', text: value ? 'yes' : 'no', isLong: false };
  if (typeof value === 'string' || (doubleOf(value) !== null && kind === 'time')) {
    const ms = kind === 'text' ? null : parseTime(value);
    if (ms !== null) {
      return { kind: 'time', text: formatStamp(ms), title: `${formatFull(ms)} (${String(value)})` };
    }
  }
  if (typeof value === 'number' || isRawNumber(value))
    return { kind: 'number', text: formatNumber(value), title: String(value) };
  if (typeof value === 'string') return viewText(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return { kind: 'missing', text: 'none' };
    if (value.every(isPlain)) return { kind: 'texts', texts: value.map(String) };
    return { kind: 'json', value };
  }
  if (!isObject(value)) return { kind: 'json', value };
  if (Object.keys(value).length === 0) return { kind: 'missing', text: 'none' };
  if (!isReference(value)) return { kind: 'json', value };
  const id = textField(value, 'id');
  return {
    kind: 'reference',
    id,
    name: referenceName({ value }, 'value'),
    record: value,
  };
}

/** A field whose meaning is known: constants in words, numbers with the unit of their name. */
function viewKnown(name: string, value: unknown, kind?: KnownField['kind']): FieldView {
  const words = kind === undefined ? constantOf(name, value) : null;
  if (words !== null) return { kind: 'text', text: words, title: String(value), isLong: false };
  const measured = withUnit(name, value);
  if (measured !== null) return { kind: 'number', text: measured, title: String(value) };
  const view = viewField(value, kind);
  return view.kind === 'json' ? { ...view, isOfService: isServiceObject(name) } : view;
}

function viewText(value: string): FieldView {
  if (value === '') return { kind: 'missing', text: 'empty text' };
  if (UUID.test(value)) return { kind: 'id', text: value };
  return { kind: 'text', text: value, isLong: value.length > 80 || value.includes('\n') };
}

function holds(name: string, label: string, value: unknown, wanted: string): boolean {
  if (wanted === '') return true;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const words = constantOf(name.slice(name.lastIndexOf('.') + 1), value) ?? '';
  return [name, label, text, words].some((part) => part.toLowerCase().includes(wanted));
}

/**
 * Whether an object is shown as a section of rows: a small one with plain values only. Anything deeper is shown as a
 * tree.
 */
function isSection(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    isNested(value) &&
    !isReference(value) &&
    Object.keys(value).length <= MAX_ROWS &&
    Object.values(value).every(
      (part) =>
        isPlain(part) ||
        (Array.isArray(part) && part.every(isPlain)) ||
        (isObject(part) && isReference(part)),
    )
  );
}

/** A field of a nested object. Its name is put into words only if it comes from the service. */
function innerRow(name: string, value: unknown, isOfService: boolean): FieldRow {
  const label = isOfService ? fieldTitle(name) : name;
  const isKnown = label !== name;
  return { name, label, isKnown, view: isKnown ? viewKnown(name, value) : viewField(value) };
}

/** A single time is not compared with others, so it is written for reading: `12 Mar 2026 14:02`. */
function asStamp(view: FieldView, value: unknown): FieldView {
  const ms = view.kind === 'time' ? parseTime(value) : null;
  return view.kind === 'time' && ms !== null
    ? { ...view, text: `${formatDay(ms)} ${formatClock(ms)}` }
    : view;
}

/**
 * Sections of a record: its own fields with the known ones first, in their order; then one section for each nested
 * object; finally its authors, times and ids. Only matches of the search are included; an empty search matches
 * everything.
 */
export function fieldSections(
  record: JsonObject,
  known: readonly KnownField[] = [],
  search = '',
): FieldSection[] {
  const wanted = search.trim().toLowerCase();
  const own: FieldSection = { title: null, rows: [] };
  const stamps: FieldSection = { title: null, rows: [], isStamps: true };
  const sections: FieldSection[] = [own];
  const rest = Object.keys(record).filter(
    (name) => name !== NOT_KEPT && !known.some((field) => field.name === name),
  );
  const fields: KnownField[] = [
    ...known.filter(({ name }) => Object.hasOwn(record, name)),
    ...rest.map((name) => ({ name, label: name })),
  ];
  for (const { name, label, kind, part, isStamp } of fields) {
    const value = record[name];
    const isKnown = !rest.includes(name);
    if (kind === 'elsewhere') {
      if (holds(name, label, value, wanted))
        own.rows.push({ name, label, isKnown, view: { kind: 'missing', text: `under ${part ?? label}` } });
    } else if (kind !== 'json' && isSection(value)) {
      const rows = Object.entries(value)
        .filter(([key, inner]) => holds(`${name}.${key}`, label, inner, wanted))
        .map(([key, inner]) => innerRow(key, inner, isKnown && isServiceObject(name)));
      if (rows.length > 0) sections.push({ title: label, rows });
    } else if (holds(name, label, value, wanted)) {
      const view = isKnown ? viewKnown(name, value, kind) : viewField(value);
      if (isStamp === true) stamps.rows.push({ name, label, isKnown, view: asStamp(view, value) });
      else own.rows.push({ name, label, isKnown, view });
    }
  }
  return [...sections, stamps].filter(({ rows }) => rows.length > 0);
}
