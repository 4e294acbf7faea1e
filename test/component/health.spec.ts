/** The Diagnostics view: storage used, checks, and the repair of a damaged store. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { violations, violationsInBothThemes } from './accessibility.ts';
import { callsOf, expect, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

const repairs = async (page: Page) =>
  (await callsOf(page, 'health:act')).filter(({ argument }) => argument['action'] === 'repair');

const actsOf = async (page: Page) =>
  (await callsOf(page, 'health:act')).map(({ argument }) => argument['action']);

test('finds a damaged store, repairs it after confirmation, and reports the loss', async ({ open }) => {
  const page = await open({ health: 'damaged', theme: 'light' });
  await openPlace(page, 'Diagnostics');
  await expect(page.getByRole('table', { name: 'Production' })).toContainText('Spans');
  await expect(page.getByText('1.2 GB stored · 84 GB free on the disk')).toBeVisible();
  await page.setViewportSize({ width: 1_000, height: 640 });
  // An element that is focusable only so that it can be scrolled has an accessible name.
  await expect(page.getByRole('region', { name: 'Stores and storage' })).toHaveAttribute('tabindex', '0');
  await page.getByRole('button', { name: 'Check all stores' }).click();
  const stores = page.getByRole('table', { name: 'Stores' });
  await expect(stores.getByRole('row').nth(1)).toContainText('uploads.db is damaged');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await stores.getByRole('button', { name: 'Repair…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Repair uploads.db' });
  await expect(dialog).toContainText('unfinished jobs end');
  expect(await repairs(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Repair' }).click();
  await expect(
    page.getByText('Not rescued from the batches: 1 part of the file cannot be read.'),
  ).toBeVisible();
  await expect(page.getByText('1 unfinished job ended or paused')).toBeVisible();
  await expect(page.getByText('No damage in 5 stores.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Quarantined files' })).toBeVisible();
  expect(await repairs(page)).toMatchObject([{ argument: { store: 'uploads' } }]);
});

test('shows the error of unreadable sizes, and still offers the check', async ({ open }) => {
  const page = await open({ health: 'failed' });
  await openPlace(page, 'Diagnostics');
  await expect(page.getByRole('alert')).toContainText('The data folder could not be read (EACCES).');
  await page.getByRole('button', { name: 'Check all stores' }).click();
  await expect(page.getByText('No damage in 5 stores.')).toBeVisible();
});

test('lists problems line by line in the self-check, and saves its report', async ({ open }) => {
  const page = await open({ health: 'damaged' });
  await openPlace(page, 'Diagnostics');
  const self = page.getByRole('region', { name: 'Self-check' });
  await self.getByRole('button', { name: 'Run self-check' }).click();
  await expect(self.getByRole('listitem').filter({ hasText: 'Stores' })).toContainText(
    'Damaged: library.db of Production.',
  );
  await expect(
    self.getByRole('listitem').filter({ hasText: 'Stores' }).getByRole('img', { name: 'wrong' }),
  ).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await self.getByRole('button', { name: 'Save report…' }).click();
  await expect(page.getByText('Saved spandeck-report.txt')).toBeVisible();
});

test('a connection is opened to agents and closed again with one press, and their reads are listed', async ({
  open,
}) => {
  const page = await open({});
  await openPlace(page, 'Diagnostics');
  const agents = page.getByRole('region', { name: 'Agents', exact: true });
  const door = agents.getByRole('switch', { name: 'Open “Production” to agents' });
  await expect(door).toHaveAttribute('aria-checked', 'false');
  await door.click();
  await expect(agents).toContainText('Open to agents');
  const reads = agents.getByRole('table', { name: 'Reads of agents' });
  await expect(reads.getByRole('row').nth(1)).toContainText('claude-code');
  await expect(reads.getByRole('row').nth(2)).toContainText('NOT_FOUND');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await door.click();
  await expect(agents).toContainText('Closed');
  const acts = (await callsOf(page, 'agents:act')).map(({ argument }) => argument['action']);
  expect(acts.filter((action) => action !== 'get')).toEqual(['open', 'close']);
});

test('what agents may read is shown in every state, and no connection is called closed before that is known', async ({
  open,
}, info) => {
  const agentsOf = async (state: 'failed' | 'slow' | 'unread' | 'full' | undefined) => {
    const page = await open(state === undefined ? {} : { agents: state });
    await openPlace(page, 'Diagnostics');
    const agents = page.getByRole('region', { name: 'Agents', exact: true });
    await agents.scrollIntoViewIfNeeded();
    await takePictures(page, info, `agents-${state ?? 'closed'}`, () => agents.scrollIntoViewIfNeeded());
    expect(await violationsInBothThemes(page)).toEqual([]);
    return agents;
  };
  await expect(await agentsOf(undefined)).toContainText('Closed');
  for (const state of ['failed', 'slow'] as const) {
    const agents = await agentsOf(state);
    await expect(agents.getByRole('switch')).toHaveCount(0);
    await expect(agents).not.toContainText('Closed');
    if (state === 'failed') await expect(agents).toContainText('Could not read what is open to agents');
  }
  const unread = await agentsOf('unread');
  await expect(unread.getByText('No agent has read anything yet.')).toBeVisible();
  const full = await agentsOf('full');
  await expect(full.getByRole('row')).toHaveCount(201);
  await expect(full).toContainText('2 lines of the log cannot be read.');
});

test('a copy of a store is restored after the question, and the replaced store is listed as a copy', async ({
  open,
}, info) => {
  const page = await open({ copies: 'some' });
  await openPlace(page, 'Diagnostics');
  const copies = page.getByRole('list', { name: 'Copies of stores' });
  const uploads = copies.getByRole('listitem').filter({ hasText: 'before an update' }).first();
  await expect(uploads).toContainText('12 uploads, 3 outbox changes, 1,290 receipts');
  await expect(
    copies.getByRole('listitem').filter({ hasText: 'is damaged' }).getByRole('button'),
  ).toHaveCount(1);
  await uploads.scrollIntoViewIfNeeded();
  await takePictures(page, info, 'copies');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await uploads.getByRole('button', { name: 'Restore…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restore uploads.db' });
  await expect(dialog).toContainText('The present store is kept as a copy');
  await expect(dialog).toContainText('None of its unfinished jobs continues by itself');
  await takePictures(page, info, 'restore');
  expect((await actsOf(page)).includes('restore-copy')).toBe(false);
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await expect(page.getByText('2 unfinished jobs ended or paused')).toBeVisible();
  await expect(copies.getByRole('listitem').first()).toContainText('replaced by another copy');
  await copies.getByRole('button', { name: /^Delete library/ }).click();
  await page
    .getByRole('dialog', { name: 'Delete the copy of library.db' })
    .getByRole('button', { name: 'Delete copy' })
    .click();
  await expect(copies.getByRole('button', { name: /^Delete library/ })).toHaveCount(0);
});

test('a copy that cannot be restored now says why, in the question itself', async ({ open }) => {
  const page = await open({ copies: 'locked' });
  await openPlace(page, 'Diagnostics');
  await page.getByRole('button', { name: 'Restore…' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Restore uploads.db' });
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('Another Spandeck has this connection open.');
});

test('says that there are no copies, or that they cannot be listed', async ({ open }) => {
  const page = await open({});
  await openPlace(page, 'Diagnostics');
  await expect(page.getByText('No copies yet.')).toBeVisible();
  const failed = await open({ copies: 'failed' });
  await openPlace(failed, 'Diagnostics');
  await expect(failed.getByRole('alert')).toContainText('The folder of the copies could not be read');
});
