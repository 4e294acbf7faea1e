/** A tab restores its scroll position even if its content arrives later. */
import type { Locator, Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import type { FakeWindow, Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, test } from './fixtures.ts';

const LEFT_AT = 260;

const schema = (page: Page): Locator => page.getByRole('region', { name: 'Schema' });
const top = (part: Locator): Promise<number> => part.evaluate(({ scrollTop }) => Math.round(scrollTop));
const scrollTo = (part: Locator, to: number): Promise<void> =>
  part.evaluate((element, at) => element.scrollTo(0, at), to);

/** Returns the scenario of the next start, with a scrolled dataset schema in a tab that is not active. */
function restarted(scenario: Scenario = {}): Scenario {
  const list = [
    {
      id: '1',
      kind: 'dataset',
      title: 'Refund questions',
      params: { datasetId: 'd', name: 'Refund questions', part: 'schema' },
    },
    { id: '2', kind: 'datasets', title: 'Datasets', params: {} },
  ];
  const places = { '1 scroll.schema': { top: LEFT_AT }, '2 grid.datasets': { row: 2 }, '9 gone': { top: 5 } };
  return { ...scenario, layout: { tabs: { list, activeId: '2' }, places } };
}

/** Opens and requests the schema in the window of the next start. */
async function show(page: Page, height = 640): Promise<void> {
  await page.setViewportSize({ width: 1000, height });
  await page.getByRole('tab', { name: 'Refund questions' }).click();
  // The view that was active before requested schemas of other datasets.
  const requested = async () =>
    (await callsOf(page, 'library:open-record')).map(({ argument }) => argument['query']);
  const wanted = { operation: 'datasets.schema', path: { dataset_id: 'd' } };
  await expect.poll(requested).toContainEqual(expect.objectContaining(wanted));
}

/** Delivers this number of schema keys from the service. */
const arrive = (page: Page, keys: number, isAll = true): Promise<void> =>
  page.evaluate(
    ([count, isWhole]) => {
      const { fakeRecord } = globalThis as unknown as FakeWindow;
      const inputs = Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`key_${at}`, { count: 9, data_type: 'STRING' }]),
      );
      fakeRecord('datasets.schema', { total_items: 9, sampled: false, inputs }, isWhole);
    },
    [keys, isAll] as const,
  );

test('restores the position after a restart when the content is high enough, after any number of partial loads', async ({
  open,
}) => {
  const page = await open(restarted({ lateRecords: ['datasets.schema'] }));
  await show(page);
  await expect(schema(page)).toBeHidden();
  await arrive(page, 12);
  await expect(schema(page).getByRole('cell', { name: 'key_11' })).toBeAttached();
  expect(await top(schema(page))).toBeLessThan(LEFT_AT);
  await arrive(page, 60);
  await expect.poll(() => top(schema(page))).toBe(LEFT_AT);
  // The position is restored, and content that arrives later does not move it.
  await arrive(page, 70);
  await expect(schema(page).getByRole('cell', { name: 'key_69' })).toBeAttached();
  expect(await top(schema(page))).toBe(LEFT_AT);
});

test('keeps the position of a user who scrolls before the position is restored', async ({ open }) => {
  const page = await open(restarted({ lateRecords: ['datasets.schema'] }));
  await show(page);
  await arrive(page, 12);
  await expect.poll(() => top(schema(page))).toBeGreaterThan(20);
  await schema(page).hover();
  await page.mouse.wheel(0, -15);
  const chosen = async () => (await top(schema(page))) + 15;
  const before = await schema(page).evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
  await expect.poll(chosen).toBe(before);
  await arrive(page, 60);
  await expect(schema(page).getByRole('cell', { name: 'key_59' })).toBeAttached();
  expect(await chosen()).toBe(before);
});

test('does not scroll away from a user who interacts before the position is restored', async ({ open }) => {
  const page = await open(restarted({ lateRecords: ['datasets.schema'] }));
  await show(page);
  await arrive(page, 12);
  await schema(page).getByRole('cell', { name: 'key_11' }).click();
  const before = await top(schema(page));
  await arrive(page, 60);
  await expect(schema(page).getByRole('cell', { name: 'key_59' })).toBeAttached();
  expect(await top(schema(page))).toBe(before);
});

test('writes positions when the window closes, and keeps those of tabs that were not shown', async ({
  open,
}) => {
  const page = await open(restarted());
  const written = async () => {
    await page.evaluate(() => dispatchEvent(new Event('pagehide')));
    const calls = await callsOf(page, 'layout:write');
    return calls.findLast(({ argument }) => argument['key'] === 'places')?.argument['value'];
  };
  await expect.poll(written).toMatchObject({ '1 scroll.schema': { top: LEFT_AT } });
  expect(await written()).not.toHaveProperty('9 gone');
  await show(page, 300);
  await scrollTo(schema(page), 90);
  await expect.poll(written).toMatchObject({ '1 scroll.schema': { top: 90 } });
});

test('writes positions a moment after an input, so that a killed window keeps them', async ({ open }) => {
  const page = await open(restarted());
  await show(page, 300);
  await scrollTo(schema(page), 90);
  const written = async () =>
    (await callsOf(page, 'layout:write')).findLast(({ argument }) => argument['key'] === 'places')?.argument[
      'value'
    ];
  await expect.poll(written).toMatchObject({ '1 scroll.schema': { top: 90 } });
});

test('answers a window that is about to close after it has written its positions', async ({ open }) => {
  const page = await open(restarted());
  await show(page, 300);
  await scrollTo(schema(page), 120);
  // The page learns its scroll positions before the next frame.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
  await page.evaluate(() =>
    (globalThis as unknown as FakeWindow).fakeEvent('app:closing', { withinMs: 3_000 }),
  );
  await expect.poll(async () => (await callsOf(page, 'app:report-saved')).length).toBe(1);
  const calls = await page.evaluate(() => (globalThis as unknown as FakeWindow).fakeCalls);
  const answered = calls.findIndex(({ channel }) => channel === 'app:report-saved');
  const places = (await callsOf(page, 'layout:write')).findLast(
    ({ argument }) => argument['key'] === 'places',
  );
  expect(places?.argument['value']).toMatchObject({ '1 scroll.schema': { top: 120 } });
  expect(calls.findLastIndex(({ channel }) => channel === 'layout:write')).toBeLessThan(answered);
});

test('restores the position of a tab whose tables are read again', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await page.setViewportSize({ width: 1000, height: 500 });
  await openPlace(page, 'Uploads');
  await page.getByRole('main').getByRole('button', { name: 'churn_2.csv', exact: true }).click();
  await expect(page.getByRole('grid', { name: 'Batches' }).getByRole('row')).not.toHaveCount(1);
  const body = page
    .getByRole('grid', { name: 'Batches' })
    .locator('xpath=ancestor::*[contains(@class,"body")]');
  await scrollTo(body.first(), 10_000);
  const before = await top(body.first());
  expect(before).toBeGreaterThan(100);
  await openPlace(page, 'Datasets');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Datasets');
  await page.getByRole('tab', { name: 'churn_2.csv', exact: true }).click();
  await expect(page.getByRole('grid', { name: 'Batches' })).toBeVisible();
  await expect.poll(() => top(body.first())).toBe(before);
});
