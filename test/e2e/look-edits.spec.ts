/** Looks at work in progress: numeric values, edited items, a review and its dataset, a conflict, and the lock. */
import type { Page } from '@playwright/test';
import { Look, SIZES, type Theme, USUAL } from '../helpers/look.ts';
import { ConnectionPage, startNow, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace } from '../helpers/places.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { idOf, SpansPage } from '../helpers/span-pages.ts';
import { PICTURES_ONLY } from '../helpers/tours.ts';

const DATASET = 'Claims triage, edge cases';
const PASSPHRASE = 'a lock for the tour';

async function lookAtValues(page: Page, look: Look): Promise<void> {
  const bench = new Workbench(page);
  await expect(bench.row('Applications', 'Support assistant')).toBeVisible();
  await bench.row('Applications', 'Support assistant').dblclick();
  const box = bench.view.getByRole('textbox', { name: 'Filter the loaded entities' });
  await box.fill('tokens');
  await box.press('Enter');
  await expect(bench.view.getByRole('button', { name: 'Remove search tokens' })).toBeVisible();
  await bench
    .row(/^Entities of/, 'input_tokens')
    .first()
    .dblclick();
  await expect(bench.view.getByRole('button', { name: /^Show spans up to/ })).toBeVisible();
  await look.at('values-numeric');
}

async function lookAtItems(page: Page, look: Look): Promise<void> {
  const bench = new Workbench(page);
  await openPlace(page, 'Datasets');
  await bench.row('Datasets', DATASET).dblclick();
  const row = bench.rows(/^Items of/).first();
  await row.locator('[data-field^="inputs."]').first().dblclick();
  const field = bench.view.getByRole('textbox', { name: / of item / });
  await field.fill('Which team takes a burst pipe at night?');
  await look.at('item-cell');
  await field.press('Enter');
  await row.click();
  if (!(await bench.inspector.isVisible())) await bench.grid(/^Items of/).press('Space');
  await bench.inspector.getByRole('button', { name: 'Edit item…' }).click();
  await expect(page.getByRole('dialog', { name: /^Edit/ })).toBeVisible();
  await look.at('item-edit');
  await page.keyboard.press('Escape');
  const bar = bench.view.getByRole('region', { name: 'Changes of the items' });
  await bar.getByRole('button', { name: 'Show changes' }).click();
  await look.at('items-changed');
  await bar.getByRole('button', { name: 'Create dataset…' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await look.at('items-recreate');
  await page.keyboard.press('Escape');
  await bar.getByRole('button', { name: 'Discard' }).click();
  await page.keyboard.press('Control+w');
}

async function lookAtReview(page: Page, look: Look): Promise<void> {
  const spans = new SpansPage(page);
  await spans.open();
  await spans.pickFirst(6);
  await spans.basket.getByRole('button', { name: /^Review/ }).click();
  const review = page.getByRole('group', { name: 'Review' });
  await expect(review).toBeFocused();
  await look.at('review');
  await review.getByRole('textbox', { name: 'New failure kind' }).fill('Invents a policy');
  for (const key of ['Enter', 'a', 'e']) await page.keyboard.press(key);
  await look.at('review-edited');
  await page.keyboard.press('Escape');
  await review.focus();
  for (const key of ['a', 'a', 's', 'a']) await page.keyboard.press(key);
  const add = spans.button(/^Add \d+ accepted/);
  await expect(add).toBeVisible();
  await look.at('review-end');
  await add.click();
  const keys = spans.view.getByRole('listbox', { name: 'Attribute keys' });
  await expect(keys.getByRole('option').first()).toBeVisible();
  await keys.focus();
  for (const key of ['Home', '1', 'End', '3']) await keys.press(key);
  for (const step of ['preview', 'dataset', 'commit']) await spans.button(`Next: ${step}`).click();
  await look.at('build-commit');
  await spans.button(/^Create (the )?dataset/).click();
  await startNow(spans.view);
  await expect(spans.button('Open the dataset')).toBeVisible();
  await look.at('build-done');
}

/** Another user changes the same field while the change waits in the outbox. */
async function lookAtConflict(page: Page, service: TestService, look: Look): Promise<void> {
  const bench = new Workbench(page);
  await openPlace(page, 'Datasets');
  await bench.row('Datasets', DATASET).dblclick();
  await bench.view.getByRole('tab', { name: 'Details' }).click();
  await bench.view.getByRole('button', { name: 'Edit', exact: true }).click();
  const form = bench.view.getByRole('form', { name: `Change ${DATASET}` });
  await expect(form.getByRole('textbox', { name: 'Description' })).toBeVisible();
  await bench.offlineSwitch.click();
  await form.getByRole('textbox', { name: 'Description' }).fill('Claims of the first quarter');
  await form.getByRole('button', { name: 'Put in outbox' }).click();
  const id = await idOf(service, '/v3/evals/datasets', DATASET);
  const changed = await fetch(`${service.baseUrl}/v3/evals/datasets/${id}`, {
    ...{ method: 'PATCH', body: JSON.stringify({ description: 'Claims of the second quarter' }) },
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
  });
  expect(changed.ok).toBe(true);
  await openPlace(page, 'Outbox');
  await look.at('outbox-waiting');
  await bench.offlineSwitch.click();
  await bench.view.getByRole('button', { name: 'Send 1 change' }).click();
  const conflict = bench.view.getByRole('article', { name: new RegExp(DATASET) });
  await expect(conflict).toContainText('Needs a decision');
  await conflict.getByRole('button', { name: new RegExp(DATASET) }).click();
  await expect(conflict.getByRole('row', { name: /description/ })).toBeVisible();
  await look.at('outbox-conflict');
}

async function lookAtLock(page: Page, look: Look): Promise<void> {
  await page.keyboard.press('Control+Shift+L');
  const dialog = page.getByRole('dialog', { name: 'App lock' });
  await dialog.getByLabel('New passphrase').fill(PASSPHRASE);
  await look.at('lock-set');
  await dialog.getByLabel('Repeat passphrase').fill(PASSPHRASE);
  await dialog.getByRole('button', { name: 'Set the lock' }).click();
  await expect(dialog).toBeHidden();
  await page.keyboard.press('Control+Shift+L');
  const form = page.getByRole('form', { name: 'Lock' });
  await form.getByLabel('Passphrase').fill('something else');
  await page.keyboard.press('Enter');
  await expect(form).toContainText('Wrong passphrase.');
  await look.at('locked');
}

for (const theme of ['light', 'dark'] satisfies Theme[]) {
  const tag = theme === 'dark' ? [PICTURES_ONLY] : [];
  test(`work in progress, ${theme}`, { tag }, async ({ launch, service }, testInfo) => {
    test.slow();
    const { page } = await launch();
    await page.emulateMedia({ colorScheme: theme });
    await new WelcomePage(page).connect.click();
    await new ConnectionPage(page).connectTo(service);
    const look = new Look(page, theme, testInfo, theme === 'light' ? SIZES : USUAL);
    await lookAtValues(page, look);
    await lookAtItems(page, look);
    await lookAtReview(page, look);
    await lookAtConflict(page, service, look);
    await lookAtLock(page, look);
  });
}
