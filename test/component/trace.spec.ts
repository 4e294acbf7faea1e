/** A trace as a tree: by keyboard, by its bars, with reported problems, and smooth with 2,000 spans. */
import type { Locator, Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { expect, newestCall, test } from './fixtures.ts';
import { takePicture } from './pictures.ts';
import { ofScope } from './span-steps.ts';

const ofTrace = (scenario: Scenario = {}, fromSpan: Record<string, string> = {}): Scenario =>
  ofScope('trace', 'trace-of-many', scenario, fromSpan);
const tree = (page: Page): Locator => page.getByRole('treegrid', { name: 'Spans of the trace as a tree' });
const current = (page: Page): Locator => tree(page).locator('[role="row"][aria-selected="true"]');

test('draws few rows of 2,000 spans, states the total, moves by keys, and updates the inspector', async ({
  open,
}) => {
  const page = await open(ofTrace());
  await expect(tree(page)).toHaveAttribute('aria-rowcount', '2000');
  await expect(
    page.getByText(
      /^2,000 spans · 118 with errors · 548,550 tokens · 50 repeated figures left out · 1 span without a parent here$/,
    ),
  ).toBeVisible();
  expect(await tree(page).getByRole('row').count()).toBeLessThan(80);
  await expect(page.getByTitle('Durations read as ms.')).toBeVisible();
  await expect(tree(page).getByRole('row').nth(1)).toContainText(/ 420 ms\s*$/);
  await expect(tree(page).getByRole('row').nth(2)).toContainText(/ 2\.42 s\s*$/);
  await expect(page.getByRole('list', { name: 'Types of spans' }).getByRole('listitem')).toHaveText([
    'agent <1 %',
    'llm',
    'tool >99 %',
    'chain <1 %',
  ]);
  await expect(
    tree(page)
      .getByRole('row')
      .first()
      .getByTitle(/critical path/),
  ).toHaveAttribute('title', 'On the critical path for 200 ms, <1 % of the trace');
  const colours = await tree(page)
    .locator('.bar')
    .evaluateAll((bars) => new Set(bars.map((each) => getComputedStyle(each).backgroundColor)).size);
  expect(colours, 'a colour for each type').toBe(4);
  await tree(page).focus();
  await page.keyboard.press('ArrowDown');
  await expect(current(page)).toContainText('step_1');
  await expect(current(page)).toHaveAttribute('aria-level', '2');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('step_1');
  await page.keyboard.press('ArrowLeft');
  await expect(current(page)).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('ArrowLeft');
  await expect(current(page)).toContainText('step_0');
  await page.keyboard.press('End');
  await expect(current(page)).toContainText('parent not in this trace');
  await expect(current(page)).toBeInViewport();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  await expect(tree(page)).toHaveAttribute('aria-rowcount', '2');
  await page.getByRole('button', { name: 'Expand all' }).click();
  await expect(tree(page)).toHaveAttribute('aria-rowcount', '2000');
  const id = await tree(page).getAttribute('aria-activedescendant');
  await expect(page.locator(`[id="${id}"]`)).toHaveAttribute('aria-selected', 'true');
});

test('fetches spans that are not stored, and shows the record at the cursor', async ({ open }) => {
  const page = await open(ofTrace({ storedRows: 300 }));
  await expect(tree(page)).toHaveAttribute('aria-rowcount', '2000');
  await tree(page).focus();
  await page.keyboard.press('End');
  await expect(current(page)).toHaveAttribute('aria-rowindex', '2000');
  const name = (await current(page).locator('[data-field="name"]').textContent()) ?? '';
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector.getByRole('heading', { name, exact: true })).toBeVisible();
  await expect(inspector.getByRole('region', { name: 'Record' })).toContainText(
    `Where is my refund for order ${10_000 + Number(name.slice('step_'.length))}?`,
  );
});

test('places the cursor on the span from which the trace was opened when it is loaded, otherwise on the first', async ({
  open,
}) => {
  const page = await open(ofTrace({ storedRows: 300 }, { at_span: 'span-1500' }));
  await expect(current(page)).toContainText('step_1500');
  await expect(current(page)).toBeInViewport();
  const other = await open(ofTrace({}, { at_span: 'no-such-span' }));
  await expect(current(other)).toHaveAttribute('aria-rowindex', '1');
});

test('passes the accessibility checker in both themes', async ({ open }) => {
  const page = await open(ofTrace({ theme: 'light' }));
  await expect(tree(page)).toHaveAttribute('aria-rowcount', '2000');
  expect(await violationsInBothThemes(page, { within: 'main' })).toEqual([]);
});

