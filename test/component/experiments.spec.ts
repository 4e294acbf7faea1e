/** Experiments: their list, a record with its results, a service without experiments, and runs side by side. */
import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import { openDataset } from './dataset-steps.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';
import { section } from './resource-steps.ts';

const listOf = (page: Page) => page.getByRole('grid', { name: 'Experiments' });

async function openList(page: Page): Promise<void> {
  await section(page, 'Experiments');
  await expect(listOf(page).getByRole('gridcell', { name: /^Prompt v1/ })).toBeVisible();
}

/** Opens the comparison of two experiments from the record of one of them. */
async function openComparison(page: Page): Promise<void> {
  await openList(page);
  await listOf(page)
    .getByRole('gridcell', { name: /^Prompt v1/ })
    .dblclick();
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('Prompt v2, shorter answers');
}
const partsOf = (page: Page) => ({
  scores: page.getByRole('region', { name: 'Compared scores' }),
  rows: page.getByRole('grid', { name: 'Compared items' }),
  item: page.getByRole('complementary', { name: 'Compared item' }),
});

test('shows the distribution of a score in both runs, and a judge beside people', async ({ open }, info) => {
  const page = await open({ hasPeople: true });
  await openComparison(page);
  const { scores, rows } = partsOf(page);
  await scores.getByRole('button', { name: 'faithfulness' }).click();
  const section = page.getByRole('region', { name: 'Distribution' });
  const toggle = section.getByRole('button', { name: 'Distribution of faithfulness' });
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await toggle.click();
  await expect(section).toContainText('A: Prompt v1');
  await expect(section).toContainText(
    /Prompt v1: Against people on 60 items \(0\.5 or more is good\), the judge finds .* corrects to .* %\)\./,
  );
  await takePictures(page, info, 'comparison-distribution');
  await scores.getByRole('button', { name: 'relevance' }).click();
  await expect(toggle).toBeHidden();
  const labels = section.getByRole('table', { name: 'Labels before and after' });
  const moved = labels.getByRole('button', { name: /: high, then medium$/ });
  const count = Number.parseInt((await moved.textContent()) ?? '', 10);
  expect(count).toBeGreaterThan(0);
  await moved.click();
  await expect(moved).toHaveAttribute('aria-pressed', 'true');
  await expect(rows).toHaveAttribute('aria-rowcount', String(count + 1));
  await takePictures(page, info, 'comparison-labels');
  await moved.click();
  await expect(rows).toHaveAttribute('aria-rowcount', '201');
});

test('lists experiments, and shows a record with its results, the output beside the input', async ({
  open,
}, info) => {
  const page = await open();
  await openList(page);
  await expect(listOf(page)).toContainText('Larger model');
  // All results of this experiment are stored, so each mean has an interval.
  const first = listOf(page).getByRole('row', { name: /^Prompt v1/ });
  await expect(first).toContainText(/0\.\d+ relevance\s*0\.\d+ to 0\.\d+/i);
  await takePictures(page, info, 'experiments');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await listOf(page)
    .getByRole('gridcell', { name: /^Larger model/ })
    .dblclick();
  await expect(page.getByRole('main')).toContainText('The gateway did not answer.');
  const faithfulness = page.getByRole('row', { name: /^RAG Faithfulness/ });
  await expect(faithfulness).toContainText(/0\.\d+ to 0\.\d+/);
  await takePictures(page, info, 'experiment');
  await page.getByRole('tab', { name: 'Results' }).click();
  const results = page.getByRole('grid', { name: 'Results' });
  const heads = results.getByRole('columnheader');
  await expect(heads.nth(0)).toContainText('Input');
  await expect(heads.nth(1)).toContainText('Output');
  await expect(results).toContainText('The model did not answer within 30 s.');
  await takePictures(page, info, 'results');
});

test('says that a service has no experiments', async ({ open }, info) => {
  const page = await open({ lacksExperiments: true });
  await section(page, 'Experiments');
  await expect(page.getByRole('main')).toContainText('This service does not offer experiments');
  await takePictures(page, info, 'not-offered');
});

test('says that a list does not exist at an address that is not a service', async ({ open }) => {
  const page = await open({ lists: 'unknown' });
  await section(page, 'Models');
  await expect(page.getByRole('main')).toContainText('Not found');
  await expect(page.getByRole('main')).not.toContainText('does not offer');
});

