/**
 * Compares the schema of new rows with that of earlier ones: a field whose values have another type, a field that
 * clearly fewer rows have, and a saved mapping that finds no value any more. Pure.
 */
import {
  type FieldShape,
  rowsWithValue,
  type SchemaChange,
  type SchemaChangeKind,
} from '../../shared/schema-model.ts';
import { wilson } from '../../shared/wilson.ts';
import { independentShares } from '../statistics/shares.ts';

/** Fewer traces or items than this decide nothing. */
const MIN_UNITS = 5;
/** A coverage that fell by less than this share of the rows is not reported. */
const MIN_FALL = 0.2;
/** A type is new below this share of the known values, and reported above that share of the new ones. */
const MAX_KNOWN_SHARE = 0.05;
const MIN_NEW_SHARE = 0.2;
/** Older rows count less beyond this number, so that the known shape follows slow changes. */
const MAX_KNOWN_ROWS = 5_000;
/** The name of the group of all rows. */
const ALL_ROWS = '';

/** Rows of one group: of one span type, or all. */
interface GroupShape {
  rows: number;
  units: number;
  fields: Record<string, FieldShape>;
}
/** By group; the group of all rows is always included if there are rows. */
type RowsShape = Record<string, GroupShape>;

export interface SchemaState {
  /** Time of the newest row seen; null before the first one. */
  newestMs: number | null;
  known: RowsShape;
  /** Open changes, each with the new rows seen so far. */
  open: SchemaChange[];
}
export const NO_SCHEMA: SchemaState = { newestMs: null, known: {}, open: [] };

/** A key of a saved mapping: it reads the first of these fields that a row has. */
export interface MappedKey {
  mapping: string;
  paths: readonly string[];
}

interface NewRows {
  shape: RowsShape;
  oldestMs: number;
  newestMs: number;
}

/** Counts the rows of one reading by group. */
export class ShapeCount {
  readonly shape: RowsShape = Object.create(null);
  readonly #units = new Map<string, Set<string>>();
  oldestMs = Number.POSITIVE_INFINITY;
  newestMs = Number.NEGATIVE_INFINITY;
  rows = 0;

  /** `types`: the type of each field. `unit`: the trace of the row, or its own id. `group`: empty if it has none. */
  add(types: Readonly<Record<string, string>>, unit: string, group: string, atMs: number): void {
    this.rows += 1;
    this.oldestMs = Math.min(this.oldestMs, atMs);
    this.newestMs = Math.max(this.newestMs, atMs);
    for (const name of group === ALL_ROWS ? [ALL_ROWS] : [ALL_ROWS, group]) this.#addTo(name, types, unit);
  }

  #addTo(name: string, types: Readonly<Record<string, string>>, unit: string): void {
    const group = this.shape[name] ?? { rows: 0, units: 0, fields: Object.create(null) };
    this.shape[name] = group;
    const units = this.#units.get(name) ?? new Set<string>();
    this.#units.set(name, units.add(unit));
    group.rows += 1;
    group.units = units.size;
    for (const [path, type] of Object.entries(types)) {
      const field = group.fields[path] ?? { rows: 0, units: 0, types: Object.create(null) };
      group.fields[path] = field;
      field.types[type] = (field.types[type] ?? 0) + 1;
    }
  }
}

/** The counts of a field among the rows of a group; a field without values if the rows do not have it. */
function fieldOf({ rows, units, fields }: GroupShape, path: string): FieldShape {
  const types = Object.hasOwn(fields, path) ? (fields[path]?.types ?? {}) : {};
  return { rows, units, types };
}

/** Rows of one trace resemble each other: a share counts as that of so many independent rows as there are traces. */
const independent = (count: number, { rows, units }: Pick<FieldShape, 'rows' | 'units'>) => {
  const items = Math.min(rows, units);
  return { count: rows === 0 ? 0 : Math.round((count / rows) * items), items };
};

function isRetyped(before: FieldShape, after: FieldShape): boolean {
  const [known, values] = [rowsWithValue(before), rowsWithValue(after)];
  if (known < MIN_UNITS) return false;
  return Object.entries(after.types).some(([type, rows]) => {
    if (type === 'null' || (before.types[type] ?? 0) > MAX_KNOWN_SHARE * known) return false;
    const { count, items } = independent(rows, { rows: values, units: Math.min(values, after.units) });
    const [low] = wilson(count, items) ?? [0];
    return items >= MIN_UNITS && low > MIN_NEW_SHARE;
  });
}

/** Whether the share of rows with a value is surely lower by more than `fall`. */
function hasFallen(before: FieldShape, after: FieldShape, fall: number): boolean {
  const shares = [before, after].map((field) => independent(rowsWithValue(field), field));
  const [was, is] = shares;
  if (was === undefined || is === undefined) return false;
  const difference = independentShares(was, is);
  return difference !== null && difference[1] < -fall;
}

/** The change that these rows show, if any. `isMapped`: a saved mapping reads the field. */
function judge(before: FieldShape, after: FieldShape, isMapped: boolean): SchemaChangeKind | null {
  if (before.units < MIN_UNITS || after.units < MIN_UNITS) return null;
  if (isRetyped(before, after)) return 'type';
  if (isMapped && rowsWithValue(after) === 0 && hasFallen(before, after, 0)) return 'blind';
  return hasFallen(before, after, MIN_FALL) ? 'coverage' : null;
}

