/**
 * What the system can do for the application beside its window. The runtime is asked what it has: Electron has all of
 * it, the stand-in only what is imported by name.
 */
import * as electron from 'electron';
import { type BrowserWindow, Notification, powerSaveBlocker } from 'electron';
import type { Native } from '../core/jobs/attention.ts';

/** Electron shows what is over 1 as going on without a known end, and nothing below 0. */
const UNKNOWN_SHARE = 2;
const NO_SHARE = -1;
/** The bar is some hundred points wide. */
const STEPS = 100;

export function createNative(window: () => BrowserWindow | null): Native {
  let shown = NO_SHARE;
  let blockerId: number | null = null;
  /** The system takes a notification away that nobody holds any more. */
  const held = new Set<Notification>();
  return {
    notify: ({ title, body }, onClick) => {
      if (!Notification.isSupported()) return;
      const notification = new Notification({ title, body, silent: true });
      held.add(notification);
      notification.on('click', () => {
        held.delete(notification);
        onClick();
      });
      notification.on('close', () => held.delete(notification));
      notification.on('failed', () => held.delete(notification));
      notification.show();
    },
    showProgress: (share) => {
      const next =
        share === null ? NO_SHARE : share === 'unknown' ? UNKNOWN_SHARE : Math.round(share * STEPS) / STEPS;
      if (next === shown) return;
      shown = next;
      window()?.setProgressBar(next);
    },
    keepAwake: (isOn) => {
      if (isOn && blockerId === null) blockerId = powerSaveBlocker.start('prevent-app-suspension');
      if (!isOn && blockerId !== null) {
        powerSaveBlocker.stop(blockerId);
        blockerId = null;
      }
    },
  };
}

type Call = (...given: readonly unknown[]) => unknown;

/** The method of a part of the runtime, bound to it; null where either is not there. */
function methodOf(owner: unknown, name: string): Call | null {
  if (typeof owner !== 'object' && typeof owner !== 'function') return null;
  if (owner === null || !(name in owner)) return null;
  const found: unknown = Reflect.get(owner, name);
  return typeof found === 'function' ? (...given) => Reflect.apply(found, owner, given) : null;
}

/** A part of the runtime by name; undefined where it is not there. */
const partOf = (runtime: object, name: string): unknown =>
  name in runtime ? Reflect.get(runtime, name) : undefined;

/** How the system itself finds out who somebody is. */
export interface SystemUnlock {
  name: string;
  /** False where the person was not known, or cancelled. */
  ask(): Promise<boolean>;
}

/** Touch ID on macOS; null elsewhere, and where there is none. */
export function systemUnlock(runtime: object = electron): SystemUnlock | null {
  const preferences = partOf(runtime, 'systemPreferences');
  const prompt = methodOf(preferences, 'promptTouchID');
  if (prompt === null || methodOf(preferences, 'canPromptTouchID')?.() !== true) return null;
  return {
    name: 'Touch ID',
    ask: () =>
      Promise.resolve(prompt('open Spandeck')).then(
        () => true,
        () => false,
      ),
  };
}

/** What the system says of the person's presence. */
export interface PowerNews {
  /** Seconds since the last input anywhere; null where the runtime cannot say. */
  idleSeconds: (() => number) | null;
  /** Calls `listener` when the screen is locked or the computer goes to sleep. */
  onAway(listener: () => void): void;
}

export function powerNews(runtime: object = electron): PowerNews {
  const monitor = partOf(runtime, 'powerMonitor');
  const idle = methodOf(monitor, 'getSystemIdleTime');
  const on = methodOf(monitor, 'on');
  return {
    idleSeconds: idle === null ? null : () => Number(idle()),
    onAway: (listener) => {
      on?.('lock-screen', listener);
      on?.('suspend', listener);
    },
  };
}
