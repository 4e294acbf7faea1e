/**
 * contextBridge: two halves of one connection between the isolated world and the page's main world. DOM events are
 * synchronous and visible in both worlds, and Chromium clones their `detail` from one to the other. A call across is
 * therefore an event, and its answer is another event dispatched before the first one ends.
 *
 * Both functions are sent as source text and use only their parameters and the page's globals.
 */

/** A transferred value: functions and promises by number, everything else as a structured clone. */
export type Wire =
  | { readonly t: 'value'; readonly v: unknown }
  | { readonly t: 'function'; readonly n: number }
  | { readonly t: 'promise'; readonly n: number }
  | { readonly t: 'error'; readonly name: string; readonly message: string }
  | { readonly t: 'array'; readonly v: readonly Wire[] }
  | { readonly t: 'object'; readonly keys: readonly string[]; readonly v: readonly Wire[] };

/** The interface of the isolated half for the bridge. */
export interface MainWorldLink {
  expose(key: string, api: unknown): void;
  onOpen(listener: (url: string) => void): void;
}

interface Packet {
  readonly op: 'call' | 'return' | 'throw' | 'settle' | 'fail' | 'release' | 'expose' | 'open';
  readonly n?: number;
  /** The document whose half releases a function. */
  readonly origin?: number;
  readonly key?: string;
  readonly value: Wire;
}

