/** A value is displayed according to its form, and untrusted text is shown only as text. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { violationsInBothThemes } from './accessibility.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';
import { takePicture } from './pictures.ts';
import { openPane } from './span-steps.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SYSTEM = 'You help customers of an online shop for home goods. Answer from the passages.';
const HOSTILE = [
  '<script>window.hostile = 1</script><img src="https://evil.example/p.png" onerror="window.hostile = 2">',
  '![dot](https://evil.example/p.png) [free](javascript:window.hostile=3) <a href="https://evil.example">go</a>',
  '\u001b[31mred\u001b[0m invoice\u202egnp.exe',
  `|a|b|\n|---|---|\n${'|<b>1</b>|2|\n'.repeat(700)}`,
].join('\n\n');
const chat = {
  span_type: 'llm',
  name: 'draft_answer',
  input: JSON.stringify([
    { role: 'system', content: SYSTEM },
    { role: 'user', content: 'Refund for order **12336** says completed. Can I have it back on my card?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', function: { name: 'lookup_record', arguments: '{"reference":93970}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: '{"state":"paid","amount":364.62}' },
  ]),
  output:
    'Yes, **as long as none of the voucher is used**:\n\n| Part | Amount |\n|---|---:|\n| Card | 364.62 € |\n\n- `HG-4471` is in two days',
  span_attributes: { 'system.gen_ai.usage.input_tokens': 29, 'system.gen_ai.usage.output_tokens': 86 },
};
const spans = [
  chat,
  { span_type: 'llm', name: 'hostile', input: HOSTILE, output: HOSTILE },
  { span_type: 'tool', name: 'picture', input: `data:image/png;base64,${PNG}`, output: [{ a: 1 }, { a: 2 }] },
  {
    ...{ span_type: 'llm', name: 'parts', input: '', output: '' },
    span_attributes: {
      'gen_ai.input.messages': JSON.stringify([
        {
          role: 'user',
          parts: [
            { type: 'text', content: 'What is this?' },
            { type: 'blob', mime_type: 'image/png', modality: 'image', content: PNG },
            { type: 'uri', modality: 'image', uri: 'https://evil.example/p.png' },
            { type: 'blob', mime_type: 'audio/wav', modality: 'audio', content: 'UklGRiQAAABXQVZF' },
          ],
        },
      ]),
      'gen_ai.output.messages': JSON.stringify([
        {
          role: 'assistant',
          parts: [{ type: 'tool_call', id: 'a', name: 'lookup_record', arguments: { q: 1 } }],
        },
      ]),
    },
  },
  {
    ...{ span_type: 'tool', name: 'call', input: '', output: '' },
    span_attributes: {
      'gen_ai.tool.call.arguments': '{"city":"Paris"}',
      'gen_ai.tool.call.result': '{"degrees":14}',
    },
  },
];
/** Only in the test that needs it, because each page gets and parses its spans. */
const longText = {
  ...{ span_type: 'tool', name: 'long', output: 'x' },
  input: 'a line of a long text\n'.repeat(240_000),
};
const record = (page: Page) =>
  page.getByRole('complementary', { name: 'Inspector' }).getByRole('region', { name: 'Record' });

async function inspect(page: Page, at: number): Promise<void> {
  const grid = page.getByRole('grid', { name: 'Spans of Support assistant' });
  await grid
    .getByRole('row')
    .nth(at + 1)
    .getByRole('gridcell')
    .nth(3)
    .click();
}
async function openHere(open: (scenario?: Scenario) => Promise<Page>, scenario: Scenario = {}) {
  const page = await open({ spans, ...scenario });
  await openPlace(page, 'Spans');
  await expect(page.getByRole('gridcell', { name: 'draft_answer' }).first()).toBeVisible();
  await openPane(page);
  return page;
}

test('shows question and answer of a language model completely at 1000 x 640', async ({ open }) => {
  const page = await openHere(open);
  await inspect(page, 0);
  await expect(record(page)).toContainText('86 tokens');
  await page.setViewportSize({ width: 1000, height: 640 });
  await expect(record(page).getByText(/^Refund for order/)).toBeInViewport({ ratio: 1 });
  await expect(record(page).getByText('as long as none of the voucher is used')).toBeInViewport({
    ratio: 1,
  });
  await expect(record(page).getByRole('cell', { name: '364.62 €' })).toBeVisible();
  const chat = record(page).locator('.chat');
  await chat.evaluate((box) => Object.assign(box.style, { width: '180px' }));
  const icons = await chat
    .locator('header > svg')
    .evaluateAll((all) => all.map((icon) => icon.getBoundingClientRect().width));
  // A long note beside a name does not shrink its icon.
  expect(new Set(icons)).toEqual(new Set([14]));
  await chat.evaluate((box) => Object.assign(box.style, { width: '' }));
  await expect(record(page).getByText('state', { exact: true })).toBeHidden();
  // The heading of the checkbox column has a name but no text.
  const own = (await violationsInBothThemes(page)).filter((each) => !each.startsWith('empty-table-header'));
  expect(own).toEqual([]);
  await record(page).getByText('Result', { exact: true }).click();
  await expect(record(page).getByText('state', { exact: true })).toBeVisible();
});

