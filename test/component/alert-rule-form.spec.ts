/** The form of a new alert rule while the metrics of its model are loading, available, or unavailable. */
import type { Page } from '@playwright/test';
import type { FakeWindow, Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, test } from './fixtures.ts';
import { section } from './resource-steps.ts';

const form = (page: Page) => page.getByRole('form', { name: 'New alert rule' });
const metric = (page: Page) => form(page).getByRole('combobox', { name: 'Metric' });
const condition = (page: Page) => form(page).getByRole('combobox', { name: 'Fires when it is' });

async function withModel(page: Page): Promise<Page> {
  await section(page, 'Alert rules');
  await page.getByRole('button', { name: 'New alert rule' }).first().click();
  await form(page).getByRole('combobox', { name: 'In Model', exact: true }).click();
  await page.getByRole('option', { name: /Bank churn/ }).click();
  return page;
}

const arrive = (page: Page) => page.evaluate(() => (globalThis as unknown as FakeWindow).fakeModelMetrics());

const withMetrics = (modelMetrics: 'loading' | 'broken'): Scenario => ({ modelMetrics });

test('offers the metrics once they are loaded, and none before', async ({ open }) => {
  const page = await withModel(await open(withMetrics('loading')));
  await expect(metric(page)).toHaveAttribute('placeholder', 'Reading…');
  const before = await metric(page).elementHandle();
  await arrive(page);
  await expect(metric(page)).toHaveValue('Traffic');
  await metric(page).fill('aver');
  await page.getByRole('option', { name: 'Average' }).click();
  expect(await metric(page).evaluate((now, then) => now === then, before)).toBe(true);
  await form(page)
    .getByRole('button', { name: /^of Columns:/ })
    .click();
  await expect(page.getByRole('checkbox', { name: 'amount' })).toBeVisible();
});

test('accepts a typed id if metrics are unavailable, and keeps the typed text when they arrive', async ({
  open,
}) => {
  const page = await withModel(await open(withMetrics('broken')));
  await expect(form(page)).toContainText('Could not load the metrics of this model: Expected an answer');
  await metric(page).pressSequentially('aver');
  await arrive(page);
  await expect(form(page)).not.toContainText('were not read');
  await expect(metric(page)).toBeFocused();
  await metric(page).pressSequentially('age');
  await metric(page).press('Tab');
  await expect(metric(page)).toHaveValue('Average');
  await form(page)
    .getByRole('button', { name: /^of Columns:/ })
    .click();
  await expect(page.getByRole('checkbox', { name: 'amount' })).toBeVisible();
});

const history = (page: Page) => page.getByRole('region', { name: 'History of the metric' });

async function withTraffic(page: Page): Promise<Page> {
  await withModel(page);
  await metric(page).fill('Traffic');
  await page.getByRole('option', { name: 'Traffic' }).click();
  await condition(page).selectOption('greater');
  return page;
}

test('proposes metric, side, thresholds and name once a model is chosen, and keeps typed values', async ({
  open,
}) => {
  const page = await withModel(await open());
  await expect(metric(page)).toHaveValue('Traffic');
  await expect(condition(page)).toHaveValue('lesser');
  const named = form(page).getByRole('textbox', { name: 'Name' });
  await expect(named).toHaveValue('Traffic too low');
  const level = (name: string) => form(page).getByRole('textbox', { name });
  await expect(level('Critical threshold')).not.toHaveValue('');
  expect(Number(await level('Warning threshold').inputValue())).toBeGreaterThan(
    Number(await level('Critical threshold').inputValue()),
  );
  await expect(history(page).getByRole('heading')).toHaveText(
    /^Would (not have fired|have fired [12] times?)$/,
  );

  await level('Critical threshold').fill('7');
  await condition(page).selectOption('greater');
  await expect(named).toHaveValue('Traffic too high');
  await named.fill('Too many');
  await condition(page).selectOption('lesser');
  await expect(level('Critical threshold')).toHaveValue('7');
  await expect(named).toHaveValue('Too many');
});

test('keeps a proposed side that was chosen by hand when the metric changes', async ({ open }) => {
  const page = await withModel(await open());
  await expect(condition(page)).toHaveValue('lesser');
  await condition(page).selectOption('lesser');
  await metric(page).fill('aver');
  await page.getByRole('option', { name: 'Average' }).click();
  await expect(metric(page)).toHaveValue('Average');
  await expect(form(page).getByRole('textbox', { name: 'Name' })).toHaveValue('Average too low');
  await expect(condition(page)).toHaveValue('lesser');
});

