/** The palette looks through what is stored, and asks the service for nothing. */
import type { Page } from '@playwright/test';
import { callsOf, expect, test } from './fixtures.ts';

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search everything' });
  await expect(field).toBeFocused();
  await field.fill(text);
}

test('an entity of an application is found by its name, and leads to its values', async ({ open }) => {
  const page = await open();
  await type(page, 'gen_ai.user.count');
  const found = page.getByRole('option', { name: /^gen_ai\.user\.count entity of Support assistant/ });
  await expect(found).toBeVisible();
  await found.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('gen_ai.user.count');
  expect(await callsOf(page, 'library:refresh-list')).toEqual([]);
  const opened = async () =>
    (await callsOf(page, 'library:open-list')).map(
      ({ argument }) => (argument['query'] as { operation: string }).operation,
    );
  await expect.poll(async () => (await opened()).toSorted()).toEqual(['applications.list', 'catalog.values']);
});

test('records of resources are found by what they are called', async ({ open }) => {
  const page = await open();
  await type(page, 'refund');
  await page.getByRole('option', { name: /Refund questions dataset/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refund questions');
});

test('what nothing matches is said, and one letter is not looked for everywhere', async ({ open }) => {
  const page = await open();
  await type(page, 'zzzz-nothing');
  await expect(page.getByText('Nothing matches “zzzz-nothing”.')).toBeVisible();
  await page.keyboard.press('Escape');
  const before = (await callsOf(page, 'library:read-rows')).length;
  await type(page, 'g');
  await expect(page.getByRole('option').first()).toBeVisible();
  const asked = (await callsOf(page, 'library:read-rows')).slice(before);
  expect(asked.filter(({ argument }) => (argument['window'] as { narrow: unknown }).narrow !== null)).toEqual(
    [],
  );
});
