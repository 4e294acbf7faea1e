/** Derives the searchable text of a stored row, its title, and its target. Pure. */
import { isRawNumber } from '../../shared/exact-json.ts';
import { readResult } from '../../shared/experiment-result.ts';
import type { ListQuery } from '../../shared/model.ts';
import type { SearchKind } from '../../shared/search-contract.ts';
import { isoTime } from '../../shared/zone-time.ts';
import { foldForSearch, GAP } from './fold.ts';

/** Kinds whose rows come from stored lists. */
export type StoredKind = Exclude<SearchKind, 'uploads'>;
export const STORED_KINDS = [
  'names',
  'attributes',
  'resources',
  'items',
  'results',
  'spans',
  'values',
] as const satisfies readonly StoredKind[];

const KIND_OF: Readonly<Record<string, StoredKind>> = {
  'catalog.list': 'names',
  'catalog.values': 'values',
  'attributes.list': 'attributes',
  'datasets.items': 'items',
  'experiments.results': 'results',
  'spans.query': 'spans',
  'projects.list': 'resources',
  'applications.list': 'resources',
  'models.list': 'resources',
  'environments.list': 'resources',
  'models.environments': 'resources',
  'baselines.list': 'resources',
  'models.baselines': 'resources',
  'custom-metrics.list': 'resources',
  'models.custom-metrics': 'resources',
  'segments.list': 'resources',
  'evaluators.list': 'resources',
  'datasets.list': 'resources',
  'experiments.list': 'resources',
  'alert-rules.list': 'resources',
  'jobs.list': 'resources',
};

/** Null for lists that are not searchable, such as summaries and alert records. */
export function kindOf(operation: string): StoredKind | null {
  return KIND_OF[operation] ?? null;
}

type JsonRecord = Readonly<Record<string, unknown>>;

interface FieldText {
  /** Dotted path of the field. */
  field: string;
  text: string;
}

interface SearchDocument {
  title: string;
  fields: readonly FieldText[];
  atMs: number | null;
  applicationId: string | null;
}

function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || isRawNumber(value)) return String(value);
  return null;
}

