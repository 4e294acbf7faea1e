/** Users type goals into the palette in their own words, and the first entry fulfils each goal. */
import { callsOf, expect, test } from './fixtures.ts';

const INTENTS: readonly (readonly [typed: string, first: RegExp])[] = [
  ['upload file', /^Upload events from a file/],
  ['import csv', /^Upload events from a file/],
  ['send rows', /^Upload events from a file/],
  ['delete events', /^Delete events…/],
  ['undo upload', /^Go to uploads/],
  ['receipts', /^Go to uploads/],
  ['new dataset from spans', /^New dataset…/],
  ['create evaluation set', /^New dataset…/],
  ['add items to dataset', /^Go to datasets/],
  ['import csv to dataset', /^(Go to datasets|New dataset…|Upload events)/],
  ['score dataset', /^Go to datasets/],
  ['compare two runs', /^Compare experiments…/],
  ['near duplicates', /^Go to datasets/],
  ['evaluators', /^Go to evaluators/],
  ['judge', /^Go to evaluators/],
  ['show errors', /^Show failed spans/],
  ['slow spans', /^Show the slowest spans/],
  ['conversations', /^Go to spans/],
  ['last 24 hours', /^Go to spans/],
  ['find span by id', /^Go to search/],
  ['traces', /^Go to spans/],
  ['dark theme', /^Switch light and dark/],
  ['light mode', /^Switch light and dark/],
  ['row height', /^Compact rows/],
  ['font size', /^Settings: /],
  ['time zone', /^Settings: Time zone/],
  ['number format', /^Settings: /],
  ['quiet hours', /^Settings: /],
  ['notifications', /^Settings: /],
  ['new alert rule', /^New alert rule…/],
  ['notify me when', /^New alert rule…/],
  ['alerts that fired', /^Go to alerts/],
  ['thresholds', /^Go to alerts/],
  ['draw a chart', /^New chart…/],
  ['dashboard', /^Go to charts/],
  ['rate limit', /^Go to requests/],
  ['why is it waiting', /^Go to (requests|outbox)/],
  ['pause everything', /^Pause or resume all requests/],
  ['what is running', /^Go to activity/],
  ['my jobs', /^Go to activity/],
  ['unsent changes', /^Go to outbox/],
  ['history', /^(Go to changes|Back)/],
  ['service jobs', /^Go to service tasks/],
  ['undo', /^Undo/],
  ['revert what I closed', /^Undo/],
  ['reopen tab', /^Reopen closed tab/],
  ['offline copy', /^Keep something offline/],
  ['download for the train', /^(Keep something offline|Work offline)/],
  ['go offline', /^(Work offline|Go to offline library)/],
  ['free disk space', /^(Go to diagnostics|Go to offline library)/],
  ['change token', /^Edit this connection/],
  ['forget connection', /^Edit this connection/],
  ['proxy', /^(Edit this connection|Settings: )/],
  ['hide personal data', /^Toggle privacy mode/],
  ['share with a colleague', /^Create a pack/],
  ['export to parquet', /^Export list/],
  ['save view', /^Saved views/],
  ['logs', /^Open log folder/],
  ['help', /^Keyboard shortcuts/],
  ['sql query', /^Go to SQL/],
  ['models', /^Go to models/],
  ['production data', /^Go to environments/],
  ['report', /^Go to (datasets|alerts|charts)/],
  ['share', /^(Saved views|Create a pack)/],
  ['correction', /^Go to datasets/],
  ['ground truth', /^Go to datasets/],
  ['annotate', /^Go to (spans|datasets)/],
  ['feedback', /^Go to (spans|datasets)/],
  ['which prompt is better', /^Compare experiments…/],
  ['a/b test', /^Compare experiments…/],
  ['hallucination', /^Go to evaluators/],
  ['delete my data', /^Delete events…/],
  ['timezone', /^Settings: Time zone/],
  ['zoom', /^Settings: /],
  ['requests used', /^Go to requests/],
  ['new project', /^Go to projects/],
  ['why did it fail', /^Show failed spans/],
];

test('75 intents in plain words lead to the right first entry', async ({ open }) => {
  expect(INTENTS.length).toBeGreaterThanOrEqual(75);
  const page = await open();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search everything' });
  const first = page.getByRole('option').first();
  const wrong: string[] = [];
  for (const [typed, wanted] of INTENTS) {
    await field.fill(typed);
    // Entries of the window are listed in the same frame, and stored content follows below them.
    await expect(page.getByRole('option', { name: `Search spans for “${typed}”` })).toBeVisible();
    const got = (await first.textContent()) ?? '';
    if (!wanted.test(got)) wrong.push(`${typed}: ${got}`);
  }
  expect(wrong).toEqual([]);
});

test('a text without a match leads to searches of spans and settings', async ({ open }) => {
  const page = await open();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill('zzzz-nothing');
  await expect(page.getByText('No match for “zzzz-nothing”.')).toBeVisible();
  await page.getByRole('option', { name: 'Search settings for “zzzz-nothing”' }).click();
  await expect(page.getByRole('textbox', { name: 'Search settings' })).toHaveValue('zzzz-nothing');
});

test('shows failed and the slowest spans by words in the palette', async ({ open }) => {
  const page = await open();
  for (const [typed, part] of [
    ['show errors', '"field":"Span::status_code","operator":"eq","value":"ERROR"'],
    ['slow spans', '"ordering":"-duration"'],
  ] as const) {
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill(typed);
    await expect(page.getByRole('option').first()).toContainText('pans');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Spans');
    await expect.poll(async () => JSON.stringify(await callsOf(page, 'library:open-list'))).toContain(part);
  }
});
