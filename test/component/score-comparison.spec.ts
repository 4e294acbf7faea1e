/** Scores of a dataset: the result of a run, two compared runs, and the items behind each number. */
import type { Locator, Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import { openDataset } from './dataset-steps.ts';
import { type FakeWindow, uuid } from './fake-main/scenario.ts';
import { expect, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

async function openScores(page: Page): Promise<void> {
  await openDataset(page);
  await page.getByRole('tab', { name: /^Scores/ }).click();
}
const partsOf = (page: Page) => ({
  runs: page.getByRole('region', { name: 'Runs', exact: true }),
  compared: page.getByRole('region', { name: 'Compared runs' }),
  rows: page.getByRole('grid', { name: 'Compared items' }),
  item: page.getByRole('complementary', { name: 'Compared item' }),
});

test('shows the verdict, the worst items and the reason of one on the first screen, and leads from a number to its items', async ({
  open,
}, info) => {
  const page = await open({ hasScores: 'two' });
  await openScores(page);
  const { runs, compared, rows, item } = partsOf(page);
  await expect(compared.getByRole('heading').first()).toHaveText(
    'conciseness · draft → conciseness · answer',
  );
  await expect(compared.getByRole('status')).toContainText('Worse by 16.7 points');
  await expect(compared.getByRole('status')).toContainText('95 % sure: between 2.9 and 29.4 points.');
  const run = runs.getByRole('row', { name: /conciseness · answer/ });
  await expect(run).toContainText('Done in part');
  await expect(run).toContainText('60 scored · 1 without a field · 1 failed');
  await expect(run).toContainText('53.3 % yes');
  await expect(run.getByRole('progressbar')).toHaveAttribute(
    'aria-valuetext',
    '62 items = 60 scored + 1 without the field + 1 failed',
  );
  // The first item got worse, and its two answers are side by side with the reasons.
  await expect(rows.getByRole('row').nth(1)).toContainText('Where is my refund for order 10000?');
  await expect(item).toContainText('1 of 62');
  await expect(item.getByRole('region')).toHaveCount(2);
  await expect(item.locator('ins').first()).toBeVisible();
  await expect(item).toContainText('20 words, of at most 40.');
  await takePictures(page, info, 'scores', async () => {
    await expect(rows.getByRole('row').nth(4)).toBeInViewport();
    await expect(item.getByRole('region').first()).toBeInViewport();
  });
  expect(await violationsInBothThemes(page)).toEqual([]);
  // Long names of runs are shortened, so that the texts below them are not cut.
  await item.locator('.run').evaluateAll((names) => {
    for (const { firstChild } of names)
      if (firstChild) firstChild.nodeValue = 'conciseness · answer '.repeat(9);
  });
  expect(await item.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await page.setViewportSize({ width: 1_280, height: 800 });

  // A press on a cell of the table filters to its items, and a second press shows all items.
  const better = compared.getByRole('button', { name: '4 items: no, then yes' });
  await better.click();
  await expect(rows).toHaveAttribute('aria-rowcount', '5');
  await expect(better).toHaveAttribute('aria-pressed', 'true');
  await better.click();
  await expect(rows).toHaveAttribute('aria-rowcount', '63');
  // The details beside the list follow the keyboard cursor.
  await page.getByRole('radio', { name: 'Not in both 2' }).check();
  await rows.press('End');
  await expect(item).toContainText('2 of 2');
  const sides = item.getByRole('region');
  await expect(sides.first()).toContainText('words, of at most 40.');
  // The later run has no score of this item. Its side says why, and its column does not repeat the earlier reason.
  await expect(sides.last()).toContainText('failed');
  const cells = rows.getByRole('row').last().getByRole('gridcell');
  await expect(cells.nth(2)).toContainText(/^(yes|no) /);
  await expect(cells.nth(3)).toContainText('failed');
  await expect(cells.nth(3)).not.toContainText('words, of at most');
  // The filter is kept while another part of the dataset is shown.
  await page.getByRole('tab', { name: /^Schema/ }).click();
  await page.getByRole('tab', { name: /^Scores/ }).click();
  await expect(page.getByRole('radio', { name: 'Not in both 2' })).toBeChecked();
});

test('shows the filters and actions of compared items in one row, and tells runs with long names apart', async ({
  open,
}) => {
  const page = await open({ hasScores: 'two' });
  await openScores(page);
  const { runs, compared } = partsOf(page);
  const retry = page.getByRole('button', { name: 'Retry 1 failed item' });
  const isOneRow = async () => {
    const [filters, action] = await Promise.all([
      page.getByRole('radiogroup', { name: 'Items shown' }).boundingBox(),
      retry.boundingBox(),
    ]);
    return Math.abs((filters?.y ?? 0) - (action?.y ?? 99)) < 10;
  };
  await expect(retry).toBeVisible();
  for (const width of [1_280, 1_000]) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(isOneRow).toBe(true);
    for (const name of ['conciseness · answer', 'conciseness · draft']) {
      const shown = runs.getByRole('button', { name, exact: true });
      expect(await shown.evaluate((text) => text.scrollWidth - text.clientWidth)).toBeLessThanOrEqual(0);
    }
  }
  // A filter by a cell of the table adds a button that shows all items again.
  await page.setViewportSize({ width: 1_280, height: 800 });
  await compared.getByRole('button', { name: '4 items: no, then yes' }).click();
  await expect(page.getByRole('button', { name: 'no → yes' })).toBeVisible();
  await expect.poll(isOneRow).toBe(true);
});

test('says how well two judges of the same texts agree, and which difference may be chance among many', async ({
  open,
}, info) => {
  const page = await open({ hasScores: 'judges' });
  await openScores(page);
  const { runs } = partsOf(page);
  await runs.getByRole('button', { name: 'Compare with Human · answer' }).click();
  const compared = page.getByRole('region', { name: 'Compared runs' });
  await expect(compared).toContainText('Equal for 70 % (57.5 to 80.1 %), kappa 0.38 (0.16 to 0.61).');
  await expect(compared).toContainText('Base rates: yes 70 % and 53.3 %, no 30 % and 46.7 %');
  await expect(compared).toContainText('60 items of 35 traces: items of one trace count together.');
  const all = compared.getByRole('table', { name: 'All scores of both runs' });
  await expect(all.getByRole('row').first()).toContainText('may be chance: one of 2 scores');
  await expect(all.getByRole('row').last()).toContainText('Cannot tell');
  await takePictures(page, info, 'judges', async () => {
    await expect(partsOf(page).rows.getByRole('row').nth(1)).toBeInViewport();
  });
  expect(await violationsInBothThemes(page)).toEqual([]);
  await all.getByRole('button', { name: 'is_polite' }).click();
  await expect.poll(() => newestCall(page, 'runs:compare')).toMatchObject({ score: 'is_polite' });
});

test('describes one run alone: its share with an interval, its labels, and the items without a score', async ({
  open,
}) => {
  const page = await open({ hasScores: 'two' });
  await openScores(page);
  const { runs, item } = partsOf(page);
  await runs.getByRole('button', { name: 'Compare with conciseness · draft' }).click();
  const result = page.getByRole('region', { name: 'Result', exact: true });
  await expect(result.getByRole('status')).toContainText('53.3 % yes');
  await expect(result.getByRole('status')).toContainText('95 % sure: 40.9 to 65.4 %.');
  const rows = page.getByRole('grid', { name: 'Results of conciseness · answer' });
  await expect(rows.getByRole('columnheader', { name: 'Failure kind' })).toBeVisible();
  await expect(rows.getByRole('row', { name: /Wrong tone/ }).first()).toBeVisible();
  await result.getByRole('button', { name: '28 items: no' }).click();
  await expect(rows).toHaveAttribute('aria-rowcount', '29');
  await page.getByRole('radio', { name: 'Skipped 1' }).check();
  await expect(rows).toHaveAttribute('aria-rowcount', '2');
  await expect(item).toContainText('The item lacks the field');
  await page.getByRole('button', { name: 'Filter by numbers' }).click();
  // A single run has no changes to filter by.
  await expect(page.getByLabel('Minimum difference')).toHaveCount(0);
  await page.getByLabel('Range from').fill('1');
  await page.getByLabel('Range from').press('Enter');
  await expect
    .poll(() => newestCall(page, 'runs:compare'))
    .toMatchObject({ filter: { range: { from: 1, to: null }, fate: 'skipped' } });
  // One press shows the other run. There is no earlier run to compare it with.
  await runs.getByRole('button', { name: 'conciseness · draft', exact: true }).click();
  await expect(page.getByRole('grid', { name: 'Results of conciseness · draft' })).toBeVisible();
});

for (const [numberFormat, shown] of [
  ['point', ['0,125', '0,125', '1,5', '1125']],
  ['space-comma', ['0,125', '0,125', '1,5', '1,125']],
  ['comma', ['0.125', '0.125', '1.5', '1.125']],
] as const)
  test(`numbers of filters stay as typed with the number format “${numberFormat}”, whatever field is left`, async ({
    open,
  }) => {
    const page = await open({ hasScores: 'two', settings: { numberFormat } });
    await openScores(page);
    await page.getByRole('button', { name: 'Filter by numbers' }).click();
    const [least, from, to] = [
      page.getByLabel('Minimum difference'),
      page.getByLabel('Range from'),
      page.getByLabel('Range to'),
    ];
    const filter = () => newestCall(page, 'runs:compare');
    const enter = async (field: Locator, typed: string) => {
      await field.fill(typed);
      await field.press('Enter');
    };
    await enter(least, '0,125');
    await expect.poll(filter).toMatchObject({ filter: { atLeast: 0.125 } });
    await expect(least).toHaveValue(shown[0]);
    await least.press('Tab');
    await enter(from, '0.125');
    await expect.poll(filter).toMatchObject({ filter: { atLeast: 0.125, difference: { from: 0.125 } } });
    await expect(from).toHaveValue(shown[1]);
    await from.press('Tab');
    await enter(to, '1.5');
    await expect.poll(filter).toMatchObject({ filter: { difference: { from: 0.125, to: 1.5 } } });
    await expect(to).toHaveValue(shown[2]);
    await to.press('Tab');
    await least.focus();
    await least.press('Tab');
    const grouped = numberFormat === 'point' ? 1_125 : 1.125;
    await enter(to, '1.125');
    await expect
      .poll(filter)
      .toMatchObject({ filter: { atLeast: 0.125, difference: { from: 0.125, to: grouped } } });
    await expect(to).toHaveValue(shown[3]);
    await to.press('Tab');
    await expect(least).toHaveValue(shown[0]);
    await expect(from).toHaveValue(shown[1]);
    await expect(to).toHaveValue(shown[3]);
    expect(await filter()).toMatchObject({
      filter: { atLeast: 0.125, difference: { from: 0.125, to: grouped } },
    });
  });

test('opens the two runs side by side', async ({ open }) => {
  const page = await open({ hasScores: 'two' });
  await openScores(page);
  await page.getByRole('button', { name: 'Open side by side' }).click();
  await expect
    .poll(() => newestCall(page, 'runs:compare'))
    .toMatchObject({
      runs: [
        { kind: 'scores', id: 'run-0' },
        { kind: 'scores', id: 'run-1' },
      ],
    });
});

test('exports the comparison as shown', async ({ open }) => {
  const page = await open({ hasScores: 'two' });
  await openScores(page);
  await page.getByRole('radio', { name: /worse/i }).check();
  await page.getByRole('button', { name: 'Export the comparison…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('14 items shown, each with its state, is_concise');
  await dialog.getByRole('button', { name: /^Export|^Choose/ }).click();
  await expect
    .poll(() => newestCall(page, 'jobs:create'))
    .toMatchObject({
      kind: 'export',
      plan: {
        table: {
          form: 'runs',
          runs: [{ id: 'run-0' }, { id: 'run-1' }],
          ...{ score: 'is_concise', filter: { change: 'worse' } },
        },
      },
    });
});

for (const { name, scenario } of [
  { name: 'failed', scenario: { hasScores: 'incomparable' } },
  { name: 'offline', scenario: { hasScores: 'two', network: 'switched-off' } },
] as const) {
  test(`shows a comparison offline, and explains why it is impossible: ${name}`, async ({ open }) => {
    const page = await open(scenario);
    await openScores(page);
    const { compared, rows, item } = partsOf(page);
    await expect(compared).toContainText(name === 'failed' ? 'its file is damaged' : 'Worse by');
    if (name === 'failed') return;
    await expect(item).toContainText('20 words, of at most 40.');
    const first = rows.getByRole('gridcell').first();
    const id = await item.locator('.id').getAttribute('title');
    await first.click({ button: 'right' });
    const action = page.getByRole('menu', { name: 'Row' }).getByRole('menuitem').first();
    await expect(action).toContainText('Open item');
    await action.click();
    await expect(page.getByRole('textbox', { name: 'Filter the loaded items' })).toHaveValue(id ?? '');
  });
}

test('offers the first run if there is none', async ({ open }) => {
  const page = await open();
  await openScores(page);
  await expect(page.getByRole('main')).toContainText('No scores yet.');
});

test('checks items here with the rules of the chosen check, and names missing inputs', async ({
  open,
}, info) => {
  const page = await open({ hasScores: true });
  await openScores(page);
  await page.getByRole('button', { name: 'Score items…' }).click();
  const form = page.getByRole('region', { name: 'Score items' });
  await form.getByRole('combobox', { name: 'Scored by' }).selectOption('Check here: JSON schema');
  await expect(form).toContainText('Enter a JSON schema.');
  await form.getByRole('combobox', { name: 'Scored by' }).selectOption('Check here: Length');
  await form.getByRole('textbox', { name: 'Maximum' }).fill('forty');
  await expect(form).toContainText('Minimum and maximum must be numbers.');
  await form.getByRole('textbox', { name: 'Maximum' }).fill('40');
  const source = form.getByRole('combobox', { name: 'text comes from' });
  await source.selectOption('Not set');
  await expect(form).toContainText('Choose a source for');
  await source.selectOption('Same text for all items');
  await form.getByRole('textbox', { name: 'Text of text' }).fill('A short answer.');
  await expect(form).toContainText('Computed on this computer');
  await expect(form.getByRole('textbox', { name: 'Name of the run' })).toHaveValue('length at most 40 words');
  await takePictures(page, info, 'check-form');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await form.getByRole('button', { name: /^Score .*items/ }).click();
  await expect
    .poll(() => newestCall(page, 'jobs:create'))
    .toMatchObject({
      kind: 'scores',
      plan: {
        scores: {
          evaluator: 'length at most 40 words',
          check: { kind: 'length', unit: 'words', least: null, most: 40 },
          inputs: [{ input: 'text', from: { kind: 'text', text: 'A short answer.' } }],
        },
      },
    });
});

test('checks the results of an experiment, whose fields become the inputs', async ({ open }, info) => {
  const page = await open({ hasScores: true });
  await openScores(page);
  await page.getByRole('button', { name: 'Score items…' }).click();
  const form = page.getByRole('region', { name: 'Score items' });
  const checks = form.getByRole('combobox', { name: 'Checks', exact: true });
  await expect(checks).toHaveCount(0);
  await form.getByRole('combobox', { name: 'Scored by' }).selectOption('Check here: Contains');
  await expect(checks.getByRole('option')).toHaveText([
    'Items of the dataset',
    'Results of Prompt v1',
    'Results of Prompt v2, shorter answers',
    'Results of Larger model',
  ]);
  await checks.selectOption('Results of Prompt v1');
  await expect(form.getByRole('paragraph').first()).toHaveText('Results of Prompt v1');
  const source = form.getByRole('combobox', { name: 'text comes from' });
  await expect(source.locator('option:checked')).toHaveText('Outputs: answer');
  await form.getByRole('combobox', { name: 'expected comes from' }).selectOption('Expected outputs: answer');
  await expect(form.getByRole('textbox', { name: 'Name of the run' })).toHaveValue(
    'contains · answer · Prompt v1',
  );
  await expect(form).toContainText('Computed on this computer from the stored results.');
  await takePictures(page, info, 'check-results');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await form.getByRole('button', { name: 'Check the results' }).click();
  await expect
    .poll(() => newestCall(page, 'jobs:create'))
    .toMatchObject({
      plan: {
        scores: {
          experiment: { id: uuid(7_000), name: 'Prompt v1' },
          itemIds: null,
          inputs: [
            { input: 'text', from: { kind: 'field', bucket: 'outputs', field: 'answer' } },
            { input: 'expected', from: { kind: 'field', bucket: 'expected_outputs', field: 'answer' } },
          ],
        },
      },
    });
});

test('saves a run as results of an experiment, and says what to do with the file', async ({ open }) => {
  const page = await open({ hasScores: true });
  await openScores(page);
  await page.getByRole('button', { name: /^Save .* as results of an experiment$/ }).click();
  await expect
    .poll(() => newestCall(page, 'jobs:save'))
    .toMatchObject({ kind: 'scores', what: 'experiment' });
  await expect(
    page.getByText('2 items not scored yet. Upload results… of an experiment sends it.'),
  ).toBeVisible();
});

test('shows items without the field and with nothing expected as two parts of the bar of a run', async ({
  open,
}) => {
  const page = await open({ hasScores: 'two' });
  await openScores(page);
  const { runs } = partsOf(page);
  await expect(runs.getByRole('progressbar').first()).toBeVisible();
  await page.evaluate(async () => {
    interface RunJob {
      kind: string;
      id: string;
      own: { connectionId: string; counts: { items: number; skipped: number } };
    }
    const fake = globalThis as unknown as FakeWindow & {
      spandeck: { invoke: (channel: string, argument: object) => Promise<{ value: { jobs: RunJob[] } }> };
    };
    const all = { kinds: null, states: null, search: null, offset: 0, limit: 100 };
    const { value } = await fake.spandeck.invoke('jobs:list', all);
    for (const job of value.jobs.filter(({ kind }) => kind === 'scores')) {
      const { counts } = job.own;
      const own = {
        ...job.own,
        counts: { ...counts, items: counts.items + 1, skipped: counts.skipped + 1 },
        nothingExpected: 1,
      };
      fake.fakeEvent('jobs:changed', {
        ...{ connectionId: job.own.connectionId, kind: job.kind, id: job.id, job: { ...job, own } },
      });
    }
  });
  const bar = runs.getByRole('row', { name: /conciseness · answer/ }).getByRole('progressbar');
  await expect(bar).toHaveAttribute(
    'aria-valuetext',
    '63 items = 60 scored + 1 without the field + 1 with nothing expected + 1 failed',
  );
});
