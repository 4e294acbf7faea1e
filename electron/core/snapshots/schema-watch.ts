/**
 * Compares the schema of new rows with that of earlier ones: a field whose values have another type, a field that
 * clearly fewer rows have, and a saved mapping that finds no value any more. Pure.
 */
import { type FieldShape, rowsWithValue, type SchemaChange, typeOfGroup } from '../../shared/schema-model.ts';
import { elementAt } from '../element-at.ts';
import { adjusted } from '../statistics/false-discovery.ts';
import { type Judgement, judge, MIN_UNITS, UNCHANGED } from './schema-judge.ts';
import {
  ALL_ROWS,
  fieldOf,
  type GroupShape,
  joined,
  limited,
  pooled,
  type RowsShape,
  type ShapeCount,
} from './schema-shapes.ts';

import type { SeenRows } from './seen-rows.ts';

/** Adjusted probability of a reported change if nothing changed: ten comparisons of a list give 1 % at most. */
const MAX_PROBABILITY = 0.001;
/** Open changes of one list; further ones are found again when there is room. */
const MAX_OPEN = 40;
/** Sizes of the kept counts as JSON, in characters. */
const MAX_KNOWN_SIZE = 100_000;
const MAX_PENDING_SIZE = 40_000;

export interface SchemaState {
  /** Time of the newest row seen; null before the first one. */
  newestMs: number | null;
  known: RowsShape;
  /** New rows of too few traces or items to be compared yet. */
  pending: Record<string, PendingGroup>;
  /** Open changes, each with the new rows seen so far. */
  open: SchemaChange[];
  /** Rows of the last week that were compared. */
  seen: SeenRows | null;
}
export const NO_SCHEMA: SchemaState = { newestMs: null, known: {}, pending: {}, open: [], seen: null };

interface PendingGroup extends GroupShape {
  /** Time of the oldest row. */
  sinceMs: number;
}

/** A key of a saved mapping, which reads the first of these fields in a row. */
export interface MappedKey {
  mapping: string;
  paths: readonly string[];
}

type NewRows = Pick<ShapeCount, 'shapeBy' | 'oldestMs' | 'newestMs'>;

/**
 * The new rows by group: spans of one type have different fields if their names are those of different tools, so that a
 * frequent name is a group of its own. A name that is one from now on was among the rest of its type before: what is
 * known of that rest no longer holds.
 */
function grouped(state: SchemaState, rows: NewRows): { state: SchemaState; shape: RowsShape } {
  const { known, pending } = state;
  const isKnown = (group: string) =>
    Object.hasOwn(pending, group) || (Object.hasOwn(known, group) && (known[group]?.units ?? 0) >= MIN_UNITS);
  const shape = rows.shapeBy((group, units) => units >= MIN_UNITS || isKnown(group));
  const left = new Set(
    Object.keys(shape).flatMap((group) => {
      const type = typeOfGroup(group);
      return type === group || isKnown(group) ? [] : [type];
    }),
  );
  if (left.size === 0) return { state, shape };
  const kept = <G>(groups: Readonly<Record<string, G>>): Record<string, G> =>
    Object.assign(
      Object.create(null),
      Object.fromEntries(Object.entries(groups).filter(([group]) => !left.has(group))),
    );
  return { state: { ...state, known: kept(known), pending: kept(pending) }, shape };
}

/** Rows up to this time were compared. A time in the future comes from a wrong clock: null, as before the first row. */
export const comparedUntilMs = ({ newestMs }: Pick<SchemaState, 'newestMs'>, nowMs: number): number | null =>
  newestMs === null || newestMs > nowMs ? null : newestMs;

const isSame = (one: Pick<SchemaChange, 'group' | 'path'>, other: Pick<SchemaChange, 'group' | 'path'>) =>
  one.group === other.group && one.path === other.path;

/** Span types are compared one by one, because their fields differ; without span types, all rows together. */
function comparedGroups(shape: RowsShape): string[] {
  const typed = Object.keys(shape).filter((name) => name !== ALL_ROWS);
  return typed.length === 0 ? Object.keys(shape) : typed;
}

/** A field of new rows beside the known ones. */
interface ComparedField extends Judgement {
  group: string;
  path: string;
  /** Undefined for a new field. */
  was: FieldShape | undefined;
  is: FieldShape;
  /** The open change of this field. */
  same: SchemaChange | undefined;
  mappings: string[];
}

/** The fields of these groups, known and new. `all`: every new row, with groups not compared yet. */
function comparedFields(
  { known, open }: SchemaState,
  shape: RowsShape,
  all: GroupShape | undefined,
  mapped: readonly MappedKey[],
): ComparedField[] {
  const compared = new Set(comparedGroups(shape));
  const isSeen = (path: string) => all !== undefined && rowsWithValue(fieldOf(all, path)) > 0;
  return Object.entries(shape).flatMap(([group, rows]) => {
    const fields = Object.hasOwn(known, group) ? (known[group]?.fields ?? {}) : {};
    return [...new Set([...Object.keys(fields), ...Object.keys(rows.fields)])].map((path): ComparedField => {
      const is = fieldOf(rows, path);
      const was = Object.hasOwn(fields, path) ? fields[path] : undefined;
      const readers = mapped.filter(({ paths }) => paths.includes(path));
      // A mapping reads spans of any type: it is blind only if no row at all has the field.
      const isMapped = group === ALL_ROWS && readers.some(({ paths }) => !paths.some(isSeen));
      const judged = was === undefined ? UNCHANGED : judge(was, is, isMapped);
      return {
        ...(compared.has(group) || judged.kind === 'blind' ? judged : UNCHANGED),
        ...{ group, path, was, is, same: open.find((change) => isSame(change, { group, path })) },
        mappings: [...new Set(readers.map(({ mapping }) => mapping))],
      };
    });
  });
}

