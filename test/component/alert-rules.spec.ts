/** The list of alert rules is sorted by the latest alerts, but no row moves under the pointer. */
import type { Page } from '@playwright/test';
import type { ListQuery } from '../../electron/shared/model.ts';
import { openPlace } from '../helpers/places.ts';
import type { FakeWindow, Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, test } from './fixtures.ts';
import { section } from './resource-steps.ts';

const SUMMARY = 'alert-rules.summary';
const rules = (page: Page) => page.getByRole('grid', { name: 'Alert rules' });
/** Names of the rules from the top, empty for a placeholder row. */
const ruleNames = (page: Page) =>
  rules(page)
    .getByRole('row')
    .evaluateAll((rows) =>
      rows.slice(1).map((row) => /rule \d+|Traffic drops/i.exec(row.textContent)?.[0] ?? ''),
    );

/** Returns the number of reads of the latest alerts, after the page was drawn. */
async function readsOf(page: Page): Promise<number> {
  const reads = await callsOf(page, 'library:read-rows');
  const count = reads.filter(({ argument: { query } }) => (query as ListQuery).operation === SUMMARY).length;
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  return count;
}

/** Replaces the stored latest alerts and notifies the window. */
async function alertsArrive(page: Page, latestAlerts: Scenario['latestAlerts']): Promise<void> {
  const change = { arrived: latestAlerts, operation: SUMMARY };
  await page.evaluate(async ({ arrived, operation }) => {
    const fake = globalThis as unknown as FakeWindow;
    Object.assign(fake.scenario ?? {}, { latestAlerts: arrived });
    const argument = fake.fakeCalls.findLast(
      ({ channel, argument: asked }) =>
        channel === 'library:open-list' && (asked as { query: ListQuery }).query.operation === operation,
    )?.argument;
    const answer = await window.spandeck?.invoke('library:open-list', argument);
    fake.fakeEvent('library:list-changed', (answer as { value: unknown }).value);
  }, change);
}

test('shows no rules until their latest alerts are read, then shows them in order and moves them once', async ({
  open,
}) => {
  const page = await open({ latestAlerts: { came: 0, isReading: true, newestMs: 1 } });
  await section(page, 'Alert rules');
  await expect(rules(page)).toHaveAttribute('aria-rowcount', '13');
  expect(await ruleNames(page)).toEqual(Array.from({ length: 12 }, () => ''));
  const before = await readsOf(page);
  await alertsArrive(page, { came: 4, isReading: true, newestMs: 2 });
  await expect.poll(() => readsOf(page)).toBeGreaterThan(before);
  expect(await ruleNames(page)).toEqual(Array.from({ length: 12 }, () => ''));
  await alertsArrive(page, { came: 12, isReading: false, newestMs: 3 });
  await expect.poll(() => ruleNames(page)).not.toContain('');
  await expect(rules(page).getByRole('row').nth(1)).toContainText('Critical');
});

test('keeps the position of a rule that fires while the pointer is over the rows, until the pointer leaves or the user sorts again', async ({
  open,
}) => {
  const page = await open({ latestAlerts: { came: 12, isReading: false, newestMs: 1 } });
  await section(page, 'Alert rules');
  await expect(rules(page).getByRole('row').nth(1)).toContainText('Critical');
  const before = await ruleNames(page);
  const last = before.length;
  const row = rules(page).getByRole('row').nth(last);
  await expect(row).not.toContainText('Critical');
  const index = Number(/\d+/.exec(before[last - 1] ?? '')?.[0]);
  await row.hover();
  await alertsArrive(page, { came: 12, isReading: false, critical: [index], newestMs: 2 });
  await expect(row).toContainText('Critical');
  expect(await ruleNames(page)).toEqual(before);
  await page.getByRole('heading', { name: 'Alert rules' }).hover();
  await expect.poll(() => ruleNames(page)).not.toEqual(before);
  const now = await ruleNames(page);
  // A click selects a row, and rows keep their positions until the user requests the new order.
  await rules(page).getByRole('row').nth(3).click();
  await page.getByRole('heading', { name: 'Alert rules' }).hover();
  const place = await row.boundingBox();
  await alertsArrive(page, { came: 12, isReading: false, newestMs: 3 });
  await expect(page.getByRole('status')).toContainText(['Newer alerts came: rows stay where they are.']);
  expect(await ruleNames(page)).toEqual(now);
  // The hint takes no space from the rows either.
  expect(await row.boundingBox()).toEqual(place);
  await page.getByRole('button', { name: 'Sort again' }).click();
  await expect.poll(() => ruleNames(page)).toEqual(before);
  await expect(page.getByRole('button', { name: 'Sort again' })).toHaveCount(0);
});

