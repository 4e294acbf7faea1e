/** In privacy mode no view shows planted names or texts, not even in tooltips, accessible names or fields. */
import type { Locator, Page } from '@playwright/test';
import { forEachPlace, openPlace } from '../helpers/places.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';
import { takePicture } from './pictures.ts';
import { ofScope, openPane, openSpans } from './span-steps.ts';

const QUESTION = 'My standing desk was due yesterday and nobody rang.';
const SPAN = {
  ...{
    input: QUESTION,
    output: 'The parcel with your desk missed one connection.',
    session_id: 'session-b8287a6abf',
  },
  attributes: { 'user.email': 'mara.lind@example.com', 'user.name': 'Mara Lindqvist' },
};
/** Texts of the fake connection, of its records, and of the span above. */
const PLANTED = [
  ...['Production', 'Support assistant', 'Claims triage', 'Customer care', 'Refund questions', 'Bank churn'],
  ...[
    'standing desk was due',
    'missed one connection',
    'session-b8287a6abf',
    'session-of-many',
    'mara.lind@example.com',
    'Lindqvist',
  ],
  ...['Where is my refund for order', 'Name the date of the payment'],
];
const SCENARIO: Scenario = { settings: { privacy: true }, spans: [SPAN, SPAN, SPAN] };

/** Returns the places that show planted text, e.g. `title of BUTTON: …`. */
function leaks(page: Page): Promise<string[]> {
  return page.evaluate((planted) => {
    const found: string[] = [];
    const look = (what: string, element: Element, text: string | null): void => {
      const name = planted.find((each) => text?.includes(each));
      if (name !== undefined)
        found.push(`${what} of ${element.tagName}.${element.className}: ${text?.slice(0, 80)}`);
    };
    const isMasked = (element: Element): boolean =>
      getComputedStyle(element).getPropertyValue('-webkit-text-security') === 'disc';
    const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const { parentElement } = node;
      if (parentElement === null || parentElement.closest('script, style') !== null) continue;
      if (!isMasked(parentElement)) look('text', parentElement, node.textContent);
    }
    for (const element of document.querySelectorAll('*')) {
      for (const name of ['title', 'aria-label', 'aria-description', 'placeholder', 'alt'])
        look(name, element, element.getAttribute(name));
      if (
        (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) &&
        !isMasked(element)
      )
        look('value', element, element.value);
    }
    return found;
  }, PLANTED);
}

async function expectNothing(page: Page, where: string): Promise<void> {
  await expect.poll(() => leaks(page), { message: where }).toEqual([]);
}

test('without privacy mode all planted text is readable, which validates the scan', async ({ open }) => {
  const page = await open({ spans: [SPAN, SPAN, SPAN] });
  const grid = await openSpans(page);
  await grid.getByRole('gridcell', { name: 'handle_request' }).first().click();
  await openPane(page);
  await expect
    .poll(async () => {
      const found = await leaks(page);
      return ['text of', 'title of', 'aria-label of'].filter((what) =>
        found.some((each) => each.startsWith(what)),
      );
    })
    .toHaveLength(3);
  for (const text of ['Production', 'Support assistant', 'standing desk was due', 'mara.lind@example.com'])
    expect((await leaks(page)).filter((each) => each.includes(text))).not.toEqual([]);
});

test('in privacy mode the pictures of the first steps show no text of a span', async ({ open }) => {
  const page = await open({ ...SCENARIO, opensStart: true, isSample: true, traceSpans: 6 });
  const steps = page.getByRole('region', { name: 'First steps' });
  await expect(steps.getByRole('list', { name: 'First chosen answers' }).getByRole('listitem')).toHaveCount(
    3,
  );
  await expect(steps.getByRole('list', { name: 'First spans of the trace' })).toBeVisible();
  await expectNothing(page, 'first steps');
});

test('hides private texts in every place of the window', async ({ open }) => {
  const page = await open({
    ...SCENARIO,
    opensStart: true,
    hasExports: true,
    kept: 'full',
    hasScores: 'two',
    schema: 'changed',
  });
  let places = 0;
  await forEachPlace(page, async (name) => {
    places += 1;
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    await expectNothing(page, name);
    const row = page.getByRole('grid').getByRole('row').nth(1);
    if ((await row.count()) === 0) return;
    await row.getByRole('gridcell').first().hover();
    await row.getByRole('gridcell').nth(1).click();
    await expectNothing(page, `a row of ${name}`);
  });
  expect(places).toBeGreaterThan(15);
});