test('sums tokens, cost and critical path of the traces behind the runs, and opens the trace of a side', async ({
  open,
}, info) => {
  const page = await open({ hasTraces: true });
  await openList(page);
  await listOf(page)
    .getByRole('gridcell', { name: /^Prompt v1/ })
    .dblclick();
  const traces = page.getByRole('region', { name: 'Traces' });
  await expect(traces).toContainText('over 176 of 200 results; the traces of 24 are not stored here.');
  await expect(traces.getByRole('row', { name: /^Tokens/ })).toContainText(/ to /);
  await expect(traces).toContainText(/Critical path by type of span: llm \d+ %/);
  await takePictures(page, info, 'experiment-traces');
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('Prompt v2, shorter answers');
  const { scores, rows, item } = partsOf(page);
  await expect(scores.getByRole('row', { name: /^Traces/ })).toContainText('24 not stored');
  await expect(scores.getByRole('row', { name: /^Tokens/ })).toContainText('−30');
  await expect(scores.getByRole('row', { name: /^Critical path/ })).toContainText('+120 ms');
  await takePictures(page, info, 'comparison-traces');
  await expect(rows.getByRole('row').nth(2)).toBeVisible();
  const side = item.getByRole('region').nth(1);
  await expect(side).toContainText(/Tokens \d+ \(−30\) · Cost .* · Critical path .* \(\+120 ms\)/);
  await side.getByRole('button', { name: 'Open trace' }).click();
  await expect
    .poll(() => newestCall(page, 'library:open-list'))
    .toMatchObject({
      query: {
        operation: 'spans.query',
        body: {
          filter: { rules: [{ field: 'Span::trace_id', value: expect.stringMatching(/^run-1-trace-/) }] },
        },
      },
    });
});

test('opens the inspector of the experiments of a dataset only on request, as in their list', async ({
  open,
}) => {
  const page = await open();
  await openDataset(page);
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeVisible();
  await page.getByRole('tab', { name: 'Experiments', exact: true }).click();
  await expect(listOf(page).getByRole('row').nth(1)).toBeVisible();
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeHidden();
  await listOf(page).press('Space');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeVisible();
});

for (const [name, scenario, text] of [
  ['failed', { lists: 'broken' }, 'nothing listens there'],
  ['empty', { lists: 'empty' }, 'No experiments yet.'],
  ['offline', { network: 'switched-off' }, 'Larger model'],
] as const)
  test(`shows the list of experiments ${name}`, async ({ open }, info) => {
    const page = await open(scenario);
    await section(page, 'Experiments');
    await expect(page.getByRole('main')).toContainText(text);
    await takePictures(page, info, `list-${name}`);
  });

test('compares two runs: sentences, regressions first, an item side by side', async ({ open }, info) => {
  const page = await open();
  await openComparison(page);
  const { scores, rows, item } = partsOf(page);
  await expect(scores.getByRole('row', { name: /^faithfulness/ })).toContainText(/Better by 0\.\d+/);
  await expect(scores.getByRole('row', { name: /^Latency/ })).toContainText('+180 ms');
  await expect(scores).toContainText('baseline');
  await expect(scores).toContainText('5 skipped');
  // Regressions come first. The first one is shown beside the list with its differing words.
  await expect(rows.getByRole('row').nth(1)).toContainText('−');
  await expect(item).toContainText('1 of 200');
  await expect(item.getByRole('region')).toHaveCount(2);
  await expect(item.getByRole('region').nth(1).getByTitle('Tone', { exact: true })).toHaveCount(2);
  await takePictures(page, info, 'comparison', async () => {
    await expect(rows.getByRole('row').nth(3)).toBeInViewport();
    await expect(item.getByRole('region').first()).toBeInViewport();
  });
  expect(await violationsInBothThemes(page)).toEqual([]);
});

