/** A new alert rule while its model's metrics are on their way, there, or out of reach. */
import type { Page } from '@playwright/test';
import type { FakeWindow, Scenario } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';
import { section } from './resource-steps.ts';

const form = (page: Page) => page.getByRole('form', { name: 'New alert rule' });
const metric = (page: Page) => form(page).getByRole('combobox', { name: 'Metric' });

async function withModel(page: Page): Promise<Page> {
  await section(page, 'Alert rules');
  await page.getByRole('button', { name: 'New alert rule' }).first().click();
  await form(page).getByRole('combobox', { name: 'Model', exact: true }).click();
  await page.getByRole('option', { name: /Bank churn/ }).click();
  return page;
}

const arrive = (page: Page) => page.evaluate(() => (globalThis as unknown as FakeWindow).fakeModelMetrics());

const withMetrics = (modelMetrics: 'loading' | 'broken'): Scenario => ({ modelMetrics });

test('while the metrics are read none is chosen; the same list then offers them', async ({ open }) => {
  const page = await withModel(await open(withMetrics('loading')));
  await expect(metric(page)).toBeDisabled();
  await expect(metric(page)).toHaveText('Reading…');
  const before = await metric(page).elementHandle();
  await arrive(page);
  await metric(page).selectOption('Statistic: Average');
  expect(await metric(page).evaluate((now, then) => now === then, before)).toBe(true);
  await expect(form(page).getByRole('checkbox', { name: 'amount' })).toBeVisible();
});

test('out of reach, an id can be typed, and what is being typed is not taken away when they arrive', async ({
  open,
}) => {
  const page = await withModel(await open(withMetrics('broken')));
  await expect(form(page)).toContainText('The metrics of this model were not read: Expected an answer');
  await metric(page).pressSequentially('aver');
  await arrive(page);
  await expect(form(page)).not.toContainText('were not read');
  await expect(metric(page)).toBeFocused();
  await metric(page).pressSequentially('age');
  await metric(page).press('Tab');
  await expect(metric(page)).toHaveValue('average');
  await expect(metric(page).getByRole('option', { selected: true })).toHaveText('Statistic: Average');
  await expect(form(page).getByRole('checkbox', { name: 'amount' })).toBeVisible();
});
