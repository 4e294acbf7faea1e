/**
 * The schemas of Zod, each built at its first use. A start of the program defines thousands of schemas, but checks
 * values with only a few dozen, and building a schema takes longer than most checks.
 *
 * A schema of this module is a stand-in for the real one. Deriving another schema from it (`.nullable()`) builds
 * nothing; any other use builds the real schema, with the schemas in it, and is passed on to it. So Zod reports an
 * invalid definition only at its first use; a test therefore builds all schemas.
 */
import * as zod from 'zod';

export type * from 'zod';
export { NEVER, regexes, ZodError, ZodObject } from 'zod';

export const array = deferring(zod.array);
export const base64 = deferring(zod.base64);
export const base64url = deferring(zod.base64url);
export const boolean = deferring(zod.boolean);
export const cidrv4 = deferring(zod.cidrv4);
export const cidrv6 = deferring(zod.cidrv6);
export const creditCard = deferring(zod.creditCard);
export const cuid = deferring(zod.cuid);
export const cuid2 = deferring(zod.cuid2);
export const custom = deferring(zod.custom);
export const discriminatedUnion = deferring(zod.discriminatedUnion);
export const e164 = deferring(zod.e164);
export const email = deferring(zod.email);
export const emoji = deferring(zod.emoji);
const enumeration = deferring(zod.enum);
export const guid = deferring(zod.guid);
export const hostname = deferring(zod.hostname);
export const iban = deferring(zod.iban);
const instance = deferring(zod.instanceof);
export const int = deferring(zod.int);
export const ipv4 = deferring(zod.ipv4);
export const ipv6 = deferring(zod.ipv6);
export const json = deferring(zod.json);
export const jwt = deferring(zod.jwt);
export const ksuid = deferring(zod.ksuid);
export const literal = deferring(zod.literal);
export const looseObject = deferringShape(zod.looseObject);
export const mac = deferring(zod.mac);
export const map = deferring(zod.map);
export const nanoid = deferring(zod.nanoid);
export const never = deferring(zod.never);
const nothing = deferring(zod.null);
export const number = deferring(zod.number);
export const object = deferringShape(zod.object);
export const partialRecord = deferring(zod.partialRecord);
export const preprocess = deferring(zod.preprocess);
export const record = deferring(zod.record);
export const strictObject = deferringShape(zod.strictObject);
export const string = deferring(zod.string);
/**
 * Zod recognises a schema that contains itself by its identity, so the real schema is passed instead of its stand-in.
 */
export const toJSONSchema = (schema: zod.ZodType, options?: zod.core.ToJSONSchemaParams) =>
  zod.toJSONSchema(withBuilt(schema) as zod.ZodType, options);
export const tuple = deferring(zod.tuple);
const absent = deferring(zod.undefined);
export const ulid = deferring(zod.ulid);
export const union = deferring(zod.union);
export const unknown = deferring(zod.unknown);
export const url = deferring(zod.url);
export const uuid = deferring(zod.uuid);
export const xid = deferring(zod.xid);
export { absent as undefined, enumeration as enum, instance as instanceof, nothing as null };
export const coerce = { number: deferring(zod.coerce.number) };
export const iso = {
  date: deferring(zod.iso.date),
  datetime: deferring(zod.iso.datetime),
  duration: deferring(zod.iso.duration),
};

/** A schema that is built at its first use. */
interface Deferred {
  readonly build: () => object;
  built: object | null;
  /** Number of values checked without compiling the schema, at most MAX_INTERPRETED. */
  checks: number;
  /** The schemas of an object's fields, which are known before it is built; undefined for other schemas. */
  readonly shape?: object | undefined;
}

/** Methods of schemas that define another schema. */
const DEFINING = new Set(
  (
    'and array catch check default describe extend int length max min nonnegative nullable nullish omit optional or ' +
    'partial pick pipe positive readonly refine regex startsWith superRefine toLowerCase transform trim unwrap'
  ).split(' '),
);