test('filters compared items, moves the baseline, and copies the ids', async ({ open }) => {
  const page = await open();
  await openComparison(page);
  const { scores, rows, item } = partsOf(page);
  await page.getByRole('radio', { name: /^Skipped 5/ }).check();
  await expect(rows).toHaveAttribute('aria-rowcount', '6');
  await expect(item).toContainText('skipped');
  // Copy and export use the items of the filter above the table, as the table has no filter.
  await expect(rows.getByRole('button', { name: 'Profiles' })).toHaveCount(0);
  await rows.getByRole('gridcell').first().click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Copy cell' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: /^All rows:/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Copy 5 ids' }).click();
  await expect
    .poll(() => newestCall(page, 'app:copy-text'))
    .toMatchObject({ text: expect.stringMatching(/^(item-\d+\n){4}item-\d+$/) });
  await page.getByRole('button', { name: 'Show all items' }).click();
  await expect(rows).toHaveAttribute('aria-rowcount', '201');
  await page.getByRole('textbox', { name: 'Words in outputs' }).fill('bank has booked');
  await expect
    .poll(() => newestCall(page, 'runs:compare'))
    .toMatchObject({
      filter: { words: 'bank has booked' },
    });
  await page.getByRole('button', { name: 'Make Prompt v2, shorter answers the baseline' }).click();
  await expect.poll(() => newestCall(page, 'runs:compare')).toMatchObject({ baseline: 1 });
  await expect(scores.getByRole('row', { name: /^faithfulness/ })).toContainText(/Worse by 0\.\d+/);
  await scores.getByRole('button', { name: 'tone' }).click();
  await expect.poll(() => newestCall(page, 'runs:compare')).toMatchObject({ score: 'tone' });
});

test('moves the focus to the shown items after the press that shows all of them', async ({ open }) => {
  const page = await open();
  await openComparison(page);
  const { scores, rows } = partsOf(page);
  const all = page.getByRole('radio', { name: /^All / });
  await page.getByRole('radio', { name: /^Skipped 5/ }).check();
  const showAll = page.getByRole('button', { name: 'Show all items', exact: true });
  await showAll.focus();
  await page.keyboard.press('Enter');
  await expect(showAll).toHaveCount(0);
  await expect(all).toBeChecked();
  await expect(all).toBeFocused();
  await scores.getByRole('button', { name: 'relevance' }).click();
  await page.getByRole('button', { name: 'Distribution of relevance' }).click();
  const labels = page.getByRole('table', { name: 'Labels before and after' });
  await labels.getByRole('button', { name: /: high, then medium$/ }).click();
  const again = page.getByTitle('Show all items again');
  await again.focus();
  await page.keyboard.press('Enter');
  await expect(again).toHaveCount(0);
  await expect(rows).toHaveAttribute('aria-rowcount', '201');
  await expect(all).toBeFocused();
});

test('compares one run with another one over its dataset, chosen from a menu', async ({ open }) => {
  const page = await open();
  await openList(page);
  await listOf(page)
    .getByRole('gridcell', { name: /^Prompt v2/ })
    .click();
  await page.getByRole('button', { name: 'Compare with…' }).click();
  const others = page.getByRole('menu', { name: 'Compare Prompt v2, shorter answers with' });
  await expect(others.getByRole('menuitem', { name: 'Larger model' })).toBeVisible();
  // This experiment uses another dataset.
  await expect(others.getByRole('menuitem', { name: 'Triage rules' })).toHaveCount(0);
  await others.getByRole('menuitem', { name: 'Prompt v1' }).click();
  await expect(
    page.getByRole('tab', {
      name: /Prompt v1 · Prompt v2, shorter answers|Prompt v2, shorter answers · Prompt v1/,
    }),
  ).toHaveAttribute('aria-selected', 'true');
});

