/** The page Health: what takes space, a check, and the repair of a store that is damaged. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { violations } from './accessibility.ts';
import { callsOf, expect, test } from './fixtures.ts';

const repairs = async (page: Page) =>
  (await callsOf(page, 'health:act')).filter(({ argument }) => argument['action'] === 'repair');

const SIZES = [
  { width: 1_280, height: 800 },
  { width: 1_000, height: 640 },
];

for (const theme of ['light', 'dark'] as const) {
  test(`a damaged store is found, repaired after a word of confirmation, and what was lost is said (${theme})`, async ({
    open,
  }, testInfo) => {
    const page = await open({ health: 'damaged', theme });
    const picture = async (name: string) => {
      for (const size of SIZES) {
        await page.setViewportSize(size);
        await page.screenshot({ path: testInfo.outputPath(`${name}-${theme}-${size.width}.png`) });
      }
    };
    await page.getByRole('button', { name: 'Health' }).click();
    await expect(page.getByRole('table', { name: 'Production' })).toContainText('Spans');
    await expect(page.getByText('1.2 GB stored · 84 GB free on the disk')).toBeVisible();
    await picture('storage');
    // What takes the focus only to be scrolled by keys says what it is.
    await expect(page.getByRole('region', { name: 'Stores and storage' })).toHaveAttribute('tabindex', '0');
    await page.getByRole('button', { name: 'Check all stores' }).click();
    const stores = page.getByRole('table', { name: 'Stores' });
    await expect(stores.getByRole('row').nth(1)).toContainText('uploads.db is damaged');
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await picture('damaged');
    await stores.getByRole('button', { name: 'Repair…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Repair uploads.db' });
    await expect(dialog).toContainText('unfinished uploads are ended');
    await picture('repair');
    expect(await repairs(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Repair' }).click();
    await expect(
      page.getByText('Not rescued from the batches: 1 part of the file cannot be read.'),
    ).toBeVisible();
    await expect(page.getByText('1 unfinished upload ended')).toBeVisible();
    await expect(page.getByText('No damage in 5 stores.')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Set aside' })).toBeVisible();
    expect(await repairs(page)).toMatchObject([{ argument: { store: 'uploads' } }]);
    await picture('repaired');
  });
}

test('sizes that cannot be read say why, and the check can still be asked for', async ({
  open,
}, testInfo) => {
  const page = await open({ health: 'failed' });
  await page.getByRole('button', { name: 'Health' }).click();
  await expect(page.getByRole('alert')).toContainText('The data folder could not be read (EACCES).');
  await page.getByRole('button', { name: 'Check all stores' }).click();
  await expect(page.getByText('No damage in 5 stores.')).toBeVisible();
  await page.screenshot({ path: testInfo.outputPath('failed.png') });
});

test('the self-check says line by line what is wrong, and its report is saved', async ({ open }) => {
  const page = await open({ health: 'damaged' });
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Health' }).click();
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
