/** The pointer is pressed on a control that moves away before the release. */
import type { Locator, Page } from '@playwright/test';
import { callsOf, expect, test } from './fixtures.ts';
import { openBaselines } from './resource-steps.ts';

const form = (page: Page) => page.getByRole('form', { name: 'New baseline' });

async function centreOf(control: Locator): Promise<{ x: number; y: number }> {
  const box = await control.boundingBox();
  if (box === null) throw new Error('Expected the control to be visible.');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Moves the content of the view down while the mouse button is held. */
const moveView = (page: Page) =>
  page.getByRole('main').evaluate((view) => Object.assign(view.style, { paddingTop: '60px' }));

async function pressWhileMoving(page: Page, control: Locator, release = { x: 0, y: 0 }): Promise<void> {
  const { x, y } = await centreOf(control);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await moveView(page);
  await page.mouse.move(x + release.x, y + release.y);
  await page.mouse.up();
}

async function openForm(open: () => Promise<Page>): Promise<Page> {
  const page = await open();
  await openBaselines(page);
  await page.getByRole('button', { name: 'New baseline' }).click();
  await expect(form(page)).toBeVisible();
  return page;
}

test('acts on the button that was pressed', async ({ open }) => {
  const page = await openForm(open);
  const create = form(page).getByRole('button', { name: 'Create baseline' });
  await pressWhileMoving(page, create);
  await expect(form(page).getByRole('textbox', { name: 'Name' })).toHaveAccessibleDescription(
    'Name is required.',
  );
});

test('opens the details of the pressed title, once', async ({ open }) => {
  const page = await openForm(open);
  await pressWhileMoving(page, form(page).getByText('Other fields', { exact: true }));
  await expect(form(page).getByRole('textbox', { name: 'Other fields as JSON' })).toBeVisible();
});

test('does nothing if the pointer leaves the control', async ({ open }) => {
  const page = await openForm(open);
  const create = form(page).getByRole('button', { name: 'Create baseline' });
  await pressWhileMoving(page, create, { x: -150, y: -40 });
  await page.keyboard.press('Tab');
  await expect(form(page)).not.toContainText('Name is required.');
  expect(await callsOf(page, 'resources:act')).toEqual([]);
});

test('does nothing behind a dialog that opens during the press', async ({ open }) => {
  const page = await openForm(open);
  const { x, y } = await centreOf(form(page).getByRole('button', { name: 'Create baseline' }));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await moveView(page);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.mouse.up();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(form(page)).not.toContainText('Name is required.');
});
