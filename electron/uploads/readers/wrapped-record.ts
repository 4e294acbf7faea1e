/**
 * Takes the values of a record out of the object that interfaces put them into: the `fields` of Airtable, the `node` of
 * GraphQL, the `attributes` of JSON:API and ArcGIS, the `properties` of GeoJSON. Pure.
 */
import type { Wrapper } from '../../shared/dialect.ts';
import { isRawNumber } from '../../shared/exact-json.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Interface {
  /** Key of the object with the values. */
  key: Wrapper;
  /** Other keys allowed in the first rows. */
  beside: ReadonlySet<string>;
  /**
   * Whether the first rows have a further sign of the interface, because many records have a type, an id and an object.
   * `list`: key of the list that held the rows in their document.
   */
  isMet: (rows: readonly Fields[], list: string | null) => boolean;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
const isNothing = (value: unknown): boolean => value === undefined || value === null;
const isText = (value: unknown): value is string => typeof value === 'string';

const INTERFACES: readonly Interface[] = [
  {
    key: 'fields',
    beside: new Set(['id', 'createdTime', 'commentCount']),
    isMet: (rows) =>
      rows.every(({ id, createdTime }) => isText(id) && /^rec/.test(id) && isText(createdTime)),
  },
  {
    key: 'node',
    beside: new Set(['cursor', '__typename']),
    isMet: (rows, list) => list === 'edges' || rows.every(({ cursor }) => isText(cursor)),
  },
  {
    key: 'attributes',
    beside: new Set(['type', 'id', 'relationships', 'links', 'meta']),
    isMet: (rows, list) =>
      rows.every(({ type, id }) => isText(type) && isText(id)) &&
      (list === 'data' || rows.some(hasRelations) || rows.every(isSpanOfDatadog)),
  },
  {
    key: 'attributes',
    beside: new Set(['geometry']),
    isMet: (rows, list) =>
      list === 'features' ||
      (rows.some(({ geometry }) => isFields(geometry)) &&
        rows.every(({ geometry }) => geometry === null || isGeometry(geometry))),
  },
  {
    key: 'properties',
    beside: new Set(['type', 'id', 'bbox', 'geometry']),
    isMet: (rows) => rows.every(({ type, ...others }) => type === 'Feature' && 'geometry' in others),
  },
];

const hasRelations = ({ relationships, links }: Fields): boolean =>
  isFields(relationships) || isFields(links);

const isSpanOfDatadog = ({ type, attributes }: Fields): boolean =>
  type === 'spans' && isFields(attributes) && 'trace_id' in attributes && 'span_id' in attributes;

/** Keys of a geometry of ArcGIS. */
const GEOMETRY = new Set(
  'x,y,z,m,hasZ,hasM,rings,paths,points,curveRings,curvePaths,xmin,xmax,ymin,ymax,spatialReference'.split(
    ',',
  ),
);

const isGeometry = (value: unknown): boolean =>
  isFields(value) && Object.keys(value).every((key) => GEOMETRY.has(key));

const isKnown = (record: Fields, { key, beside }: Interface): boolean =>
  Object.keys(record).every((each) => each === key || beside.has(each));

/**
 * Key of the object that holds the values of these rows, the first of a file; null if there is none. `sheet`: path of
 * the list of a document that held them.
 */
export function wrapperOf(rows: readonly Fields[], sheet: string | null): Wrapper | null {
  const list = sheet?.split('.').at(-1) ?? null;
  const found = INTERFACES.find(
    (each) =>
      rows.some((row) => isFields(row[each.key])) &&
      rows.every((row) => isKnown(row, each) && (isFields(row[each.key]) || isNothing(row[each.key]))) &&
      each.isMet(rows, list),
  );
  return found?.key ?? null;
}

/**
 * The values as columns, in the place of the object that held them; null for a row without such an object. A row may
 * lack it if it has no values. Keys beside the object always get an underscore in front: interfaces leave out empty
 * values, so that a value with the name of such a key can be missing in some rows.
 */
export function withoutWrapper(record: Fields, wrapper: Wrapper): Record<string, unknown> | null {
  const given = record[wrapper];
  const isEmpty =
    isNothing(given) && INTERFACES.some((each) => each.key === wrapper && isKnown(record, each));
  if (!isFields(given) && !isEmpty) return null;
  const values = isFields(given) ? given : {};
  const entries = Object.entries(record).flatMap(([key, value]) =>
    key === wrapper ? Object.entries(values) : [[freeName(`_${key}`, values), value] as const],
  );
  return Object.fromEntries(entries);
}

const freeName = (key: string, values: Fields): string => (key in values ? freeName(`_${key}`, values) : key);
