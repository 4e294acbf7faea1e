/**
 * Features that only some runtimes have: each part is looked up by name, and missing parts are null. `runtime` is the
 * loaded module `electron`; the stand-in has no tray, no system idle time and no list of recent files.
 */
type Call = (...given: readonly unknown[]) => unknown;

/** The method of a runtime part, bound to it; null if either is missing. */
export function methodOf(owner: unknown, name: string): Call | null {
  if (typeof owner !== 'object' && typeof owner !== 'function') return null;
  if (owner === null || !(name in owner)) return null;
  const found: unknown = Reflect.get(owner, name);
  return typeof found === 'function' ? (...given) => Reflect.apply(found, owner, given) : null;
}

/** A part of the runtime by name; undefined if it is missing. */
export const partOf = (runtime: object, name: string): unknown =>
  name in runtime ? Reflect.get(runtime, name) : undefined;

/** The system's own user authentication. */
export interface SystemUnlock {
  name: string;
  /** False if the person was not recognized, or cancelled. */
  ask(): Promise<boolean>;
}

/** Touch ID on macOS; null on other systems, and if there is none. */
export function systemUnlock(runtime: object): SystemUnlock | null {
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

/** The system's events about the person's presence. */
export interface PowerNews {
  /** Seconds since the last input anywhere; null if the runtime does not know. */
  idleSeconds: (() => number) | null;
  /** Calls `listener` when the screen is locked or the computer goes to sleep. */
  onAway(listener: () => void): void;
  /** Null if the runtime does not know. */
  isOnBattery(): boolean | null;
  /** Calls `listener` when the computer was plugged in or unplugged. */
  onPower(listener: () => void): void;
  /** Calls `listener` when the computer has woken, perhaps in another network. */
  onBack(listener: () => void): void;
}

export function powerNews(runtime: object): PowerNews {
  const monitor = partOf(runtime, 'powerMonitor');
  const idle = methodOf(monitor, 'getSystemIdleTime');
  const on = methodOf(monitor, 'on');
  return {
    idleSeconds: idle === null ? null : () => Number(idle()),
    onAway: (listener) => {
      on?.('lock-screen', listener);
      on?.('suspend', listener);
    },
    onBack: (listener) => void on?.('resume', listener),
    isOnBattery: () => {
      const found = methodOf(monitor, 'isOnBatteryPower')?.();
      return typeof found === 'boolean' ? found : null;
    },
    onPower: (listener) => {
      on?.('on-ac', listener);
      on?.('on-battery', listener);
    },
  };
}

/**
 * Hides the window, while its process continues; null if the runtime cannot. A full-screen window leaves that state
 * first: on macOS a black space would remain.
 */
export function hider(window: unknown): (() => void) | null {
  const hide = methodOf(window, 'hide');
  if (hide === null) return null;
  const isFullScreen = methodOf(window, 'isFullScreen');
  const once = methodOf(window, 'once');
  const setFullScreen = methodOf(window, 'setFullScreen');
  return () => {
    if (isFullScreen?.() !== true || once === null || setFullScreen === null) {
      hide();
      return;
    }
    once('leave-full-screen', () => void hide());
    setFullScreen(false);
  };
}

/** Minimizes to the task bar; null if the runtime cannot. */
export function minimizer(window: unknown): (() => void) | null {
  const minimize = methodOf(window, 'minimize');
  return minimize === null ? null : () => void minimize();
}

/**
 * Calls `leave` when the person logs out or the computer shuts down: nobody can answer a question then, and it is not a
 * crash. Windows notifies its windows, the other systems the power monitor, which waits while the application ends.
 */
export function onSystemEnd(runtime: object, window: unknown, leave: () => void): void {
  const onPower = methodOf(partOf(runtime, 'powerMonitor'), 'on');
  onPower?.('shutdown', (event: unknown) => {
    methodOf(event, 'preventDefault')?.();
    leave();
  });
  methodOf(window, 'on')?.('session-end', () => leave());
}

/** A place in the window, for the jump list of Windows: its link and title. */
interface Task {
  link: string;
  title: string;
}

/** `program`: the program that opens the links. */
export function offerTasks(runtime: object, program: string, tasks: readonly Task[]): void {
  const set = methodOf(partOf(runtime, 'app'), 'setUserTasks');
  const offered = tasks.map(({ link, title }) => ({
    ...{ program, arguments: link, title, description: title },
    ...{ iconPath: program, iconIndex: 0 },
  }));
  set?.(offered);
}

/** Adds to the system's list of recent files: the dock's menu, the jump list. */
export function addRecentFiles(runtime: object, paths: readonly string[]): void {
  const add = methodOf(partOf(runtime, 'app'), 'addRecentDocument');
  for (const path of paths) add?.(path);
}
