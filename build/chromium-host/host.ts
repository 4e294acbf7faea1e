/** State shared by the stand-in's modules once Chromium runs. */
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

/** The running Chromium; throws as Electron does for a window created before 'ready'. */
export function getRunning(): Running {
  if (running === undefined) throw new Error('Cannot create BrowserWindow before app is ready');
  return running;
}
