/** The start page: waiting entries and their keys, alerts with sparklines, stars, recent events, and all states. */

import type { Page } from '@playwright/test';
import { sidebarLine } from '../helpers/places.ts';
import { violations, violationsInDark } from './accessibility.ts';
import { CONNECTION_ID, NOW } from './fake-main/scenario.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';
import { acceptToken, refuseToken } from './token-steps.ts';

const DAY = 86_400_000;
const RECENTS = [
  {
    kind: 'dataset',
    title: 'Refund questions',
    params: { datasetId: 'd1', name: 'Refund questions' },
    atMs: NOW - DAY,
    isStarred: false,
  },
];
const LAYOUT = { left: NOW - 2 * DAY, recents: RECENTS };

test('starts a new connection with Home, and returns to it by Ctrl+1', async ({ open }) => {
  const page = await open({ opensStart: true });
  await expect(page.getByRole('tab')).toHaveText(['Home']);
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible();
  await expect(page.getByRole('group', { name: 'Since you left' })).toHaveCount(0);
  await page.keyboard.press('Control+3');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Catalog');
  await page.keyboard.press('Control+1');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Home');
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('dialog')).toBeVisible();
});

test('lists waiting entries with their next action, and opens one by its number', async ({ open }) => {
  const page = await open({ opensStart: true, hasPlans: true, layout: LAYOUT });
  const waits = page.getByRole('region', { name: 'Waiting for you' });
  await expect(waits.getByRole('listitem')).toHaveCount(3);
  await expect(waits).toContainText('1 running, 2 planned');
  await expect(waits.getByRole('listitem').nth(1)).toContainText(
    /Planned: Upload of churn_1\.csv.*starts at/,
  );
  await page.keyboard.press('2');
  await expect(page.getByRole('tab', { name: 'churn_1.csv' })).toHaveAttribute('aria-selected', 'true');
});

