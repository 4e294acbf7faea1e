/** The shortest ways to everyday goals, measured by the presses that the window received. */
import type { Page } from '@playwright/test';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { sidebarLine } from '../helpers/places.ts';
import { Presses } from '../helpers/presses.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { facetValue } from '../helpers/span-pages.ts';

async function connected(page: Page, service: TestService): Promise<Workbench> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  return new Workbench(page);
}

test('spans are filtered by type, read and followed to their trace in one press each', async ({
  shared,
  service,
}) => {
  const { page } = shared;
  const bench = await connected(page, service);
  const presses = await Presses.countedIn(page);
  await sidebarLine(page, 'Spans').click();
  const grid = bench.view.getByRole('grid', { name: /^Spans of/ });
  await expect(bench.rowAt(/^Spans of/, 1)).toBeVisible();
  expect(await presses.count(), 'to the spans').toBe(1);

  await presses.restart();
  await facetValue(bench.view, 'llm').click();
  await bench.expectAnswered();
  expect(await presses.count(), 'Type = llm').toBe(1);

  await presses.restart();
  await bench.view.getByRole('button', { name: 'Reading pane' }).click();
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('Messages');
  expect(await presses.count(), 'to the text of a span').toBe(1);

  await grid.focus();
  await presses.restart();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('treegrid', { name: 'Spans of the trace as a tree' })).toBeVisible();
  expect(await presses.count(), 'to the trace of a span').toBe(1);
});

test('five spans are on their way into a new dataset after at most three presses', async ({
  shared,
  service,
}) => {
  const { page } = shared;
  const bench = await connected(page, service);
  await sidebarLine(page, 'Spans').click();
  const checkbox = (row: number) => bench.rowAt(/^Spans of/, row).getByRole('checkbox');
  await expect(checkbox(6)).toBeVisible();
  const presses = await Presses.countedIn(page);
  await checkbox(2).click();
  await checkbox(6).click({ modifiers: ['Shift'] });
  await expect(bench.view.getByText('5 selected')).toBeVisible();
  await bench.view.getByRole('button', { name: 'Create dataset…' }).click();
  await expect(bench.view).toContainText('5 spans');
  expect(await presses.count()).toBeLessThanOrEqual(3);
});

test('the charts of a model stand side by side after one press', async ({ shared, service }) => {
  const { page } = shared;
  await connected(page, service);
  const presses = await Presses.countedIn(page);
  await sidebarLine(page, 'Charts').click();
  await expect(page.getByRole('slider', { name: /^Time in / }).nth(1)).toBeVisible();
  expect(await presses.count()).toBe(1);
});