/** Methods that check a value at once. */
const CHECKING = new Set(['parse', 'safeParse']);
/**
 * Number of checks before Zod compiles a schema, which takes as long as checking hundreds of objects uncompiled. A
 * process that ends soon checks one or two values with most of its schemas.
 */
const MAX_INTERPRETED = 4;

const TARGET = Symbol('target');

const HANDLER: ProxyHandler<Deferred> = {
  get(deferred, key) {
    if (key === TARGET) return deferred;
    if (deferred.checks < MAX_INTERPRETED && typeof key === 'string' && CHECKING.has(key))
      return interpreted(deferred, key);
    if (deferred.built !== null) return Reflect.get(deferred.built, key);
    if (typeof key === 'string' && DEFINING.has(key)) return defining(deferred, key);
    return key === 'shape' && deferred.shape !== undefined
      ? deferred.shape
      : Reflect.get(built(deferred), key);
  },
  has: (deferred, key) => Reflect.has(built(deferred), key),
  set: (deferred, key, value) => Reflect.set(built(deferred), key, value),
  getPrototypeOf: (deferred) => Reflect.getPrototypeOf(built(deferred)),
  ownKeys: (deferred) => Reflect.ownKeys(built(deferred)),
  getOwnPropertyDescriptor(deferred, key) {
    const found = Reflect.getOwnPropertyDescriptor(built(deferred), key);
    // A proxy may only report configurable properties that its target does not have.
    return found === undefined ? undefined : { ...found, configurable: true };
  },
};

function interpreted(deferred: Deferred, method: string): (value: unknown, context?: object) => unknown {
  return (value, context) => {
    deferred.checks += 1;
    return Reflect.get(built(deferred), method)(value, { ...context, jitless: true });
  };
}

function defining(deferred: Deferred, method: string): (...given: unknown[]) => object {
  const { shape } = deferred;
  return (...given) =>
    defer(
      () => Reflect.get(built(deferred), method)(...given.map(withBuilt)),
      method === 'extend' && shape !== undefined ? extended(shape, Object(given[0])) : undefined,
    );
}

/** Getters remain getters. */
const extended = (shape: object, more: object): object =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(shape), ...Object.getOwnPropertyDescriptors(more) },
  );

function deferring<F extends (...given: never[]) => object>(define: F): F {
  const deferred = (...given: never[]) => defer(() => define(...(given.map(withBuilt) as never[])));
  // Safe cast: the stand-in behaves like the schema.
  return deferred as unknown as F;
}

function deferringShape<F extends (...given: never[]) => object>(define: F): F {
  const deferred = (...given: never[]) => defer(() => define(...(given.map(withBuilt) as never[])), given[0]);
  return deferred as unknown as F;
}

const defer = (build: () => object, shape?: object): object =>
  new Proxy<Deferred>({ build, built: null, checks: 0, shape }, HANDLER);

function built(deferred: Deferred): object {
  deferred.built ??= deferred.build();
  return deferred.built;
}

const targetOf = (value: unknown): Deferred | null =>
  typeof value === 'object' && value !== null ? (Reflect.get(value, TARGET) ?? null) : null;

/** The value with each stand-in in it replaced by its real schema, so that checks do not pass through stand-ins. */
function withBuilt(value: unknown): unknown {
  const deferred = targetOf(value);
  if (deferred !== null) return built(deferred);
  if (Array.isArray(value)) return value.map(withBuilt);
  return isShape(value) ? shapeWithBuilt(value) : value;
}

/** Whether a value is an object that contains schemas by name. */
const isShape = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.values(Object.getOwnPropertyDescriptors(value)).some(
    (each) => each.get !== undefined || targetOf(each.value) !== null,
  );

function shapeWithBuilt(shape: Record<string, unknown>): Record<string, unknown> {
  const copy = Object.getOwnPropertyDescriptors(shape);
  for (const [name, each] of Object.entries(copy)) {
    // A getter returns a schema that contains this object, which must exist by then.
    if (each.get === undefined) each.value = withBuilt(each.value);
    else each.get = () => withBuilt(shape[name]);
  }
  return Object.defineProperties({}, copy) as Record<string, unknown>;
}
