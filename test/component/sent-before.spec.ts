/** Rows that went to the same place before are named where they are sent, and sent again only by a button that says so. */
import type { Page } from '@playwright/test';
import type { Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';

const CHECKED: Scenario = { hasPlans: true, itemFile: 'full', hasChecks: true };

async function openSendStep(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Uploads' }).click();
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await page.getByRole('button', { name: 'Saved mappings' }).click();
  await page.getByRole('menuitem', { name: /^Monthly questions/ }).click();
  await page.getByRole('button', { name: 'Next: mapping' }).click();
  await page.getByRole('button', { name: 'Check the whole file' }).click();
  await page.getByRole('button', { name: /^Skip [\d,]+ bad rows$/ }).click();
  await page.getByRole('button', { name: 'Next: send' }).click();
}

async function openItems(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name: 'Datasets', exact: true }).click();
  await page.getByRole('gridcell', { name: 'Refund questions', exact: true }).first().dblclick();
  await page.getByRole('button', { name: 'Add from file…' }).click();
}

test('rows that were sent before are named with time and count before they are sent again', async ({
  open,
}) => {
  const page = await open({ ...CHECKED, wasSent: 'sent' });
  await openSendStep(page);
  const notice = page.getByRole('status').filter({ hasText: 'they are stored twice' });
  await expect(notice).toContainText(
    /These 1,243 rows were sent to Bank churn · PRODUCTION on .* from questions\.csv: 1,243 acknowledged\./,
  );
  await page.getByRole('button', { name: /^Send again: [\d,]+ rows$/ }).click();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({ plan: { told: ['earlier'] } });
});

test('rows whose events were deleted since are named, and sent like others', async ({ open }) => {
  const page = await open({ ...CHECKED, wasSent: 'undone' });
  await openSendStep(page);
  await expect(page.getByRole('status').filter({ hasText: '1,243 deleted since.' })).toBeVisible();
  await expect(page.getByText('they are stored twice')).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^Send [\d,]+ rows$/ })).toBeVisible();
});

test('rows that were sent after the check are asked about at Send, and go with the second press', async ({
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

test('items of a file that were added before are named before they are added again', async ({ open }) => {
  const page = await open({ itemFile: 'full', wasSent: 'sent' });
  await openItems(page);
  await expect(page.getByRole('status').filter({ hasText: 'they are stored twice' })).toContainText(
    /These 1,243 rows were added to Refund questions on .* from questions\.csv: 1,243 acknowledged\./,
  );
  await page.getByRole('button', { name: 'Add again: 1,243 items' }).click();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({ plan: { told: ['earlier'] } });
});

test('items that were added after the file was looked at are asked about first', async ({ open }) => {
  const page = await open({ itemFile: 'full', wasSent: 'meanwhile' });
  await openItems(page);
  await page.getByRole('button', { name: 'Add 1,243 items' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'they are stored twice' })).toBeVisible();
  await page.getByRole('button', { name: 'Add again: 1,243 items' }).click();
  await expect(page.getByText('600 of 1,243 items added')).toBeVisible();
});
