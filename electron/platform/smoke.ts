import { writeFile } from 'node:fs/promises';
import type { BrowserWindow } from 'electron';
import { paintedPicture } from './painted-picture.ts';
import { runtimeInfo } from './runtime.ts';
import { systemClock } from './system.ts';

const NEXT_FRAME_MS = 100;

interface SmokeReport {
  /** Call it when the first view is painted. In a smoke run, prints one JSON line and quits the application. */
  ready(window: BrowserWindow, view: string): Promise<void>;
}

/**
 * Creates the report of `--smoke`: runtime, versions, and milliseconds from the start of main until the window is open
 * and until it is ready.
 */
export function createSmokeReport(
  options: { isSmoke: boolean; screenshot: string | null },
  { startedAtMs, windowAtMs }: { startedAtMs: number; windowAtMs: number },
  quit: () => void,
): SmokeReport {
  let isReported = false;
  return {
    ready: async (window, view) => {
      if (!options.isSmoke || isReported) return;
      isReported = true;
      const readyMs = Math.round(systemClock.monotonicMs() - startedAtMs);
      if (options.screenshot !== null) {
        const picture = await paintedPicture(
          () => window.webContents.capturePage(),
          () => new Promise((resolve) => systemClock.setTimer(() => resolve(null), NEXT_FRAME_MS)),
        );
        await writeFile(options.screenshot, picture.image.toPNG());
        if (!picture.isPainted) process.stderr.write('The picture is of one colour: no frame was drawn.\n');
      }
      const line = JSON.stringify({
        ready: true,
        view,
        ...runtimeInfo(),
        windowMs: Math.round(windowAtMs - startedAtMs),
        readyMs,
        screenshot: options.screenshot,
      });
      process.stdout.write(`${line}\n`, quit);
    },
  };
}
