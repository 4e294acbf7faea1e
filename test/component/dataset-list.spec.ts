/** The list of datasets shows their purpose, size, versions and changes before any dataset is opened. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { violationsInBothThemes } from './accessibility.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, test } from './fixtures.ts';

const row = (page: Page, name: string) =>
  page.getByRole('grid', { name: 'Datasets' }).getByRole('row').filter({ hasText: name });

async function openDatasets(open: (scenario?: Scenario) => Promise<Page>, scenario: Scenario = {}) {
  const page = await open(scenario);
  await openPlace(page, 'Datasets');
  await expect(row(page, 'Refund questions')).toBeVisible();
  return page;
}

test('says the purpose, the items, the versions and the version last read of a dataset', async ({ open }) => {
  const page = await openDatasets(open);
  const first = row(page, 'Refund questions');
  await expect(first).toContainText('Questions about refunds with the answers we want');
  await expect(first).toContainText(/[\d,]+ items/);
  await expect(first).toContainText('3 versions · v3');
  await expect(first).toContainText('22 added, 41 changed, 3 removed');
});

test('says the last score of a dataset, and shows each column whole at the usual sizes', async ({ open }) => {
  const page = await openDatasets(open, { hasScores: 'two' });
  await expect(row(page, 'Refund questions')).toContainText('53.3 % yes');
  await expect(row(page, 'Escalations, reviewed')).not.toContainText('%');
  for (const [width, height] of [
    [1280, 800],
    [1000, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    const updated = page
      .getByRole('grid', { name: 'Datasets' })
      .getByRole('columnheader', { name: 'Updated' });
    await expect(updated).toBeInViewport({ ratio: 1 });
    const value = row(page, 'Refund questions').getByRole('gridcell').last();
    await expect(value).toHaveText(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(await value.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true);
    const titles = page.getByRole('columnheader').locator('.title');
    expect(
      await titles.evaluateAll((all) =>
        all
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ textContent }) => textContent),
      ),
    ).toEqual([]);
  }
});

for (const [name, scenario, words] of [
  ['no version', { versions: 'none' }, 'no version yet'],
  ['one version', { versions: 'one' }, 'first version, 390 items'],
  ['damaged versions', { versions: 'damaged' }, '2 versions damaged'],
  ['unreadable versions', { versions: 'failed' }, 'versions not readable'],
  ['offline', { network: 'switched-off' }, '22 added, 41 changed, 3 removed'],
] as const satisfies readonly (readonly [string, Scenario, string])[]) {
  test(`reports the state: ${name}`, async ({ open }) => {
    const page = await openDatasets(open, scenario);
    await expect(row(page, 'Refund questions')).toContainText(words);
  });
}

test('reads the sizes of all datasets again with the button of the list', async ({ open }) => {
  const page = await openDatasets(open);
  const reads = async () =>
    (await callsOf(page, 'library:open-record')).filter(({ argument }) => argument['refresh'] === 'always')
      .length;
  expect(await reads()).toBe(0);
  await page.getByRole('main').getByRole('button', { name: 'Refresh' }).click();
  await expect.poll(reads).toBeGreaterThan(0);
});

test('passes the accessibility checker', async ({ open }) => {
  const page = await openDatasets(open, { theme: 'light' });
  expect(await violationsInBothThemes(page, { within: 'main' })).toEqual([]);
});
