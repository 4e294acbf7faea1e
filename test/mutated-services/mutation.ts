/**
 * A service as it may be next year, drawn from a seed: fields renamed, retyped, nested, removed or added, bare envelopes,
 * groups of operations that answer 404 or 403, other limits, grown enumerations, numbers as texts, rows that age out.
 * Pure.
 */
import { type Endpoint, endpoint, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import type { Random } from '../../electron/core/ports.ts';
import { seededRandom } from '../helpers/virtual-world.ts';
import { retyped } from './retyped.ts';

/** The answer of a service before it is written. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Parsed JSON; undefined without a body. */
  body: unknown;
}

export interface Mutation {
  /** The changes, for the message of a failure. */
  name: string;
  /** Operations whose answers differ. */
  operations: ReadonlySet<OperationId>;
  /** `count`: requests of this operation so far. */
  change(reply: Reply, operation: OperationId, count: number): Reply;
}

type Fields = Record<string, unknown>;
type Change = (record: Fields, index: number) => Fields;

const READS = OPERATION_IDS.filter((id) => !endpoint(id).isWrite);
const groupOf = (operation: OperationId): string => operation.slice(0, operation.indexOf('.'));
const GROUPS = [...new Set(READS.map(groupOf))];

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const NEW_FIELD = 'next_year';
/** Values of a field that nobody knows yet. */
const NEW_VALUES: readonly unknown[] = [
  'a text of next year',
  4.25,
  false,
  null,
  ['one', 2, { three: [3] }],
  { unit: 'ms', parts: [{ of: 'p95', value: '12' }, null], 'a.b': 1 },
];

/** Every number as text, however deep. */
function numbersAsTexts(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(numbersAsTexts);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, numbersAsTexts(part)]));
}

/** Fields whose texts are words of a list of the service. */
const ENUMERATIONS =
  /^(status|status_code|severity|type|data_type|span_type|priority|condition|compare_to|bin_size|task|entity_type|source_type|env_type|asset_type|semantic_name|state|viz_type|key|category|threshold_type|window_bin_size|event_ts_format)$/;

function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) =>
      ENUMERATIONS.test(name) && typeof part === 'string' ? [name, 'NEXT_YEAR_KIND'] : [name, grown(part)],
    ),
  );
}

/** The records of a body, each changed; anything else stays unchanged. */
function withRecords(body: unknown, change: Change): unknown {
  if (!isFields(body)) return body;
  const { data } = body;
  if (!isFields(data)) return body;
  if (body['kind'] === 'PAGINATED' && Array.isArray(data['items'])) {
    const items = data['items'].map((item, index) => (isFields(item) ? change(item, index) : item));
    return { ...body, data: { ...data, items } };
  }
  return { ...body, data: change(data, 0) };
}

const isSuccess = ({ status, body }: Reply): boolean => status < 300 && body !== undefined;

/** A change of the records of some operations. */
function ofRecords(name: string, operations: readonly OperationId[], change: Change): Mutation {
  return {
    name: `${name} in ${operations.join(', ')}`,
    operations: new Set(operations),
    change: (reply) => (isSuccess(reply) ? { ...reply, body: withRecords(reply.body, change) } : reply),
  };
}

interface Draw {
  random: Random;
  one<T>(all: readonly T[]): T;
  /** The operations of a record: of one, of a group, or of all. */
  operations(): readonly OperationId[];
  /** A field that a record of the operations has: by its position, so that any record has one. */
  field(): (record: Fields) => string | null;
}

function drawOf(random: Random): Draw {
  const one = <T>(all: readonly T[]): T => {
    const found = all[Math.floor(random.next() * all.length)];
    if (found === undefined) throw new Error('Nothing to choose from.');
    return found;
  };
  return {
    random,
    one,
    operations: () => {
      const size = random.next();
      if (size < 0.15) return READS;
      const group = one(GROUPS);
      const all = READS.filter((id) => groupOf(id) === group);
      return size < 0.6 ? all : [one(all)];
    },
    field: () => {
      const known =
        random.next() < 0.35 ? one(['id', 'name', 'span_id', 'trace_id', 'created_at', 'total']) : null;
      const position = random.next();
      return (record) => {
        const names = Object.keys(record);
        if (known !== null && names.includes(known)) return known;
        return names[Math.floor(position * names.length)] ?? null;
      };
    },
  };
}

/** In every row, or only in some of them. */
function rowsOf({ random }: Draw): (index: number) => boolean {
  const every = random.next() < 0.6 ? 1 : 2 + Math.floor(random.next() * 5);
  return (index) => index % every === 0;
}