/** One half of the connection; `side` distinguishes the events of the two halves. */
export function makeWire(channel: string, side: 'isolated' | 'main') {
  /** Functions that the other half can call, each with the number of times it was sent and not yet released. */
  const functions = new Map<number, { call: (...args: unknown[]) => unknown; uses: number }>();
  const numbers = new WeakMap<object, number>();
  const promises = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  const target = globalThis as unknown as EventTarget;
  const Custom = CustomEvent;
  const dispatch = target.dispatchEvent.bind(target);
  const clone = structuredClone;
  const outName = `${channel}.${side}`;
  const inName = `${channel}.${side === 'main' ? 'isolated' : 'main'}`;
  const specials: Partial<Record<Packet['op'], (packet: Packet) => void>> = {};
  /**
   * Time at which this document was created. After a navigation, proxies of the former document are still collected, and
   * its global object then stands for the new one.
   */
  const origin = performance.timeOrigin;
  /** The other half keeps a function until nothing here refers to its proxy any more, as Electron does. */
  const proxies = new FinalizationRegistry<number>((n) =>
    emit({ op: 'release', n, origin, value: { t: 'value', v: null } }),
  );
  let lastFunction = 0;
  let lastPromise = 0;
  let answer: Packet | undefined;

  const emit = (packet: Packet): void => {
    dispatch(new Custom(outName, { detail: packet }));
  };
  const numberOf = (callable: (...args: unknown[]) => unknown): number => {
    const n = numbers.get(callable) ?? lastFunction + 1;
    lastFunction = Math.max(lastFunction, n);
    numbers.set(callable, n);
    functions.set(n, { call: callable, uses: (functions.get(n)?.uses ?? 0) + 1 });
    return n;
  };
  const proxyOf = (n: number): ((...args: unknown[]) => unknown) => {
    const proxy = (...args: unknown[]): unknown => call(n, args);
    proxies.register(proxy, n);
    return proxy;
  };
  function release(n: number): void {
    const held = functions.get(n);
    if (held === undefined) return;
    held.uses -= 1;
    if (held.uses === 0) functions.delete(n);
  }
  const errorWire = (error: unknown): Wire =>
    error instanceof Error ? { t: 'error', name: error.name, message: error.message } : toWire(error);

  function promiseWire(promise: Promise<unknown>): Wire {
    lastPromise += 1;
    const n = lastPromise;
    promise.then(
      (value) => emit({ op: 'settle', n, value: toWire(value) }),
      (error: unknown) => emit({ op: 'fail', n, value: errorWire(error) }),
    );
    return { t: 'promise', n };
  }

  // Uses plain loops, because a page may have replaced `Array.prototype.map` before the call.
  function toWires(values: readonly unknown[]): Wire[] {
    const wires: Wire[] = [];
    for (let index = 0; index < values.length; index += 1) wires[index] = toWire(values[index]);
    return wires;
  }

  function fromWires(wires: readonly Wire[]): unknown[] {
    const values: unknown[] = [];
    for (let index = 0; index < wires.length; index += 1) values[index] = fromWire(wires[index] as Wire);
    return values;
  }

  function toWire(value: unknown): Wire {
    if (typeof value === 'function') return { t: 'function', n: numberOf(value as () => unknown) };
    if (value === null || typeof value !== 'object') return { t: 'value', v: value };
    if (value instanceof Promise) return promiseWire(value);
    if (value instanceof Error) return errorWire(value);
    try {
      return { t: 'value', v: clone(value) };
    } catch (error) {
      // The value cannot be cloned as a whole: an array or object that contains functions or promises is converted part
      // by part.
      if (Array.isArray(value)) return { t: 'array', v: toWires(value) };
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) throw error;
      return { t: 'object', keys: Object.keys(value), v: toWires(Object.values(value)) };
    }
  }

  function fromWire(wire: Wire): unknown {
    switch (wire.t) {
      case 'value':
        return wire.v;
      case 'function':
        return proxyOf(wire.n);
      case 'promise':
        return new Promise((resolve, reject) => promises.set(wire.n, { resolve, reject }));
      case 'error':
        return Object.assign(new Error(wire.message), { name: wire.name });
      case 'array':
        return Object.freeze(fromWires(wire.v));
      default: {
        const values = fromWires(wire.v);
        const result: Record<string, unknown> = {};
        for (let index = 0; index < values.length; index += 1) result[wire.keys[index] ?? ''] = values[index];
        return Object.freeze(result);
      }
    }
  }

  function call(n: number, args: unknown[]): unknown {
    answer = undefined;
    emit({ op: 'call', n, value: { t: 'array', v: toWires(args) } });
    const result = answer as Packet | undefined;
    answer = undefined;
    if (result === undefined) throw new Error('The other side of the context bridge is gone.');
    const value = fromWire(result.value);
    if (result.op === 'throw') throw value;
    return value;
  }

  function onCall(packet: Packet): void {
    try {
      const args = fromWire(packet.value) as unknown[];
      emit({ op: 'return', value: toWire(functions.get(packet.n ?? 0)?.call(...args)) });
    } catch (error) {
      emit({ op: 'throw', value: errorWire(error) });
    }
  }

  target.addEventListener(inName, (event) => {
    const packet = (event as CustomEvent<Packet>).detail;
    const waiting = promises.get(packet.n ?? -1);
    if (packet.op === 'call') onCall(packet);
    else if (packet.op === 'release') {
      if (packet.origin === origin) release(packet.n ?? 0);
    } else if (packet.op === 'return' || packet.op === 'throw') answer = packet;
    else if (packet.op === 'settle' || packet.op === 'fail') {
      promises.delete(packet.n ?? -1);
      if (packet.op === 'settle') waiting?.resolve(fromWire(packet.value));
      else waiting?.reject(fromWire(packet.value));
    } else specials[packet.op]?.(packet);
  });
  return { emit, toWire, fromWire, specials };
}

/**
 * The page's half: defines the objects exposed by the preload, and makes `window.open` behave as in Electron when it is
 * denied.
 */
export function installMainWorld(channel: string, make: typeof makeWire): void {
  const wire = make(channel, 'main');
  wire.specials.expose = (packet) => {
    const key = packet.key ?? '';
    if (Object.hasOwn(globalThis, key))
      throw new Error(`Cannot bind an API on top of an existing property on the window object`);
    const value = wire.fromWire(packet.value);
    Object.defineProperty(globalThis, key, { value, enumerable: true, writable: false, configurable: false });
  };
  const open = (url?: string | URL): null => {
    const absolute = url === undefined || url === '' ? 'about:blank' : new URL(url, document.baseURI).href;
    wire.emit({ op: 'open', value: { t: 'value', v: absolute } });
    return null;
  };
  Object.defineProperty(globalThis, 'open', {
    value: open,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** The isolated world's half. */
export function makeMainWorldLink(channel: string, make: typeof makeWire): MainWorldLink {
  const wire = make(channel, 'isolated');
  return {
    expose: (key, api) => wire.emit({ op: 'expose', key, value: wire.toWire(api) }),
    onOpen: (listener) => {
      wire.specials.open = (packet) => listener(String(wire.fromWire(packet.value)));
    },
  };
}