test('lists files in preparation, drafts and a rejected token, opens each, and counts them in the sidebar', async ({
  open,
}) => {
  const left = { kind: 'connection', title: 'New connection', params: {} };
  const draft = { form: 'connections.new', tabId: '', left, atMs: NOW - DAY, value: { name: 'Staging' } };
  const page = await open({
    ...{ opensStart: true, prepared: ['churn.csv', 'titanic.csv'], lists: 'empty' },
    layout: { ...LAYOUT, 'draft.one': draft },
  });
  const waits = page.getByRole('region', { name: 'Waiting for you' });
  await expect(waits.getByRole('listitem')).toHaveText([
    /Upload of churn\.csv/,
    /Upload of titanic\.csv/,
    /New connection.*Draft of/,
  ]);
  await expect(waits).toContainText('3 paused or in preparation');
  const section = sidebarLine(page, 'Home');
  await expect(section).toHaveText(/3/);
  await refuseToken(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Not now' }).click();
  await expect(waits.getByRole('listitem').first()).toContainText('Decide: Enter a new token');
  await expect(section).toHaveText(/4/);
  await waits.getByRole('button', { name: 'Review…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Not now' }).click();
  await page.keyboard.press('2');
  await expect(page.getByRole('tab', { name: 'churn.csv' })).toHaveAttribute('aria-selected', 'true');
});

test('takes a number key in the frame in which a dialog is closed', async ({ open }) => {
  const page = await open({
    ...{ opensStart: true, prepared: ['churn.csv'], lists: 'empty', layout: LAYOUT },
  });
  await refuseToken(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Not now' }).click();
  const waits = page.getByRole('region', { name: 'Waiting for you' });
  await waits.getByRole('button', { name: 'Review…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Not now' }).waitFor();
  await page.evaluate(async () => {
    for (const button of document.querySelectorAll<HTMLElement>('[role="dialog"] button'))
      if (button.textContent?.trim() === 'Not now') button.click();
    await Promise.resolve();
    const target = document.activeElement ?? document.body;
    target.dispatchEvent(new KeyboardEvent('keydown', { key: '2', bubbles: true, cancelable: true }));
  });
  await expect(page.getByRole('tab', { name: 'churn.csv' })).toHaveAttribute('aria-selected', 'true');
});

test('counts one of each kind of waiting work, and links to each', async ({ open }) => {
  const left = { kind: 'connection', title: 'New connection', params: {} };
  const draft = { form: 'connections.new', tabId: '', left, atMs: NOW - DAY, value: { name: 'Staging' } };
  const page = await open({
    ...{ opensStart: true, hasPlans: true, hasAskingBuild: true, outbox: 'full', prepared: ['bank.csv'] },
    layout: { ...LAYOUT, 'draft.one': draft },
  });
  const waits = page.getByRole('region', { name: 'Waiting for you' });
  await waits.getByRole('button', { name: 'All 10', exact: true }).click();
  await expect(waits.getByRole('listitem')).toHaveText([
    /Decide: Dataset from spans: Answers of June.*could then be in the dataset twice/,
    /Decide: Create a project: Spring campaign.*letters and digits only/,
    /Decide: Change an alert rule: Drift of age.*has changed at the service/,
    /Upload of churn_2\.csv.*0 of 10,000 rows/,
    /Delete a dataset: Refund questions/,
    /Planned: Upload of churn_1\.csv.*starts at/,
    /Planned: Deletion: 3 events by id.*starts at/,
    /Create an application: Refund assistant/,
    /Upload of bank\.csv.*File in preparation/,
    /New connection.*Draft of/,
  ]);
  await expect(waits).toContainText('3 decisions, 2 running, 2 planned, 3 paused or in preparation');
  // Running work is not counted, as it needs nothing from the user.
  const section = sidebarLine(page, 'Home');
  await expect(section).toHaveText(/8/);
  await waits.getByRole('button', { name: 'Pause' }).first().click();
  await expect(waits).toContainText('3 decisions, 1 running, 2 planned, 4 paused or in preparation');
  await expect(section).toHaveText(/9/);
  for (const [name, tab] of [
    [/Answers of June/, 'Answers of June'],
    [/Spring campaign/, 'Outbox'],
    [/Upload of churn_2/, 'churn_2.csv'],
    [/Upload of churn_1/, 'churn_1.csv'],
    [/3 events by id/, 'Deletions'],
    [/Upload of bank/, 'bank.csv'],
    [/New connection/, 'New connection (unsaved input)'],
  ] as const) {
    await page.keyboard.press('Control+1');
    await expect(waits.getByRole('listitem').nth(8)).toBeVisible();
    const all = waits.getByRole('button', { name: 'All 10', exact: true });
    if (await all.isVisible()) await all.click();
    await waits.getByRole('button', { name }).first().click();
    await expect(page.getByRole('tab', { name: tab, exact: true })).toHaveAttribute('aria-selected', 'true');
  }
});

test('lists rules that fired with their values, newest first, and opens one by a click', async ({ open }) => {
  const page = await open({ opensStart: true, layout: LAYOUT });
  const alerts = page.getByRole('region', { name: 'Newest alerts' });
  await expect(alerts.getByRole('listitem')).toHaveCount(3);
  const first = alerts.getByRole('listitem').first();
  await expect(first).toContainText('Critical');
  await expect(first.getByRole('img', { name: /^Values of/ })).toBeVisible();
  await expect(page.getByRole('group', { name: 'Since you left' })).toContainText(/3\s*rules fired/);
  // Values and times are completely visible, even in the smallest window.
  await page.setViewportSize({ width: 1000, height: 640 });
  const cut = await alerts.evaluate((element) =>
    [...element.querySelectorAll('.what > *')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent),
  );
  expect(cut).toEqual([]);
  await first.getByRole('button').click();
  await expect(page.getByRole('tab', { name: 'Traffic drops' })).toHaveAttribute('aria-selected', 'true');
});

test('keeps starred entries, and lists recently opened ones', async ({ open }) => {
  const page = await open({ opensStart: true, layout: LAYOUT });
  const recent = page.getByRole('region', { name: 'Stars and recent' });
  const star = recent.getByRole('button', { name: 'Star Refund questions' });
  await star.click();
  await expect(star).toHaveAttribute('aria-pressed', 'true');
  const stored = async () =>
    (await callsOf(page, 'layout:write')).findLast(({ argument }) => argument['key'] === 'recents')?.argument[
      'value'
    ];
  await expect.poll(stored).toMatchObject([{ title: 'Refund questions', isStarred: true }]);
  await recent.getByRole('button', { name: 'Refund questions', exact: true }).click();
  await expect(page.getByRole('tab', { name: 'Refund questions' })).toHaveAttribute('aria-selected', 'true');
});

test('shows the same page offline with its time', async ({ open }) => {
  const page = await open({ opensStart: true, network: 'switched-off', layout: LAYOUT });
  await expect(page.getByRole('group', { name: 'Since you left' })).toContainText(
    /As of .+from what is stored here/s,
  );
  await expect(page.getByRole('region', { name: 'Newest alerts' }).getByRole('listitem')).toHaveCount(3);
});

test('shows no claims without data, and errors in place', async ({ open }) => {
  const loading = await open({ opensStart: true, lists: 'loading', layout: LAYOUT });
  await expect(loading.getByRole('heading', { name: 'Newest alerts' })).toBeVisible();
  await expect(loading.getByRole('group', { name: 'Since you left' })).toHaveCount(0);
  const failed = await open({ opensStart: true, lists: 'failed', network: 'unreachable', layout: LAYOUT });
  const alerts = failed.getByRole('region', { name: 'Newest alerts' });
  // The stored alerts are shown below the error.
  await expect(alerts).toContainText('Could not refresh alerts');
  await expect(alerts.getByRole('button', { name: 'Try again' })).toBeVisible();
  const empty = await open({ opensStart: true, lists: 'empty', layout: { left: LAYOUT.left } });
  await expect(empty.getByRole('region', { name: 'Newest alerts' })).toHaveCount(0);
  await expect(empty.locator('main section')).toHaveCount(0);
  const unread = await open({ opensStart: true, kept: 'failed' });
  const kept = unread.getByRole('region', { name: 'Kept offline' });
  await expect(kept).toContainText('Could not load what is kept');
});

test('retries requests that failed because of the token when a token is accepted', async ({ open }) => {
  const page = await open({ opensStart: true, lists: 'refused', layout: LAYOUT });
  const alerts = page.getByRole('region', { name: 'Newest alerts' });
  await expect(alerts).toContainText('Could not load alerts');
  await refuseToken(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Not now' }).click();
  const again = async () =>
    (await callsOf(page, 'library:open-list')).filter(({ argument }) => argument['refresh'] === 'always');
  expect(await again()).toEqual([]);
  await acceptToken(page);
  await expect(alerts.getByRole('listitem')).toHaveCount(3);
  await expect(alerts.getByRole('alert')).toHaveCount(0);
});

/** The sample workspace with a trace of six spans. */
const SAMPLE = { opensStart: true, isSample: true, traceSpans: 6, traceChildren: 2 };
const stepsOf = (page: Page) => page.getByRole('region', { name: 'First steps' });
const cardOf = (page: Page, name: string) =>
  stepsOf(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name }) });
