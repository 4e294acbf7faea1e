/** A late answer for a view that the user has left affects only the tab of that view. */
import type { Page } from '@playwright/test';
import { openDataset } from './dataset-steps.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, newestCall, test } from './fixtures.ts';
import { section } from './resource-steps.ts';

interface Held extends FakeWindow {
  spandeck: { invoke: (channel: string, argument?: unknown) => Promise<unknown> };
  release: () => void;
}

/** Holds the answers on a channel until they are released. */
const hold = (page: Page, channel: string) =>
  page.evaluate((held) => {
    const fake = globalThis as unknown as Held;
    const { invoke } = fake.spandeck;
    const released = new Promise<void>((resolve) => {
      fake.release = resolve;
    });
    fake.spandeck.invoke = async (name, argument) => {
      const answer = await invoke(name, argument);
      if (name === held) await released;
      return answer;
    };
  }, channel);

const release = (page: Page) => page.evaluate(() => (globalThis as unknown as Held).release());
const tabs = (page: Page) => page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab');

test('closes its own tab, not the shown one, if a record is deleted after its view was left', async ({
  open,
}) => {
  const page = await open();
  await section(page, 'Datasets');
  await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Refund questions' });
  await dialog.getByRole('textbox', { name: /^Type / }).fill('Refund questions');
  await hold(page, 'resources:act');
  await page.keyboard.press('Enter');
  await newestCall(page, 'resources:act');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await section(page, 'Datasets');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Datasets');
  await release(page);
  await expect(page.getByText('Deleted Refund questions')).toBeVisible();
  await expect(tabs(page)).toHaveText(['Catalog', 'Datasets']);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Datasets');
});

test('keeps the shown part if a job is reported after its view was left and shown again', async ({
  open,
}) => {
  const page = await open();
  await section(page, 'Applications');
  await page.getByRole('gridcell', { name: 'Support assistant', exact: true }).dblclick();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Support assistant' });
  await dialog.getByRole('textbox', { name: /^Type / }).fill('Support assistant');
  await hold(page, 'resources:act');
  await page.keyboard.press('Enter');
  await newestCall(page, 'resources:act');
  await page.keyboard.press('Escape');
  await section(page, 'Datasets');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Datasets');
  await tabs(page).filter({ hasText: 'Support assistant' }).click();
  const parts = page.getByRole('tablist', { name: /^Parts of the application/ });
  const part = parts.getByRole('tab').last();
  await part.click();
  await expect(part).toHaveAttribute('aria-selected', 'true');
  await release(page);
  await expect(part).toHaveAttribute('aria-selected', 'true');
  await parts.getByRole('tab', { name: 'Details' }).click();
  await expect(page.getByRole('region', { name: 'Deleting Support assistant' })).toBeVisible();
});

test('keeps the shown view if a record is created after its form was left', async ({ open }) => {
  const page = await open();
  await section(page, 'Projects');
  await page.getByRole('button', { name: 'New project' }).click();
  const form = page.getByRole('form', { name: 'New project' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Late');
  await hold(page, 'resources:act');
  await form.getByRole('button', { name: 'Create project' }).click();
  await newestCall(page, 'resources:act');
  await section(page, 'Applications');
  await release(page);
  await expect(page.getByText(/^Created /).first()).toBeVisible();
  await expect(tabs(page).filter({ hasText: 'New project' })).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Applications');
});

test('says that a record was saved only in another tab: in its own it is seen', async ({ open }) => {
  const page = await open();
  await openDataset(page);
  const save = async (text: string) => {
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'Description' }).fill(text);
    await hold(page, 'resources:act');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await newestCall(page, 'resources:act');
  };
  await page.getByRole('tab', { name: 'Details' }).click();
  await save('shown');
  await release(page);
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeVisible();
  // Checked only once, as a notice would disappear by itself.
  expect(await page.getByText(/^Saved /).count()).toBe(0);
  await save('left');
  await section(page, 'Applications');
  await release(page);
  await expect(page.getByText(/^Saved /)).toBeVisible();
});