/** New changes that this number of fields would not show by chance: blind mappings first, then the surest. */
function sureChanges(fields: readonly ComparedField[]): ComparedField[] {
  const tested = fields.filter(({ was, same }) => was !== undefined && same === undefined);
  const probabilities = adjusted(tested.map(({ probability }) => probability));
  const isBlind = ({ kind }: ComparedField) => Number(kind === 'blind');
  return tested
    .filter(({ kind }, at) => kind !== null && elementAt(probabilities, at) <= MAX_PROBABILITY)
    .toSorted((one, other) => isBlind(other) - isBlind(one) || one.probability - other.probability);
}

/** Groups with enough new rows, those before included, and groups that have to wait for more. */
function readyGroups(
  { known, pending }: SchemaState,
  shape: RowsShape,
  oldestMs: number,
): { ready: Record<string, PendingGroup>; waiting: Record<string, PendingGroup> } {
  const ready: Record<string, PendingGroup> = Object.create(null);
  const waiting: Record<string, PendingGroup> = Object.assign(Object.create(null), pending);
  for (const [group, rows] of Object.entries(shape)) {
    const earlier = waiting[group];
    const sinceMs = Math.min(earlier?.sinceMs ?? oldestMs, oldestMs);
    const sum = { ...pooled(earlier, rows), sinceMs };
    delete waiting[group];
    // The first rows become the known shape at once.
    const isKnown = Object.hasOwn(known, group) && (known[group]?.units ?? 0) >= MIN_UNITS;
    if (isKnown && sum.units < MIN_UNITS) waiting[group] = sum;
    else ready[group] = sum;
  }
  return { ready, waiting };
}

/**
 * Takes the rows that came since the last reading. The first rows become the known shape; later ones wait until they are
 * enough to be compared. `found`: changes to be reported, each once; `ended`: open changes whose later rows are as
 * before. The fields of open changes are compared with the same known rows until the change is over or accepted.
 */
export function watchSchema(
  before: SchemaState,
  rows: NewRows,
  mapped: readonly MappedKey[],
  nowMs: number,
): { state: SchemaState; found: SchemaChange[]; ended: SchemaChange[] } {
  const { state, shape } = grouped(before, rows);
  const { ready, waiting } = readyGroups(state, shape, rows.oldestMs);
  const known: RowsShape = Object.assign(Object.create(null), state.known);
  for (const [group, own] of Object.entries(ready))
    known[group] = { ...pooled(known[group], { ...own, fields: {} }), fields: Object.create(null) };
  const open = state.open.filter(({ group }) => !Object.hasOwn(ready, group));
  const found: SchemaChange[] = [];
  const ended: SchemaChange[] = [];
  const fields = comparedFields(state, ready, ready[ALL_ROWS] ?? waiting[ALL_ROWS], mapped);
  const sure = new Set(sureChanges(fields));
  for (const field of fields) {
    const { kind, group, path, was, is, same } = field;
    const { rows: earlier, units } = state.known[group] ?? EMPTY;
    const isLikeKnown = same === undefined ? !sure.has(field) : kind === null && is.units >= MIN_UNITS;
    // Earlier rows of the group were without a new field.
    const former = was ?? { rows: earlier, units, types: {} };
    const own = known[group];
    if (own !== undefined) own.fields[path] = isLikeKnown ? joined(former, is) : former;
    if (same !== undefined && isLikeKnown) ended.push({ ...same, state: 'over' });
    else if (same !== undefined) open.push({ ...same, after: joined(same.after, is) });
  }
  for (const { kind, group, path, was, is, mappings } of sure) {
    if (kind === null || was === undefined || open.length >= MAX_OPEN) continue;
    const change: SchemaChange = {
      ...{ kind, group, path, before: was, after: is, mappings },
      ...{ noticedAtMs: nowMs, sinceMs: ready[group]?.sinceMs ?? rows.oldestMs, state: 'open' },
    };
    open.push(change);
    found.push(change);
  }
  const isOpen = (group: string, path: string) => open.some((change) => isSame(change, { group, path }));
  const isMapped = (_: string, path: string) => mapped.some(({ paths }) => paths.includes(path));
  return {
    state: {
      newestMs: Math.max(comparedUntilMs(state, nowMs) ?? Number.NEGATIVE_INFINITY, rows.newestMs),
      known: limited(known, MAX_KNOWN_SIZE, (group, path) => isOpen(group, path) || isMapped(group, path)),
      pending: limited(waiting, MAX_PENDING_SIZE, isMapped),
      open,
      seen: state.seen,
    },
    // A blind mapping says more than the lower coverage of one span type.
    found: found.filter(({ kind, path }) => kind === 'blind' || !isBlindAt(open, path)),
    ended,
  };
}

const EMPTY = { rows: 0, units: 0 };

const isBlindAt = (changes: readonly SchemaChange[], path: string): boolean =>
  changes.some((change) => change.kind === 'blind' && change.path === path);

/** Makes the new shape of these fields the known one for further comparisons. */
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