const MAX_LEVELS = 20;
/** Times are not searched as text, because there is a filter for them. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Text whose first character suggests JSON. */
const JSON_TEXT = /^\s*[[{"]/;
/** A character escaped as in JSON, possibly several times. */
const ESCAPE = /\\+(?:u([0-9a-fA-F]{4})|(["/bfnrt]))/g;
const BLANKS = 'bfnrt';

/**
 * The text without JSON escapes, as a view displays it, so that the displayed text is found. Never longer than the
 * given text.
 */
export function readableJson(text: string): string {
  if (!text.includes('\\') || !JSON_TEXT.test(text)) return text;
  return text.replace(ESCAPE, (_all, code: string | undefined, sign: string | undefined) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return sign === undefined || BLANKS.includes(sign) ? ' ' : sign;
  });
}

/** Texts of the leaves of a value. With `hasNames`, also field names below the first level. */
function addLeaves(fields: FieldText[], field: string, value: unknown, hasNames: boolean, level = 0): void {
  const text = textOf(value);
  if (text !== null) {
    if (!MOMENT.test(text)) fields.push({ field, text: readableJson(text) });
    return;
  }
  if (value === null || typeof value !== 'object' || level > MAX_LEVELS) return;
  if (Array.isArray(value)) {
    for (const each of value) addLeaves(fields, field, each, hasNames, level + 1);
    return;
  }
  for (const [name, each] of Object.entries(value)) {
    const path = field === '' ? name : `${field}.${name}`;
    if (hasNames && level > 0) fields.push({ field: path, text: name });
    addLeaves(fields, path, each, hasNames, level + 1);
  }
}

function leavesOf(record: JsonRecord, hasNames: boolean): FieldText[] {
  const fields: FieldText[] = [];
  addLeaves(fields, '', record, hasNames);
  return fields;
}

const NAMED: Readonly<Record<'names' | 'values', readonly string[]>> = {
  names: ['name', 'semantic_name'],
  values: ['value'],
};

export function fieldsOf(kind: StoredKind, record: JsonRecord): FieldText[] {
  if (kind !== 'names' && kind !== 'values') return leavesOf(record, WITH_NAMES.has(kind));
  return NAMED[kind].flatMap((field) => {
    const text = textOf(record[field]);
    return text === null || (field === 'semantic_name' && text === 'UNKNOWN') ? [] : [{ field, text }];
  });
}

/** Kinds in which field names are searched too. */
const WITH_NAMES: ReadonlySet<StoredKind> = new Set(['items', 'results', 'spans']);
const MAX_TITLE_CHARS = 200;

export function titleOf(kind: StoredKind, record: JsonRecord): string {
  const name = textOf(record['name']) || textOf(record['value']) || textOf(record['display_name']);
  const title = (hasInputs(kind) ? firstInput(inputsOf(kind, record)) : name) || textOf(record['span_type']);
  return (title || textOf(record['id']) || textOf(record['span_id']) || '').slice(0, MAX_TITLE_CHARS);
}

const hasInputs = (kind: StoredKind): boolean => kind === 'items' || kind === 'results';
const inputsOf = (kind: StoredKind, record: JsonRecord): unknown =>
  kind === 'results' ? readResult(record).inputs : record['inputs'];

function firstInput(inputs: unknown): string | null {
  const fields: FieldText[] = [];
  addLeaves(fields, 'inputs', inputs, false);
  return fields[0]?.text.replace(/\s+/g, ' ') ?? null;
}

const TIMES = ['start_time', 'last_seen', 'updated_at', 'created_at'] as const;

function timeOf(record: JsonRecord): number | null {
  for (const field of TIMES) {
    const value = record[field];
    const atMs = typeof value === 'string' ? isoTime(value) : null;
    if (atMs !== null) return atMs;
  }
  return null;
}

function applicationOf(query: ListQuery, record: JsonRecord): string | null {
  const { application } = record;
  return (
    query.path['application_id'] ??
    textOf(query.body?.['application_id']) ??
    textOf(isObject(application) ? application['id'] : record['application_id'])
  );
}

export function documentOf(kind: StoredKind, query: ListQuery, record: JsonRecord): SearchDocument {
  return {
    title: titleOf(kind, record),
    fields: fieldsOf(kind, record),
    atMs: timeOf(record),
    applicationId:
      query.operation === 'applications.list' ? textOf(record['id']) : applicationOf(query, record),
  };
}

/**
 * The normalized text that is searched. Each field is followed by two separators, so that every letter begins a
 * trigram. One and two letters are found this way too.
 */
export function searchedText(fields: readonly FieldText[]): string {
  return fields.map(({ text }) => `${foldForSearch(text)}${GAP}${GAP}`).join('');
}

/** The ids and names that the window needs to open the record. */
export function targetOf(kind: StoredKind, query: ListQuery, record: JsonRecord): Record<string, string> {
  const pick = (names: Readonly<Record<string, unknown>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(names).flatMap(([name, value]) => {
        const text = textOf(value);
        return text === null ? [] : [[name, text] as const];
      }),
    );
  const applicationId = applicationOf(query, record);
  const entityType = record['entity_type'] ?? query.query['entity_type'];
  switch (kind) {
    case 'names':
      return pick({ applicationId, entityType, semanticName: record['semantic_name'], name: record['name'] });
    case 'values':
      return pick({ applicationId, entityType, name: query.query['name'], value: record['value'] });
    case 'attributes':
      return pick({ applicationId, name: record['name'] });
    case 'items':
      return pick({ datasetId: query.path['dataset_id'], itemId: record['id'] });
    case 'results':
      return pick({ experimentId: query.path['experiment_id'], itemId: readResult(record).itemId });
    case 'spans': {
      const { trace_id: traceId, span_id: spanId, start_time: startTime } = record;
      return pick({ applicationId, traceId, spanId, startTime });
    }
    case 'resources':
      return pick({ resource: resourceOf(query.operation), id: record['id'], name: record['name'] });
  }
}

/** The kind of record in a list, e.g. `baselines` for `models.baselines`. */
function resourceOf(operation: string): string {
  return operation.replace(/\.list$/, '').replace(/^.*\./, '');
}

/** A word that describes the record. */
export function noteOf(kind: StoredKind, query: ListQuery, record: JsonRecord): string {
  const field = {
    names: 'data_type',
    attributes: 'data_type',
    spans: 'span_type',
    values: '',
    items: '',
    results: '',
    resources: '',
  }[kind];
  if (kind === 'resources') return resourceOf(query.operation);
  if (kind === 'values') return query.query['name'] ?? '';
  return textOf(record[field]) ?? '';
}