/** The sum of both, with older rows reduced to keep at most `MAX_KNOWN_ROWS` of them. */
function joined(before: FieldShape, after: FieldShape): FieldShape {
  const part = Math.min(1, MAX_KNOWN_ROWS / Math.max(1, before.rows));
  const types: Record<string, number> = Object.create(null);
  for (const [type, rows] of Object.entries(before.types)) types[type] = Math.round(rows * part);
  for (const [type, rows] of Object.entries(after.types)) types[type] = (types[type] ?? 0) + rows;
  return {
    rows: Math.round(before.rows * part) + after.rows,
    units: Math.round(before.units * part) + after.units,
    types,
  };
}

const isSame = (one: Pick<SchemaChange, 'group' | 'path'>, other: Pick<SchemaChange, 'group' | 'path'>) =>
  one.group === other.group && one.path === other.path;

/** Span types are compared one by one, because their fields differ; without span types, all rows together. */
function comparedGroups(shape: RowsShape): string[] {
  const typed = Object.keys(shape).filter((name) => name !== ALL_ROWS);
  return typed.length === 0 ? Object.keys(shape) : typed;
}

/**
 * Takes the rows that came since the last reading. The first rows become the known shape. `found`: changes to be
 * reported, each once; `ended`: open changes whose later rows are as before. The fields of open changes are compared
 * with the same known rows until the change is over or accepted.
 */
export function watchSchema(
  state: SchemaState,
  { shape, oldestMs, newestMs }: NewRows,
  mapped: readonly MappedKey[],
  nowMs: number,
): { state: SchemaState; found: SchemaChange[]; ended: SchemaChange[] } {
  const known: RowsShape = Object.assign(Object.create(null), state.known);
  const open: SchemaChange[] = [];
  const found: SchemaChange[] = [];
  const ended: SchemaChange[] = [];
  const compared = new Set(comparedGroups(shape));
  const all = shape[ALL_ROWS];
  const isSeen = (path: string) => all !== undefined && rowsWithValue(fieldOf(all, path)) > 0;
  for (const [group, rows] of Object.entries(shape)) {
    const before = known[group];
    const fields: Record<string, FieldShape> = Object.assign(Object.create(null), before?.fields);
    for (const path of new Set([...Object.keys(fields), ...Object.keys(rows.fields)])) {
      const is = fieldOf(rows, path);
      const was = Object.hasOwn(fields, path) ? fields[path] : undefined;
      const readers = mapped.filter(({ paths }) => paths.includes(path));
      const same = state.open.find((change) => isSame(change, { group, path }));
      // A mapping reads spans of any type: it is blind only if no row at all has the field.
      const isMapped = group === ALL_ROWS && readers.some(({ paths }) => !paths.some(isSeen));
      const judged = was === undefined ? null : judge(was, is, isMapped);
      const kind = compared.has(group) || judged === 'blind' ? judged : null;
      if (was === undefined || (kind === null && same === undefined)) {
        // Earlier rows of the group were without this field.
        fields[path] = joined(was ?? { rows: before?.rows ?? 0, units: before?.units ?? 0, types: {} }, is);
      } else if (kind === null && same !== undefined && is.units >= MIN_UNITS) {
        ended.push({ ...same, state: 'over' });
        fields[path] = joined(was, is);
      } else if (same !== undefined) open.push({ ...same, after: joined(same.after, is) });
      else if (kind !== null) {
        const mappings = [...new Set(readers.map(({ mapping }) => mapping))];
        const change: SchemaChange = {
          ...{ kind, group, path, before: was, after: is, mappings },
          ...{ noticedAtMs: nowMs, sinceMs: oldestMs, state: 'open' },
        };
        open.push(change);
        found.push(change);
      }
    }
    const sum = joined(before === undefined ? EMPTY : { ...before, types: {} }, { ...rows, types: {} });
    known[group] = { rows: sum.rows, units: sum.units, fields };
  }
  // Groups without new rows.
  for (const change of state.open) if (!Object.hasOwn(shape, change.group)) open.push(change);
  return {
    state: { newestMs: Math.max(state.newestMs ?? Number.NEGATIVE_INFINITY, newestMs), known, open },
    // A blind mapping says more than the lower coverage of one span type.
    found: found.filter(({ kind, path }) => kind === 'blind' || !isBlindAt(found, path)),
    ended,
  };
}

const EMPTY: FieldShape = { rows: 0, units: 0, types: {} };

const isBlindAt = (changes: readonly SchemaChange[], path: string): boolean =>
  changes.some((change) => change.kind === 'blind' && change.path === path);

/** The new shape of these fields becomes the known one: they are compared with it from now on. */
export function acceptChange(state: SchemaState, accepted: Pick<SchemaChange, 'path'>): SchemaState {
  const known: RowsShape = Object.assign(Object.create(null), state.known);
  // One field may be open for several span types, and for all rows: a person calls its new shape right once.
  const taken = state.open.filter(({ path }) => path === accepted.path);
  for (const { group, path, after } of taken) {
    const before = known[group];
    if (before !== undefined)
      known[group] = {
        ...before,
        fields: Object.assign(Object.create(null), before.fields, { [path]: after }),
      };
  }
  return { ...state, known, open: state.open.filter((change) => !taken.includes(change)) };
}
