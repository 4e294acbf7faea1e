/**
 * Features that only some runtimes have. Each is looked up by name, and is null if it is missing. `runtime` is the
 * loaded module `electron`; its stand-in has no tray, no system idle time and no list of recent files.
 */
type Call = (...given: readonly unknown[]) => unknown;

/** A method of a feature, bound to it; null if either is missing. */
export function methodOf(owner: unknown, name: string): Call | null {
  if (typeof owner !== 'object' && typeof owner !== 'function') return null;
  if (owner === null || !(name in owner)) return null;
  const found: unknown = Reflect.get(owner, name);
  return typeof found === 'function' ? (...given) => Reflect.apply(found, owner, given) : null;
}

/** A feature of the runtime by name; undefined if it is missing. */
export const partOf = (runtime: object, name: string): unknown =>
  name in runtime ? Reflect.get(runtime, name) : undefined;

/** The system's own user authentication. */
export interface SystemUnlock {
  name: string;
  /** Asks the person; false if the system did not recognize them, or if they cancelled. */
  ask(): Promise<boolean>;
}

/** Touch ID on macOS; null on other systems, and if the computer has none. */
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
  /** Seconds since the last input on the computer; null if the runtime does not state them. */
  idleSeconds: (() => number) | null;
  /** Calls `listener` when the screen is locked or the computer goes to sleep. */
  onAway(listener: () => void): void;
  /** Null if the runtime does not state it. */
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
 * Returns a function that hides the window while its process continues; null if the runtime has none. A full-screen
 * window leaves that state first, because on macOS a black space would remain.
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

/** Returns a function that minimizes the window to the task bar; null if the runtime has none. */
export function minimizer(window: unknown): (() => void) | null {
  const minimize = methodOf(window, 'minimize');
  return minimize === null ? null : () => void minimize();
}

/**
 * Calls `leave` when the person logs out or the computer shuts down. Nobody can answer a question then, and the end is
 * not a crash. Windows notifies the windows; other systems notify the power monitor, which waits while the application
 * ends.
 */
export function onSystemEnd(runtime: object, window: unknown, leave: () => void): void {
  const onPower = methodOf(partOf(runtime, 'powerMonitor'), 'on');
  onPower?.('shutdown', (event: unknown) => {
    methodOf(event, 'preventDefault')?.();
    leave();
  });
  methodOf(window, 'on')?.('session-end', () => leave());
}

/** A place in the window for the jump list of Windows, with its link and title. */
interface Task {
  link: string;
  title: string;
}

/** Adds places to the jump list. `program`: the program that opens their links. */
export function offerTasks(runtime: object, program: string, tasks: readonly Task[]): void {
  const set = methodOf(partOf(runtime, 'app'), 'setUserTasks');
  const offered = tasks.map(({ link, title }) => ({
    ...{ program, arguments: link, title, description: title },
    ...{ iconPath: program, iconIndex: 0 },
  }));
  set?.(offered);
}

/** Adds files to the system's list of recent files, which the dock's menu and the jump list show. */
export function addRecentFiles(runtime: object, paths: readonly string[]): void {
  const add = methodOf(partOf(runtime, 'app'), 'addRecentDocument');
  for (const path of paths) add?.(path);
}
