/** Charts: all states, legend and plot by keyboard, the table, copied content, and the timeline of a rule. */
import type { Locator, Page } from '@playwright/test';
import { violations, violationsInDark } from './accessibility.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';
import { section } from './resource-steps.ts';

const KEYS = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
];

/** A saved chart with a tab that shows it. Its model needs no other data. */
function withChart(
  scenario: Scenario = {},
  metrics: readonly string[] = ['traffic', 'auc'],
  first: 'chart' | 'charts' = 'chart',
  comparison?: string,
  applicationId?: string,
): Scenario {
  const body = {
    ...(applicationId === undefined ? { project_id: 'p' } : { application_id: applicationId }),
    query_type: 'MONITORING',
    ...(comparison === undefined ? {} : { time_comparison: comparison }),
    filters: { time_label: '30d', time_range: null, time_zone: 'UTC', bin_size: 'Day' },
    queries: metrics.map((metric, index) => ({
      query_key: KEYS[index],
      model_id: 'm',
      metric,
      columns: [],
      viz_type: 'line',
    })),
  };
  const chart = { id: 'c1', name: 'Fraud week', body, about: 'Card fraud', right: [KEYS[1]], savedAtMs: 1 };
  const tab =
    first === 'chart'
      ? { id: '1', kind: 'chart', title: 'Fraud week', params: { chartId: 'c1' } }
      : { id: '1', kind: 'charts', title: 'Charts', params: {} };
  return { ...scenario, layout: { charts: { list: [chart] }, tabs: { list: [tab], activeId: '1' } } };
}

const plot = (page: Page): Locator => page.getByRole('slider', { name: 'Time in Fraud week' });
const legend = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Series' }).getByRole('button', { name });

test('describes a chart, and moves over its plot by keyboard', async ({ open }) => {
  const page = await open(withChart());
  await expect(plot(page)).toHaveAccessibleDescription(
    /^2 series from .* UTC\. Traffic: 27 values, 1 of a time that is not over, 3 gaps; lowest/,
  );
  await plot(page).focus();
  await page.keyboard.press('End');
  await expect(plot(page)).toHaveAttribute(
    'aria-valuetext',
    /UTC; Traffic [\d.]+ so far; AUC [\d.]+ so far$/,
  );
  const last = await plot(page).getAttribute('aria-valuetext');
  await page.keyboard.press('ArrowLeft');
  await expect(plot(page)).not.toHaveAttribute('aria-valuetext', last ?? '');
  await expect(plot(page)).toHaveAttribute('aria-valuenow', '28');
  await page.keyboard.press('Home');
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowRight');
  await expect(plot(page)).toHaveAttribute('aria-valuetext', /Traffic no value; AUC no value$/);
});

test("opens the spans of a selected point's bin, or explains for a model chart why there are none", async ({
  open,
}) => {
  const ofModel = await open(withChart());
  await plot(ofModel).focus();
  await ofModel.keyboard.press('End');
  await ofModel.keyboard.press('Enter');
  const said = ofModel.getByRole('status').filter({ hasText: 'Values of a model come from events' });
  await expect(said).toHaveText(/^\w{3} \d{1,2} \w{3,4} \d{4} Values of a model/);
  await ofModel.getByRole('button', { name: 'Clear the chosen time' }).click();
  await expect(said).toBeHidden();

  const page = await open(withChart({}, ['traffic', 'auc'], 'chart', undefined, 'a1'));
  await plot(page).focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Show spans of this time' }).click();
  await expect(page.getByRole('tab', { name: /^Spans from / })).toHaveAttribute('aria-selected', 'true');
  const asked = async () =>
    (await callsOf(page, 'library:open-list'))
      .map(({ argument }) => argument['query'] as { operation: string; body: Record<string, string> })
      .find(({ operation }) => operation === 'spans.query');
  await expect.poll(asked).toMatchObject({ body: { application_id: 'a1' } });
  const { start_time: start = '', end_time: end = '' } = (await asked())?.body ?? {};
  expect(Date.parse(end) - Date.parse(start)).toBe(86_400_000);
});

