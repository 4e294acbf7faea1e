/**
 * Checks JSON values against a JSON schema (2020-12): numbers by all their digits, and each keyword whether or not the
 * schema states a type. Pure.
 */
import { compareDecimals, isMultipleOf, numberDigits } from '../../shared/exact-decimal.ts';
import { isRawNumber, type RawNumber, writeExact } from '../../shared/exact-json.ts';
import { inOneForm } from '../../shared/fold.ts';
import { formatTest } from '../../shared/json-schema-formats.ts';
import { UNSUPPORTED_KEYWORDS } from '../../shared/json-schema-note.ts';
import { isLocalReference, schemaPart } from '../../shared/json-schema-reference.ts';
import { compileExpression, SCHEMA_BOUNDS } from '../../shared/text-filter.ts';
import { isObject } from './flattened.ts';
import { equalText, isEqual, isNumber } from './json-equality.ts';

type Schema = Record<string, unknown>;
/** Adds a sentence without its end for each problem of a value. */
type Rule = (value: unknown, visit: Visit) => void;
/** `told`: the value does not fit, and the report has the sentences. */
type Outcome = 'open' | 'fits' | 'fails' | 'told';
/** The outcomes of the rules at references, for one value. */
type Outcomes = Map<Rule, Outcome>;

interface Report {
  /** Number of problems. */
  count: number;
  /** Null if only the number matters. */
  sentences: string[] | null;
}
/** The place of a value, and the problems found so far. */
interface Visit {
  path: string;
  report: Report;
  /** Number of objects and lists around the value. */
  level: number;
  /** Shared by all visits of the same place. Text, numbers and the like have no identity, so their outcomes are here. */
  place: { outcomes: Outcomes | null };
  /** Outcomes for objects and lists, so that each is checked only once against each reference. */
  outcomes: Map<object, Outcomes>;
}

/** Maximum nesting of values, which common schemas that refer to themselves follow within the stack of calls. */
const MAX_LEVELS = 500;
const MAX_SHOWN_CHARS = 40;
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** The reason why a value cannot be judged, as a sentence without its end. */
class Unjudged extends Error {}

/**
 * A function from a value (numbers exact, as `parseExact` gives them) to sentences without their end, one for each
 * problem. Throws an Error with the reason why the schema cannot be used.
 */
export function compileSchema(schema: unknown): (value: unknown) => string[] {
  const rule = new SchemaCompiler(schema).compile({ $ref: '#' });
  return (value) => {
    const sentences: string[] = [];
    const report = { count: 0, sentences };
    try {
      rule(value, { path: '', report, level: 0, place: { outcomes: null }, outcomes: new Map() });
    } catch (thrown) {
      if (thrown instanceof Unjudged) return [thrown.message];
      if (thrown instanceof RangeError) return ['the value is too large or nested too deep for this schema'];
      throw thrown;
    }
    return sentences;
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
    if (!isObject(schema)) throw new Error('expected an object, true or false as a schema');
    const unsupported = UNSUPPORTED_KEYWORDS.find((keyword) => Object.hasOwn(schema, keyword));
    if (unsupported !== undefined) throw new Error(`${unsupported} is not supported`);
    const rules = [
      ...typeRules(schema),
      ...numberRules(schema),
      ...textRules(schema),
      ...this.#listRules(schema),
      ...this.#objectRules(schema),
      ...this.#joinedRules(schema),
    ];
    const takesNull = schema['nullable'] === true;
    return (value, visit) => {
      if (takesNull && value === null) return;
      const { report } = visit;
      const before = report.count;
      for (const rule of rules) {
        rule(value, visit);
        if (report.sentences === null && report.count > before) return;
      }
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
        size(() => list.length, visit);
        for (const [at, item] of list.entries()) (prefix[at] ?? rest)?.(item, inside(visit, at));
        if (uniqueItems === true && new Set(list.map(equalText)).size < list.length)
          say(visit, 'expected different items, got equal ones');
        if (wanted === null) return;
        const count = list.filter((item, at) => fits(wanted, item, inside(visit, at))).length;
        if (count < least) say(visit, `expected at least ${least} items that fit “contains”, got ${count}`);
        if (most !== null && count > most)
          say(visit, `expected at most ${most} items that fit “contains”, got ${count}`);
      }),
    ];
  }

  #objectRules(schema: Schema): Rule[] {
    const properties = this.#compiledMap(schema, 'properties');
    const patterns = [...this.#compiledMap(schema, 'patternProperties')].map(
      ([pattern, rule]) => [compileExpression(pattern, 'u', SCHEMA_BOUNDS), rule] as const,
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
        size(() => Object.keys(object).length, visit);
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
    const listed = (keyword: string) => {
      const list = schemasOf(schema, keyword);
      if (Object.hasOwn(schema, keyword) && list.length === 0)
        throw new Error(`${keyword} expects at least one schema`);
      return list.map((each) => this.compile(each));
    };
    const [any, one] = [listed('anyOf'), listed('oneOf')];
    const found: Rule[] = listed('allOf');
    const { not, if: condition, $ref } = schema;
    if ($ref !== undefined) found.push(this.#refer($ref));
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

  #refer(reference: unknown): Rule {
    if (typeof reference !== 'string') throw new Error('$ref expects a text');
    const known = this.#referred.get(reference);
    if (known !== undefined) return known;
    let target: Rule | null = null;
    const later: Rule = (value, visit) => {
      if (target !== null) once(target, value, visit);
    };
    this.#referred.set(reference, later);
    target = this.compile(this.#partAt(reference));
    return later;
  }

  #partAt(reference: string): unknown {
    if (!isLocalReference(reference)) throw new Error(`$ref ${reference} is not supported`);
    const part = schemaPart(this.#root, reference);
    if (part === undefined) throw new Error(`$ref ${reference} leads to nothing`);
    return part;
  }
}

/** Applies a rule at a reference, unless its outcome for the value is known. */
function once(rule: Rule, value: unknown, visit: Visit): void {
  const outcomes = outcomesOf(value, visit);
  const known = outcomes.get(rule);
  const { report } = visit;
  if (known === 'fits') return;
  if (known === 'open') throw new Unjudged('the schema refers to itself without an end');
  if (known === 'told' || (known === 'fails' && report.sentences === null)) {
    report.count += 1;
    return;
  }
  outcomes.set(rule, 'open');
  const before = report.count;
  rule(value, visit);
  const failed = report.sentences === null ? 'fails' : 'told';
  outcomes.set(rule, report.count === before ? 'fits' : failed);
}

function outcomesOf(value: unknown, visit: Visit): Outcomes {
  if (typeof value !== 'object' || value === null) {
    visit.place.outcomes ??= new Map();
    return visit.place.outcomes;
  }
  const known = visit.outcomes.get(value);
  if (known !== undefined) return known;
  const outcomes: Outcomes = new Map();
  visit.outcomes.set(value, outcomes);
  return outcomes;
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
        say(visit, `expected ${words} ${digits}, got ${shown(value)}`);
    });
  }
  const { multipleOf: step } = schema;
  if (step === undefined) return found;
  if (!isNumber(step) || compareDecimals(numberDigits(step), '0') <= 0)
    throw new Error('multipleOf expects a number above 0');
  found.push((value, visit) => {
    if (isNumber(value) && !isMultipleOf(numberDigits(value), numberDigits(step)))
      say(visit, `expected a multiple of ${numberDigits(step)}, got ${shown(value)}`);
  });
  return found;
}

