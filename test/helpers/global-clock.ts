/** Replaces the global clock and timers by those of a virtual world, for code that uses the globals. */
import type { VirtualWorld } from './virtual-world.ts';
import { START_MS } from './virtual-world.ts';

type Callback = (...args: unknown[]) => void;

/** Returns a function that restores the real clock and timers. */
export function takeOverGlobals(world: VirtualWorld): () => void {
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
    dateNow: Date.now,
    performanceNow: performance.now,
  };
  const handleOf = (cancel: () => void) => ({ cancel, unref: () => undefined, ref: () => undefined });
  const cancel = (handle: { cancel?: () => void } | undefined) => handle?.cancel?.();
  const setTimeoutVirtual = (callback: Callback, delayMs = 0, ...args: unknown[]) =>
    handleOf(world.after(Math.max(1, delayMs), () => callback(...args)));
  const setIntervalVirtual = (callback: Callback, delayMs = 0, ...args: unknown[]) => {
    let stop: () => void = () => undefined;
    const next = () => {
      stop = world.after(Math.max(1, delayMs), () => {
        next();
        callback(...args);
      });
    };
    next();
    return handleOf(() => stop());
  };
  Object.assign(globalThis, {
    setTimeout: setTimeoutVirtual,
    clearTimeout: cancel,
    setInterval: setIntervalVirtual,
    clearInterval: cancel,
  });
  Date.now = () => Math.floor(START_MS + world.trueMs);
  performance.now = () => world.trueMs;
  return () => {
    Object.assign(globalThis, {
      setTimeout: real.setTimeout,
      clearTimeout: real.clearTimeout,
      setInterval: real.setInterval,
      clearInterval: real.clearInterval,
    });
    Date.now = real.dateNow;
    performance.now = real.performanceNow;
  };
}
