/** What the parts of the stand-in share once Chromium runs. */
import type { Chromium } from './chromium.ts';
import type { Targets } from './targets.ts';

interface Running {
  readonly chromium: Chromium;
  readonly targets: Targets;
}

let running: Running | undefined;

/** Called once by the start. */
export function setRunning(value: Running): void {
  running = value;
}

/** The running Chromium; throws as Electron does for a window made before 'ready'. */
export function getRunning(): Running {
  if (running === undefined) throw new Error('Cannot create BrowserWindow before app is ready');
  return running;
}