function textRules(schema: Schema): Rule[] {
  const size = sizeRule(schema, 'Length', 'characters');
  const { pattern, format } = schema;
  if (pattern !== undefined && typeof pattern !== 'string') throw new Error('pattern expects a text');
  const expression = pattern === undefined ? null : compileExpression(inOneForm(pattern), 'u', SCHEMA_BOUNDS);
  const hasFormat = typeof format === 'string' ? formatTest(format) : null;
  return [
    (value, visit) => {
      if (typeof value !== 'string') return;
      size(() => [...value].length, visit);
      if (expression !== null && !expression.test(inOneForm(value)))
        say(visit, `expected a text that matches /${String(pattern)}/, got ${shown(value)}`);
      if (hasFormat !== null && !hasFormat(value))
        say(visit, `expected the format ${String(format)}, got ${shown(value)}`);
    },
  ];
}

/** A rule for a number of parts, by the keywords that end in this word. */
function sizeRule(schema: Schema, word: string, noun: string): (counted: () => number, visit: Visit) => void {
  const [least, most] = [countOf(schema, `min${word}`), countOf(schema, `max${word}`)];
  if (least === null && most === null) return () => undefined;
  return (counted, visit) => {
    const count = counted();
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
  if (isObject(map)) return map;
  throw new Error(`${keyword} expects an object`);
}

function namesOf(list: unknown, keyword: string): string[] {
  if (list === undefined) return [];
  if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
  throw new Error(`${keyword} expects a list of names`);
}

const ofList =
  (rule: (list: readonly unknown[], visit: Visit) => void): Rule =>
  (value, visit) => {
    if (Array.isArray(value)) rule(value, visit);
  };
const ofObject =
  (rule: (object: Schema, visit: Visit) => void): Rule =>
  (value, visit) => {
    if (isObject(value)) rule(value, visit);
  };

function fits(rule: Rule, value: unknown, visit: Visit): boolean {
  const report = { count: 0, sentences: null };
  rule(value, { ...visit, report });
  return report.count === 0;
}

function say({ path, report }: Visit, text: string): void {
  report.count += 1;
  report.sentences?.push(`${path === '' ? '' : `${path}: `}${text}`);
}

function inside(visit: Visit, part: string | number): Visit {
  const { path, report, level, outcomes } = visit;
  if (level >= MAX_LEVELS) throw new Unjudged(`expected at most ${MAX_LEVELS} levels, got more`);
  return {
    path: path === '' ? String(part) : `${path}.${part}`,
    report,
    level: level + 1,
    place: { outcomes: null },
    outcomes,
  };
}

const isWhole = (value: number | RawNumber): boolean => isMultipleOf(numberDigits(value), '1');

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (isNumber(value)) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A value in a sentence: its type if it is long. */
function shown(value: unknown): string {
  if (charsOf(value, MAX_SHOWN_CHARS) > MAX_SHOWN_CHARS) return typeOf(value);
  const text = writeExact(value);
  return text.length <= MAX_SHOWN_CHARS ? text : typeOf(value);
}

/** At most the number of characters of a value as JSON. Ends as soon as it is more than `most`. */
function charsOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return String(value).length;
  let sum = 2;
  for (const name in value) {
    if (sum > most) break;
    sum += 1 + charsOf(Reflect.get(value, name), most - sum);
  }
  return sum;
}