test('keeps the proposed thresholds if the history of another range cannot be read', async ({ open }) => {
  const page = await withModel(await open({ metrics: 'full' }));
  const critical = form(page).getByRole('textbox', { name: 'Critical threshold' });
  await expect(critical).not.toHaveValue('');
  const proposed = await critical.inputValue();
  await page.evaluate(() => {
    const { scenario } = globalThis as unknown as FakeWindow;
    if (scenario !== undefined) scenario.metrics = 'broken';
  });
  const range = history(page).getByRole('combobox', { name: 'Range of the history' });
  await range.selectOption({ index: 0 });
  await expect(history(page)).toContainText('Could not load the history');
  await expect(critical).toHaveValue(proposed);
});

test('names each control by the word before it too', async ({ open }) => {
  const page = await withModel(await open());
  for (const name of ['In Model', 'when Metric', 'each Bin', 'Fires when it is', 'limits Thresholds'])
    await expect(form(page).getByRole('combobox', { name, exact: true })).toBeVisible();
  await metric(page).fill('aver');
  await page.getByRole('option', { name: 'Average' }).click();
  await expect(
    form(page).getByRole('button', { name: 'of Columns: Choose columns', exact: true }),
  ).toBeVisible();
});

test('keeps no draft of proposed values', async ({ open }) => {
  const page = await open();
  await section(page, 'Models');
  await page
    .getByRole('grid', { name: 'Models' })
    .getByRole('row', { name: /Bank churn/ })
    .dblclick();
  await page.getByRole('button', { name: 'New alert rule' }).first().click();
  await expect(metric(page)).toHaveValue('Traffic');
  await expect(form(page).getByRole('textbox', { name: 'Critical threshold' })).not.toHaveValue('');
  await expect(page.getByRole('tab', { selected: true })).not.toContainText('unsaved');
});

test('shows the metric history beside the thresholds and counts firings as they are typed', async ({
  open,
}) => {
  const page = await open();
  await withTraffic(page);
  await expect(history(page)).toContainText(/lowest [\d.]+ · mean [\d.]+ · highest\s+[\d.]+/);
  const asked = async () =>
    (await callsOf(page, 'library:open-record')).filter(
      ({ argument }) => (argument['query'] as { operation: string }).operation === 'queries.run',
    ).length;
  const before = await asked();
  await form(page).getByRole('textbox', { name: 'Critical threshold' }).fill('205');
  await expect(history(page).getByRole('heading')).toHaveText(/^Would have fired \d+ times$/);
  await form(page).getByRole('textbox', { name: 'Warning threshold' }).fill('200');
  await expect(history(page)).toContainText(/\d+ critical\s*\d+ warnings/);
  await expect(history(page).getByRole('slider')).toHaveAccessibleDescription(
    /Critical threshold: 205, above it/,
  );
  await expect(
    history(page).getByRole('list', { name: 'Times it would have fired' }).getByRole('listitem'),
  ).toHaveCount(6);
  await form(page).getByRole('textbox', { name: 'Critical threshold' }).fill('9000');
  await form(page).getByRole('textbox', { name: 'Warning threshold' }).fill('8000');
  await expect(history(page).getByRole('heading')).toHaveText('Would not have fired');
  expect(await asked()).toBe(before);
});

for (const [name, scenario, says] of [
  [
    'without values',
    { metrics: 'empty' },
    /No values in the last 30 days\. The rule counts from its creation on\./,
  ],
  [
    'that is not stored while offline',
    { metrics: 'not-stored', network: 'switched-off' },
    /This history is not available offline\..*Go online/,
  ],
  ['that was never answered', { metrics: 'broken' }, /Could not load the history.*Try again/],
] as const) {
  test(`shows a message in place of a history ${name}`, async ({ open }) => {
    const page = await withTraffic(await open(scenario));
    await expect(history(page)).toContainText(says);
  });
}

test('evaluates the stored history while offline and shows its end', async ({ open }) => {
  const page = await withTraffic(await open({ metrics: 'earlier', network: 'switched-off' }));
  await expect(history(page)).toContainText(/No newer values are stored: .+ to .+\./);
  await form(page).getByRole('textbox', { name: 'Critical threshold' }).fill('205');
  await expect(history(page).getByRole('heading')).toHaveText(/^Would have fired \d+ times$/);
});

test('shows placeholders and no chart while the history is loading', async ({ open }) => {
  const page = await withTraffic(await open({ metrics: 'loading' }));
  await expect(history(page).locator('[data-skeleton]').first()).toBeVisible();
  await expect(history(page).getByRole('slider')).toHaveCount(0);
});