test('compares selected runs, and says why others cannot be compared', async ({ open }) => {
  const page = await open();
  await openList(page);
  const compare = page.getByRole('button', { name: /^Compare \d experiments$/ });
  await expect(compare).toHaveCount(0);
  // The list itself reads only single runs, for their intervals.
  const calls = await callsOf(page, 'runs:compare');
  expect(calls.filter(({ argument }) => (argument as { runs: unknown[] }).runs.length > 1)).toEqual([]);
  // The first three of the four selected rows are over the same dataset, and one is over another.
  const first = listOf(page).getByRole('gridcell', { name: /^Prompt v1/ });
  await first.click();
  await listOf(page)
    .getByRole('gridcell', { name: /^Triage rules/ })
    .click({ modifiers: ['Shift'] });
  await compare.click();
  await expect(page.getByText('These are over Refund questions and Claims, edge cases.')).toBeVisible();
  await first.click();
  await listOf(page)
    .getByRole('gridcell', { name: /^Larger model/ })
    .click({ modifiers: ['Shift'] });
  await compare.click();
  const { scores, item } = partsOf(page);
  await expect(scores.getByRole('columnheader')).toHaveCount(4);
  await expect(item.getByRole('region')).toHaveCount(3);
  await page.getByRole('combobox', { name: 'Run that the filter is about' }).selectOption('Larger model');
  await expect.poll(() => newestCall(page, 'runs:compare')).toMatchObject({ filter: { run: 2 } });
  await page.getByRole('button', { name: 'Make Larger model the baseline' }).click();
  await scores.getByRole('button', { name: 'Leave out Prompt v1' }).click();
  await expect(scores.getByRole('columnheader')).toHaveCount(3);
  await expect.poll(() => newestCall(page, 'runs:compare')).toMatchObject({ baseline: 1 });
  await expect(page.getByRole('button', { name: 'Larger model is the baseline' })).toBeVisible();
  await expect(
    page.getByRole('tab', { name: 'Prompt v2, shorter answers · Larger model', exact: true }),
  ).toBeVisible();
});

test('filters by a range of the change or of the score', async ({ open }) => {
  const page = await open();
  await openComparison(page);
  const [from, to] = [page.getByLabel('Range from'), page.getByLabel('Range to')];
  const numbers = page.getByRole('button', { name: 'Filter by numbers' });
  await expect(from).toHaveCount(0);
  await numbers.click();
  await from.fill('-0,4');
  await to.fill('-0.1');
  await to.press('Enter');
  await expect
    .poll(() => newestCall(page, 'runs:compare'))
    .toMatchObject({ filter: { difference: { from: -0.4, to: -0.1 }, range: null } });
  await page.getByRole('combobox', { name: 'Range of' }).selectOption('Score');
  await expect(from).toHaveValue('');
  await from.fill('much');
  await from.press('Enter');
  await expect(
    page.getByText('Expected a number such as -0.5, or an empty field for no limit, got much.'),
  ).toBeVisible();
  await from.fill('0.5');
  await from.press('Enter');
  await expect
    .poll(() => newestCall(page, 'runs:compare'))
    .toMatchObject({ filter: { difference: { from: -0.4, to: -0.1 }, range: { from: 0.5, to: null } } });
  await page.getByRole('button', { name: 'Show all items' }).click();
  await expect(from).toHaveValue('');
});

test('takes these items to a selection, a review and a new dataset', async ({ open }, info) => {
  const page = await open();
  await openComparison(page);
  const these = page.getByRole('region', { name: 'These items' });
  await expect(these).toHaveCount(0);
  await page.getByRole('radio', { name: /^Skipped 5/ }).check();
  await expect(these).toContainText('These 5 items');
  await takePictures(page, info, 'comparison-chosen');
  // No item was made from a span on this computer.
  await these.getByRole('button', { name: 'Select their spans' }).click();
  await expect(page.getByText('Expected items made from spans in a draft on this computer')).toBeVisible();
  await these.getByRole('button', { name: 'New dataset…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a dataset from these items' });
  await expect(dialog.getByLabel('Name')).toHaveValue(/, 5 items$/);
  await expect(dialog).toContainText('5 items in');
  await takePictures(page, info, 'comparison-dataset');
  await dialog.getByRole('button', { name: 'Create dataset' }).click();
  await expect
    .poll(() => newestCall(page, 'snapshots:ask'))
    .toMatchObject({
      action: 'recreate',
      edits: null,
      chosen: { filter: { fate: 'skipped' }, score: 'relevance' },
    });
});

