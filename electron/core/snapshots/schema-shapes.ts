/** Counts the fields of rows by group, and adds such counts. Pure. */
import { type FieldShape, rowsWithValue, typeOfGroup } from '../../shared/schema-model.ts';

/** Maximum weight of known rows. Older rows are scaled down to it, so that the known counts follow slow changes. */
const MAX_KNOWN_ROWS = 5_000;
/**
 * Minimum share of rows for a field to be kept. Smaller groups and longer names are not kept either, because keys can
 * be ids.
 */
const MIN_KEPT_SHARE = 0.01;
const MAX_GROUPS = 40;
const MAX_NAME = 200;
/** The name of the group that contains all rows. */
export const ALL_ROWS = '';

/** Counts of the rows of one group: of one span type and name, of the other rows of a type, or of all rows. */
export interface GroupShape {
  rows: number;
  units: number;
  fields: Record<string, FieldShape>;
}
/** Counts by group. The group of all rows is always included if there are rows. */
export type RowsShape = Record<string, GroupShape>;

interface CountedGroup {
  shape: GroupShape;
  units: Set<string>;
}

function addRow({ shape, units }: CountedGroup, types: Readonly<Record<string, string>>, unit: string): void {
  units.add(unit);
  shape.rows += 1;
  shape.units = units.size;
  for (const [path, type] of Object.entries(types)) addTypes(shape, path, type, 1);
}

function addTypes({ fields }: GroupShape, path: string, type: string, rows: number): void {
  const field = fields[path] ?? { rows: 0, units: 0, types: Object.create(null) };
  fields[path] = field;
  field.types[type] = (field.types[type] ?? 0) + rows;
}

const emptyGroup = (): CountedGroup => ({
  shape: { rows: 0, units: 0, fields: Object.create(null) },
  units: new Set(),
});

/** Counts the rows of one reading by group. */
export class ShapeCount {
  readonly #groups = new Map<string, CountedGroup>();
  oldestMs = Number.POSITIVE_INFINITY;
  newestMs = Number.NEGATIVE_INFINITY;
  rows = 0;

  /**
   * `types`: the type of each field. `unit`: trace or item of the row; rows of one unit are similar. `group`: type and
   * name (`groupName`); empty if the row has none.
   */
  add(types: Readonly<Record<string, string>>, unit: string, group: string, atMs: number): void {
    this.rows += 1;
    this.oldestMs = Math.min(this.oldestMs, atMs);
    this.newestMs = Math.max(this.newestMs, atMs);
    for (const name of group === ALL_ROWS ? [ALL_ROWS] : [ALL_ROWS, group]) {
      const own = this.#groups.get(name) ?? emptyGroup();
      this.#groups.set(name, own);
      addRow(own, types, unit);
    }
  }

  /** The counts by group. Rows whose name has no group of its own are combined into one group for each type. */
  shapeBy(isOwn: (group: string, units: number) => boolean): RowsShape {
    const shape: RowsShape = Object.create(null);
    const rests = new Map<string, CountedGroup>();
    for (const [group, own] of this.#groups) {
      const type = typeOfGroup(group);
      if (type !== group && !isOwn(group, own.units.size)) rests.set(type, merged(rests.get(type), own));
      else shape[group] = own.shape;
    }
    // Rows without a name belong to the combined group of their type.
    for (const [type, rest] of rests) shape[type] = merged(this.#groups.get(type), rest).shape;
    return shape;
  }
}

function merged(one: CountedGroup | undefined, other: CountedGroup): CountedGroup {
  const sum = emptyGroup();
  for (const { shape, units } of one === undefined ? [other] : [one, other]) {
    for (const unit of units) sum.units.add(unit);
    sum.shape.rows += shape.rows;
    for (const [path, { types }] of Object.entries(shape.fields))
      for (const [type, rows] of Object.entries(types)) addTypes(sum.shape, path, type, rows);
  }
  sum.shape.units = sum.units.size;
  return sum;
}

/** The counts of a field among the rows of a group. If the rows do not have the field, the counts are zero. */
export function fieldOf({ rows, units, fields }: GroupShape, path: string): FieldShape {
  const types = Object.hasOwn(fields, path) ? (fields[path]?.types ?? {}) : {};
  return { rows, units, types };
}

/** Adds two sets of counts. Older rows are scaled down to at most `MAX_KNOWN_ROWS`. */
export function joined(before: FieldShape, after: FieldShape): FieldShape {
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

/** Adds the counts of two groups, with older rows scaled down as in `joined`. */
export function pooled(before: GroupShape | undefined, after: GroupShape): GroupShape {
  if (before === undefined) return after;
  const fields: Record<string, FieldShape> = Object.create(null);
  for (const path of new Set([...Object.keys(before.fields), ...Object.keys(after.fields)]))
    fields[path] = joined(fieldOf(before, path), fieldOf(after, path));
  const { rows, units } = joined({ ...before, types: {} }, { ...after, types: {} });
  return { rows, units, fields };
}

/**
 * The most frequent fields of the largest groups, up to `size` characters as JSON. `isKept`: fields that are kept
 * first, however rare.
 */
export function limited<G extends GroupShape>(
  shape: Readonly<Record<string, G>>,
  size: number,
  isKept: (group: string, path: string) => boolean,
): Record<string, G> {
  const rowsOf = ([name, { rows }]: [string, G]) => (name === ALL_ROWS ? Number.MAX_VALUE : rows);
  const groups = Object.entries(shape)
    .filter(([name]) => name.length <= MAX_NAME)
    .toSorted((one, other) => rowsOf(other) - rowsOf(one))
    .slice(0, MAX_GROUPS);
  const found: Record<string, G> = Object.create(null);
  const ranked: { kept: G; path: string; field: FieldShape; share: number }[] = [];
  for (const [name, group] of groups) {
    const kept: G = { ...group, fields: Object.create(null) };
    found[name] = kept;
    for (const [path, field] of Object.entries(group.fields)) {
      const exact = isKept(name, path) ? 2 : rowsWithValue(field) / Math.max(1, field.rows);
      // Rounded to percent, so that among fields with nearly equal shares those of larger groups come first.
      const share = Math.round(exact * 100) / 100;
      if (path.length <= MAX_NAME && share >= MIN_KEPT_SHARE) ranked.push({ kept, path, field, share });
    }
  }
  let left = size;
  for (const { kept, path, field } of ranked.toSorted((one, other) => other.share - one.share)) {
    left -= JSON.stringify([path, field]).length;
    if (left < 0) break;
    kept.fields[path] = field;
  }
  return found;
}
