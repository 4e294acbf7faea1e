/** Near-duplicates among the picked spans in the preview of a build. */
import { callsOf, expect, test } from './fixtures.ts';
import { openMapping } from './span-steps.ts';

test('excludes near-duplicates, shows them beside their originals, and keeps them with one click', async ({
  open,
}) => {
  const page = await open();
  await openMapping(page);
  await page.getByRole('button', { name: 'Suggest a mapping' }).click();
  await page.getByRole('button', { name: 'Next: preview' }).click();
  const shown = page.getByRole('radiogroup', { name: 'Items shown' });
  // Near-duplicates are found automatically. A common short input is marked but included.
  await expect(shown).toContainText('Near-duplicates 99');
  await expect(shown).not.toContainText('Excluded');
  await page.getByRole('button', { name: 'Find near-duplicates' }).click();
  await expect(shown).toContainText('Near-duplicates 99');
  await expect(page.getByText('99 near-duplicates excluded')).toBeHidden();
  const bar = page.getByRole('group', { name: 'Near-duplicates' });
  await expect(bar).toContainText('99 spans with the input of another span or item, 99 excluded.');
  const items = page.getByRole('grid', { name: 'Items' });
  await items.getByRole('gridcell').nth(1).click();
  const item = page.getByRole('region', { name: 'Item', exact: true });
  await expect(item.getByRole('region', { name: 'Original' }).locator('del')).toHaveText('10000');
  await expect(item.getByRole('region', { name: 'Near-duplicate' }).locator('ins')).toHaveText('10010');

  await item.getByRole('button', { name: 'Keep this near-duplicate' }).click();
  await expect(item.getByRole('button', { name: 'Exclude this near-duplicate' })).toBeVisible();
  await expect(shown).toContainText('Excluded 98');

  await bar.getByRole('combobox', { name: 'Near-duplicates are' }).selectOption('Same input');
  await expect(shown).toContainText('Near-duplicates 49');
  await bar.getByRole('button', { name: /^Keep all 4\d near-duplicates$/ }).click();
  await expect(bar).toContainText(/, 0 excluded\./);

  // One click includes all of them again, in any part of the preview.
  await bar.getByRole('button', { name: 'Exclude all 49 near-duplicates' }).click();
  await shown.getByRole('radio', { name: 'All' }).click();
  await page.getByRole('button', { name: 'Keep near-duplicates' }).click();
  await expect(page.getByRole('button', { name: 'Keep near-duplicates' })).toBeHidden();
  await page.getByRole('button', { name: 'Spans', exact: true }).and(page.locator('main button')).click();
  await expect(
    page
      .getByRole('grid', { name: 'Selected spans' })
      .getByRole('columnheader', { name: 'Near-duplicate of' }),
  ).toBeVisible();
});

test('compares a dataset that is chosen after the preview, before anything can be sent', async ({ open }) => {
  const page = await open();
  await openMapping(page);
  await page.getByRole('button', { name: 'Suggest a mapping' }).click();
  await page.getByRole('button', { name: 'Next: preview' }).click();
  await expect(page.getByRole('radiogroup', { name: 'Items shown' })).toContainText('Near-duplicates 99');
  const searches = async () =>
    (await callsOf(page, 'jobs:change')).filter(({ argument }) =>
      JSON.stringify(argument).includes('"find-near-duplicates"'),
    ).length;
  expect(await searches()).toBe(1);
  await page.getByRole('button', { name: 'Next: dataset' }).click();
  await page.getByText('Existing dataset', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Dataset' }).click();
  await page.getByRole('listbox').getByRole('option').first().click();
  await page.getByRole('button', { name: 'Next: commit' }).click();
  await expect.poll(searches).toBe(2);
});