test('shows a comparison with an earlier period as a second series in plot, legend, text and table', async ({
  open,
}) => {
  const page = await open(withChart({}, ['traffic'], 'chart', 'Previous Week'));
  await expect(plot(page)).toHaveAccessibleDescription(
    /^2 series from .* Traffic: 27 values.* Traffic · previous week: 2\d values/,
  );
  await expect(legend(page, 'Traffic · previous week')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Series' })).toContainText(/change \+[\d.]+ \(\+[\d.]+ %\)/);
  await expect(page.getByText(/sent no comparison/)).toHaveCount(0);
  await page.getByRole('button', { name: 'Table' }).click();
  const grid = page.getByRole('grid', { name: 'Values of Fraud week' });
  await expect(
    grid.getByRole('columnheader', { name: 'Traffic · previous week', exact: true }),
  ).toBeVisible();
  await expect(grid.getByRole('columnheader', { name: 'Change from Traffic · previous week' })).toBeVisible();
  await expect(grid).toHaveAttribute('aria-rowcount', '31');
  await expect(grid.getByRole('gridcell').nth(1)).toHaveCSS('text-align', 'right');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Export all values…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export Fraud week' });
  await expect(dialog).toContainText(
    'All 30 values of 1 series, a row for each, with the value of the previous week and the difference beside it,',
  );
  await dialog.getByRole('button', { name: 'Export to…' }).click();
  const { plan } = (await newestCall(page, 'jobs:create')) as { plan: { table: { names: object } } };
  expect(plan).toMatchObject({ table: { earlier: null } });
  expect(Object.values(plan.table.names)).toEqual(['Traffic']);
});

test('shows every digit of the exact values in its table', async ({ open }) => {
  const page = await open(withChart({ hasLongNumbers: true }));
  await page.getByRole('button', { name: 'Table' }).click();
  const grid = page.getByRole('grid', { name: 'Values of Fraud week' });
  const cells = grid.getByRole('gridcell').filter({ hasText: /^[\d,]+\.\d{9,}$/ });
  await expect(cells.first()).toBeVisible();
  const overflows = await cells.evaluateAll((found) =>
    found.map((cell) => cell.scrollWidth - cell.clientWidth),
  );
  expect(Math.max(...overflows)).toBe(0);
});

test('reports that the service sent no comparison, and offers to request the earlier period separately', async ({
  open,
}) => {
  const page = await open(withChart({ comparison: 'none' }, ['traffic'], 'chart', 'Previous Week'));
  await expect(page.getByText('The service sent no comparison with the previous week.')).toBeVisible();
  await expect(plot(page)).toHaveAccessibleDescription(/^1 series/);
  await page.getByRole('button', { name: 'Load the previous week' }).click();
  const asked = async () =>
    (await callsOf(page, 'library:open-record'))
      .map(({ argument }) => (argument['query'] as { body?: Record<string, unknown> }).body)
      .filter((body) => body !== undefined)
      .map(({ time_comparison, filters }) => [
        time_comparison,
        (filters as Record<string, unknown>)['time_range'],
      ]);
  await expect
    .poll(asked)
    .toContainEqual([
      undefined,
      { start_time: '2026-10-13T00:00:00.000Z', end_time: '2026-11-11T00:00:01.000Z' },
    ]);
  await expect(legend(page, 'Traffic · previous week')).toBeVisible();
  await expect(page.getByText(/sent no comparison/)).toHaveCount(0);
});

test('zooms by keyboard and drag, and resets by 0, Escape, double click and button', async ({ open }) => {
  const page = await open(withChart());
  const reset = page.getByRole('button', { name: 'Reset zoom' });
  await plot(page).focus();
  await page.keyboard.press('+');
  await expect(reset).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(reset).toBeHidden();
  const box = (await plot(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const drag = async () => {
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.4);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5, { steps: 4 });
    await page.mouse.up();
  };
  await drag();
  await expect(plot(page)).toHaveAccessibleDescription(/^2 series from .*Traffic: (8|9|1\d) values/);
  await reset.click();
  await expect(reset).toBeHidden();
  await drag();
  await expect(reset).toBeVisible();
  await plot(page).dblclick();
  await expect(reset).toBeHidden();
  // A button and a key restore the previous zoom.
  await page.getByRole('button', { name: 'Previous zoom' }).click();
  await expect(reset).toBeVisible();
  await expect(plot(page)).toHaveAccessibleDescription(/^2 series from .*Traffic: (8|9|1\d) values/);
  await plot(page).focus();
  await page.keyboard.press('Alt+ArrowRight');
  await expect(reset).toBeHidden();
  await expect(page.getByRole('button', { name: 'Next zoom' })).toBeDisabled();
  await page.keyboard.press('Alt+ArrowLeft');
  await expect(reset).toBeVisible();
});

test('shows the same time in two charts side by side', async ({ open }) => {
  const { layout = {}, ...scenario } = withChart();
  const { list } = layout['charts'] as { list: { id: string }[] };
  const second = { ...list[0], id: 'c2', name: 'Loans' };
  const tab = (id: string, title: string, chartId: string) => ({
    ...{ id, kind: 'chart', title, params: { chartId }, isRight: id === '2' },
  });
  const tabs = [tab('1', 'Fraud week', 'c1'), tab('2', 'Loans', 'c2')];
  const page = await open({
    ...scenario,
    layout: { charts: { list: [...list, second] }, tabs: { list: tabs, activeId: '1', besideId: '2' } },
  });
  const right = page.getByRole('region', { name: 'Loans', exact: true });
  await expect(page.getByRole('slider', { name: 'Time in Loans' })).toBeVisible();
  await expect(right.locator('svg.cross')).toHaveCount(0);
  await plot(page).focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  const at = ((await plot(page).getAttribute('aria-valuetext')) ?? '').split(';')[0] ?? '';
  await expect(right.locator('svg.cross')).toBeVisible();
  await expect(right.getByText(at.split(',')[0] ?? '')).toBeVisible();
  // In the smallest window, there is room for the names beside or above the tools.
  await page.setViewportSize({ width: 1000, height: 640 });
  await plot(page).press('+');
  for (const series of await page.getByRole('list', { name: 'Series' }).all())
    expect((await series.boundingBox())?.width).toBeGreaterThan(150);
  // Loans only marks the time that was chosen in the first chart; its own slider has chosen none.
  await expect(page.getByRole('slider', { name: 'Time in Loans' })).toHaveAttribute(
    'aria-valuetext',
    'No time chosen',
  );
  await plot(page).blur();
  await expect(right.locator('svg.cross')).toHaveCount(0);
});

test('hides a series, shows it, and shows it alone in the legend, also by keyboard', async ({ open }) => {
  const page = await open(withChart());
  await expect(legend(page, 'AUC')).toContainText('right');
  await legend(page, 'Traffic').press('Space');
  await expect(legend(page, 'Traffic')).toHaveAttribute('aria-pressed', 'false');
  await expect(plot(page)).toHaveAccessibleDescription(/^1 series .*AUC/);
  await legend(page, 'Traffic').press('Enter');
  await legend(page, 'AUC').click({ modifiers: ['Shift'] });
  await expect(legend(page, 'Traffic')).toHaveAttribute('aria-pressed', 'false');
  await legend(page, 'AUC').click({ modifiers: ['Shift'] });
  await expect(legend(page, 'Traffic')).toHaveAttribute('aria-pressed', 'true');
});

test('shows the same values in the table, and copies the visible ones as CSV', async ({ open }) => {
  const page = await open(withChart());
  await page.getByRole('button', { name: 'Table' }).click();
  const grid = page.getByRole('grid', { name: 'Values of Fraud week' });
  await expect(grid).toHaveAttribute('aria-rowcount', '31');
  await expect(grid.getByRole('row').nth(5).getByRole('gridcell')).toHaveText([/\w{3} \d/, '–', '–']);
  await grid.focus();
  await page.keyboard.press('Control+c');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Copy as CSV' }).click();
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Copy as table' }).click();
  await newestCall(page, 'app:copy-text', 3);
  const texts = (await callsOf(page, 'app:copy-text')).map(({ argument }) => String(argument['text']));
  expect(texts[0]).toMatch(/^Time, UTC\tTraffic\tAUC\n/);
  const lines = (texts[1] ?? '').split('\r\n');
  expect(lines).toHaveLength(31);
  expect(lines[0]).toBe('time (UTC),Traffic,AUC,unfinished');
  expect(lines[5]).toMatch(/T00:00:00\+00:00,,,$/);
  expect(lines[30]).toMatch(/,yes$/);
  expect(texts[2]).toMatch(/^time \(UTC\)\tTraffic\tAUC\tunfinished\n/);
});

test('exports all values with the names of their series, whatever is visible', async ({ open }) => {
  const page = await open(withChart());
  await expect(page.locator('canvas')).toBeVisible();
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Export all values…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export Fraud week' });
  await expect(dialog).toContainText('All 60 values of 2 series');
  await dialog.getByRole('button', { name: 'Export to…' }).click();
  const { plan } = (await newestCall(page, 'jobs:create')) as { plan: { table: { names: object } } };
  expect(plan).toMatchObject({
    table: { form: 'chart', query: { operation: 'queries.run' }, earlier: null },
  });
  expect(Object.values(plan.table.names)).toEqual(['Traffic', 'AUC']);
});

test('saves a chart as a picture and as CSV', async ({ open }) => {
  const page = await open(withChart());
  await expect(page.locator('canvas')).toBeVisible();
  for (const item of ['Save as picture (PNG)…', 'Save as CSV…']) {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await expect(page.getByText(/^Saved Fraud-week\.(png|csv)$/).first()).toBeVisible();
  }
  await expect(page.getByText('Saved Fraud-week.csv')).toBeVisible();
  const saved = (await callsOf(page, 'app:save-file')).map(({ argument }) => argument);
  expect(saved.map(({ fileName }) => fileName)).toEqual(['Fraud-week.png', 'Fraud-week.csv']);
  const [picture, table] = saved.map(({ base64 }) => Buffer.from(String(base64), 'base64'));
  expect(picture?.subarray(1, 4).toString()).toBe('PNG');
  expect(picture?.readUInt32BE(16)).toBeGreaterThan(600);
  expect(table?.toString()).toMatch(/^time \(UTC\),Traffic,AUC,unfinished\r\n/);
});

test('drags a chart out by its handle as a picture', async ({ open }) => {
  const page = await open(withChart());
  await expect(page.locator('canvas')).toBeVisible();
  const handle = page.getByRole('img', { name: 'Handle to drag the picture out' });
  await handle.dispatchEvent('pointerdown');
  await handle.dispatchEvent('dragstart');
  await expect.poll(() => callsOf(page, 'app:drag-out')).toHaveLength(1);
  const dragged = await newestCall(page, 'app:drag-out');
  expect(dragged).toMatchObject({ of: 'made', fileName: 'Fraud-week.png' });
  expect(Buffer.from(String(dragged['base64']), 'base64').subarray(1, 4).toString()).toBe('PNG');
  expect(await violations(page)).toEqual([]);
});

const STATES: Record<string, { scenario: Scenario; says: RegExp }> = {
  'not stored and offline': {
    scenario: { lists: 'not-stored', network: 'switched-off' },
    says: /not available offline/,
  },
  'never answered': { scenario: { lists: 'broken', network: 'unreachable' }, says: /Connection refused/ },
  'without values': {
    scenario: { metrics: 'empty' },
    says: /The answer has nothing for this metric.*no values for this time/s,
  },
};
for (const [name, { scenario, says }] of Object.entries(STATES)) {
  test(`shows a message in place of a chart: ${name}`, async ({ open }) => {
    const page = await open(withChart(scenario));
    await expect(page.getByRole('main')).toContainText(says);
    await expect(plot(page)).toHaveCount(0);
  });
}

test('says in the form of a chart that metrics are not available offline, without an error', async ({
  open,
}) => {
  const page = await open(withChart({ lists: 'not-stored', network: 'switched-off' }));
  const main = page.getByRole('main');
  await expect(main).toContainText('The metrics of this model are not available offline.');
  await expect(main.getByRole('alert')).toHaveCount(0);
});

test('keeps a chart that could not be refreshed, with the error above it', async ({ open }) => {
  const page = await open(withChart({ lists: 'failed', network: 'unreachable' }));
  await expect(page.getByRole('alert')).toContainText('Could not refresh: connection refused.');
  await expect(plot(page)).toHaveAccessibleDescription(/^2 series/);
  await expect(page.getByRole('button', { name: /^Age of this content: offline · as of/ })).toBeVisible();
});

test('shows a skeleton and no chart while nothing is loaded', async ({ open }) => {
  const page = await open(withChart({ lists: 'loading' }, ['traffic'], 'charts'));
  await page.getByRole('row', { name: /Fraud week/ }).dblclick();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Fraud week');
  await expect(page.getByRole('main').locator('[aria-busy="true"], .skeleton').first()).toBeAttached();
  await expect(plot(page)).toHaveCount(0);
});

test('reports queries without an answer or with an error, and draws the others', async ({ open }) => {
  const page = await open(withChart({ metrics: 'partly' }, ['traffic', 'auc', 'average']));
  const main = page.getByRole('main');
  await expect(main).toContainText('AUC: The answer has nothing for this metric.');
  await expect(main).toContainText('Average: The baseline is gone.');
  await expect(plot(page)).toHaveAccessibleDescription(/^1 series/);
});

test('checks a pasted JSON definition before requesting it', async ({ open }) => {
  const page = await open(withChart());
  await page.getByRole('tab', { name: 'JSON' }).click();
  const text = page.getByRole('textbox', { name: 'Definition of the chart' });
  await expect(text).toHaveValue(/"queries"/);
  const own = JSON.parse(await text.inputValue()) as { queries: object[]; filters: object };
  await text.fill('{');
  await page.getByRole('button', { name: 'Use this definition' }).click();
  await expect(page.getByRole('main')).toContainText('Not JSON');
  await text.fill(JSON.stringify({ ...own, trace: 'kept', queries: own.queries.slice(0, 1) }));
  await page.getByRole('button', { name: 'Use this definition' }).click();
  await expect(plot(page)).toHaveAccessibleDescription(/^1 series/);
  const asked = (await callsOf(page, 'library:open-record')).map(
    ({ argument }) => argument['query'] as { operation: string; body?: object },
  );
  expect(asked.filter(({ operation }) => operation === 'queries.run').at(-1)?.body).toMatchObject({
    trace: 'kept',
  });
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeEnabled();
});

async function openRule(page: Page): Promise<void> {
  await section(page, 'Alert rules');
  await page.getByRole('row', { name: /Traffic drops/ }).dblclick();
  await expect(page.getByRole('slider', { name: 'Time in Traffic drops' })).toBeVisible();
}

test('shows a rule’s records over its values, and selects a bin by keyboard, by click and from alert to alert', async ({
  open,
}) => {
  const page = await open();
  await openRule(page);
  const time = page.getByRole('slider', { name: 'Time in Traffic drops' });
  await expect(time).toHaveAccessibleDescription(
    /Warning threshold: 80, below it\. Critical threshold: 60, below it\. 3 critical records, 3 warning records\.$/,
  );
  const bin = page.getByRole('region', { name: 'Chosen bin' });
  await expect(bin.getByRole('status')).toHaveText('No bin selected.');
  await takePictures(page, test.info(), 'no-bin');
  await time.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(bin).toContainText(/Normal.*Traffic is 50\./);
  await expect(bin).toContainText(/Warning 80.*Critical 60/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(bin).toContainText(/Critical.*Traffic is 52\./);
  await page.getByRole('button', { name: 'Later alert' }).click();
  await expect(bin).toContainText(/Warning.*Traffic is 56\./);
  const asked = (await callsOf(page, 'library:open-record')).map(
    ({ argument }) => argument['query'] as { operation: string; query: Record<string, string> },
  );
  // The time is sent back to the service exactly as the service wrote it.
  expect(
    asked.find(({ operation }) => operation === 'alert-rules.thresholds')?.query['alert_time_bucket'],
  ).toMatch(/^\d{10}$/);
});

test('exports all values of a rule’s metric', async ({ open }) => {
  const page = await open();
  await openRule(page);
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Export all values…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export Values of Traffic drops' });
  await expect(dialog).toContainText(/All \d+ values of 1 series/);
  await dialog.getByRole('button', { name: 'Export to…' }).click();
  await expect(dialog).toBeHidden();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({
    plan: { table: { form: 'chart', query: { operation: 'queries.run' } } },
  });
});

const VIEWS: Record<string, { scenario?: Scenario; go: (page: Page) => Promise<unknown> }> = {
  chart: { scenario: withChart(), go: async (page) => expect(plot(page)).toBeVisible() },
  'chart as a table': {
    scenario: withChart(),
    go: async (page) => {
      await page.getByRole('button', { name: 'Table' }).click();
      await expect(page.getByRole('grid', { name: 'Values of Fraud week' })).toBeVisible();
    },
  },
  'alert rules': {
    go: async (page) => {
      await section(page, 'Alert rules');
      await expect(page.getByRole('row', { name: /Traffic drops/ })).toBeVisible();
    },
  },
  'alert rule': { go: openRule },
  notification: {
    go: async (page) => {
      await openRule(page);
      await page.getByRole('tab', { name: 'Notification' }).click();
      await expect(page.getByRole('tab', { name: 'Notification', selected: true })).toBeVisible();
    },
  },
  'new alert rule': {
    go: async (page) => {
      await section(page, 'Alert rules');
      await page.getByRole('button', { name: 'New alert rule' }).click();
      await expect(page.getByRole('form', { name: 'New alert rule' })).toBeVisible();
    },
  },
};
for (const [name, { scenario, go }] of Object.entries(VIEWS)) {
  test(`${name}: passes the accessibility checker in both themes`, async ({ open }) => {
    const page = await open({ ...scenario, theme: 'light' });
    await go(page);
    expect(await violations(page)).toEqual([]);
    expect(await violationsInDark(page)).toEqual([]);
  });
}
