/** The wall clock of a window alone, which its next load takes back; Playwright's own stays with the app for good. */
import type { Page } from '@playwright/test';

/** From now on the window's time stands still, so far ahead; timers and frames go on as they are the browser's. */
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
