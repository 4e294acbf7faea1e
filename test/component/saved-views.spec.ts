/** Views are saved from a list, opened from everywhere, and shared as a link that is checked first. */
import type { Page } from '@playwright/test';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, openEntities, test } from './fixtures.ts';

const grid = (page: Page) => page.getByRole('grid', { name: 'Entities of Support assistant' });
const head = (page: Page, title: string) =>
  grid(page).getByRole('columnheader', { name: title, exact: true });
const menu = (page: Page) => page.getByRole('button', { name: 'Views', exact: true });
const narrow = (page: Page) => page.getByRole('textbox', { name: 'Filter the loaded entities' });
const dialog = (page: Page) => page.getByRole('dialog');

async function saveView(page: Page, name: string): Promise<void> {
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog(page)).toBeHidden();
}

test('restores filter, sort and columns of a view from its menu, the sidebar and Start, and undoes its deletion', async ({
  open,
}) => {
  const page = await open();
  await openEntities(page);
  await narrow(page).fill('user');
  await head(page, 'Rows').click({ position: { x: 44, y: 10 } });
  await expect(head(page, 'Rows')).toHaveAttribute('aria-sort', 'ascending');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Semantic name' }).click();
  await page.keyboard.press('Escape');
  await saveView(page, 'User entities');

  await narrow(page).fill('');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Reset all columns' }).click();
  await page.keyboard.press('Escape');
  await expect(head(page, 'Semantic name')).toBeVisible();
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'User entities' }).click();
  await expect(narrow(page)).toHaveValue('user');
  await expect(head(page, 'Rows')).toHaveAttribute('aria-sort', 'ascending');
  await expect(head(page, 'Semantic name')).toBeHidden();

  await page.keyboard.press('Control+1');
  const saved = page.getByRole('region', { name: 'Saved views' });
  await saved.getByRole('button', { name: 'Star User entities' }).click();
  await page.getByRole('navigation').getByRole('button', { name: 'User entities' }).click();
  await expect(narrow(page)).toHaveValue('user');

  await menu(page).click();
  await page.getByRole('menuitem', { name: 'All saved views…' }).click();
  await dialog(page).getByRole('button', { name: 'More of User entities' }).click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await dialog(page).getByRole('textbox', { name: 'New name of User entities' }).fill('Users');
  await page.keyboard.press('Enter');
  await dialog(page).getByRole('button', { name: 'More of Users' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(dialog(page)).toContainText('No saved views yet.');
  await dialog(page).getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('navigation').getByRole('button', { name: 'Users' })).toBeVisible();
});

test('describes the effect of a link before it is opened, and explains an invalid one', async ({ open }) => {
  const page = await open();
  const arrive = (link: string) =>
    page.evaluate(
      (sent) =>
        (globalThis as unknown as FakeWindow).fakeEvent('app:command', {
          command: 'views.open-link',
          link: sent,
        }),
      link,
    );
  await arrive('spandeck://view/eyJmb3JtYXQ');
  await expect(dialog(page).getByRole('alert')).toHaveText(
    'The link is damaged or was cut off. Copy the whole link again.',
  );
  await expect(dialog(page).getByRole('button', { name: 'Open', exact: true })).toBeDisabled();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();

  const shared = {
    format: 'spandeck-view',
    version: 1,
    name: 'Refunds',
    service: 'https://elsewhere.test',
    view: { kind: 'datasets', title: 'Datasets', params: { search: 'refund' }, grid: null },
  };
  await arrive(`spandeck://view/${Buffer.from(JSON.stringify(shared)).toString('base64url')}`);
  await expect(dialog(page)).toContainText('Datasets: Datasets');
  await expect(dialog(page)).toContainText('refund');
  await expect(dialog(page).getByRole('status')).toContainText('made with another service');
  await dialog(page).getByRole('button', { name: 'Open', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Datasets');
  await expect(page.getByRole('button', { name: 'Remove search refund' })).toBeVisible();
});
