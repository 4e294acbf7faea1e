/** Makes unsupported calls fail with an error that names them, instead of "undefined is not a function". */
import { EventEmitter } from 'node:events';

/** Names that Node, inspectors and Promise look up on any object, so that they are no calls of Electron. */
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

/** Members that the real Electron does not have on Linux either, so that `app.dock?.hide()` works. */
const ABSENT_ON_LINUX = new Set(['dock']);

/** The error that every unsupported call throws. */
function unsupported(name: string): Error {
  return new Error(
    `${name} is not supported by the Chromium host (build/chromium-host/README.md lists what is).`,
  );
}

/** A prototype whose unknown members are functions that throw. */
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

/** Base of all objects of the stand-in that emit events. */
export class HostEmitter extends EventEmitter {}
// Placed at the end of the prototype chain, so that `this` is still the object itself and its #private fields work.
Object.setPrototypeOf(HostEmitter.prototype, refusing(EventEmitter.prototype));

/** Base of objects of the stand-in that emit no events. */
export class HostObject {}
Object.setPrototypeOf(HostObject.prototype, refusing(Object.prototype));

/** The first argument of listeners that can prevent an action. */
export interface PreventableEvent {
  readonly preventDefault: () => void;
  readonly defaultPrevented: boolean;
}

/** Emits an event with a preventable first argument (with `fields` added); true if a listener prevented it. */
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