test('shows form and history side by side in a small window without cutting anything off', async ({
  open,
}) => {
  const page = await open();
  await page.setViewportSize({ width: 1000, height: 640 });
  await withTraffic(page);
  const [left, right] = [await form(page).boundingBox(), await history(page).boundingBox()];
  expect(right?.x ?? 0).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0));
  expect((right?.x ?? 0) + (right?.width ?? 0)).toBeLessThanOrEqual(1_000);
});

test('moves a threshold by dragging its handle or by the arrow keys, and counts again at once', async ({
  open,
}) => {
  const page = await withTraffic(await open());
  const critical = form(page).getByRole('textbox', { name: 'Critical threshold' });
  await critical.fill('205');
  const handle = history(page).getByRole('spinbutton', { name: 'Critical threshold' });
  await expect(handle).toHaveText('205');
  await handle.press('ArrowDown');
  await expect(critical).not.toHaveValue('205');
  const moved = Number(await critical.inputValue());
  expect(moved).toBeLessThan(205);
  await expect(handle).toHaveAttribute('aria-valuenow', String(moved));
  await expect(history(page).getByRole('heading')).toHaveText(/^Would have fired \d+ times?$/);
  const before = await history(page).getByRole('heading').textContent();
  const box = await handle.boundingBox();
  if (box === null) throw new Error('Expected the handle in view.');
  await page.mouse.move(box.x + 8, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 8, box.y + box.height / 2 + 60, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => Number(await critical.inputValue())).toBeLessThan(moved);
  await expect(history(page).getByRole('heading')).not.toHaveText(before ?? '');
});

test('suggests thresholds that few values pass', async ({ open }) => {
  const page = await withTraffic(await open());
  await history(page).getByRole('button', { name: 'Suggest thresholds' }).click();
  const value = async (name: string) => Number(await form(page).getByRole('textbox', { name }).inputValue());
  expect(await value('Warning threshold')).toBeLessThan(await value('Critical threshold'));
  await expect(history(page).getByRole('heading')).toHaveText(
    /^Would (not have fired|have fired [12] times?)$/,
  );
});

test('keeps Create in sight at every height', async ({ open }) => {
  const page = await withTraffic(await open());
  for (const [width, height] of [
    [1280, 800],
    [1000, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect(form(page).getByRole('button', { name: 'Create alert rule' })).toBeInViewport({ ratio: 1 });
  }
});

test('changes the thresholds of a rule beside the history of its metric and says what the saved ones do', async ({
  open,
}) => {
  const page = await open();
  await section(page, 'Alert rules');
  await page
    .getByRole('grid', { name: 'Alert rules' })
    .getByRole('row', { name: /Traffic drops/ })
    .dblclick();
  await page.getByRole('button', { name: 'Edit' }).click();
  await expect(history(page).getByRole('heading')).toHaveText(/^Would (not )?have fired/);
  await expect(history(page)).not.toContainText('With the saved thresholds');
  const change = page.getByRole('form', { name: 'Change Traffic drops' });
  await change.getByRole('textbox', { name: 'Warning threshold' }).fill('110');
  await expect(history(page)).toContainText(/With the saved thresholds: \d+ critical, \d+ warnings?/);
  await expect(history(page).getByRole('spinbutton', { name: 'Warning threshold' })).toHaveText('110');
  await expect(change.getByRole('button', { name: 'Save changes' })).toBeInViewport({ ratio: 1 });
});

test('keeps a part open while the only value in it is deleted', async ({ open }) => {
  const page = await withModel(await open());
  await form(page).getByText('More', { exact: true }).click();
  const delay = form(page).getByRole('textbox', { name: 'Evaluation delay, hours' });
  await delay.pressSequentially('5');
  await delay.press('Backspace');
  await expect(delay).toHaveValue('');
  await delay.pressSequentially('12');
  await expect(delay).toBeFocused();
  await expect(delay).toHaveValue('12');
});

test('opens a closed part that has a problem, and moves the focus to it', async ({ open }) => {
  const page = await withModel(await open());
  await expect(form(page).getByRole('textbox', { name: 'Critical threshold' })).not.toHaveValue('');
  const more = form(page).getByText('More', { exact: true });
  await more.click();
  const delay = form(page).getByRole('textbox', { name: 'Evaluation delay, hours' });
  await delay.fill('soon');
  await more.click();
  await expect(delay).toBeHidden();
  await form(page).getByRole('button', { name: 'Create alert rule' }).click();
  await expect(delay).toBeFocused();
});
