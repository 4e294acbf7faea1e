/** Memory of a window that is still in use after garbage collection. */
import type { Page } from '@playwright/test';

export interface HeldMemory {
  readonly nodes: number;
  readonly listeners: number;
  /** JavaScript objects, in MB. */
  readonly heapMb: number;
}

/** Collects garbage in the window, and measures what remains. */
export async function measureHeld(page: Page): Promise<HeldMemory> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.enable');
  // Objects that only a finalizer releases are collected by the next run.
  for (let run = 0; run < 3; run += 1) {
    await client.send('HeapProfiler.collectGarbage');
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  }
  const { nodes, jsEventListeners } = await client.send('Memory.getDOMCounters');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  await client.detach();
  return { nodes, listeners: jsEventListeners, heapMb: usedSize / 1e6 };
}
