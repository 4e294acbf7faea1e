/** The grid by pointer, by keyboard, and by accessible names. */
import type { Page } from '@playwright/test';
import { callsOf, expect, newestCall, openEntities, test } from './fixtures.ts';
import { section } from './resource-steps.ts';

const GRID = 'Entities of Support assistant';
const firstCell = (page: Page) => page.getByRole('grid', { name: GRID }).getByRole('gridcell').first();
const titles = async (page: Page) => {
  const heads = page.getByRole('grid', { name: GRID }).getByRole('columnheader');
  return (await heads.allInnerTexts()).map((text) => text.trim());
};

test('states the numbers of rows and columns, and contains few of them', async ({ open }) => {
  const page = await open({ entities: 1_000_000 });
  await openEntities(page);
  const grid = page.getByRole('grid', { name: GRID });
  await expect(grid).toHaveAttribute('aria-rowcount', '1000001');
  await expect(page.getByText('1,000,000 entities')).toBeVisible();
  expect(await grid.getByRole('row').count()).toBeLessThan(80);
});

test('goes to the last of a million rows and back', async ({ open }) => {
  const page = await open({ entities: 1_000_000, density: 'comfortable' });
  await openEntities(page);
  await firstCell(page).click();
  const grid = page.getByRole('grid', { name: GRID });
  await grid.focus();
  await page.keyboard.press('Control+End');
  await expect(grid.locator('[aria-rowindex="1000001"]')).toContainText('_999999');
  await expect(grid.locator('[aria-rowindex="1000001"]')).toBeInViewport();
  await page.keyboard.press('Control+Home');
  await expect(grid.locator('[aria-rowindex="2"]')).toBeInViewport();
});

test('opens the row of the first click on a double click, even if the view moved in between', async ({
  open,
}) => {
  const page = await open();
  await section(page, 'Datasets');
  const cell = (row: number) => page.locator(`[aria-rowindex="${row}"] [role=gridcell]`).first();
  // The purpose of the dataset is shown below its name.
  const [name = ''] = (await cell(3).innerText()).trim().split('\n');
  const centre = async (row: number): Promise<[number, number]> => {
    const { x, y, height } = (await cell(row).boundingBox()) ?? { x: 0, y: 0, height: 0 };
    return [x + 20, y + height / 2];
  };
  await page.mouse.move(...(await centre(3)));
  await page.mouse.down();
  await page.mouse.up();
  await page.mouse.move(...(await centre(2)));
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
});

test('requests rows that are not stored when they become visible', async ({ open }) => {
  const page = await open({ storedRows: 500 });
  await openEntities(page);
  const grid = page.getByRole('grid', { name: GRID });
  await expect(grid).toHaveAttribute('aria-rowcount', '5001');
  await grid.focus();
  await page.keyboard.press('Control+End');
  await expect(grid.locator('[aria-rowindex="5001"]')).toContainText('_4999');
  const [fetched] = await callsOf(page, 'library:fetch-rows');
  expect(Number(fetched?.argument['offset'])).toBeGreaterThanOrEqual(4_900);
});

test('sorts by the header: ascending, descending, order of the service', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  const header = page.getByRole('columnheader', { name: 'Rows' });
  const before = await firstCell(page).innerText();
  await header.click();
  await expect(header).toHaveAttribute('aria-sort', 'ascending');
  await expect(page.getByText('5,000 entities', { exact: true })).toBeVisible();
  await header.click();
  await expect(header).toHaveAttribute('aria-sort', 'descending');
  await expect(firstCell(page)).not.toHaveText(before);
  await header.click();
  await expect(header).not.toHaveAttribute('aria-sort');
  await expect(firstCell(page)).toHaveText(before);
});

test('moves the cursor by arrow keys with the inspector following, and opens it by Space', async ({
  open,
}) => {
  const page = await open();
  await openEntities(page);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector).toBeHidden();
  await page.getByRole('grid', { name: GRID }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await expect(inspector.getByRole('heading')).toHaveText('model.prompt.region');
  await page.keyboard.press('ArrowUp');
  await expect(inspector.getByRole('heading')).toHaveText('request.gen_ai.input');
});