const KINDS: Readonly<Record<string, (draw: Draw) => Mutation>> = {
  'renamed field': (draw) => {
    const [field, isRow] = [draw.field(), rowsOf(draw)];
    return ofRecords('a renamed field', draw.operations(), (record, index) => {
      const name = field(record);
      return Object.fromEntries(
        Object.entries(record).map(([key, value]) => [
          key === name && isRow(index) ? `${key}_v2` : key,
          value,
        ]),
      );
    });
  },
  'retyped field': (draw) => {
    const [field, isRow, turn] = [draw.field(), rowsOf(draw), Math.floor(draw.random.next() * 7)];
    return ofRecords('a retyped field', draw.operations(), (record, index) => {
      const name = field(record);
      return name === null || !isRow(index) ? record : { ...record, [name]: retyped(record[name], turn) };
    });
  },
  'nested field': (draw) => {
    const [field, isRow] = [draw.field(), rowsOf(draw)];
    return ofRecords('a nested field', draw.operations(), (record, index) => {
      const name = field(record);
      if (name === null || !isRow(index)) return record;
      const { [name]: value, ...rest } = record;
      return { ...rest, attributes: { [name]: value } };
    });
  },
  'removed field': (draw) => {
    const [field, isRow] = [draw.field(), rowsOf(draw)];
    return ofRecords('a removed field', draw.operations(), (record, index) => {
      const name = field(record);
      return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name || !isRow(index)));
    });
  },
  'added field': (draw) => {
    const value = draw.one(NEW_VALUES);
    return ofRecords('an added field', draw.operations(), (record) => ({ ...record, [NEW_FIELD]: value }));
  },
  'bare envelope': (draw) => {
    const operations = draw.operations();
    const form = draw.one(['items', 'data', 'record']);
    return {
      name: `bare envelopes (${form}) of ${operations.join(', ')}`,
      operations: new Set(operations),
      change: (reply) => {
        if (!isSuccess(reply) || !isFields(reply.body)) return reply;
        const { data, kind, ...rest } = reply.body;
        // It has no envelope that could be removed.
        if (data === undefined) return reply;
        if (form === 'record') return { ...reply, body: { ...rest, data } };
        if (kind === 'PAGINATED' && isFields(data))
          return { ...reply, body: form === 'items' ? data['items'] : data };
        return { ...reply, body: data };
      },
    };
  },
  'refused group': (draw) => {
    const group = draw.one(GROUPS);
    const status = draw.one([403, 404]);
    const operations = OPERATION_IDS.filter((id) => groupOf(id) === group);
    const body = {
      ...{ api_version: '3.0', kind: 'ERROR' },
      error: { code: status, message: `No ${group} any more.`, errors: [] },
    };
    return {
      name: `${group} answers ${status}`,
      operations: new Set(operations),
      change: (reply) => ({ ...reply, status, body }),
    };
  },
  'other limits': (draw) => {
    const limit = draw.one([5, 40, 100_000]);
    const count = draw.one(['2000', '1e9', 'unlimited']);
    return {
      name: `pages of at most ${limit}, and a stated limit of ${count}`,
      operations: new Set(READS.filter((id) => endpoint(id).answer === 'paginated')),
      change: (reply) => {
        const headers = { ...reply.headers, 'X-RateLimit-Limit': count, 'X-RateLimit-Remaining': count };
        const { body } = reply;
        if (!isFields(body) || body['kind'] !== 'PAGINATED' || !isFields(body['data']))
          return { ...reply, headers };
        const { items, ...rest } = body['data'];
        if (!Array.isArray(items)) return { ...reply, headers };
        const few = items.slice(0, limit);
        const data = { ...rest, items: few, item_count: few.length, page_size: Math.min(limit, 1_000) };
        return { ...reply, headers, body: { ...body, data } };
      },
    };
  },
  'grown enumeration': (draw) => {
    const isRow = rowsOf(draw);
    return ofRecords('new words in enumerations', draw.operations(), (record, index) =>
      isRow(index) ? (grown(record) as Fields) : record,
    );
  },
  'numbers as texts': (draw) => {
    const operations = draw.operations();
    return {
      name: `numbers as texts in ${operations.join(', ')}`,
      operations: new Set(operations),
      change: (reply) => (isSuccess(reply) ? { ...reply, body: numbersAsTexts(reply.body) } : reply),
    };
  },
  'rows that age out': (draw) => {
    const operations = draw.operations().filter((id) => endpoint(id).answer === 'paginated');
    const each = 1 + Math.floor(draw.random.next() * 3);
    return {
      name: `${each} rows fewer with each page of ${operations.join(', ')}`,
      operations: new Set(operations),
      change: (reply, _operation, count) => {
        const { body } = reply;
        if (!isSuccess(reply) || !isFields(body) || !isFields(body['data'])) return reply;
        const { items, total, ...rest } = body['data'];
        if (!Array.isArray(items) || typeof total !== 'number') return reply;
        const left = items.slice(Math.min(items.length, each * (count - 1)));
        const data = {
          ...rest,
          items: left,
          item_count: left.length,
          total: Math.max(left.length, total - each * count),
        };
        return { ...reply, body: { ...body, data } };
      },
    };
  },
  'new version': () => ({
    name: 'version 4.0 and new parts of the envelope',
    operations: new Set(OPERATION_IDS),
    change: (reply) => {
      if (!isFields(reply.body)) return reply;
      return {
        ...reply,
        body: { ...reply.body, api_version: '4.0', warnings: ['deprecated'], meta: { trace: 'x' } },
      };
    },
  }),
};

const KIND_NAMES = Object.keys(KINDS);

export interface MutatedService {
  seed: number;
  /** The kinds of mutations, in the order in which they are applied. */
  kinds: readonly string[];
  mutations: readonly Mutation[];
}

/** The service of a seed: one to three changes. The first one takes all kinds in turn. */
export function mutatedService(seed: number): MutatedService {
  const draw = drawOf(seededRandom(seed));
  const more = [0, 0, 1, 2][Math.floor(draw.random.next() * 4)] ?? 0;
  const kinds = [
    KIND_NAMES[seed % KIND_NAMES.length] ?? draw.one(KIND_NAMES),
    ...Array.from({ length: more }, () => draw.one(KIND_NAMES)),
  ];
  return { seed, kinds, mutations: kinds.flatMap((kind) => KINDS[kind]?.(draw) ?? []) };
}

export const isList = (operation: OperationId): boolean =>
  (endpoint(operation) as Endpoint).answer === 'paginated';

/** The changes, for the message of a failure. */
export const nameOf = ({ mutations }: MutatedService): string => mutations.map(({ name }) => name).join('; ');
