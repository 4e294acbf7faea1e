/** The window keeps nothing of views that were closed, however often they are opened. */
import type { Page } from '@playwright/test';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { forEachPlace } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';

/** DOM nodes and event listeners in the window's memory after garbage collection. */
async function countHeld(page: Page): Promise<{ nodes: number; listeners: number }> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.enable');
  // Objects that only a finalizer releases are collected by the second run.
  for (let run = 0; run < 3; run += 1) {
    await client.send('HeapProfiler.collectGarbage');
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  }
  const { nodes, jsEventListeners } = await client.send('Memory.getDOMCounters');
  await client.detach();
  return { nodes, listeners: jsEventListeners };
}

test('opening every view again leaves no nodes and listeners behind', async ({ shared, service }) => {
  const { page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const openAll = () => forEachPlace(page, () => Promise.resolve());
  // The first rounds create objects that exist once, such as menus, templates and the rows that grids use again.
  await openAll();
  await openAll();
  const before = await countHeld(page);
  await openAll();
  const after = await countHeld(page);
  expect(after.listeners - before.listeners).toBeLessThanOrEqual(5);
  expect(after.nodes - before.nodes).toBeLessThanOrEqual(500);
});
