/** Random JSON values: from a schema, or arbitrary. */
import type { SeededRandom } from '../../../electron/sample-service/generate/seeded-random.ts';

/** The part of JSON Schema that the table's bodies use. */
export interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  format?: string;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  minItems?: number;
}

export interface Taste {
  /** Share of positions that get a value that violates the schema. */
  wildness: number;
  identifiers: readonly [string, ...string[]];
  depth: number;
}

const TEXTS: readonly [string, ...string[]] = [
  '',
  ' ',
  'name',
  'EVENTS',
  'FILE',
  'PRODUCTION',
  'PRE_PRODUCTION',
  'STATIC',
  'ROLLING',
  'HIGH',
  'Day',
  'Hour',
  'Month',
  'raw_value',
  'time_period',
  'greater',
  'traffic',
  'average',
  'jsd',
  'amount',
  'MONITORING',
  '7d',
  '12m',
  'answer_relevance',
  'span_count',
  '2025-01-01T00:00:00Z',
  '2030-06-01 10:00:00',
  'sum(amount)',
  'average(if(amount > 1, 1, 0))',
  'a@b',
  '__proto__',
  'constructor',
  'toString',
  "'; DROP TABLE resource; --",
  '\u0000',
  '\ud800',
  '🜁 ß ﷽',
  '../../etc/passwd',
  '%00%2e',
  '-'.repeat(300),
];

const NUMBERS: readonly [number, ...number[]] = [
  0,
  1,
  -1,
  0.5,
  24,
  168,
  1e3,
  1e9,
  1e12,
  1e15,
  1e300,
  -1e300,
  2 ** 31,
  2 ** 53,
  1e-300,
  1_762_000_000_000,
];

export function randomText(random: SeededRandom): string {
  return random.pick(TEXTS);
}

export function randomJson(random: SeededRandom, depth: number): unknown {
  const dice = random.int(0, depth > 0 ? 7 : 4);
  if (dice === 0) return null;
  if (dice === 1) return random.chance(0.5);
  if (dice <= 3) return random.pick(NUMBERS);
  if (dice === 4) return randomText(random);
  if (dice === 5) return Array.from({ length: random.int(0, 4) }, () => randomJson(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: random.int(0, 4) }, () => [randomText(random), randomJson(random, depth - 1)]),
  );
}

function objectOf(random: SeededRandom, schema: JsonSchema, taste: Taste): unknown {
  const inner = { ...taste, depth: taste.depth + 1 };
  const required = schema.required ?? [];
  const named = Object.entries(schema.properties ?? {})
    .filter(([name]) => (required.includes(name) ? !random.chance(taste.wildness / 3) : random.chance(0.5)))
    .map(([name, part]) => [name, valueAfter(random, part, inner)]);
  const rest = schema.additionalProperties;
  const isOpen = typeof rest === 'object' && Object.keys(rest).length > 0;
  const extra = Array.from(
    { length: schema.properties === undefined || isOpen ? random.int(0, 3) : 0 },
    () => [randomText(random), isOpen ? valueAfter(random, rest, inner) : randomJson(random, 2)],
  );
  return Object.fromEntries([...named, ...extra]);
}

function textOf(random: SeededRandom, schema: JsonSchema, taste: Taste): string {
  if (schema.format === 'uuid') return random.pick(taste.identifiers);
  return random.chance(0.2) ? random.pick(taste.identifiers) : randomText(random);
}

/** A value that fits the schema, except at a share `wildness` of its positions. */
export function valueAfter(random: SeededRandom, schema: JsonSchema, taste: Taste): unknown {
  if (random.chance(taste.wildness)) return randomJson(random, 3);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined)
    return valueAfter(random, choices[random.int(0, choices.length - 1)] ?? {}, taste);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[random.int(0, schema.enum.length - 1)];
  switch (schema.type) {
    case 'object':
      return objectOf(random, schema, taste);
    case 'array': {
      const length = random.int(schema.minItems ?? 0, Math.max(3, schema.minItems ?? 0));
      return Array.from({ length }, () => valueAfter(random, schema.items ?? {}, taste));
    }
    case 'string':
      return textOf(random, schema, taste);
    case 'integer':
      return random.chance(0.7) ? random.int(1, 30) : Math.floor(random.pick(NUMBERS));
    case 'number':
      return random.pick(NUMBERS);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return randomJson(random, 2);
  }
}
