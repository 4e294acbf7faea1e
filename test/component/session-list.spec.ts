/**
 * The list of sessions: the subject of each session, the tools of the spans view, and the conversation of a session.
 */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { violationsInBothThemes } from './accessibility.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, layoutOf, newestCall, test } from './fixtures.ts';
import { openSpans } from './span-steps.ts';

const grid = (page: Page) => page.getByRole('grid', { name: 'Sessions of Support assistant' });
const rows = (page: Page) =>
  grid(page)
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell') });

const sessionsTab = (page: Page) => page.getByRole('tab', { name: 'Sessions' });

async function openSessions(page: Page): Promise<void> {
  await openPlace(page, 'Spans');
  await page.getByRole('tab', { name: 'Sessions' }).click();
}

test('says what a session is about, and opens it as a conversation named by its question', async ({
  open,
}) => {
  const page = await open();
  await openSessions(page);
  await expect(sessionsTab(page)).toHaveText(/^Sessions\s*125$/);
  const first = rows(page).first();
  await expect(first).toContainText('Where is my refund for order 10007?');
  await expect(first).toContainText('Failed without a message.');
  await expect(first).toContainText('It was paid on Tuesday; the bank takes two days.');
  await expect(first.getByRole('gridcell').nth(2)).toHaveText('2');
  await grid(page).focus();
  await page.keyboard.press('Space');
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector).toContainText('First question');
  await expect(inspector).toContainText('Last answer');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('group', { name: 'Conversation of the session' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Question 0: where is my refund?');
  await expect(page.getByRole('tab', { name: /^Question 0: where/ })).toBeVisible();
});

test('exports the shown sessions', async ({ open }) => {
  const page = await open();
  await openSessions(page);
  await expect(sessionsTab(page)).toHaveText(/^Sessions\s*125$/);
  await page.getByRole('main').getByRole('button', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(/The 125 sessions shown, counted over 1,000 spans/);
  await dialog.getByRole('button', { name: 'Export to…' }).click();
  await expect.poll(() => callsOf(page, 'jobs:create')).toHaveLength(1);
  expect((await newestCall(page, 'jobs:create'))['plan']).toMatchObject({
    table: { form: 'sessions', narrow: null, filters: [] },
  });
});

test('has the facets, the filter, the histogram and the text filter of the spans', async ({ open }) => {
  const page = await open();
  await openSpans(page);
  const find = page.getByLabel(/^Filter the loaded/);
  await find.fill('10015');
  await page.getByRole('tab', { name: 'Sessions' }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('Where is my refund for order 10015?');
  await expect(find).toHaveValue('10015');
  await find.fill('');
  await expect(page.getByRole('group', { name: 'Values of Spans started' })).toBeVisible();
  await page
    .getByRole('complementary', { name: 'Facets' })
    .getByRole('button', { name: /^Failed/ })
    .click();
  const { query, window } = await newestCall(page, 'library:open-list');
  expect(query).toMatchObject({
    body: { filter: { rules: [{ field: 'Span::status_code', value: 'ERROR' }] } },
  });
  expect(window).toMatchObject({ groupBy: 'session' });
  // Sessions are not stored rows, so profiles are not offered.
  await expect(page.getByRole('button', { name: 'Profiles' })).toHaveCount(0);
});

test('says that only some spans are stored, and reads the others on request', async ({ open }) => {
  const page = await open({ storedRows: 200 });
  await openSessions(page);
  await expect(page.getByText('Sessions of 200 of 1,000 spans')).toBeVisible();
  await expect(sessionsTab(page)).toHaveText(/^Sessions\s*25$/);
  expect(await callsOf(page, 'library:fetch-rows')).toEqual([]);
  await page.getByRole('button', { name: 'Read the others' }).click();
  await expect(sessionsTab(page)).toHaveText(/^Sessions\s*125$/);
  await expect(page.getByText(/Sessions of .* of 1,000 spans/)).toHaveCount(0);
});

test('asks again after a failure, and stops at the next one', async ({ open }) => {
  const page = await open({ storedRows: 200, lists: 'failed' });
  await openSessions(page);
  await page.getByRole('button', { name: 'Read the others' }).click();
  await expect.poll(() => callsOf(page, 'library:fetch-rows')).toHaveLength(1);
  expect((await newestCall(page, 'library:fetch-rows'))['offset']).toBeNull();
  await expect(page.getByRole('button', { name: 'Read the others' })).toBeVisible();
});

test('asks for no spans of another filter without a click, and names what its counts cover', async ({
  open,
}) => {
  const page = await open({ storedRows: 200 });
  await openSessions(page);
  await page.getByRole('button', { name: 'Read the others' }).click();
  await expect(sessionsTab(page)).toHaveText(/^Sessions\s*125$/);
  const before = (await callsOf(page, 'library:fetch-rows')).length;
  await page
    .getByRole('complementary', { name: 'Facets' })
    .getByRole('button', { name: /^Failed/ })
    .click();
  await expect(page.getByText('Sessions of 200 of 1,000 spans')).toBeVisible();
  await expect(page.getByText('count the spans of this filter only')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Read the others' })).toBeVisible();
  expect(await callsOf(page, 'library:fetch-rows')).toHaveLength(before);
});

test('offers no reading of spans that are missing at the service', async ({ open }) => {
  const page = await open({ storedRows: 930, isReadToEnd: true });
  await openSessions(page);
  await expect(page.getByText('70 spans are missing at the service')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Read the others' })).toHaveCount(0);
});

test('disables reading the others while offline, with the reason', async ({ open }) => {
  const page = await open({ storedRows: 200, network: 'switched-off' });
  await openSessions(page);
  const others = page.getByRole('button', { name: 'Read the others' });
  await expect(others).toBeDisabled();
  await expect(others).toHaveAttribute('title', 'Spans are requested only while connected');
});

for (const [name, scenario] of [
  ['no spans', { lists: 'empty' }],
  ['a failure without rows', { lists: 'broken', network: 'unreachable' }],
] as const satisfies readonly (readonly [string, Scenario])[]) {
  test(`reserves no room for a histogram: ${name}`, async ({ open }) => {
    const page = await open(scenario);
    await openSessions(page);
    await expect(page.getByRole('main')).toContainText(/No sessions between|Connection refused/);
    await expect(page.getByRole('group', { name: /^Histogram of/ })).toHaveCount(0);
  });
}

test('keeps the tools in one row at 1280 pixels beside a long age', async ({ open }) => {
  const page = await open({ storedRows: 200, lists: 'failed' });
  await openSessions(page);
  const age = page.getByRole('button', { name: /^Age of this content: refresh failed · as of .* · 200 of/ });
  const columns = page.getByRole('button', { name: 'Columns' });
  const middle = async (of: typeof age) => {
    const box = await of.boundingBox();
    return Math.round((box?.y ?? 0) + (box?.height ?? 0) / 2);
  };
  await expect(columns).toBeInViewport({ ratio: 1 });
  expect(await middle(columns)).toBe(await middle(age));
  await expect(page.getByRole('button', { name: 'More tools' })).toBeInViewport({ ratio: 1 });
});

for (const [name, scenario, words] of [
  ['no spans', { lists: 'empty' }, 'No sessions between'],
  [
    'spans without sessions',
    { spans: Array.from({ length: 1_000 }, () => ({ session_id: null })) },
    'None of the 1,000 spans names a session.',
  ],
  ['offline and not stored', { lists: 'not-stored', network: 'switched-off' }, 'not available offline'],
  ['not reached', { lists: 'broken', network: 'unreachable' }, 'Connection refused'],
  ['failed with stored rows', { lists: 'failed' }, 'Could not refresh'],
] as const satisfies readonly (readonly [string, Scenario, string])[]) {
  test(`reports the state: ${name}`, async ({ open }) => {
    const page = await open(scenario);
    await openSessions(page);
    await expect(page.getByRole('main')).toContainText(words);
  });
}

test('keeps filters on the way from Sessions over Attributes to Spans', async ({ open }) => {
  const page = await open();
  await openSpans(page);
  await page.getByRole('tab', { name: 'Sessions' }).click();
  const find = page.getByLabel(/^Filter the loaded/);
  await find.fill('10015');
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('tab', { name: 'Attributes' }).click();
  await page.getByRole('tab', { name: 'Spans 1,000' }).click();
  await expect(find).toHaveValue('10015');
  await page.getByRole('tab', { name: 'Attributes' }).click();
  await page.getByRole('tab', { name: 'Sessions' }).click();
  await expect(find).toHaveValue('10015');
  await expect(rows(page)).toHaveCount(1);
  // After a restart, the newer filter of the sessions is kept too.
  await find.fill('10007');
  await expect(rows(page)).not.toHaveCount(0);
  await page.getByRole('tab', { name: 'Attributes' }).click();
  const next = await open({ layout: await layoutOf(page) });
  await expect(next.getByRole('tab', { name: 'Attributes', selected: true })).toBeVisible();
  await next.getByRole('tab', { name: /^Spans 1,000/ }).click();
  await expect(next.getByLabel(/^Filter the loaded/)).toHaveValue('10007');
});

test('hides questions and titles in privacy mode', async ({ open }) => {
  const page = await open();
  await openSessions(page);
  await rows(page).first().dblclick();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Question 0: where is my refund?');
  await page.keyboard.press('ControlOrMeta+Shift+KeyP');
  await expect(page.getByRole('tab', { name: /^Question 0: where/ })).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toHaveAttribute('title', /^•+ •/);
});

test('hides a question that begins like the title of a session without one', async ({ open }) => {
  const page = await open({ sessionSpans: [{ input: 'Session expired, what now?' }] });
  await openSessions(page);
  await rows(page).first().dblclick();
  const tab = page.getByRole('tab', { name: /^Session expired, what now/ });
  await expect(tab).toBeVisible();
  await page.keyboard.press('ControlOrMeta+Shift+KeyP');
  await expect(tab).toHaveCount(0);
});

test('passes the accessibility checker', async ({ open }) => {
  const page = await open({ theme: 'light', storedRows: 200 });
  await openSessions(page);
  await expect(rows(page).first()).toBeVisible();
  expect(await violationsInBothThemes(page, { within: 'main' })).toEqual([]);
});