for (const [name, scenario, words] of [
  ['offline and not stored', { lists: 'not-stored', network: 'switched-off' }, 'not available offline.'],
  ['not reached', { lists: 'broken', network: 'unreachable' }, 'Connection refused'],
  ['empty', { lists: 'empty' }, 'The service has no spans of this trace in this time range.'],
] as const) {
  test(`reports the state: ${name}`, async ({ open }) => {
    const page = await open(ofTrace(scenario));
    await expect(page.getByRole('main')).toContainText(words);
  });
}

test('offers a row menu for a span by pointer and keyboard, with copies and rows', async ({ open }) => {
  const page = await open(ofTrace());
  await expect(tree(page)).toHaveAttribute('aria-rowcount', '2000');
  const row = tree(page).getByRole('row').nth(3);
  const name = String(await row.locator('[data-field=name]').textContent());
  const menu = page.getByRole('menu', { name: 'Span' });
  await row.locator('[data-field=name]').click({ button: 'right' });
  await expect(row).toHaveAttribute('aria-selected', 'true');
  await menu.getByRole('menuitem', { name: 'Copy cell' }).click();
  expect(await newestCall(page, 'app:copy-text')).toMatchObject({ text: name });

  await expect(tree(page)).toBeFocused();
  await tree(page).press('Shift+F10');
  await menu.getByRole('menuitem', { name: 'Copy row as', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Copy row as JSON', exact: true }).click();
  const copied = String((await newestCall(page, 'app:copy-text'))['text']);
  expect(copied).toContain(JSON.stringify(name));

  await row.locator('[data-menu-field=duration]').click({ button: 'right' });
  await expect(menu.getByRole('menuitem', { name: /^Filter rows by/ })).toBeHidden();
  await page.keyboard.press('Escape');
  await row.locator('[data-field=name]').click({ button: 'right' });
  await menu.getByRole('menuitem', { name: `Filter rows by “${name}”` }).click();
  await expect(page.getByRole('textbox', { name: 'Filter the loaded spans' })).toHaveValue(name);
  await expect(page.getByRole('grid').getByRole('gridcell', { name }).first()).toBeVisible();
});

for (const [width, height] of [
  [1000, 640],
  [1280, 800],
] as const)
  for (const theme of ['light', 'dark'] as const)
    test(`shows readable names and depths of 400 levels at ${width} x ${height}, ${theme}`, async ({
      open,
    }, testInfo) => {
      const page = await open(ofTrace({ theme, traceSpans: 400, traceChildren: 1 }));
      await page.setViewportSize({ width, height });
      await expect(tree(page)).toHaveAttribute('aria-rowcount', '400');
      await tree(page).focus();
      for (const key of ['Home', 'End', 'ArrowUp']) {
        await page.keyboard.press(key);
        const rows = tree(page).getByRole('row');
        await takePicture(page, testInfo, `deep-${key}`);
        const cut = await rows.evaluateAll((all) =>
          all.map((row) => {
            const name = row.querySelector('[data-field="name"]')?.getBoundingClientRect();
            const status = row.querySelector('.status')?.getBoundingClientRect();
            const shown = Math.min(name?.right ?? 0, status?.left ?? 0) - (name?.left ?? 0);
            return (row.querySelector('[data-field="name"]')?.scrollWidth ?? 0) - shown;
          }),
        );
        expect(Math.max(...cut), `after ${key}`).toBeLessThan(2);
      }
      await expect(current(page).locator('.depth')).toHaveText('399');
      await expect(current(page)).toHaveAttribute('aria-level', '399');
    });

test('keeps the actions of a trace beside its long title, next to the inspector', async ({ open }) => {
  const question = 'Will the brick red air purifier match the one that I bought in Galway last year?';
  const page = await open(ofTrace({ traceSpans: 3, spans: [{ input: question }] }));
  await page.setViewportSize({ width: 1_280, height: 800 });
  const title = page.getByRole('heading', { level: 1 });
  await expect(title).toHaveText(question);
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeVisible();
  const middle = async (part: Locator) => {
    const box = await part.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0) / 2;
  };
  const drafts = page.getByRole('main').getByRole('button', { name: /draft/i }).first();
  expect(Math.abs((await middle(title)) - (await middle(drafts)))).toBeLessThan(8);
});

test('says at a failed request why the step inside of it failed', async ({ open }) => {
  const failed = { status_code: 'ERROR' };
  const page = await open(
    ofTrace({
      ...{ traceSpans: 6, traceChildren: 2 },
      spans: [
        failed,
        {},
        { ...failed, status_message: 'The step ended with a time-out.' },
        { status_code: 'OK' },
      ],
    }),
  );
  await tree(page).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText(
    'Failed in step_2: The step ended with a time-out.',
  );
});
