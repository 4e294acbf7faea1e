/**
 * Checks JSON values against a JSON schema (2020-12): numbers by all their digits, and each keyword whether or not the
 * schema states a type. Pure.
 */
import { compareDecimals, isMultipleOf, numberDigits } from '../../shared/exact-decimal.ts';
import { isRawNumber, type RawNumber, writeExact } from '../../shared/exact-json.ts';
import { inOneForm } from '../../shared/fold.ts';
import { compileExpression } from '../../shared/text-filter.ts';
import { isObject } from './flattened.ts';

type Schema = Record<string, unknown>;
/** The place of a value, and the problems found so far. */
interface Visit {
  path: string;
  problems: string[];
  depth: number;
}
/** Adds a sentence without its end for each problem of a value. */
type Rule = (value: unknown, visit: Visit) => void;

/** Maximum depth of schemas within schemas, so that one that refers to itself ends. */
const MAX_DEPTH = 200;
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const UNSUPPORTED = [
  ...['$dynamicRef', '$recursiveRef', 'unevaluatedProperties', 'unevaluatedItems', 'dependentSchemas'],
  'dependencies',
];
/** Texts of formats that are checked. Other formats are remarks, as the standard has it. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  time: /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i,
  'date-time':
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt ](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
  uri: /^[A-Za-z][A-Za-z\d+.-]*:\S*$/,
  ipv4: /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/,
};

/**
 * A function from a value (numbers exact, as `parseExact` gives them) to sentences without their end, one for each
 * problem. Throws an Error with the reason why the schema cannot be used.
 */
export function compileSchema(schema: unknown): (value: unknown) => string[] {
  const rule = new SchemaCompiler(schema).compile(schema);
  return (value) => {
    const problems: string[] = [];
    rule(value, { path: '', problems, depth: 0 });
    return problems;
  };
}

class SchemaCompiler {
  readonly #root: unknown;
  readonly #referred = new Map<string, Rule>();

  constructor(root: unknown) {
    this.#root = root;
  }

  compile(schema: unknown): Rule {
    if (schema === true) return () => undefined;
    if (schema === false) return (_value, visit) => say(visit, 'expected no value');
    if (!isPlain(schema)) throw new Error('expected an object, true or false as a schema');
    const unsupported = UNSUPPORTED.find((keyword) => Object.hasOwn(schema, keyword));
    if (unsupported !== undefined) throw new Error(`${unsupported} is not supported`);
    const rules = [
      ...typeRules(schema),
      ...numberRules(schema),
      ...textRules(schema),
      ...this.#listRules(schema),
      ...this.#objectRules(schema),
      ...this.#joinedRules(schema),
    ];
    return (value, visit) => {
      if (visit.depth > MAX_DEPTH) {
        say(visit, 'the schema refers to itself without an end');
        return;
      }
      for (const rule of rules) rule(value, { ...visit, depth: visit.depth + 1 });
    };
  }

