/** Items of a dataset: their form, and the way to the span each was made of. */
import type { Page } from '@playwright/test';
import { expect, newestCall, test } from './fixtures.ts';

async function openItems(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Datasets' }).click();
  const datasets = page.getByRole('grid', { name: 'Datasets' });
  await expect(datasets.getByRole('gridcell').first()).toBeVisible();
  await datasets.press('Enter');
  await expect(
    page
      .getByRole('grid', { name: /^Items of / })
      .getByRole('gridcell')
      .first(),
  ).toBeVisible();
}

test('each box of a new item has an example of its own, and Cancel leads back to the dataset', async ({
  open,
}) => {
  const page = await open();
  await openItems(page);
  const name = await page.getByRole('heading', { level: 1 }).innerText();
  // Another tab beside the form is not where Cancel leads.
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Spans' }).click();
  await page.getByRole('tab', { name, exact: true }).click();
  await page.getByRole('button', { name: 'Add items' }).click();
  const form = page.getByRole('form', { name: 'New items' });
  const boxes = ['Inputs', 'Expected outputs', 'Metadata', 'Extras'].map((label) =>
    form.getByRole('textbox', { name: label }),
  );
  const examples = await Promise.all(boxes.map((box) => box.getAttribute('placeholder')));
  expect(new Set(examples).size).toBe(4);
  for (const example of examples) expect(() => JSON.parse(example ?? '')).not.toThrow();
  await form.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
  await expect(page.getByRole('tab', { name: 'New items' })).toBeHidden();
});

test('Enter on an item opens the span it was made of, as its button in the inspector does', async ({
  open,
}) => {
  const page = await open();
  await openItems(page);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector.getByRole('button', { name: 'Open source span' })).toBeVisible();
  await page.getByRole('main').getByRole('grid').press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Span /);
  await expect(page.getByRole('grid', { name: 'Spans of the span' })).toBeVisible();
  const call = await newestCall(page, 'library:open-list');
  expect(JSON.stringify(call)).toContain('"field":"Span::span_id","operator":"eq"');
});
