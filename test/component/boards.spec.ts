/**
 * Boards: the board of a model, one crosshair and zoom for all tiles, boards of the user, the form of a tile, and all
 * states.
 */
import type { Locator, Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import { plot, tile, withBoard } from './board-steps.ts';
import { MODEL_ID } from './fake-main/monitoring.ts';
import { CONNECTION_ID, type Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, test } from './fixtures.ts';

const DRIFT = 'Drift against default_static_baseline';
const STANDARD = ['Traffic', DRIFT, 'Precision and recall', 'Missing values'];
const titles = (page: Page): Locator => page.locator('section.tile h2');
const keys = (page: Page, title: string): Locator => tile(page, title).getByRole('list', { name: 'Values' });

/** Bodies of the requested metric queries. */
async function asked(page: Page): Promise<Record<string, unknown>[]> {
  return (await callsOf(page, 'library:open-record'))
    .map(({ argument }) => argument['query'] as { operation: string; body?: Record<string, unknown> })
    .flatMap(({ operation, body }) => (operation === 'queries.run' && body !== undefined ? [body] : []));
}

async function chooseInMenu(page: Page, title: string, item: string): Promise<void> {
  await tile(page, title).hover();
  await page.getByRole('button', { name: `More of ${title}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** The tiles of the saved boards, by name of the board. */
async function savedTiles(page: Page): Promise<Record<string, string[]>> {
  const writes = await callsOf(page, 'layout:write');
  const views = (writes.findLast(({ argument }) => argument['key'] === 'views')?.argument['value'] ?? []) as {
    name: string;
    params: { tiles: string };
  }[];
  return Object.fromEntries(
    views.map(({ name, params }) => [
      name,
      (JSON.parse(params.tiles) as { title: string }[]).map(({ title }) => title),
    ]),
  );
}

test('shows the board of a model, each tile with its values and the thresholds of its rule', async ({
  open,
}) => {
  const page = await open(withBoard());
  await expect(titles(page)).toHaveText(STANDARD);
  await expect(plot(page, 'Traffic')).toHaveAccessibleDescription(
    /^1 series from .*Traffic: 27 values.* Warning threshold: 80, below it\. Critical threshold: 60, below it\. 3 critical records, 3 warning records\.$/,
  );
  await expect(keys(page, 'Traffic')).toHaveText(
    /Traffic [\d.]+.*Warning\s+below\s+80.*Critical\s+below\s+60/s,
  );
  await expect(keys(page, DRIFT)).toHaveText(/2 more\s*$/);
  await expect(plot(page, DRIFT)).toHaveAccessibleDescription(/^3 series from /);
  expect(await violationsInBothThemes(page)).toEqual([]);
});

test('opens from the sidebar with the board shown last, and leads to the saved charts', async ({ open }) => {
  const page = await open({ hasManyMetrics: true });
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Charts' }).click();
  await expect(page.getByRole('tab', { name: 'Bank churn board' })).toHaveAttribute('aria-selected', 'true');
  await expect(titles(page).first()).toHaveText('Traffic');
  const board = page.getByRole('combobox', { name: 'Board', exact: true });
  await board.fill('Card');
  await page.getByRole('option', { name: /^Card fraud/ }).click();
  await expect(page.getByRole('tab', { name: 'Card fraud board' })).toBeVisible();
  await page.getByRole('navigation', { name: 'Charts' }).getByRole('button', { name: 'Charts' }).click();
  await expect(page.getByText('No saved charts yet.')).toBeVisible();
  await page.getByRole('navigation', { name: 'Charts' }).getByRole('button', { name: 'Boards' }).click();
  await expect(page.getByRole('tab', { name: 'Card fraud board' })).toHaveAttribute('aria-selected', 'true');
});

test('keeps its header in one line in a small window', async ({ open }) => {
  const page = await open(withBoard({ network: 'switched-off' }));
  await page.setViewportSize({ width: 1_000, height: 640 });
  await expect(page.getByRole('button', { name: 'Chart', exact: true })).toBeVisible();
  const { height } = (await page.locator('main .header .row').first().boundingBox()) ?? { height: 0 };
  expect(height).toBeLessThan(50);
});

test('moves one crosshair over all tiles by keyboard, and pins it', async ({ open }) => {
  const page = await open(withBoard());
  await expect(plot(page, 'Missing values')).toBeVisible();
  const before = await keys(page, 'Precision and recall').textContent();
  await plot(page, 'Traffic').focus();
  await page.keyboard.press('Home');
  await expect(page.locator('section.tile svg.cross')).toHaveCount(4);
  await expect(keys(page, 'Precision and recall')).not.toHaveText(before ?? '');
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowRight');
  // The values of every tile have a gap at this time.
  await expect(keys(page, 'Traffic')).toHaveText(/Traffic –/);
  await expect(keys(page, 'Precision and recall')).toHaveText(/Precision –.*Recall –/);
  await page.keyboard.press('ArrowRight');
  await expect(keys(page, 'Precision and recall')).not.toHaveText(/–/);
  const pinned = await keys(page, 'Precision and recall').textContent();
  await page.keyboard.press('Enter');
  await plot(page, 'Traffic').blur();
  await expect(page.locator('section.tile svg.cross')).toHaveCount(0);
  await expect(keys(page, 'Precision and recall')).toHaveText(pinned ?? '');
  await plot(page, 'Traffic').press('Escape');
  await expect(keys(page, 'Precision and recall')).toHaveText(before ?? '');
});

test('zooms all tiles by a drag in one, and back by Escape and by double click', async ({ open }) => {
  const page = await open(withBoard());
  const reset = page.getByRole('button', { name: 'Reset zoom' });
  const drag = async () => {
    const box = (await plot(page, 'Traffic').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.4);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5, { steps: 4 });
    await page.mouse.up();
  };
  await expect(plot(page, 'Missing values')).toBeVisible();
  await drag();
  await expect(reset).toBeVisible();
  for (const title of ['Traffic', 'Precision and recall'])
    await expect(plot(page, title)).toHaveAccessibleDescription(/: (8|9|1\d) values/);
  await plot(page, 'Missing values').press('Escape');
  await expect(reset).toBeHidden();
  await expect(plot(page, 'Traffic')).toHaveAccessibleDescription(/: 27 values/);
  await drag();
  await plot(page, DRIFT).dblclick();
  await expect(reset).toBeHidden();
});

test('requests all tiles again for another range and for a comparison, each once', async ({ open }) => {
  const page = await open(withBoard());
  await expect(plot(page, 'Missing values')).toBeVisible();
  expect(await asked(page)).toHaveLength(4);
  await page.getByRole('combobox', { name: 'Time range of the board' }).selectOption('7d');
  await expect.poll(async () => (await asked(page)).length).toBe(8);
  for (const body of (await asked(page)).slice(4))
    expect(body).toMatchObject({ filters: { time_label: '7d', bin_size: 'Day' } });
  await page.getByRole('combobox', { name: 'Compared with' }).selectOption('period');
  await expect.poll(async () => (await asked(page)).length).toBe(12);
  for (const body of (await asked(page)).slice(8))
    expect(body).toMatchObject({ time_comparison: 'Previous Week' });
  await expect(keys(page, 'Traffic')).toHaveText(/Traffic [\d.]+.*previous week [\d.]+/);
});

test('requests a tile when it comes near the visible part, and nothing twice', async ({ open }) => {
  const page = await open(withBoard());
  await page.setViewportSize({ width: 1000, height: 640 });
  await expect(plot(page, 'Traffic')).toBeVisible();
  const tiles = Array.from({ length: 12 }, (_, at) => ({
    ...{ id: `t${at}`, title: `Tile ${at}`, about: 'Card fraud', right: [], top: 0 },
    body: {
      project_id: 'p',
      query_type: 'MONITORING',
      queries: [
        { query_key: 'k', model_id: MODEL_ID, metric: `metric ${at}`, columns: [], viz_type: 'line' },
      ],
    },
  }));
  const long = await open(withBoard({}, { board: 'own:x', tiles: JSON.stringify(tiles) }));
  await long.setViewportSize({ width: 1000, height: 640 });
  await expect(plot(long, 'Tile 0')).toBeVisible();
  await expect.poll(async () => (await asked(long)).length).toBeGreaterThan(1);
  expect((await asked(long)).length).toBeLessThan(12);
  await titles(long).last().scrollIntoViewIfNeeded();
  await expect(plot(long, 'Tile 11')).toBeVisible();
  const metrics = (await asked(long)).map(({ queries }) => JSON.stringify(queries));
  expect(new Set(metrics).size).toBe(metrics.length);
});

test('cancels the requests of its tiles when the view is left', async ({ open }) => {
  const page = await open(withBoard({ metrics: 'loading' }));
  await expect(titles(page)).toHaveText(STANDARD);
  await expect.poll(async () => (await asked(page)).length).toBe(4);
  await page.keyboard.press('Control+1');
  const released = async () =>
    (await callsOf(page, 'library:release')).filter(({ argument }) =>
      /^tab-1\.tile\./.test(String(argument['viewId'])),
    );
  await expect.poll(async () => (await released()).length).toBe(4);
});

test('saves changes of tiles at once: moved by keys, removed, duplicated, undone', async ({ open }) => {
  const page = await open(withBoard());
  await expect(titles(page)).toHaveText(STANDARD);
  const edit = page.getByRole('button', { name: 'Edit Traffic' });
  await edit.focus();
  await page.keyboard.press('Alt+Shift+ArrowRight');
  await expect(titles(page)).toHaveText([DRIFT, 'Traffic', ...STANDARD.slice(2)]);
  await expect(edit).toBeFocused();
  await chooseInMenu(page, 'Missing values', 'Remove from the board');
  await expect(titles(page)).toHaveText([DRIFT, 'Traffic', 'Precision and recall']);
  expect(await savedTiles(page)).toEqual({ 'Card fraud board': [DRIFT, 'Traffic', 'Precision and recall'] });
  await page.keyboard.press('Control+z');
  await expect(titles(page)).toHaveText([DRIFT, 'Traffic', ...STANDARD.slice(2)]);
  await chooseInMenu(page, 'Traffic', 'Duplicate');
  await expect(titles(page)).toHaveText([DRIFT, 'Traffic', 'Traffic copy', ...STANDARD.slice(2)]);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Reset to the standard board' }).click();
  await expect(titles(page)).toHaveText(STANDARD);
});

test('moves a tile by dragging it onto another', async ({ open }) => {
  const page = await open(withBoard());
  await expect(titles(page)).toHaveText(STANDARD);
  await tile(page, 'Missing values').locator('.head').dragTo(tile(page, 'Traffic'));
  await expect(titles(page)).toHaveText(['Missing values', ...STANDARD.slice(0, 3)]);
});

test('edits a tile in a drawer: the change shows at once, is saved, and is one step to undo', async ({
  open,
}) => {
  const page = await open(withBoard());
  await expect(titles(page)).toHaveText(STANDARD);
  await page.getByRole('button', { name: 'Edit Traffic' }).click();
  const title = page.getByRole('textbox', { name: 'Title' });
  await expect(title).toBeFocused();
  await page.getByRole('combobox', { name: 'Metric 1', exact: true }).fill('AUC');
  await page.getByRole('option', { name: /^AUC/ }).click();
  await expect(titles(page).first()).toHaveText('AUC');
  await title.fill('Area under the curve');
  await expect(titles(page).first()).toHaveText('Area under the curve');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await title.press('Escape');
  await expect(title).toBeHidden();
  await expect(page.getByRole('button', { name: 'Edit Area under the curve' })).toBeFocused();
  expect((await savedTiles(page))['Card fraud board']?.[0]).toBe('Area under the curve');
  await page.keyboard.press('Control+z');
  await expect(titles(page)).toHaveText(STANDARD);
});

test('adds a new chart and a saved one, and opens a tile as a chart', async ({ open }) => {
  const body = {
    project_id: 'p',
    query_type: 'MONITORING',
    filters: { time_label: '90d', time_range: null, time_zone: 'UTC', bin_size: 'Week' },
    queries: [{ query_key: 'k', model_id: MODEL_ID, metric: 'auc', columns: [], viz_type: 'line' }],
  };
  const chart = { id: 'c1', name: 'Fraud week', body, about: 'Card fraud', right: [], savedAtMs: 1 };
  const page = await open(withBoard({ layout: { charts: { list: [chart] } } }));
  await expect(titles(page)).toHaveText(STANDARD);
  await page.getByRole('button', { name: 'Chart', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Fraud week' }).click();
  await expect(titles(page)).toHaveText([...STANDARD, 'Fraud week']);
  await page.getByRole('button', { name: 'Chart', exact: true }).click();
  await page.getByRole('menuitem', { name: 'New chart' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await page.getByRole('button', { name: 'Close the form' }).click();
  await expect(titles(page)).toHaveText([...STANDARD, 'Fraud week', 'Mine']);
  await page.getByRole('button', { name: 'Open Fraud week as a chart' }).click();
  await expect(page.getByRole('tab', { name: 'Fraud week' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('combobox', { name: 'Time', exact: true })).toHaveValue('30d');
});

test('keeps an own board: new, renamed, found by the palette, opened again, deleted', async ({ open }) => {
  const page = await open(withBoard());
  await expect(titles(page)).toHaveText(STANDARD);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Save as another board…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Night watch');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('tab', { name: 'Night watch' })).toHaveAttribute('aria-selected', 'true');
  await expect(titles(page)).toHaveText(STANDARD);
  await page.keyboard.press('Control+w');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('night wat');
  await page
    .getByRole('option', { name: /^Night watch/ })
    .first()
    .click();
  await expect(page.getByRole('combobox', { name: 'Board', exact: true })).toHaveValue('Night watch');
  await expect(titles(page)).toHaveText(STANDARD);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete the board' }).click();
  await expect(page.getByText('No charts on this board yet.')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(titles(page)).toHaveText(STANDARD);
});

test('saves the board as one picture at twice its size, and all values as CSV, also of tiles out of view', async ({
  open,
}) => {
  const page = await open(withBoard());
  await page.setViewportSize({ width: 1000, height: 640 });
  await expect(plot(page, 'Traffic')).toBeVisible();
  const width = await plot(page, 'Traffic').evaluate((each) => each.clientWidth);
  for (const item of ['Save as picture (PNG)…', 'Save all values as CSV…']) {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await expect
      .poll(async () => (await callsOf(page, 'app:save-file')).length)
      .toBe(item.includes('CSV') ? 2 : 1);
  }
  const saved = (await callsOf(page, 'app:save-file')).map(({ argument }) => argument);
  expect(saved.map(({ fileName }) => fileName)).toEqual(['Card-fraud-board.png', 'Card-fraud-board.csv']);
  const [picture, table] = saved.map(({ base64 }) => Buffer.from(String(base64), 'base64'));
  expect(picture?.subarray(1, 4).toString()).toBe('PNG');
  expect(picture?.readUInt32BE(16)).toBe(2 * (width + 32));
  const lines = table?.toString().split('\r\n') ?? [];
  expect(lines).toHaveLength(31);
  expect(lines[0]).toMatch(
    /^time \(UTC\),Traffic,Drift against .* · fraud_score,.*,Missing values · is_online,unfinished$/,
  );
});

test('saves what an open form changed with the connection that is left', async ({ open }) => {
  const page = await open(withBoard());
  await expect(titles(page)).toHaveText(STANDARD);
  await page.getByRole('button', { name: 'Edit Traffic' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Events');
  await expect(titles(page).first()).toHaveText('Events');
  await page.getByRole('button', { name: /^Connection:/ }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Sample workspace' }).click();
  await expect(page.getByRole('button', { name: 'Connection: Sample workspace' })).toBeVisible();
  await expect.poll(async () => (await savedTiles(page))['Card fraud board']?.[0]).toBe('Events');
  const writes = (await callsOf(page, 'layout:write')).filter(({ argument }) => argument['key'] === 'views');
  expect(new Set(writes.map(({ argument }) => argument['connectionId']))).toEqual(new Set([CONNECTION_ID]));
});

test('keeps other changes of the board while a form is open, and saves nothing if it is only opened', async ({
  open,
}) => {
  const page = await open(withBoard());
  await expect(titles(page)).toHaveText(STANDARD);
  const title = page.getByRole('textbox', { name: 'Title' });
  await page.getByRole('button', { name: 'Edit Traffic' }).click();
  await page.getByRole('button', { name: 'Close the form' }).click();
  await expect(title).toBeHidden();
  expect(await savedTiles(page)).toEqual({});
  await page.getByRole('button', { name: 'Edit Traffic' }).click();
  await title.fill('Events');
  await chooseInMenu(page, 'Missing values', 'Remove from the board');
  await expect(titles(page)).toHaveText(['Events', DRIFT, 'Precision and recall']);
  await title.fill('Event');
  await page.getByRole('button', { name: 'Close the form' }).click();
  await expect
    .poll(async () => (await savedTiles(page))['Card fraud board'])
    .toEqual(['Event', DRIFT, 'Precision and recall']);
  await page.keyboard.press('Control+z');
  await expect(titles(page)).toHaveText(['Events', DRIFT, 'Precision and recall']);
  await page.keyboard.press('Control+z');
  await expect(titles(page)).toHaveText(['Events', DRIFT, 'Precision and recall', 'Missing values']);
});

test('a new chart of an own board is requested and kept once it has a metric', async ({ open }) => {
  const page = await open(withBoard({}, { board: 'own:x', about: '', projectId: '', tiles: '[]' }));
  await page.getByRole('button', { name: 'New chart' }).click();
  await expect(tile(page, 'New chart')).toContainText('Choose what it is about and a metric in the form.');
  expect(await asked(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close the form' }).click();
  await expect(page.getByText('No charts on this board yet.')).toBeVisible();
  expect(await savedTiles(page)).toEqual({});
});

test('names what the picture and the table lack', async ({ open }) => {
  const page = await open(withBoard({ brokenMetric: 'jsd' }));
  await expect(plot(page, 'Traffic')).toBeVisible();
  for (const item of ['Save as picture (PNG)…', 'Save all values as CSV…']) {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await expect(page.getByText(/Missing: Drift against default_static_baseline \(/).first()).toBeVisible();
  }
  await expect.poll(async () => (await callsOf(page, 'app:save-file')).length).toBe(2);
  const [, table] = (await callsOf(page, 'app:save-file')).map(({ argument }) =>
    Buffer.from(String(argument['base64']), 'base64').toString(),
  );
  expect(table?.split('\r\n')[0]).toMatch(/,Drift against default_static_baseline \(.+\)/);
});

const ONE = [
  {
    id: 'a',
    title: 'Shared',
    about: '',
    right: [],
    top: 0,
    body: {
      project_id: 'p',
      query_type: 'MONITORING',
      queries: [{ query_key: 'k', model_id: MODEL_ID, metric: 'auc' }],
    },
  },
];
const STATES: Record<string, { scenario: Scenario; params?: Record<string, string>; says: RegExp }> = {
  'a tile that fails, beside the others': {
    scenario: { brokenMetric: 'jsd' },
    says: /Connection refused/i,
  },
  'offline without stored values': {
    scenario: { metrics: 'not-stored', network: 'switched-off' },
    says: /The values of this board are not available offline\..*These values are not available offline\./s,
  },
  'offline without the list of metrics': {
    scenario: { metrics: 'not-stored', modelMetrics: 'not-stored', network: 'switched-off' },
    says: /The list of metrics of Card fraud is not available offline\./,
  },
  'no values': { scenario: { metrics: 'empty' }, says: /No values in this range\./ },
  loading: { scenario: { metrics: 'loading' }, says: /Traffic/ },
  'metrics that could not be loaded': {
    scenario: { modelMetrics: 'broken' },
    says: /The list of metrics of Card fraud could not be loaded\..*Traffic/s,
  },
  'a damaged link': {
    scenario: {},
    params: { board: 'own:y', tiles: 'no JSON' },
    says: /No charts on this board yet\./,
  },
  'a link of somebody else': {
    scenario: {},
    params: { board: 'own:z', tiles: JSON.stringify(ONE) },
    says: /Shared/,
  },
};
test('a board that is only in a link keeps its charts when its first change is undone', async ({ open }) => {
  const two = [...ONE, { ...ONE[0], id: 'b', title: 'Second' }];
  const page = await open(withBoard({}, { board: 'own:z', tiles: JSON.stringify(two) }));
  await expect(titles(page)).toHaveText(['Shared', 'Second']);
  await page.getByRole('button', { name: 'Edit Shared' }).focus();
  await page.keyboard.press('Alt+Shift+ArrowRight');
  await expect(titles(page)).toHaveText(['Second', 'Shared']);
  await page.keyboard.press('Control+z');
  await expect(titles(page)).toHaveText(['Shared', 'Second']);
});

test('keeps two changes if the second begins before the first is stored', async ({ open }) => {
  const page = await open(withBoard());
  await expect(titles(page)).toHaveText(STANDARD);
  await page.evaluate(() => {
    for (const [name, key] of [
      ['Edit Traffic', 'ArrowRight'],
      ['Edit Missing values', 'ArrowLeft'],
    ] as const)
      document
        .querySelector(`[aria-label="${name}"]`)
        ?.dispatchEvent(
          new KeyboardEvent('keydown', { key, code: key, altKey: true, shiftKey: true, bubbles: true }),
        );
  });
  const both = [DRIFT, 'Traffic', 'Missing values', 'Precision and recall'];
  await expect(titles(page)).toHaveText(both);
  expect(await savedTiles(page)).toEqual({ 'Card fraud board': both });
});

test('refreshes all charts if that is asked for in the moment in which the board is opened', async ({
  open,
}) => {
  const shown = withBoard().layout?.['tabs'] as { list: object[] };
  const list = [{ id: '0', kind: 'catalog', title: 'Catalog', params: {} }, ...shown.list];
  const page = await open({ ...withBoard(), layout: { tabs: { list, activeId: '0' } } });
  await expect(page.getByRole('grid').first()).toBeVisible();
  await page.evaluate(async () => {
    const tabs = [...document.querySelectorAll<HTMLElement>('[role="tab"]')];
    tabs.find(({ textContent }) => textContent.includes('Card fraud board'))?.click();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    const keys = { key: 'r', code: 'KeyR', ctrlKey: true, bubbles: true };
    document.body.dispatchEvent(new KeyboardEvent('keydown', keys));
  });
  await expect(titles(page)).toHaveText(STANDARD);
  const again = async () =>
    (await callsOf(page, 'library:open-record')).filter(
      ({ argument: { query, refresh } }) =>
        refresh === 'always' && (query as { operation: string }).operation === 'queries.run',
    ).length;
  await expect.poll(again).toBe(STANDARD.length);
});

test('a board that is not stored any more is not the first one shown', async ({ open }) => {
  const last = { id: 'own:gone', title: 'Night watch', params: {} };
  const page = await open({ hasManyMetrics: true, layout: { 'board.last': last } });
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Charts' }).click();
  await expect(page.getByRole('tab', { name: 'Bank churn board' })).toHaveAttribute('aria-selected', 'true');
  await expect(titles(page).first()).toHaveText('Traffic');
});

test('offers all boards again after a search that was left by Tab', async ({ open }) => {
  const page = await open(withBoard());
  await expect(titles(page)).toHaveText(STANDARD);
  const board = page.getByRole('combobox', { name: 'Board', exact: true });
  await board.fill('Bank');
  const found = page.locator('.combobox-list').getByRole('option');
  await expect(found).toHaveText([/^Bank churn/]);
  await board.press('Tab');
  await expect(found).toHaveCount(0);
  await board.click();
  await expect(found.filter({ hasText: /^Card fraud/ }).first()).toBeVisible();
});

for (const [name, { scenario, params = {}, says }] of Object.entries(STATES)) {
  test(`says what a board cannot show: ${name}`, async ({ open }) => {
    const page = await open(withBoard(scenario, params));
    await expect(page.getByRole('main')).toContainText(says);
    if (scenario.brokenMetric !== undefined) {
      await expect(plot(page, 'Traffic')).toBeVisible();
      await expect(tile(page, DRIFT)).toContainText(/Connection refused/i);
    }
    // The message is shown once, and not once for each metric.
    await expect(page.getByText(/The answer has nothing/)).toHaveCount(0);
    expect(await violationsInBothThemes(page)).toEqual([]);
  });
}