  #listRules(schema: Schema): Rule[] {
    const { items, prefixItems, contains, uniqueItems } = schema;
    const prefix = schemasOf(schema, Array.isArray(items) ? 'items' : 'prefixItems').map((each) =>
      this.compile(each),
    );
    const others = Array.isArray(items) ? schema['additionalItems'] : items;
    const rest = others === undefined ? null : this.compile(others);
    const wanted = contains === undefined ? null : this.compile(contains);
    const [least, most] = [countOf(schema, 'minContains') ?? 1, countOf(schema, 'maxContains')];
    const size = sizeRule(schema, 'Items', 'items');
    if (prefixItems !== undefined && Array.isArray(items)) throw new Error('items expects a schema');
    return [
      ofList((list, visit) => {
        size(list.length, visit);
        for (const [at, item] of list.entries()) (prefix[at] ?? rest)?.(item, inside(visit, at));
        if (
          uniqueItems === true &&
          list.some((item, at) => list.slice(0, at).some((other) => isEqual(item, other)))
        )
          say(visit, 'expected different items, got equal ones');
        if (wanted === null) return;
        const count = list.filter((item) => fits(wanted, item, visit)).length;
        if (count < least) say(visit, `expected at least ${least} items that fit “contains”, got ${count}`);
        if (most !== null && count > most)
          say(visit, `expected at most ${most} items that fit “contains”, got ${count}`);
      }),
    ];
  }

  #objectRules(schema: Schema): Rule[] {
    const properties = this.#compiledMap(schema, 'properties');
    const patterns = [...this.#compiledMap(schema, 'patternProperties')].map(
      ([pattern, rule]) => [compileExpression(pattern, 'u'), rule] as const,
    );
    const others = schema['additionalProperties'];
    const rest = others === undefined ? null : this.compile(others);
    const isClosed = others === false;
    const names = schema['propertyNames'] === undefined ? null : this.compile(schema['propertyNames']);
    const required = namesOf(schema['required'], 'required');
    const dependent = Object.entries(mapOf(schema, 'dependentRequired')).map(
      ([name, needed]) => [name, namesOf(needed, 'dependentRequired')] as const,
    );
    const size = sizeRule(schema, 'Properties', 'keys');
    return [
      ofObject((object, visit) => {
        const missing = (name: string) => !Object.hasOwn(object, name);
        for (const name of required.filter(missing)) say(inside(visit, name), 'expected a value, got none');
        for (const [name, needed] of dependent)
          if (!missing(name))
            for (const each of needed.filter(missing))
              say(inside(visit, each), `expected a value beside ${name}, got none`);
        size(Object.keys(object).length, visit);
        for (const [name, value] of Object.entries(object)) {
          names?.(name, inside(visit, name));
          const matching = patterns.filter(([pattern]) => pattern.test(name)).map(([, rule]) => rule);
          const own = properties.get(name);
          const rules = own === undefined ? matching : [own, ...matching];
          for (const rule of rules) rule(value, inside(visit, name));
          if (rules.length > 0 || rest === null) continue;
          if (isClosed) say(visit, `expected no key “${name}”`);
          else rest(value, inside(visit, name));
        }
      }),
    ];
  }

  #joinedRules(schema: Schema): Rule[] {
    const listed = (keyword: string) => schemasOf(schema, keyword).map((each) => this.compile(each));
    const [any, one] = [listed('anyOf'), listed('oneOf')];
    const found: Rule[] = listed('allOf');
    const { not, if: condition, $ref } = schema;
    if ($ref !== undefined) found.push(this.#refer(String($ref)));
    if (any.length > 0)
      found.push((value, visit) => {
        if (!any.some((rule) => fits(rule, value, visit)))
          say(visit, `expected one of ${any.length} forms (anyOf), got none`);
      });
    if (one.length > 0)
      found.push((value, visit) => {
        const count = one.filter((rule) => fits(rule, value, visit)).length;
        if (count !== 1) say(visit, `expected exactly one of ${one.length} forms (oneOf), got ${count}`);
      });
    if (not !== undefined) {
      const refused = this.compile(not);
      found.push((value, visit) => {
        if (fits(refused, value, visit)) say(visit, 'expected a value that does not fit “not”');
      });
    }
    if (condition !== undefined) {
      const [test, then, otherwise] = [condition, schema['then'] ?? true, schema['else'] ?? true].map(
        (each) => this.compile(each),
      );
      found.push((value, visit) =>
        (test !== undefined && fits(test, value, visit) ? then : otherwise)?.(value, visit),
      );
    }
    return found;
  }

  #compiledMap(schema: Schema, keyword: string): Map<string, Rule> {
    return new Map(Object.entries(mapOf(schema, keyword)).map(([name, each]) => [name, this.compile(each)]));
  }

  #refer(reference: string): Rule {
    const known = this.#referred.get(reference);
    if (known !== undefined) return known;
    let target: Rule | null = null;
    const later: Rule = (value, visit) => target?.(value, visit);
    this.#referred.set(reference, later);
    target = this.compile(partAt(this.#root, reference));
    return later;
  }
}

function typeRules(schema: Schema): Rule[] {
  const found: Rule[] = [];
  const { type, enum: listed } = schema;
  if (type !== undefined) {
    const types: unknown[] = Array.isArray(type) ? type : [type];
    const wrong = types.find((each) => typeof each !== 'string' || !TYPES.includes(each));
    if (wrong !== undefined) throw new Error(`Unsupported type: ${String(wrong)}`);
    found.push((value, visit) => {
      const own = typeOf(value);
      const isFound = types.includes(own) || (types.includes('integer') && isNumber(value) && isWhole(value));
      if (!isFound) say(visit, `expected ${types.join(' or ')}, got ${shown(value)}`);
    });
  }
  const choices = Object.hasOwn(schema, 'const') ? [schema['const']] : null;
  if (listed !== undefined && !Array.isArray(listed)) throw new Error('enum expects a list');
  for (const each of [choices, listed])
    if (Array.isArray(each))
      found.push((value, visit) => {
        if (!each.some((choice) => isEqual(choice, value)))
          say(
            visit,
            `expected ${each.slice(0, 5).map(shown).join(', ')}${each.length > 5 ? ' …' : ''}, got ${shown(value)}`,
          );
      });
  return found;
}

const BOUNDS = {
  minimum: ['at least', (order: number) => order >= 0],
  maximum: ['at most', (order: number) => order <= 0],
  exclusiveMinimum: ['more than', (order: number) => order > 0],
  exclusiveMaximum: ['less than', (order: number) => order < 0],
} as const;

function numberRules(schema: Schema): Rule[] {
  const found: Rule[] = [];
  for (const [keyword, [words, isWithin]] of Object.entries(BOUNDS)) {
    const bound = schema[keyword];
    if (bound === undefined) continue;
    if (!isNumber(bound)) throw new Error(`${keyword} expects a number`);
    const digits = numberDigits(bound);
    found.push((value, visit) => {
      if (isNumber(value) && !isWithin(compareDecimals(numberDigits(value), digits)))
        say(visit, `expected ${words} ${digits}, got ${numberDigits(value)}`);
    });
  }
  const { multipleOf: step } = schema;
  if (step === undefined) return found;
  if (!isNumber(step) || compareDecimals(numberDigits(step), '0') <= 0)
    throw new Error('multipleOf expects a number above 0');
  found.push((value, visit) => {
    if (isNumber(value) && !isMultipleOf(numberDigits(value), numberDigits(step)))
      say(visit, `expected a multiple of ${numberDigits(step)}, got ${numberDigits(value)}`);
  });
  return found;
}

