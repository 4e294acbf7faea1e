/** Masks fields of records before they leave the computer. Pure. */
import { isRawNumber } from '../../shared/exact-json.ts';

export const MASKED = '[redacted]';
/** Shorter values stand in too many places to be told from others. */
const LEAST_TOLD = 4;
const MOST_PATHS = 50_000;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

export interface Redactor {
  /** Takes note of what is masked in a record, so that the same text is masked elsewhere too. */
  learn(record: unknown): void;
  /** The record as it may leave. What nothing is masked in is the same object. */
  mask<T>(record: T): T;
  /** Is everything under this name masked, such as the values of an attribute? */
  isMaskedPath(path: string): boolean;
  /** Does the text say something that is masked elsewhere? */
  isTold(text: string): boolean;
}

/**
 * `patterns`: a path matches where it ends like one; `*` stands for one name. `hidden`: ids that nothing may name,
 * whatever field they are in.
 */
export function createRedactor(patterns: readonly string[], hidden: ReadonlySet<string>): Redactor {
  const known = new Map<string, boolean>();
  const matchers = patterns.map(matcherOf);
  const told = new Set<number>();
  const isMaskedPath = (path: string): boolean => {
    const found = known.get(path);
    if (found !== undefined) return found;
    const isMatch = matchers.some((matcher) => matcher.test(path));
    if (known.size < MOST_PATHS) known.set(path, isMatch);
    return isMatch;
  };
  const isTold = (text: string) => told.size > 0 && text.length >= LEAST_TOLD && told.has(hashOf(text));
  const learn = (value: unknown, path: string, isMasked: boolean): void => {
    if (value === null || value === undefined) return;
    if (typeof value === 'object' && !isRawNumber(value)) {
      const isBelow = isMasked || (path !== '' && isMaskedPath(path));
      if (Array.isArray(value)) for (const each of value) learn(each, path, isBelow);
      else for (const [name, part] of Object.entries(value)) learn(part, joined(path, name), isBelow);
      return;
    }
    const text = String(value);
    if ((isMasked || isMaskedPath(path)) && text.length >= LEAST_TOLD) told.add(hashOf(text));
  };
  const maskText = (text: string): string => {
    if (isTold(text) || hidden.has(text)) return MASKED;
    if (hidden.size === 0) return text;
    return text.replaceAll(UUID, (found) =>
      hidden.has(found) || hidden.has(found.toLowerCase()) ? MASKED : found,
    );
  };
  const mask = (value: unknown, path: string, isMasked: boolean): unknown => {
    if (value === null || value === undefined) return value;
    const isBelow = isMasked || (path !== '' && isMaskedPath(path));
    if (typeof value === 'string') return isBelow ? MASKED : maskText(value);
    if (typeof value !== 'object' || isRawNumber(value)) {
      return isBelow || isTold(String(value)) ? MASKED : value;
    }
    if (Array.isArray(value)) {
      const next = value.map((each) => mask(each, path, isBelow));
      return next.every((each, at) => each === value[at]) ? value : next;
    }
    let isChanged = false;
    const pairs = Object.entries(value).map(([name, part]) => {
      const next = mask(part, joined(path, name), isBelow);
      const nextName = maskText(name);
      isChanged ||= next !== part || nextName !== name;
      return [nextName, next] as const;
    });
    return isChanged ? Object.fromEntries(pairs) : value;
  };
  return {
    learn: (record) => learn(record, '', false),
    // The same form comes out; only texts are put in place of values.
    mask: <T>(record: T) => mask(record, '', false) as T,
    isMaskedPath,
    isTold,
  };
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Names of attributes hold dots themselves, so paths are compared as text. */
function matcherOf(pattern: string): RegExp {
  const text = pattern
    .trim()
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^.]+');
  return new RegExp(`(?:^|\\.)${text}$`, 'i');
}

/** 53 bits: two texts of one number are masked alike, which tells nobody more. */
function hashOf(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & b) + (a >>> 0);
}