test('shows the rule with the most severe and latest alert first by default', async ({ open }) => {
  const page = await open();
  await section(page, 'Alert rules');
  const rows = page.getByRole('grid', { name: 'Alert rules' }).getByRole('row');
  await expect(rows.nth(1)).toContainText('Critical');
  const words = (await rows.allTextContents())
    .slice(1)
    .map((text) => /Critical|Warning|Normal/.exec(text)?.[0]);
  const rank = ['Critical', 'Warning', 'Normal'];
  expect(words).toEqual(words.toSorted((a, b) => rank.indexOf(a ?? '') - rank.indexOf(b ?? '')));
});

/** Histories that the rows requested, and the views that released them. */
async function historiesOf(page: Page): Promise<{ asked: string[]; released: string[] }> {
  const asked = (await callsOf(page, 'library:open-record')).filter(
    ({ argument: { query } }) => (query as ListQuery).operation === 'alert-rules.history',
  );
  const released = await callsOf(page, 'library:release');
  const idsOf = (calls: typeof asked) => calls.map(({ argument: { viewId } }) => String(viewId));
  return { asked: idsOf(asked), released: idsOf(released).filter((id) => id.includes('.history.')) };
}

test('shows recent values of each rule, its value beside the limit and the time of the last alert, and releases the values with the view', async ({
  open,
}) => {
  const page = await open();
  await section(page, 'Alert rules');
  const first = rules(page).getByRole('row').nth(1);
  await expect(first.getByRole('img', { name: /^Values of .+, as of / })).toBeVisible();
  await expect(first).toContainText('51 below 60');
  await expect(rules(page).getByRole('row').nth(2)).toContainText(/\d+ records, (ended|ongoing)/);
  await expect(rules(page).getByRole('row').filter({ hasText: 'Normal' }).first()).toContainText(
    /\d+, limit \d+/,
  );
  const { asked } = await historiesOf(page);
  expect(new Set(asked).size).toBe(asked.length);
  await section(page, 'Charts');
  await expect.poll(async () => (await historiesOf(page)).released.toSorted()).toEqual(asked.toSorted());
});

test('lists the rules that fired alone, with the same rows, and opens an old link to the latest alerts there', async ({
  open,
}) => {
  const params = { part: 'alerts' };
  const list = [{ id: '1', kind: 'alert-rules', title: 'Alert rules', params }];
  const page = await open({ layout: { tabs: { list, activeId: '1' } } } as Scenario);
  const fired = page.getByRole('grid', { name: 'Latest alerts' });
  await expect(page.getByRole('radio', { name: /^Fired \d+$/ })).toBeChecked();
  await expect(fired.getByRole('row').nth(1).getByRole('img')).toBeVisible();
  await expect(fired.getByRole('row').filter({ hasText: 'Normal' })).toHaveCount(0);
  await page.getByRole('radio', { name: 'All rules' }).check();
  await expect(rules(page)).toHaveAttribute('aria-rowcount', '13');
});

test('counts no fired rules while their latest alerts are not known', async ({ open }) => {
  const page = await open({ lists: 'not-stored', network: 'switched-off' });
  await section(page, 'Alert rules');
  await expect(page.getByText('The latest alerts of this range are not stored')).toBeVisible();
  await expect(page.getByRole('radio', { name: 'Fired', exact: true })).toBeVisible();
});

