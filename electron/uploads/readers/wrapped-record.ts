/**
 * Takes the values of a record out of the object that interfaces put them into: the `fields` of Airtable, the `node` of
 * GraphQL, the `attributes` of JSON:API and ArcGIS, the `properties` of GeoJSON. Pure.
 */
import { isRawNumber } from '../../shared/exact-json.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Unwrapped {
  record: Record<string, unknown>;
  /** Key of the object that held the values. */
  key: string;
}

interface Wrapper {
  /** Key of the object with the values. */
  key: string;
  /** Keys that may stand beside it; with any other key, the object is a value of the row. */
  beside: ReadonlySet<string>;
  /** Whether the keys beside it have the values that the interface gives them. */
  isMet: (record: Fields) => boolean;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
const isText = (value: unknown): boolean => typeof value === 'string';

const WRAPPERS: readonly Wrapper[] = [
  {
    key: 'fields',
    beside: new Set(['id', 'createdTime', 'commentCount']),
    isMet: ({ id, createdTime }) => isText(id) && isText(createdTime),
  },
  { key: 'node', beside: new Set(['cursor', '__typename']), isMet: () => true },
  {
    key: 'attributes',
    beside: new Set(['type', 'id', 'relationships', 'links', 'meta']),
    isMet: ({ type, id }) => isText(type) && isText(id),
  },
  { key: 'attributes', beside: new Set(['geometry']), isMet: () => true },
  {
    key: 'properties',
    beside: new Set(['type', 'id', 'bbox', 'geometry']),
    isMet: ({ type, ...others }) => type === 'Feature' && 'geometry' in others,
  },
];

const MAY_BE_WRAPPED = /"(?:fields|node|attributes|properties)"\s*:\s*(?:\{|null)/;

/** Whether the text of a row can be wrapped; a cheap test. */
export const mayBeWrapped = (text: string): boolean => MAY_BE_WRAPPED.test(text);

/**
 * The values as columns, in the place of the object that held them; null for a row without such an object. Keys beside
 * the object always get an underscore in front: interfaces leave out empty values, so that a value with the name of
 * such a key can be missing in some rows.
 */
export function withoutWrapper(record: Fields): Unwrapped | null {
  const found = WRAPPERS.find(
    ({ key, beside, isMet }) =>
      Object.keys(record).every((each) => each === key || beside.has(each)) && key in record && isMet(record),
  );
  const given = found === undefined ? undefined : record[found.key];
  // A feature of GeoJSON without values has null.
  const values = given === null && found?.key === 'properties' ? {} : given;
  if (found === undefined || !isFields(values)) return null;
  const entries = Object.entries(record).flatMap(([key, value]) =>
    key === found.key ? Object.entries(values) : [[freeName(`_${key}`, values), value] as const],
  );
  return { record: Object.fromEntries(entries), key: found.key };
}

const freeName = (key: string, values: Fields): string => (key in values ? freeName(`_${key}`, values) : key);