test('gives values the larger part of the inspector, however long a field name is', async ({ open }) => {
  const named = { ...chat, average_number_of_retrieved_passages_a_span: 12 };
  const page = await open({ spans: [named, ...spans.slice(1)] });
  await openPlace(page, 'Spans');
  await openPane(page);
  await inspect(page, 0);
  const field = record(page).locator('[data-field="average_number_of_retrieved_passages_a_span"]');
  await expect(field).toHaveText('12');
  await page.setViewportSize({ width: 1000, height: 640 });
  const share = () => field.evaluate((value) => value.clientWidth / (value.parentElement?.clientWidth ?? 1));
  await expect.poll(share).toBeGreaterThan(0.5);
});

test('shows hostile text as text: nothing runs, loads, navigates or changes direction', async ({ open }) => {
  const page = await openHere(open);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await inspect(page, 1);
  await expect(record(page).getByText('<script>window.hostile = 1</script>').first()).toBeVisible();
  await expect(record(page).getByText('␛[31mred␛[0m invoice⟨U+202E⟩gnp.exe').first()).toBeVisible();
  await expect(record(page).getByText('650 more rows under Text').first()).toBeVisible();
  expect(await record(page).locator('img, a, script, iframe, b:not(header b, summary b)').count()).toBe(0);
  expect(await page.evaluate(() => 'hostile' in window)).toBe(false);
  expect(asked.filter((url) => url.includes('evil'))).toEqual([]);
});

test('draws a picture from its value, rows as a table, and a text of 5 MB immediately', async ({ open }) => {
  const page = await openHere(open, { spans: [...spans, longText] });
  await inspect(page, 2);
  await expect(record(page).getByText('image/png, 1 × 1, 70 bytes as base64')).toBeVisible();
  await expect(record(page).getByRole('img')).toHaveJSProperty('naturalWidth', 1);
  await expect(record(page).getByRole('columnheader', { name: 'a' })).toBeVisible();
  await inspect(page, 5);
  const all = record(page).getByRole('button', { name: 'Show all 5.3 MB' });
  await expect(all).toBeVisible();
  expect((await record(page).getByRole('region', { name: 'Input' }).innerText()).length).toBeLessThan(10_000);
  await all.click();
  await expect(all).toBeHidden();
});

test('highlights matches, also of an expression, and reports an incomplete one', async ({ open }) => {
  const page = await openHere(open);
  await inspect(page, 0);
  const field = page.getByRole('textbox', { name: 'Find in this record' });
  await field.fill('/vou[a-z]+r/');
  await expect(record(page).locator('mark')).toHaveText(['voucher']);
  await field.fill('/(/');
  await expect(page.getByText(/a closing \) is missing/)).toBeVisible();
  await field.fill('93970');
  await expect(record(page).locator('mark')).toHaveText(['93970']);
});

test('displays messages with pictures, sound and calls among the attributes without loading anything', async ({
  open,
}, testInfo) => {
  for (const theme of ['light', 'dark'] as const) {
    const page = await openHere(open, { theme });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const rows = page.getByRole('grid', { name: 'Spans of Support assistant' }).getByRole('row');
    await expect(rows.filter({ hasText: 'parts' }).first()).toContainText('What is this?');
    await expect(rows.filter({ hasText: 'parts' }).first()).toContainText('lookup_record({"q":1})');
    await inspect(page, 3);
    await expect(record(page).getByRole('img', { name: 'Drawn from the value' })).toBeVisible();
    await expect(record(page)).toContainText('Picture, not loaded: https://evil.example/p.png');
    await expect(record(page)).toContainText('audio/wav');
    await expect(record(page)).not.toContainText('(empty text)');
    await expect(record(page)).toContainText('lookup_record');
    await takePicture(page, testInfo, `parts-${theme}`);
    await inspect(page, 4);
    await expect(record(page)).toContainText('city');
    await expect(record(page)).toContainText('degrees');
    await expect(record(page)).not.toContainText('(empty text)');
    await takePicture(page, testInfo, `call-${theme}`);
    expect(asked.filter((url) => url.includes('evil.example'))).toEqual([]);
  }
});