test('spans: grid, both forms of the inspector, trace and session, also on hover', async ({ open }) => {
  const page = await open(SCENARIO);
  await openPlace(page, 'Spans');
  const grid = page.getByRole('grid', { name: /^Spans of/ });
  await grid.getByRole('gridcell', { name: 'handle_request' }).first().click();
  await expectNothing(page, 'grid');
  await openPane(page);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  for (const form of ['Fields', 'Tree', 'Text']) {
    const tab = inspector.getByRole('tab', { name: form });
    if ((await tab.count()) === 0) continue;
    await tab.click();
    await expectNothing(page, `inspector: ${form}`);
  }
  for (const cell of await grid.getByRole('row').nth(1).getByRole('gridcell').all()) await cell.hover();
  await expectNothing(page, 'hints');
  const trace = await open(ofScope('trace', 'trace-of-many', { ...SCENARIO, traceSpans: 20 }));
  await expect(trace.getByRole('treegrid').getByRole('row').nth(1)).toBeVisible();
  await expectNothing(trace, 'trace');
  const session = await open(ofScope('session', 'session-of-many', { ...SCENARIO, sessionSpans: [SPAN] }));
  await expect(session.getByRole('article').first()).toBeVisible();
  await expectNothing(session, 'session');
});

test('names the roles of a conversation, and hides what they said', async ({ open }) => {
  const messages = [
    { role: 'system', content: 'Mara Lindqvist runs this desk.' },
    { role: 'user', content: QUESTION },
  ];
  const span = { ...SPAN, span_type: 'llm', input: JSON.stringify(messages) };
  const page = await open({ ...SCENARIO, spans: [span, span, span] });
  await openPlace(page, 'Spans');
  const grid = page.getByRole('grid', { name: /^Spans of/ });
  await grid.getByRole('row').nth(1).getByRole('gridcell').nth(3).click();
  await openPane(page);
  const system = page
    .getByRole('complementary', { name: 'Inspector' })
    .getByRole('group', { name: 'System' });
  const maskOf = (text: Locator) =>
    text.evaluate((element) => getComputedStyle(element).getPropertyValue('-webkit-text-security'));
  expect(await maskOf(system.getByText('System', { exact: true }))).toBe('none');
  expect(await maskOf(system.locator('.line'))).toBe('disc');
  await system.getByText('System', { exact: true }).click();
  await expectNothing(page, 'system prompt');
});

test('palette, search, dataset with its items, and a chart', async ({ open }) => {
  const page = await open(SCENARIO);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('refund');
  await expect(page.getByRole('option').nth(2)).toBeVisible();
  await expectNothing(page, 'palette');
  await page.getByRole('option', { name: /^All results for/ }).click();
  await expect(page.getByRole('listbox', { name: 'Found' })).toBeVisible();
  await expectNothing(page, 'search');
  const section = (name: string) => openPlace(page, name);
  await section('Datasets');
  await page
    .getByRole('grid', { name: 'Datasets' })
    .getByRole('row')
    .nth(1)
    .getByRole('gridcell')
    .nth(1)
    .dblclick();
  await expectNothing(page, 'dataset');
  await section('Charts');
  await expectNothing(page, 'charts');
});

test('shows a chip for privacy mode with the hidden fields, and turns it off there', async ({ open }) => {
  const page = await open({ settings: { privateFields: 'order_id' } });
  await openSpans(page);
  const connection = page.getByRole('button', { name: 'Connection: Production' });
  const chip = page.getByRole('button', { name: 'Privacy on' });
  await expect(chip).toHaveCount(0);
  await page.keyboard.press('Control+Shift+P');
  await expect(connection).toHaveCount(0);
  await chip.click();
  const list = page.getByRole('dialog', { name: 'What is hidden' });
  await expect(list).toContainText('Inputs, outputs, conversations');
  await expect(list).toContainText('order_id');
  for (const [width, height] of [
    [1280, 800],
    [1000, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    await takePicture(page, test.info(), `privacy-${width}`);
  }
  await list.getByRole('button', { name: 'Turn off' }).click();
  await expect(connection).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Spans of Support assistant' })).toBeVisible();
});

test('hides the name in a field that the program fills', async ({ open }) => {
  const page = await open(SCENARIO);
  await openPlace(page, 'Datasets');
  await page.getByRole('grid', { name: 'Datasets' }).getByRole('gridcell').nth(1).dblclick();
  await page.getByRole('tab', { name: /^Versions/ }).click();
  const field = page.getByRole('combobox', { name: 'Compare with another dataset' });
  await field.click();
  await page.getByRole('listbox').getByRole('option').nth(2).click();
  await expect(field).not.toHaveValue('');
  await expect(field).toHaveCSS('-webkit-text-security', 'disc');
});