test('opens the values of an entity on Enter', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  await page.getByRole('grid', { name: GRID }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('gen_ai.user.count');
  await expect(page.getByRole('grid', { name: 'Values of gen_ai.user.count' })).toBeVisible();
});

test('opens the spans with a value on Enter, next to the tab of all spans', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  await page.getByRole('grid', { name: GRID }).press('Enter');
  const values = page.getByRole('grid', { name: 'Values of gen_ai.user.count' });
  const value = await values.getByRole('row').nth(1).getByRole('gridcell').first().innerText();
  await values.press('Enter');
  await expect(page.getByRole('grid', { name: 'Spans of Support assistant' })).toBeVisible();
  const call = JSON.stringify(await newestCall(page, 'library:open-list'));
  for (const key of ['gen_ai.user.count', 'system.gen_ai.user.count'])
    expect(call).toContain(`{"field":"SpanAttribute::${key}","operator":"eq","value":"${value.trim()}"}`);
  await expect(page.getByRole('tab', { name: `Spans: ${value.trim()}` })).toBeVisible();
});

test('copies the selected rows as a table on Ctrl C', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  await page.getByRole('grid', { name: GRID }).focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.getByText('3 selected')).toBeVisible();
  await page.keyboard.press('Control+c');
  await expect(page.getByText('3 rows copied')).toBeVisible();
  const [copied] = await callsOf(page, 'app:copy-text');
  const lines = String(copied?.argument['text']).split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]?.split('\t')).toEqual(['Name', 'Rows', 'Semantic name', 'Data type', 'Last seen']);
});