test('shows the days of a daily rule in UTC, and reads them again with the rule', async ({ open }) => {
  const page = await open();
  await section(page, 'Alert rules');
  await rules(page).getByRole('row').filter({ hasText: 'Traffic drops' }).dblclick();
  const strip = page.getByRole('img', {
    name: /^Last 60 days: Fired on \d+ of \d+ days with records.*, as of /,
  });
  await expect(strip).toBeVisible();
  await expect(strip.locator('[title]').last()).toHaveAttribute('title', /^\d+ \w+ \d{4} UTC: /);
  const reads = async () =>
    (await callsOf(page, 'library:open-record')).filter(
      ({ argument }) => String(argument['viewId']).endsWith('.firing') && argument['refresh'] === 'always',
    ).length;
  expect(await reads()).toBe(0);
  await page.keyboard.press('ControlOrMeta+r');
  await expect.poll(reads).toBe(1);
  await page.getByRole('main').getByRole('button', { name: 'Refresh' }).click();
  await expect.poll(reads).toBe(2);
});

test('a custom range is not left as it was without a word when its start is typed after its end', async ({
  open,
}) => {
  const page = await open();
  await openPlace(page, 'Alerts');
  await page.getByRole('combobox', { name: 'Range', exact: true }).selectOption('Custom range…');
  const from = page.getByLabel('From, local time');
  const to = page.getByLabel('To, local time');
  await from.fill('2027-01-10T10:00');
  await from.press('Tab');
  await expect(page.getByText('The start must be earlier than the end.')).toBeVisible();
  await expect(from).toHaveValue('2027-01-10T10:00');
  await to.fill('2027-01-12T10:00');
  await to.press('Tab');
  await expect(page.getByText('The start must be earlier than the end.')).toHaveCount(0);
  await expect(from).toHaveValue('2027-01-10T10:00');
  const reads = JSON.stringify(await callsOf(page, 'library:open-list'));
  expect(reads).toMatch(/"start_time":"2027-01-10T[^}]*"end_time":"2027-01-12T/);
});

test('shows the stored days of an earlier range while offline', async ({ open }) => {
  const page = await open({ metrics: 'earlier', network: 'switched-off' });
  await section(page, 'Alert rules');
  await rules(page).getByRole('row').filter({ hasText: 'Traffic drops' }).dblclick();
  const strip = page.getByRole('img', { name: /^Last 30 days: Fired on .+, as of / });
  await expect(strip.locator('[title]')).toHaveCount(30);
});

test('shows a failure once, in the list and in the view of a rule', async ({ open }) => {
  const page = await open({ lists: 'broken' });
  await section(page, 'Alert rules');
  await expect(page.getByRole('main').getByText(/nothing listens there/)).toHaveCount(1);

  const stored = await open({ lists: 'failed' });
  await section(stored, 'Alert rules');
  await rules(stored).getByRole('row').filter({ hasText: 'Traffic drops' }).dblclick();
  await expect(stored.getByText('Could not refresh.')).toBeVisible();
  await expect(stored.getByRole('main').getByText(/nothing listens there/)).toHaveCount(1);
});

test('says the whole reason of a refused change in sight, beside the fields of a rule', async ({ open }) => {
  const page = await open({ act: 'forbidden' });
  await page.setViewportSize({ width: 1280, height: 800 });
  await section(page, 'Alert rules');
  await rules(page).getByRole('row').filter({ hasText: 'Traffic drops' }).dblclick();
  await page.getByRole('main').getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Traffic drops a lot');
  await page.getByRole('button', { name: 'Save changes' }).click();
  const refusal = page.getByRole('form').getByRole('alert');
  await expect(refusal).toContainText('Ask an administrator of the project.');
  await expect(refusal.getByText('Details', { exact: true })).toBeInViewport({ ratio: 1 });
  const [box, buttons] = [
    await refusal.boundingBox(),
    await page.getByRole('button', { name: 'Save changes' }).boundingBox(),
  ];
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(buttons?.y ?? 0);
  const hidden = await refusal.locator('.words').evaluate((words) => words.scrollHeight - words.clientHeight);
  expect(hidden).toBeLessThanOrEqual(0);
});
