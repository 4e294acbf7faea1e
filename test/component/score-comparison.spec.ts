/** Comparison of two score runs of a dataset, item by item, and its export. */
import { violationsInBothThemes } from './accessibility.ts';
import { openDataset } from './dataset-steps.ts';
import { expect, newestCall, test } from './fixtures.ts';

test('compares two runs, and exports the comparison as shown', async ({ open }) => {
  const page = await open({ hasScores: 'two', theme: 'light' });
  await openDataset(page);
  await page.getByRole('tab', { name: /^Scores/ }).click();
  const heading = page.getByRole('heading', { name: 'Compared with' });
  await heading.scrollIntoViewIfNeeded();
  await expect(page.getByRole('table', { name: 'Failure kinds' })).toContainText('Wrong tone');
  await page.getByRole('radio', { name: /worse/i }).click();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await heading.scrollIntoViewIfNeeded();

  await page.getByRole('button', { name: 'Export the comparison…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('6 items that both runs scored or only one did');
  await dialog.getByRole('button', { name: /^Export|^Choose/ }).click();
  await expect
    .poll(() => newestCall(page, 'jobs:create'))
    .toMatchObject({
      kind: 'export',
      plan: {
        table: { form: 'comparison', before: 'run-0', after: 'run-1', name: 'is_concise', show: 'worse' },
      },
    });
});

test('reports items that a run did not score, and shows a reason beside the score of its own run', async ({
  open,
}, info) => {
  const page = await open({ hasScores: 'two', theme: 'light' });
  await openDataset(page);
  await page.getByRole('tab', { name: /^Scores/ }).click();
  const run = page.getByRole('row', { name: /conciseness · answer/ });
  await expect(run).toContainText('Done in part');
  await expect(run).toContainText('9 scored · 1 without the field · 2 failed');
  await expect(run.getByRole('progressbar')).toHaveAttribute(
    'aria-valuetext',
    '12 items = 9 scored + 1 without the field + 2 failed',
  );
  await expect(page.getByRole('row', { name: /conciseness · draft/ })).toBeVisible();
  const results = page.getByRole('region', { name: 'Results of conciseness · answer' });
  await results.getByRole('radio', { name: 'Skipped 1' }).check();
  await expect(results).toContainText('The item lacks the field');
  const compared = page.getByRole('grid', { name: 'Compared items' });
  // The later run has no score for the last item: its reason is empty, not that of the earlier run.
  const cells = compared.getByRole('row').last().getByRole('gridcell');
  await expect(cells.nth(2)).toHaveText('no');
  await expect(cells.nth(3)).toHaveText('–');
  await expect(cells.nth(6)).toHaveText(/words/);
  await expect(cells.nth(7)).toHaveText('');
  for (const [width, height, theme] of [
    [1280, 800, 'light'],
    [1280, 800, 'dark'],
    [1000, 640, 'light'],
    [1000, 640, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme });
    await page.screenshot({ path: info.outputPath(`scores-${width}-${theme}.png`) });
  }
});

for (const { name, scenario } of [
  { name: 'failed', scenario: { hasScores: 'incomparable', theme: 'dark' } },
  { name: 'offline', scenario: { hasScores: 'two', network: 'switched-off' } },
] as const) {
  test(`shows a comparison offline, and explains why it is impossible: ${name}`, async ({ open }) => {
    const page = await open(scenario);
    await openDataset(page);
    await page.getByRole('tab', { name: /^Scores/ }).click();
    const part = page.getByRole('region', { name: 'Compared with' });
    await part.scrollIntoViewIfNeeded();
    await expect(part).toContainText(name === 'failed' ? 'its file is damaged' : 'Wrong tone');
    if (name === 'failed') return;
    const item = part.getByRole('grid', { name: 'Compared items' }).getByRole('gridcell').first();
    const id = await item.locator('[title]').getAttribute('title');
    await item.click({ button: 'right' });
    const action = page.getByRole('menu', { name: 'Row' }).getByRole('menuitem').first();
    await expect(action).toContainText('Open item');
    await action.click();
    await expect(page.getByRole('textbox', { name: 'Filter the loaded items' })).toHaveValue(id ?? '');
  });
}