test('opens a row menu by right click and key, which opens, filters and copies', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  const grid = page.getByRole('grid', { name: GRID });
  const menu = page.getByRole('menu', { name: 'Row' });
  await grid.getByRole('gridcell', { name: 'model.prompt.region' }).first().click({ button: 'right' });
  await expect(menu.getByRole('menuitem')).toHaveText([
    /Show values\s+Enter/,
    /Show in the inspector\s+Space/,
    /Copy notebook code/,
    /Export…\s+Ctrl\+Shift\+E/,
    /Loaded rows: Name is “model.prompt.region”/,
    /Loaded rows: Name is not “model.prompt.region”/,
    /Copy cell/,
    /Copy path of the field/,
    /Copy row as a table\s+Ctrl\+C/,
    /Copy row as$/,
  ]);
  await menu.getByRole('menuitem', { name: 'Copy row as', exact: true }).press('ArrowRight');
  const formats = page.getByRole('menu', { name: 'Copy row as' });
  await expect(formats.getByRole('menuitem')).toHaveText([
    /Copy row as CSV/,
    /Copy row as JSON\s*$/,
    /Copy row as JSON Lines/,
    /Copy row as YAML/,
    /Copy row as Markdown/,
    /Copy row as Python/,
  ]);
  await page.keyboard.press('ArrowLeft');
  await menu.getByRole('menuitem', { name: 'Copy cell' }).click();
  await expect(page.getByText('Cell copied')).toBeVisible();
  expect((await callsOf(page, 'app:copy-text')).map(({ argument }) => argument['text'])).toEqual([
    'model.prompt.region',
  ]);
  await expect(grid).toBeFocused();

  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+F10');
  await expect(menu.getByRole('menuitem', { name: 'Copy 2 rows as', exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await expect(grid).toBeFocused();

  await page.keyboard.press('ContextMenu');
  await menu.getByRole('menuitem', { name: 'Loaded rows: Name is not' }).press('Enter');
  await expect(page.getByRole('button', { name: /^Remove Name not / })).toBeVisible();
});

test('filters the loaded rows on / by text and by expression, without a request', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  const opened = (await callsOf(page, 'library:open-list')).length;
  await page.getByRole('grid', { name: GRID }).focus();
  await page.keyboard.press('/');
  const narrow = page.getByRole('textbox', { name: 'Filter the loaded entities' });
  await expect(narrow).toBeFocused();
  await page.keyboard.type('/^user\\.tool/');
  await expect(page.getByText('500 of 5,000 entities')).toBeVisible();
  await narrow.fill('nothing of the kind');
  await expect(page.getByText('None of the 5,000 loaded entities matches')).toBeVisible();
  await narrow.fill('/(/');
  await expect(narrow).toHaveAttribute('aria-invalid', 'true');
  await narrow.fill('');
  await expect(page.getByText('5,000 entities')).toBeVisible();
  expect(await callsOf(page, 'library:open-list')).toHaveLength(opened);
});

test('hides, pins, moves, resizes, finds and resets columns', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  const all = await titles(page);
  const menu = async (column: string, item: string) => {
    await page.getByRole('columnheader', { name: column, exact: true }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: item }).click();
  };
  await menu('Data type', 'Hide');
  await expect.poll(() => titles(page)).toEqual(all.filter((title) => title !== 'Data type'));
  await menu('Rows', 'Pin to the left');
  await menu('Name', 'Unpin');
  const firstTitles = async (count: number) => (await titles(page)).slice(0, count);
  await expect.poll(() => firstTitles(2)).toEqual(['Rows', 'Name']);
  await menu('Last seen', 'Move left');
  await expect.poll(() => firstTitles(3)).toEqual(['Rows', 'Name', 'Last seen']);

  const head = page.getByRole('columnheader', { name: 'Rows' });
  const before = (await head.boundingBox())?.width ?? 0;
  await page.getByRole('grid', { name: GRID }).focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(async () => (await head.boundingBox())?.width).toBe(before + 16);

  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('textbox', { name: 'Find a column' }).fill('data');
  await page.getByRole('checkbox', { name: 'Data type' }).check();
  await page.getByRole('button', { name: 'Reset all columns' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => titles(page)).toEqual(all);
  await expect
    .poll(async () =>
      (await callsOf(page, 'layout:write')).some(({ argument }) => argument['key'] === 'grid.catalog'),
    )
    .toBe(true);
});

test('returns to the first row when sorting and filtering', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  const grid = page.getByRole('grid', { name: GRID });
  await grid.focus();
  await page.keyboard.press('Control+End');
  await expect(grid.locator('[aria-rowindex="5001"]')).toBeInViewport();
  await page.getByRole('columnheader', { name: 'Rows' }).click();
  await expect(grid.locator('[aria-rowindex="2"]')).toBeInViewport();
  await grid.focus();
  await page.keyboard.press('Control+End');
  await expect(grid.locator('[aria-rowindex="5001"]')).toBeInViewport();
  await page.getByRole('textbox', { name: 'Filter the loaded entities' }).fill('tool');
  await expect(grid.locator('[aria-rowindex="2"]')).toBeInViewport();
});

test('moves a header by dragging', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  const from = await page.getByRole('columnheader', { name: 'Rows' }).boundingBox();
  const to = await page.getByRole('columnheader', { name: 'Semantic name' }).boundingBox();
  if (from === null || to === null) throw new Error('Expected both headers to be on screen.');
  await page.mouse.move(from.x + 20, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x - 40, from.y + 10, { steps: 4 });
  await page.mouse.move(to.x + 10, to.y + 10, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => (await titles(page)).slice(0, 3)).toEqual(['Name', 'Rows', 'Semantic name']);
});

test('handles keys after a click', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  await page.getByRole('gridcell').first().click();
  await expect(page.getByRole('grid')).toBeFocused();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.getByText('3 selected')).toBeVisible();
  await page.getByRole('columnheader', { name: 'Data type' }).click();
  await expect(page.getByRole('grid')).toBeFocused();
});
