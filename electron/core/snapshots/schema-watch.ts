/**
 * Compares the schema of new rows with that of earlier ones. Detects a field whose values have another type, a field
 * that clearly fewer rows have, and a saved mapping that no longer finds a value. Pure.
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

/**
 * Maximum adjusted probability that a reported change occurs by chance. Ten comparisons of a list then report a false
 * change with at most 1 %.
 */
const MAX_PROBABILITY = 0.001;
/** Maximum number of open changes of one list. Further changes are found again when there is room. */
const MAX_OPEN = 40;
/** Maximum sizes of the kept counts, in characters of JSON. */
const MAX_KNOWN_SIZE = 100_000;
const MAX_PENDING_SIZE = 40_000;

export interface SchemaState {
  /** Time of the newest row seen; null before the first one. */
  newestMs: number | null;
  known: RowsShape;
  /** New rows of groups with too few traces or items for a comparison. */
  pending: Record<string, PendingGroup>;
  /** Open changes, each with the new rows seen so far. */
  open: SchemaChange[];
  /** Rows of the last week that were already compared. */
  seen: SeenRows | null;
}
export const NO_SCHEMA: SchemaState = { newestMs: null, known: {}, pending: {}, open: [], seen: null };

interface PendingGroup extends GroupShape {
  /** Time of the oldest row. */
  sinceMs: number;
}

/** A key of a saved mapping. It reads the first of these fields that a row has. */
export interface MappedKey {
  mapping: string;
  paths: readonly string[];
}

type NewRows = Pick<ShapeCount, 'shapeBy' | 'oldestMs' | 'newestMs'>;

/**
 * Groups the new rows. A frequent span name becomes a group of its own, because spans of one type have different fields
 * if their names are those of different tools. Until then it was counted with the other names of its type, so the known
 * counts of these are discarded.
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

/**
 * Rows up to this time were compared; null before the first row. A time in the future comes from a wrong clock and also
 * gives null.
 */
export const comparedUntilMs = ({ newestMs }: Pick<SchemaState, 'newestMs'>, nowMs: number): number | null =>
  newestMs === null || newestMs > nowMs ? null : newestMs;

const isSame = (one: Pick<SchemaChange, 'group' | 'path'>, other: Pick<SchemaChange, 'group' | 'path'>) =>
  one.group === other.group && one.path === other.path;

/**
 * The groups to compare: each span type separately, because their fields differ; without span types, all rows together.
 */
function comparedGroups(shape: RowsShape): string[] {
  const typed = Object.keys(shape).filter((name) => name !== ALL_ROWS);
  return typed.length === 0 ? Object.keys(shape) : typed;
}

/** A field of new rows compared with known rows. */
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

/**
 * Compares the known and new fields of these groups. `all`: all new rows, including groups that are not compared yet.
 */
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
      // A mapping reads spans of any type, so it is blind only if no row at all has one of its fields.
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

/**
 * New changes that are unlikely by chance, given the number of fields tested: blind mappings first, then the most
 * certain ones.
 */
function sureChanges(fields: readonly ComparedField[]): ComparedField[] {
  const tested = fields.filter(({ was, same }) => was !== undefined && same === undefined);
  const probabilities = adjusted(tested.map(({ probability }) => probability));
  const isBlind = ({ kind }: ComparedField) => Number(kind === 'blind');
  return tested
    .filter(({ kind }, at) => kind !== null && elementAt(probabilities, at) <= MAX_PROBABILITY)
    .toSorted((one, other) => isBlind(other) - isBlind(one) || one.probability - other.probability);
}

/** Splits the groups into those with enough new rows, including earlier waiting ones, and those that wait for more. */
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
    // The first rows of a group become its known counts at once.
    const isKnown = Object.hasOwn(known, group) && (known[group]?.units ?? 0) >= MIN_UNITS;
    if (isKnown && sum.units < MIN_UNITS) waiting[group] = sum;
    else ready[group] = sum;
  }
  return { ready, waiting };
}

/**
 * Takes the rows that came since the last reading. The first rows become the known ones; later ones wait until there
 * are enough for a comparison. `found`: changes to report, each once; `ended`: open changes whose later rows are as
 * before. Fields with an open change are compared with the same known rows until the change has ended or is accepted.
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
    // If the field is new, the earlier rows of the group did not have it.
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
    // If a mapping is blind, the lower coverage of the field in single groups is not reported.
    found: found.filter(({ kind, path }) => kind === 'blind' || !isBlindAt(open, path)),
    ended,
  };
}

const EMPTY = { rows: 0, units: 0 };

const isBlindAt = (changes: readonly SchemaChange[], path: string): boolean =>
  changes.some((change) => change.kind === 'blind' && change.path === path);

/** Accepts the new counts of a field as the known ones for later comparisons. */
export function acceptChange(state: SchemaState, accepted: Pick<SchemaChange, 'path'>): SchemaState {
  const known: RowsShape = Object.assign(Object.create(null), state.known);
  // A field may be open for several span types and for all rows. A person accepts it only once.
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
