import { writeFile } from 'node:fs/promises';
import { app, type BrowserWindow } from 'electron';
import { runtimeInfo } from './runtime.ts';
import { systemClock } from './system.ts';

interface SmokeReport {
  windowOpened(): void;
  /** The first view is painted: in a smoke run prints one JSON line and ends the application. */
  ready(window: BrowserWindow, view: string): Promise<void>;
}

/** What `--smoke` reports: runtime, versions, milliseconds from the start of main to window and to ready. */
export function createSmokeReport(
  options: { isSmoke: boolean; screenshot: string | null },
  startedAtMs: number,
): SmokeReport {
  let windowMs = 0;
  let isReported = false;
  return {
    windowOpened: () => {
      windowMs = Math.round(systemClock.monotonicMs() - startedAtMs);
    },
    ready: async (window, view) => {
      if (!options.isSmoke || isReported) return;
      isReported = true;
      const readyMs = Math.round(systemClock.monotonicMs() - startedAtMs);
      if (options.screenshot !== null) {
        const image = await window.webContents.capturePage();
        await writeFile(options.screenshot, image.toPNG());
      }
      const line = JSON.stringify({
        ready: true,
        view,
        ...runtimeInfo(),
        windowMs,
        readyMs,
        screenshot: options.screenshot,
      });
      process.stdout.write(`${line}\n`, () => app.quit());
    },
  };
}