test('reviews the spans that compared items were made from, and says how many have none', async ({
  open,
}) => {
  const page = await open({ hasOrigins: true });
  await openComparison(page);
  await page.getByRole('radio', { name: /^Skipped 5/ }).check();
  const these = page.getByRole('region', { name: 'These items' });
  await these.getByRole('button', { name: 'Select their spans' }).click();
  await expect(page.getByText('3 spans of Support assistant selected')).toBeVisible();
  await expect(page.getByText('2 items without a span in a draft on this computer.')).toBeVisible();
  // The menu of a row and the palette offer the same action.
  await partsOf(page).rows.getByRole('gridcell').first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Select the spans of these 5 items' }).click();
  await expect(page.getByText('3 selected already.')).toBeVisible();
  await page.getByRole('button', { name: /^Search everything/ }).click();
  await page.getByRole('combobox', { name: 'Search everything' }).fill('review the spans of the compared');
  await page.getByRole('option', { name: /^Review the spans of the compared items/ }).click();
  await expect(page.getByRole('group', { name: 'Review' })).toBeVisible();
});

test('uses ticked items instead of the filtered ones, under another filter too', async ({ open }, info) => {
  const page = await open();
  await openComparison(page);
  const { rows } = partsOf(page);
  const boxes = rows.getByRole('checkbox', { name: 'Select this row' });
  await boxes.nth(0).check();
  await boxes.nth(2).check();
  const these = page.getByRole('region', { name: 'These items' });
  await expect(these).toContainText('2 ticked items');
  await takePictures(page, info, 'comparison-ticked');
  // The selection key of every list clears the checkbox of the row at the cursor, and sets it again.
  await rows.press('x');
  await expect(boxes.nth(2)).not.toBeChecked();
  await rows.press('x');
  await page.getByRole('radio', { name: /^Skipped 5/ }).check();
  await expect(these).toContainText('2 ticked items');
  await these.getByRole('button', { name: 'New dataset…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a dataset from these items' });
  await expect(dialog.getByLabel('Name')).toHaveValue(/, 2 items$/);
  await dialog.getByRole('button', { name: 'Create dataset' }).click();
  await expect
    .poll(() => newestCall(page, 'snapshots:ask'))
    .toMatchObject({
      action: 'recreate',
      chosen: { filter: { items: [/^item-/, /^item-/].map((id) => expect.stringMatching(id)), fate: null } },
    });
  await rows.getByRole('gridcell').nth(1).click({ button: 'right' });
  await expect(
    page.getByRole('menuitem', { name: 'Review the spans of these 2 ticked items' }),
  ).toBeVisible();
  await page.keyboard.press('Escape');
  await these.getByRole('button', { name: 'Clear ticks' }).click();
  await expect(these).toContainText('These 5 items');
});

test('exports the items of the filter', async ({ open }) => {
  const page = await open();
  await openComparison(page);
  await page.getByRole('radio', { name: /^Worse/ }).check();
  await page.getByRole('button', { name: 'Export the comparison…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Export|^Choose/ }).click();
  await expect
    .poll(() => newestCall(page, 'jobs:create'))
    .toMatchObject({ kind: 'export', plan: { table: { form: 'runs', filter: { change: 'worse' } } } });
});

for (const [name, scenario, text] of [
  ['failed', { runsCompared: 'failed' }, 'its file is damaged'],
  ['empty', { runsCompared: 'empty' }, 'These runs have no results.'],
  ['offline', { network: 'switched-off' }, 'Better by'],
] as const)
  test(`shows a comparison ${name}`, async ({ open }, info) => {
    const page = await open(scenario);
    await openComparison(page);
    await expect(page.getByRole('main')).toContainText(text);
    await takePictures(page, info, `comparison-${name}`);
  });

test('all rows of a list that is higher than the maximum height of an element can be scrolled into view', async ({
  open,
}) => {
  const count = 1_200_000;
  const page = await open({ comparedTotal: count });
  await openComparison(page);
  const { rows } = partsOf(page);
  for (const share of [0, 0.5, 1]) {
    const place = await rows.evaluate((grid, at) => {
      grid.scrollTop = at * (grid.scrollHeight - grid.clientHeight);
      return grid.scrollHeight;
    }, share);
    const row = rows.getByRole('gridcell', { name: `Question ${Math.max(1, share * count)}`, exact: true });
    await expect(row, `${share} of ${place}`).toBeInViewport({ ratio: 0.5 });
  }
  await rows.focus();
  await page.keyboard.press('Home');
  await expect(rows.getByRole('gridcell', { name: 'Question 1', exact: true })).toBeInViewport();
});
