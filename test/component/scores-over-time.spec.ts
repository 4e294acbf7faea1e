/** The scores of experiments over time above their list. */
import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import { openDataset } from './dataset-steps.ts';
import { expect, layoutOf, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';
import { section } from './resource-steps.ts';

const listOf = (page: Page) => page.getByRole('grid', { name: 'Experiments' });
const chartOf = (page: Page) => page.getByRole('region', { name: 'Scores over time' });
const pointsOf = (page: Page) => chartOf(page).getByRole('radio');
const toggleOf = (page: Page) => page.getByRole('button', { name: 'Scores over time' });

async function openList(page: Page): Promise<void> {
  await section(page, 'Experiments');
  await expect(pointsOf(page)).toHaveCount(3);
}

test('shows the runs over one dataset in the order of time, those not completed as hollow, and the earliest as a line', async ({
  open,
}, info) => {
  const page = await open();
  await openList(page);
  const names = await pointsOf(page).evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
  expect(names).toEqual([
    expect.stringMatching(/^Prompt v1: 0\.\d+, 95 % sure: 0\.\d+ to 0\.\d+, /),
    expect.stringMatching(/^Prompt v2, shorter answers: 0\.\d+, 95 % sure: /),
    expect.stringMatching(/^Larger model: 0\.\d+, 95 % sure: .*, failed$/),
  ]);
  const lefts = await pointsOf(page).evaluateAll((all) =>
    all.map((each) => each.getBoundingClientRect().left),
  );
  expect(lefts).toEqual(lefts.toSorted((one, other) => one - other));
  const hollow = chartOf(page)
    .locator('label')
    .filter({ has: page.locator('i.hollow') });
  await expect(hollow).toHaveCount(1);
  await expect(hollow).toHaveAttribute('title', /^Larger model/);
  const [, mean = ''] = /^Prompt v1: ([\d.]+)/.exec(names[0] ?? '') ?? [];
  await expect(chartOf(page).getByText(`earliest ${mean}`)).toBeVisible();
  await expect(chartOf(page)).toContainText('Refund questions');
  await takePictures(page, info, 'scores-over-time');
  expect(await violationsInBothThemes(page)).toEqual([]);
});

test('a press on a point selects its row, as do the arrow keys', async ({ open }) => {
  const page = await open();
  await openList(page);
  const row = (name: RegExp) => listOf(page).getByRole('row', { name });
  await chartOf(page)
    .getByTitle(/^Larger model/)
    .click();
  await expect(row(/^Larger model/)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowLeft');
  await expect(row(/^Prompt v2/)).toHaveAttribute('aria-selected', 'true');
  await expect(pointsOf(page).nth(1)).toBeFocused();
  // The chosen point follows the list, and is none for a row without one.
  await listOf(page)
    .getByRole('gridcell', { name: /^Prompt v1/ })
    .click();
  await expect(pointsOf(page).first()).toBeChecked();
  await listOf(page)
    .getByRole('gridcell', { name: /^Triage rules/ })
    .click();
  await expect(chartOf(page).getByRole('radio', { checked: true })).toHaveCount(0);
});

test('shows another score if it is chosen, also after the view is opened again', async ({ open }) => {
  const page = await open();
  await openList(page);
  const score = chartOf(page).getByRole('combobox', { name: 'Score shown over time' });
  await expect(score).toHaveValue(/relevance/);
  const before = await pointsOf(page).first().getAttribute('aria-label');
  await score.selectOption('faithfulness');
  await expect(pointsOf(page).first()).not.toHaveAttribute('aria-label', before ?? '');
  await expect(chartOf(page).getByRole('radiogroup', { name: 'faithfulness over time' })).toBeVisible();
  const { tabs } = await layoutOf(page);
  expect(JSON.stringify(tabs)).toContain('faithfulness');
});

test('says how many experiments are not read, and shows the number of scored results beside the means', async ({
  open,
}, info) => {
  const page = await open({ experiments: 200 });
  await section(page, 'Experiments');
  await expect(chartOf(page)).toContainText(/scores of 1\d\d experiments not read yet/);
  const cells = listOf(page)
    .getByRole('row', { name: /^Prompt v1/ })
    .getByRole('gridcell');
  await expect(cells.filter({ hasText: /^\s*200\s*$/ })).toHaveCount(1);
  const title = listOf(page).getByRole('columnheader').getByText('Scored', { exact: true });
  const isCut = await title.evaluate(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth);
  expect(isCut).toBe(false);
  // All columns fit in the smallest window.
  await takePictures(page, info, 'scores-of-many', async () => {
    const { shown, whole } = await listOf(page).evaluate(({ clientWidth, scrollWidth }) => ({
      ...{ shown: clientWidth, whole: scrollWidth },
    }));
    expect(whole).toBe(shown);
  });
});

test('is folded if few rows would be left, and opens on request', async ({ open }) => {
  const page = await open();
  await openList(page);
  await page.setViewportSize({ width: 1_000, height: 640 });
  await expect(chartOf(page)).toHaveCount(0);
  const { height } = (await listOf(page).boundingBox()) ?? { height: 0 };
  expect((height - 30) / 38).toBeGreaterThanOrEqual(9);
  await expect(toggleOf(page)).toHaveAttribute('aria-pressed', 'false');
  await toggleOf(page).click();
  await expect(pointsOf(page)).toHaveCount(3);
  await toggleOf(page).click();
  await page.setViewportSize({ width: 1_280, height: 800 });
  await expect(toggleOf(page)).toHaveAttribute('aria-pressed', 'false');
  await expect(chartOf(page)).toHaveCount(0);
});

test('shows stored scores offline, and those of one dataset in its own view', async ({ open }) => {
  const page = await open({ network: 'switched-off' });
  await openList(page);
  await openDataset(page);
  await page.getByRole('tab', { name: 'Experiments', exact: true }).click();
  await expect(pointsOf(page).first()).toBeVisible();
});

test('has nothing to compare with a single experiment', async ({ open }) => {
  const page = await open({ experiments: 1 });
  await section(page, 'Experiments');
  await expect(listOf(page).getByRole('row', { name: /^Prompt v1/ })).toContainText('relevance');
  await expect(chartOf(page)).toHaveCount(0);
  await expect(toggleOf(page)).toBeDisabled();
});

for (const [name, scenario] of [
  ['a failed list', { lists: 'broken' }],
  ['an empty list', { lists: 'empty' }],
] as const)
  test(`has no room reserved above ${name}`, async ({ open }) => {
    const page = await open(scenario);
    await section(page, 'Experiments');
    await expect(page.getByRole('main')).toContainText(/nothing listens there|No experiments yet/);
    await expect(chartOf(page)).toHaveCount(0);
    await expect(toggleOf(page)).toBeDisabled();
  });