function textRules(schema: Schema): Rule[] {
  const size = sizeRule(schema, 'Length', 'characters');
  const { pattern, format } = schema;
  if (pattern !== undefined && typeof pattern !== 'string') throw new Error('pattern expects a text');
  const expression = pattern === undefined ? null : compileExpression(inOneForm(pattern), 'u');
  const form = typeof format === 'string' ? FORMATS[format] : undefined;
  return [
    (value, visit) => {
      if (typeof value !== 'string') return;
      size([...value].length, visit);
      if (expression !== null && !expression.test(inOneForm(value)))
        say(visit, `expected a text that matches /${String(pattern)}/, got ${shown(value)}`);
      if (form !== undefined && !form.test(value))
        say(visit, `expected the format ${String(format)}, got ${shown(value)}`);
    },
  ];
}

/** A rule for a number of parts, by the keywords that end in this word. */
function sizeRule(schema: Schema, word: string, noun: string): (count: number, visit: Visit) => void {
  const [least, most] = [countOf(schema, `min${word}`), countOf(schema, `max${word}`)];
  return (count, visit) => {
    if (least !== null && count < least) say(visit, `expected at least ${least} ${noun}, got ${count}`);
    if (most !== null && count > most) say(visit, `expected at most ${most} ${noun}, got ${count}`);
  };
}

function countOf(schema: Schema, keyword: string): number | null {
  const count = schema[keyword];
  if (count === undefined) return null;
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count;
  throw new Error(`${keyword} expects a whole number`);
}

function schemasOf(schema: Schema, keyword: string): unknown[] {
  const list = schema[keyword];
  if (list === undefined) return [];
  if (Array.isArray(list)) return list;
  throw new Error(`${keyword} expects a list of schemas`);
}

function mapOf(schema: Schema, keyword: string): Schema {
  const map = schema[keyword] ?? {};
  if (isPlain(map)) return map;
  throw new Error(`${keyword} expects an object`);
}

function namesOf(list: unknown, keyword: string): string[] {
  if (list === undefined) return [];
  if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
  throw new Error(`${keyword} expects a list of names`);
}

/** The part of a schema at a reference such as #/$defs/name. */
function partAt(root: unknown, reference: string): unknown {
  if (!/^#(?:\/|$)/.test(reference)) throw new Error(`$ref ${reference} is not supported`);
  let part = root;
  for (const step of reference.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(part)) part = part[Number(key)];
    else part = isPlain(part) && Object.hasOwn(part, key) ? part[key] : undefined;
    if (part === undefined) throw new Error(`$ref ${reference} leads to nothing`);
  }
  return part;
}

const ofList =
  (rule: (list: readonly unknown[], visit: Visit) => void): Rule =>
  (value, visit) => {
    if (Array.isArray(value)) rule(value, visit);
  };
const ofObject =
  (rule: (object: Schema, visit: Visit) => void): Rule =>
  (value, visit) => {
    if (isPlain(value)) rule(value, visit);
  };

function fits(rule: Rule, value: unknown, { depth }: Visit): boolean {
  const problems: string[] = [];
  rule(value, { path: '', problems, depth });
  return problems.length === 0;
}

function say({ path, problems }: Visit, text: string): void {
  problems.push(`${path === '' ? '' : `${path}: `}${text}`);
}

const inside = (visit: Visit, part: string | number): Visit => ({
  ...visit,
  path: visit.path === '' ? String(part) : `${visit.path}.${part}`,
});

const isNumber = (value: unknown): value is number | RawNumber =>
  typeof value === 'number' || isRawNumber(value);
const isWhole = (value: number | RawNumber): boolean => isMultipleOf(numberDigits(value), '1');
const isPlain = (value: unknown): value is Schema => isObject(value) && !isNumber(value);

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (isNumber(value)) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A value in a sentence: its type if it is long. */
function shown(value: unknown): string {
  const text = writeExact(value);
  return text.length <= 40 ? text : typeOf(value);
}

/** Equal as JSON: numbers by their value, objects whatever the order of their keys. */
function isEqual(one: unknown, other: unknown): boolean {
  if (isNumber(one) && isNumber(other)) return compareDecimals(numberDigits(one), numberDigits(other)) === 0;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((part, at) => isEqual(part, other[at]));
  if (!isPlain(one) || !isPlain(other)) return one === other;
  const keys = Object.keys(one);
  const isIn = (key: string) => Object.hasOwn(other, key) && isEqual(one[key], other[key]);
  return keys.length === Object.keys(other).length && keys.every(isIn);
}
