/** Calls the stand-in does not know fail loudly and by name, instead of as "undefined is not a function". */
import { EventEmitter } from 'node:events';

/** Names that Node, inspectors and Promise look for on any object; they are not calls of Electron's. */
const PROBED = new Set([
  'then',
  'catch',
  'toJSON',
  'inspect',
  'nodeType',
  'tagName',
  '$$typeof',
  'length',
  'size',
]);

/** What a real Electron on Linux does not have either, so that `app.dock?.hide()` keeps its meaning. */
const ABSENT_ON_LINUX = new Set(['dock']);

/** The error every unsupported call throws. */
function unsupported(name: string): Error {
  return new Error(
    `${name} is not supported by the Chromium host (build/chromium-host/README.md lists what is).`,
  );
}

/** A prototype that answers unknown names with a function that throws by name. */
function refusing(base: object): object {
  return new Proxy(base, {
    get(target, key, receiver: object) {
      if (typeof key === 'symbol' || key in target) return Reflect.get(target, key, receiver);
      if (key.startsWith('_') || PROBED.has(key) || ABSENT_ON_LINUX.has(key)) return undefined;
      return () => {
        throw unsupported(`electron ${receiver.constructor.name}.${key}`);
      };
    },
  });
}

/** Base of every stand-in object that emits events. */
export class HostEmitter extends EventEmitter {}
// At the end of the prototype chain, so that `this` stays the object itself and its #private fields work.
Object.setPrototypeOf(HostEmitter.prototype, refusing(EventEmitter.prototype));

/** Base of every stand-in object that does not. */
export class HostObject {}
Object.setPrototypeOf(HostObject.prototype, refusing(Object.prototype));

/** What Electron passes first to a listener that may refuse. */
export interface PreventableEvent {
  readonly preventDefault: () => void;
  readonly defaultPrevented: boolean;
}

/** Emits an event with a refusable first argument (plus `fields` on it); true when a listener refused. */
export function emitPreventable(
  emitter: EventEmitter,
  name: string,
  fields: object = {},
  ...rest: readonly unknown[]
): boolean {
  let isPrevented = false;
  const event = {
    ...fields,
    preventDefault: () => {
      isPrevented = true;
    },
    get defaultPrevented() {
      return isPrevented;
    },
  };
  emitter.emit(name, event, ...rest);
  return isPrevented;
}