const doneNow = async (page: Page) =>
  (await callsOf(page, 'layout:write')).findLast(({ argument }) => argument['key'] === 'first-steps')
    ?.argument['value'];

test('offers three first steps in the sample workspace, of one size and in sight in the smallest window', async ({
  open,
}) => {
  const page = await open(SAMPLE);
  const cards = stepsOf(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading') });
  await expect(cards).toHaveCount(3);
  await expect(cardOf(page, 'Read a trace')).toContainText(/step_0.*Open the trace.*6 spans, 1 error/s);
  await expect(cardOf(page, 'Make a dataset')).toContainText(/refund for order.*Make a dataset.*5 spans/s);
  await expect(cardOf(page, 'Check a file')).toContainText(/forty.*Frankreich.*3,000 rows, 4 bad/s);
  expect(await violations(page)).toEqual([]);
  expect(await violationsInDark(page)).toEqual([]);
  await page.setViewportSize({ width: 1000, height: 640 });
  const boxes = await cards.evaluateAll((all) =>
    all.map((card) => {
      const { top, bottom, width, height } = card.getBoundingClientRect();
      return { top, width: Math.round(width), height, isInSight: top >= 0 && bottom <= innerHeight - 26 };
    }),
  );
  expect(new Set(boxes.map(({ top, width, height }) => `${top} ${width} ${height}`)).size).toBe(1);
  expect(boxes.every(({ isInSight }) => isInSight)).toBe(true);
});

test('the key 1 opens the slowest failed trace at that span; then there is a tick, and what waits has the keys from 4', async ({
  open,
}) => {
  const page = await open({ ...SAMPLE, prepared: ['churn.csv'] });
  const waits = page.getByRole('region', { name: 'Waiting for you' });
  await expect(waits.getByRole('listitem').first().locator('kbd')).toHaveText('4');
  await expect(cardOf(page, 'Read a trace').getByRole('button')).toBeEnabled();
  await page.keyboard.press('1');
  // The tab is named after the first question of the trace.
  await expect(page.getByRole('tab', { name: /refund/ })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('treegrid', { name: 'Spans of the trace as a tree' })).toBeVisible();
  await expect(page.locator(':focus')).toHaveRole('treegrid');
  const lists = (await callsOf(page, 'library:open-list')).map(
    ({ argument }) => Object(argument['query']).body,
  );
  expect(lists).toContainEqual(
    expect.objectContaining({
      ordering: '-duration',
      filter: { condition: 'AND', rules: [{ field: 'Span::status_code', operator: 'eq', value: 'ERROR' }] },
    }),
  );
  await page.keyboard.press('Control+1');
  await expect(cardOf(page, 'Read a trace')).toContainText('Done');
  await expect(cardOf(page, 'Read a trace').getByRole('button')).toHaveCount(0);
  await page.keyboard.press('1');
  await expect(page.getByRole('tab', { name: 'Home' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('4');
  await expect(page.getByRole('tab', { name: 'churn.csv' })).toHaveAttribute('aria-selected', 'true');
});

test('the key 2 puts five answers with the suggested mapping into a basket, and shows its items', async ({
  open,
}) => {
  const page = await open(SAMPLE);
  await expect(cardOf(page, 'Make a dataset').getByRole('button')).toBeEnabled();
  await page.keyboard.press('2');
  await expect(page.getByRole('button', { name: 'Preview', exact: true })).toHaveAttribute(
    'aria-current',
    'step',
  );
  const { spans } = await newestCall(page, 'builds:pick-spans');
  expect(spans).toHaveLength(5);
  const settings = (await callsOf(page, 'jobs:change')).map(({ argument }) => argument['change']);
  expect(settings).toContainEqual(
    expect.objectContaining({
      type: 'settings',
      patch: { mapping: expect.arrayContaining([expect.objectContaining({ bucket: 'inputs' })]) },
    }),
  );
  // No dataset exists yet, so the button leads back to the draft.
  await page.keyboard.press('Control+1');
  await expect(cardOf(page, 'Make a dataset').getByRole('button')).toHaveText(/Continue/);
  const draft = page.getByRole('region', { name: 'Waiting for you' }).getByRole('listitem');
  await expect(draft.getByRole('button', { name: 'Continue' })).toBeVisible();
  await page.keyboard.press('2');
  await expect(page.getByRole('tab', { name: /Support assistant/ })).toHaveAttribute('aria-selected', 'true');
  expect(await callsOf(page, 'builds:pick-spans')).toHaveLength(1);
  await expect.poll(() => doneNow(page)).toMatchObject({ done: [] });
});

test('the key 3 checks the file with problems against its model', async ({ open }) => {
  const page = await open(SAMPLE);
  await expect(cardOf(page, 'Check a file').getByRole('button')).toBeEnabled();
  await expect.poll(async () => (await callsOf(page, 'library:open-list')).length).toBeGreaterThan(4);
  await page.keyboard.press('3');
  await expect(page.getByRole('tab', { name: 'bank_bad.csv' })).toHaveAttribute('aria-selected', 'true');
  const { plan } = await newestCall(page, 'uploads:start-dry-run');
  expect(plan).toMatchObject({ modelName: 'Bank churn', fileId: 'sample-file' });
  await expect(page.getByRole('button', { name: 'Columns and rows', exact: true })).toHaveAttribute(
    'aria-current',
    'step',
  );
  await page.keyboard.press('Control+1');
  await page.keyboard.press('3');
  await expect(page.getByRole('tab', { name: 'bank_bad.csv' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('tab', { name: 'bank_bad.csv' })).toHaveCount(1);
  await expect.poll(() => doneNow(page)).toMatchObject({ done: [] });
});

test('counts a first step as done by kept or made content, not by opening its form', async ({ open }) => {
  const page = await open({ opensStart: true });
  for (const [key, opened] of [
    ['1', page.getByRole('dialog', { name: 'Keep something offline' })],
    ['2', page.getByRole('heading', { name: 'New dataset', level: 1 })],
  ] as const) {
    await expect(stepsOf(page)).toBeVisible();
    await page.keyboard.press(key);
    await expect(opened).toBeVisible();
    if (key === '2') await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+1');
  }
  await expect(
    stepsOf(page)
      .getByRole('listitem')
      .getByRole('button', { name: /^(Keep|New|Choose)/ }),
  ).toHaveCount(3);
  await expect(stepsOf(page)).not.toContainText('Done');
  const other = await open({ opensStart: true, kept: 'full' });
  await expect(cardOf(other, 'Keep offline')).toContainText('Done');
  await expect(cardOf(other, 'New dataset')).not.toContainText('Done');
});

test('first steps leave once all are done, and by their close button, which can be undone', async ({
  open,
}) => {
  const done = { done: ['trace', 'dataset', 'file'], isClosed: false, endMs: NOW };
  const over = await open({ ...SAMPLE, layout: { 'first-steps': done } });
  await expect(over.getByRole('heading', { name: 'Newest alerts' })).toBeVisible();
  await expect(stepsOf(over)).toHaveCount(0);
  const page = await open(SAMPLE);
  await page.getByRole('button', { name: 'Close the first steps' }).click();
  await expect(stepsOf(page)).toHaveCount(0);
  await expect.poll(() => doneNow(page)).toMatchObject({ isClosed: true });
  await page.keyboard.press('Control+z');
  await expect(stepsOf(page)).toBeVisible();
});

test('first steps that cannot be read show the reason, and do not count as done', async ({ open }) => {
  const away = await open({ ...SAMPLE, network: 'switched-off', lists: 'not-stored' });
  await expect(cardOf(away, 'Make a dataset')).toContainText(/Not stored on this computer.*Offline/s);
  await expect(cardOf(away, 'Make a dataset').getByRole('button')).toBeDisabled();
  // The file is on this computer, so the step is available offline.
  await expect(cardOf(away, 'Check a file').getByRole('button')).toBeEnabled();
  const failed = await open({ ...SAMPLE, lists: 'broken', network: 'unreachable', sampleFile: 'failed' });
  await expect(cardOf(failed, 'Read a trace')).toContainText(/This could not be read.*Not read/s);
  await expect(cardOf(failed, 'Read a trace').getByRole('button', { name: 'Try again' })).toBeVisible();
  await cardOf(failed, 'Check a file')
    .getByRole('button', { name: /^Check the file/ })
    .click();
  await expect(cardOf(failed, 'Check a file').getByRole('button', { name: /^Check the file/ })).toBeEnabled();
  await expect.poll(() => doneNow(failed)).toMatchObject({ done: [] });
  const empty = await open({ ...SAMPLE, lists: 'empty' });
  await expect(cardOf(empty, 'Read a trace')).toContainText('No request failed in these 7 days.');
  await cardOf(empty, 'Read a trace')
    .getByRole('button', { name: /^Open spans/ })
    .click();
  await expect(empty.getByRole('tab', { name: 'Spans', exact: true })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await expect.poll(() => doneNow(empty)).toMatchObject({ done: [] });
});

test('the pictures show the stored range while offline, however old it is, and this week while online', async ({
  open,
}) => {
  const stored = { done: [], isClosed: false, endMs: NOW - 9 * DAY };
  const rangesOf = async (page: Page) =>
    (await callsOf(page, 'library:open-list')).flatMap(({ argument }) => {
      const { operation, body } = Object(argument['query']);
      return operation === 'spans.query' && body.ordering === '-duration' ? [body.end_time.slice(0, 10)] : [];
    });
  const away = await open({ ...SAMPLE, network: 'switched-off', layout: { 'first-steps': stored } });
  await expect(cardOf(away, 'Read a trace').getByRole('button')).toBeEnabled();
  expect(await rangesOf(away)).toEqual(['2026-11-09']);
  const page = await open({ ...SAMPLE, layout: { 'first-steps': stored } });
  await expect.poll(async () => (await rangesOf(page)).at(-1)).toBe('2026-11-18');
});

test('offers every first step to a token without projects, which may see a model all the same', async ({
  open,
}) => {
  const page = await open({ opensStart: true, lists: 'empty' });
  await expect(stepsOf(page)).toContainText('This token sees no projects. Ask for access to one');
  for (const button of await stepsOf(page).getByRole('listitem').getByRole('button').all())
    await expect(button).toBeEnabled();
  await page.keyboard.press('2');
  await expect(page.getByRole('heading', { name: 'New dataset', level: 1 })).toBeVisible();
});

test('shows a tick on Home at once for a trace that is read in the other half of the window', async ({
  open,
}) => {
  const page = await open(SAMPLE);
  await expect(cardOf(page, 'Read a trace').getByRole('button')).toBeEnabled();
  await sidebarLine(page, 'Spans').click({ modifiers: ['Control'] });
  const beside = page.locator('[data-view]:not(main)');
  await beside
    .getByRole('gridcell', { name: /refund/ })
    .first()
    .dblclick();
  await expect(beside.getByRole('treegrid', { name: 'Spans of the trace as a tree' })).toBeVisible();
  await expect(cardOf(page, 'Read a trace')).toContainText('Done');
});

test('a service of one’s own has other first steps, from its first visit on', async ({ open }) => {
  const page = await open({ opensStart: true });
  await expect(stepsOf(page).getByRole('heading', { level: 3 })).toHaveText([
    'Keep offline',
    'New dataset',
    'Upload',
  ]);
  expect(await violations(page, { within: 'main' })).toEqual([]);
  await page.keyboard.press('2');
  await expect(page.getByRole('tab', { name: 'New dataset' })).toHaveAttribute('aria-selected', 'true');
  const later = await open({ opensStart: true, layout: LAYOUT });
  await expect(later.getByRole('heading', { name: 'Newest alerts' })).toBeVisible();
  await expect(stepsOf(later)).toHaveCount(0);
});

test('the welcome page has three ways to begin, a picture and three facts, without scrolling in the smallest window', async ({
  open,
}) => {
  const page = await open({ isFirstRun: true });
  await page.setViewportSize({ width: 1000, height: 640 });
  await expect(page.getByRole('figure', { name: /^A trace/ })).toBeInViewport({ ratio: 1 });
  for (const fact of [/searched without a network/, /row has a receipt/, /over the rate limit/])
    await expect(page.getByText(fact)).toBeInViewport({ ratio: 1 });
  const isScrolled = await page.evaluate(() =>
    [...document.querySelectorAll('*')].some(
      ({ scrollHeight, clientHeight }) => clientHeight > 300 && scrollHeight > clientHeight + 1,
    ),
  );
  expect(isScrolled).toBe(false);
});

test('reports an alert that fires while the window is open, and opens its rule by a click', async ({
  open,
}) => {
  const page = await open({ opensStart: true, layout: LAYOUT });
  const told = (channel: string, payload: unknown) =>
    page.evaluate(
      ([name, said]) => {
        const { fakeEvent } = globalThis as unknown as {
          fakeEvent: (name: string, payload: unknown) => void;
        };
        fakeEvent(name, said);
      },
      [channel, payload] as const,
    );
  const alert = (name: string) => ({
    ...{ ruleId: `rule of ${name}`, name, modelName: 'Bank churn', severity: 'critical', timeMs: NOW },
  });
  await told('alerts:fired', { connectionId: CONNECTION_ID, alerts: [alert('Null rate')] });
  const message = page.locator('[data-sonner-toast]').filter({ hasText: 'Critical: Null rate' });
  await expect(message).toContainText('Bank churn');
  await message.getByRole('button', { name: 'Open' }).click();
  // The fake service returns the same rule for every id, so the tab has the name of that rule.
  const asked = async () =>
    (await callsOf(page, 'library:open-record')).map(({ argument }) => Object(argument['query']).path);
  await expect(page.getByRole('tab', { name: 'Traffic drops' })).toHaveAttribute('aria-selected', 'true');
  await expect.poll(asked).toContainEqual({ alert_id: 'rule of Null rate' });
  // Several alerts are reported in one message, which opens all of them.
  await told('alerts:fired', { connectionId: CONNECTION_ID, alerts: [alert('Drift'), alert('Latency')] });
  await expect(page.locator('[data-sonner-toast]').filter({ hasText: 'Critical: Drift' })).toContainText(
    'and 1 more alert',
  );
  // The user clicks on a notification of the operating system.
  await told('alerts:open', { connectionId: CONNECTION_ID, alert: alert('Latency') });
  await expect.poll(asked).toContainEqual({ alert_id: 'rule of Latency' });
});
