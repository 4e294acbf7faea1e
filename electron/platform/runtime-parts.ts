/**
 * What only some runtimes have: each part is asked for by its name, and what is not there is null. `runtime` is the module
 * `electron` as it is here; the stand-in has no tray, no system idle time and no list of recent files.
 */
type Call = (...given: readonly unknown[]) => unknown;

/** The method of a part of the runtime, bound to it; null where either is not there. */
export function methodOf(owner: unknown, name: string): Call | null {
  if (typeof owner !== 'object' && typeof owner !== 'function') return null;
  if (owner === null || !(name in owner)) return null;
  const found: unknown = Reflect.get(owner, name);
  return typeof found === 'function' ? (...given) => Reflect.apply(found, owner, given) : null;
}

/** A part of the runtime by name; undefined where it is not there. */
export const partOf = (runtime: object, name: string): unknown =>
  name in runtime ? Reflect.get(runtime, name) : undefined;

/** How the system itself finds out who somebody is. */
export interface SystemUnlock {
  name: string;
  /** False where the person was not known, or cancelled. */
  ask(): Promise<boolean>;
}

/** Touch ID on macOS; null elsewhere, and where there is none. */
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

/** What the system says of the person's presence. */
export interface PowerNews {
  /** Seconds since the last input anywhere; null where the runtime cannot say. */
  idleSeconds: (() => number) | null;
  /** Calls `listener` when the screen is locked or the computer goes to sleep. */
  onAway(listener: () => void): void;
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
  };
}

/**
 * Out of sight, its process going on; null where the runtime cannot. A full-screen window leaves that state first: on
 * macOS its space would stay behind, black.
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

/** Into the task bar; null where the runtime cannot. */
export function minimizer(window: unknown): (() => void) | null {
  const minimize = methodOf(window, 'minimize');
  return minimize === null ? null : () => void minimize();
}

/**
 * Calls `leave` when the person logs out or the computer shuts down: there is nobody to ask then, and it is no crash.
 * Windows tells its windows, the other systems tell the power monitor, which waits while the application ends.
 */
export function onSystemEnd(runtime: object, window: unknown, leave: () => void): void {
  const onPower = methodOf(partOf(runtime, 'powerMonitor'), 'on');
  onPower?.('shutdown', (event: unknown) => {
    methodOf(event, 'preventDefault')?.();
    leave();
  });
  methodOf(window, 'on')?.('session-end', () => leave());
}

/** A place in the window, as the jump list of Windows offers it: its link and its words. */
interface Task {
  link: string;
  title: string;
}

/** `program`: what opens the links. */
export function offerTasks(runtime: object, program: string, tasks: readonly Task[]): void {
  const set = methodOf(partOf(runtime, 'app'), 'setUserTasks');
  const offered = tasks.map(({ link, title }) => ({
    ...{ program, arguments: link, title, description: title },
    ...{ iconPath: program, iconIndex: 0 },
  }));
  set?.(offered);
}

/** In the list of recent files of the system: the dock's menu, the jump list. */
export function addRecentFiles(runtime: object, paths: readonly string[]): void {
  const add = methodOf(partOf(runtime, 'app'), 'addRecentDocument');
  for (const path of paths) add?.(path);
}
