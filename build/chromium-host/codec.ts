/**
 * Encodes IPC messages as text: JSON with tags for values that structured clone supports and JSON does not.
 *
 * Each function is self-contained and uses nothing of Node, because its source text (`Function.toString`) is also sent
 * to the page, so that both ends always agree. Cycles are not supported.
 */

/** Converts bytes to text and back, with the functions available in Node or in Chromium. */
export interface ByteText {
  readonly toText: (bytes: Uint8Array) => string;
  readonly fromText: (text: string) => Uint8Array;
}

/** Whether JSON alone represents the value exactly. Most messages are plain, so checking this first is faster. */
function isPlain(value: unknown, depth: number): boolean {
  if (value === null) return true;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      break;
    default:
      return false;
  }
  if (depth > 200) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) if (!isPlain(value[index], depth + 1)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  if ('$' in value || 'toJSON' in value) return false;
  for (const item of Object.values(value)) if (!isPlain(item, depth + 1)) return false;
  return true;
}

/** The tagged form of a value that structured clone has already accepted. */
function tag(value: unknown, bytes: ByteText, depth: number): unknown {
  if (depth > 200) throw new Error('An object could not be cloned: cyclic, or nested deeper than 200.');
  const inner = (item: unknown): unknown => tag(item, bytes, depth + 1);
  if (value === undefined) return { $: 'undefined' };
  if (typeof value === 'bigint') return { $: 'bigint', v: String(value) };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    return { $: 'number', v: Object.is(value, -0) ? '-0' : String(value) };
  }
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return Array.from(value, inner);
  if (value instanceof Date) return { $: 'date', v: inner(value.getTime()) };
  if (value instanceof RegExp) return { $: 'regexp', v: [value.source, value.flags] };
  if (value instanceof Map)
    return { $: 'map', v: Array.from(value, ([key, item]) => [inner(key), inner(item)]) };
  if (value instanceof Set) return { $: 'set', v: Array.from(value, inner) };
  if (value instanceof Error) return { $: 'error', v: [value.name, value.message, value.stack ?? ''] };
  if (value instanceof ArrayBuffer)
    return { $: 'bytes', n: 'ArrayBuffer', v: bytes.toText(new Uint8Array(value)) };
  if (ArrayBuffer.isView(value)) {
    const view = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return { $: 'bytes', n: value.constructor.name, v: bytes.toText(view) };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new Error('An object could not be cloned.');
  return { $: 'object', v: Object.entries(value).map(([key, item]) => [key, inner(item)]) };
}

/** The value of a tagged form. */
function untag(value: unknown, bytes: ByteText): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => untag(item, bytes));
  const { $: kind, n: name, v: content } = value as { $?: string; n?: string; v?: unknown };
  const items = (): unknown[] => (content as unknown[]).map((item) => untag(item, bytes));
  const pairs = (): [unknown, unknown][] => items() as [unknown, unknown][];
  switch (kind) {
    case 'undefined':
      return undefined;
    case 'bigint':
      return BigInt(content as string);
    case 'number':
      return Number(content);
    case 'date':
      return new Date(untag(content, bytes) as number);
    case 'regexp':
      return new RegExp(...(content as [string, string]));
    case 'map':
      return new Map(pairs());
    case 'set':
      return new Set(items());
    case 'error': {
      const [errorName, message, stack] = content as [string, string, string];
      return Object.assign(new Error(message), { name: errorName, stack });
    }
    case 'bytes': {
      const data = bytes.fromText(content as string);
      if (name === 'ArrayBuffer') return data.buffer;
      if (name === 'Uint8Array' || name === 'Buffer' || name === undefined) return data;
      const View = (globalThis as unknown as Record<string, new (buffer: ArrayBufferLike) => unknown>)[name];
      return View === undefined ? data : new View(data.buffer);
    }
    default: {
      const result: Record<string, unknown> = {};
      for (const [key, item] of pairs()) {
        // Uses defineProperty, because assigning to "__proto__" would set the prototype.
        Object.defineProperty(result, key as string, {
          value: item,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      return result;
    }
  }
}

/** Encodes a value as text. Throws, like structured clone, for a value that Electron's IPC would refuse. */
export function encode(value: unknown, bytes: ByteText): string {
  if (isPlain(value, 0)) return `J${JSON.stringify(value)}`;
  return `T${JSON.stringify(tag(structuredClone(value), bytes, 0))}`;
}

/** Decodes a text that `encode` made. */
export function decode(text: string, bytes: ByteText): unknown {
  const parsed: unknown = JSON.parse(text.slice(1));
  return text.startsWith('J') ? parsed : untag(parsed, bytes);
}

/** The conversion of bytes in Node. */
export const nodeBytes: ByteText = {
  toText: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  fromText: (text) => new Uint8Array(Buffer.from(text, 'base64')),
};

/** The functions above as one script for the page. */
export const codecSource = [isPlain, tag, untag, encode, decode].map(String).join('\n');
