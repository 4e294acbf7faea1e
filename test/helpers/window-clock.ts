/**
 * Changes only the wall clock of a window, until its next load. Playwright's own clock would affect the app
 * permanently.
 */
import type { Page } from '@playwright/test';

/**
 * From now on, the time of the window stands still, ahead by this number of ms. Timers and frames still run in real
 * time.
 */
export const standAhead = (page: Page, aheadMs: number): Promise<void> =>
  page.evaluate((ms) => {
    const nowMs = Date.now() + ms;
    class StoppedDate extends Date {
      constructor(...given: unknown[]) {
        super(...((given.length === 0 ? [nowMs] : given) as [number]));
      }
      static override now(): number {
        return nowMs;
      }
    }
    Object.assign(globalThis, { Date: StoppedDate });
  }, aheadMs);
