/** A session is shown as a conversation: its exchanges, their spans, and how arrow keys move through them. */
import type { Locator, Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';
import { ofScope } from './span-steps.ts';

const ofSession = (scenario: Scenario = {}, fromSpan: Record<string, string> = {}): Scenario =>
  ofScope('session', 'session-of-many', scenario, fromSpan);
const conversation = (page: Page): Locator =>
  page.getByRole('group', { name: 'Conversation of the session' });
const exchange = (page: Page, number: number): Locator =>
  conversation(page).getByRole('article', { name: `Exchange ${number}`, exact: true });
const current = (page: Page): Locator => conversation(page).locator('[data-span][aria-current=true]');

test('shows a session as a conversation, and moves from span to span by arrow keys', async ({ open }) => {
  const page = await open(ofSession());
  await expect(page.getByText('45 exchanges · 180 spans · 11 with errors')).toBeVisible();
  await expect(exchange(page, 1).getByRole('group', { name: 'User' })).toContainText(
    'Question 0: where is my',
  );
  await expect(exchange(page, 1).getByRole('group', { name: 'Assistant' }).locator('strong')).toHaveText(
    'paid',
  );
  await expect(exchange(page, 1)).toContainText('3 spans under it · 1 with errors');
  await expect(conversation(page).getByRole('article')).toHaveCount(20);

  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector.getByRole('heading', { name: 'turn_0', exact: true })).toBeVisible();
  await current(page).focus();
  await page.keyboard.press('ArrowDown');
  await expect(current(page)).toContainText('turn_1');
  await expect(inspector.getByRole('heading', { name: 'turn_1', exact: true })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(exchange(page, 2).getByRole('list', { name: 'Spans of exchange 2' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(current(page)).toContainText('step_5');
  // A step cannot be expanded.
  await page.keyboard.press('ArrowRight');
  await expect(current(page)).toContainText('step_5');
  await expect(inspector.getByRole('heading', { name: 'step_5', exact: true })).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await expect(current(page)).toContainText('turn_1');
  await page.keyboard.press('ArrowLeft');
  await expect(exchange(page, 2).getByRole('list')).toHaveCount(0);
  // If the cursor moves beyond the drawn exchanges, more of them are drawn.
  await page.keyboard.press('End');
  await expect(current(page)).toContainText('turn_19');
  await page.keyboard.press('ArrowDown');
  await expect(current(page)).toContainText('turn_20');
  await expect(current(page)).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: /^Trace trace-20/ })).toBeVisible();
});

test('places the cursor on the span from which the session was opened, in its exchange', async ({ open }) => {
  const page = await open(ofSession({}, { at_span: 'turn-123' }));
  await expect(current(page)).toContainText('step_123');
  await expect(current(page)).toBeInViewport();
  const other = await open(ofSession({}, { at_span: 'no-such-span' }));
  await expect(current(other)).toContainText('turn_0');
});

const EVIL = 'https://evil.example/p.png';
const hostile = {
  span_type: 'llm',
  input: JSON.stringify([
    { role: '<img src=x onerror="window.hostile=1">', content: `<iframe src="${EVIL}"></iframe>` },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: EVIL } }] },
    {
      role: 'assistant',
      content: `[go](javascript:window.hostile=2) ![](${EVIL})`,
      tool_calls: [
        { function: { name: '<script>window.hostile=3</script>', arguments: `{"a":"<a href='${EVIL}'>"}` } },
      ],
    },
  ]),
  output: `<style>*{display:none}</style>\n\n|a|b|\n|---|---|\n${'|<img src=x>|2|\n'.repeat(900)}`,
};

test('shows hostile messages, roles, tools and tables as plain text', async ({ open }) => {
  const page = await open(ofSession({ sessionSpans: [hostile] }));
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const first = exchange(page, 1);
  await expect(first.getByText('<img src=x onerror="window.hostile=1">')).toBeVisible();
  await expect(first.getByText(`<iframe src="${EVIL}"></iframe>`)).toBeVisible();
  await expect(first.getByText(`Picture, not loaded: ${EVIL}`)).toBeVisible();
  await expect(first.getByText('<script>window.hostile=3</script>')).toBeVisible();
  await expect(first.getByText('850 more rows under Text')).toBeVisible();
  expect(await first.locator('img, a, script, iframe, style').count()).toBe(0);
  expect(await page.evaluate(() => 'hostile' in window)).toBe(false);
  expect(asked.filter((url) => url.includes('evil'))).toEqual([]);
});

test('passes the accessibility checker', async ({ open }) => {
  const page = await open(ofSession({ theme: 'light' }));
  await page.getByRole('button', { name: '3 spans under it' }).first().click();
  await expect(exchange(page, 2).getByRole('group', { name: 'Assistant' })).toBeVisible();
  expect(await violationsInBothThemes(page, { within: 'main' })).toEqual([]);
});

for (const [name, scenario, words] of [
  ['offline and not stored', { lists: 'not-stored', network: 'switched-off' }, 'not available offline.'],
  ['not reached', { lists: 'broken', network: 'unreachable' }, 'Connection refused'],
  ['empty', { lists: 'empty' }, 'The service has no spans of this session in this time range.'],
] as const) {
  test(`reports the state: ${name}`, async ({ open }) => {
    const page = await open(ofSession(scenario));
    await expect(page.getByRole('main')).toContainText(words);
  });
}
