/** Rows that were sent to the same target before are listed first, and sent again only by a separate button. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';

const CHECKED: Scenario = { hasPlans: true, itemFile: 'full', hasChecks: true };

async function openSendStep(page: Page): Promise<void> {
  await openPlace(page, 'Uploads');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await page.getByRole('button', { name: 'Saved mappings' }).click();
  await page.getByRole('menuitem', { name: /^Monthly questions/ }).click();
  await page.getByRole('button', { name: 'Next: columns' }).click();
  await page.getByRole('button', { name: /^Skip [\d,]+ bad rows$/ }).click();
  await page.getByRole('button', { name: 'Next: send' }).click();
}

async function openItems(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name: 'Datasets', exact: true }).click();
  await page
    .getByRole('row', { name: /^Refund questions/ })
    .first()
    .dblclick();
  await page.getByRole('button', { name: 'Add items' }).click();
  await page.getByRole('menuitem', { name: 'From a file…' }).click();
}

test('lists rows that were sent before, with time and count, before they are sent again', async ({
  open,
}) => {
  const page = await open({ ...CHECKED, wasSent: 'sent' });
  await openSendStep(page);
  const notice = page.getByRole('status').filter({ hasText: 'they are stored twice' });
  await expect(notice).toContainText(
    /These 1,243 rows were sent to Bank churn · production on .* from questions\.csv: 1,243 acknowledged\./,
  );
  await page.getByRole('button', { name: /^Send again: [\d,]+ rows$/ }).click();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({ plan: { told: ['earlier'] } });
});

test('lists rows whose events were deleted since, and sends them like others', async ({ open }) => {
  const page = await open({ ...CHECKED, wasSent: 'undone' });
  await openSendStep(page);
  await expect(page.getByRole('status').filter({ hasText: '1,243 deleted since.' })).toBeVisible();
  await expect(page.getByText('they are stored twice')).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^Send [\d,]+ rows$/ })).toBeVisible();
});

test('asks at Send about rows that were sent after the check, and sends them at the second click', async ({
  open,
}) => {
  const page = await open({ ...CHECKED, wasSent: 'meanwhile' });
  await openSendStep(page);
  await expect(page.getByText('they are stored twice')).toHaveCount(0);
  await page.getByRole('button', { name: /^Send [\d,]+ rows$/ }).click();
  await expect(page.getByRole('status').filter({ hasText: 'they are stored twice' })).toBeVisible();
  await expect(page.getByText('Nothing was sent yet.')).toBeVisible();
  const again = page.getByRole('button', { name: /^Send again: [\d,]+ rows$/ });
  await again.click();
  await expect(again).toHaveCount(0);
  const told = (await callsOf(page, 'jobs:create')).map(
    ({ argument }) => (argument['plan'] as { told: string[] }).told,
  );
  expect(told).toEqual([[], ['earlier']]);
});

test('lists items of a file that were added before, before they are added again', async ({ open }) => {
  const page = await open({ itemFile: 'full', wasSent: 'sent' });
  await openItems(page);
  await expect(page.getByRole('status').filter({ hasText: 'they are stored twice' })).toContainText(
    /These 1,243 rows were added to Refund questions on .* from questions\.csv: 1,243 acknowledged\./,
  );
  await page.getByRole('button', { name: 'Add again: 1,243 items' }).click();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({ plan: { told: ['earlier'] } });
});

test('asks about items that were added after the file was read', async ({ open }) => {
  const page = await open({ itemFile: 'full', wasSent: 'meanwhile' });
  await openItems(page);
  await page.getByRole('button', { name: 'Add 1,243 items' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'they are stored twice' })).toBeVisible();
  await page.getByRole('button', { name: 'Add again: 1,243 items' }).click();
  await expect(page.getByText('600 of 1,243 items added')).toBeVisible();
});
