/** State that the modules of the stand-in share while Chromium is running. */
import type { Chromium } from './chromium.ts';
import type { Targets } from './targets.ts';

interface Running {
  readonly chromium: Chromium;
  readonly targets: Targets;
}

let running: Running | undefined;

/** Called once at startup. */
export function setRunning(value: Running): void {
  running = value;
}

/** The running Chromium. Throws like Electron for a window that is created before 'ready'. */
export function getRunning(): Running {
  if (running === undefined) throw new Error('Cannot create BrowserWindow before app is ready');
  return running;
}
