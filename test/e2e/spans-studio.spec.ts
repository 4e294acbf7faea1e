/**
 * 2,000 spans of two queries become a dataset, although some are near-duplicates, deleted or moved. This is done
 * normally, with the network cut until the commit, and with the application killed in between. The items at the service
 * are the same as in the preview.
 */
import type { ElectronApplication, Page, TestInfo } from '@playwright/test';
import type { Launched } from '../helpers/app.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { killRepeatedly } from '../helpers/repeated-kills.ts';
import { idOf, itemsOf, readItems, readSpanReceipts, SpansPage } from '../helpers/span-pages.ts';
import { SpansInFile } from '../helpers/spans-service.ts';
import { isElsewhere, isGone, STUDIO_SPANS, studioSpan } from '../helpers/studio-spans.ts';
import { answerSaveDialog } from '../helpers/upload-pages.ts';

const APPLICATION = 'Support assistant';
const DATASET = 'Refunds from spans';
const DAY_MS = 86_400_000;
const TYPES = ['studio_a', 'studio_b'] as const;
const PER_QUERY = STUDIO_SPANS / TYPES.length;
const LOST = (3 * STUDIO_SPANS) / 100;
/** Number of spans that are not near-duplicates. */
const TO_SEND = STUDIO_SPANS - STUDIO_SPANS / 20;
/** Half of the spans that are not found are found at another time. */
const ITEMS = TO_SEND - LOST / 2;
/** Full calls for the spans that are found, and one call for those that are found at another time. */
const FEWEST_CALLS = Math.ceil((TO_SEND - LOST) / 200) + 1;
/** The age of the content of a view while the service is unavailable. */
const OFFLINE = /offline · as of/;
const number = (count: number): string => count.toLocaleString('en-US');

// About 200 queries for spans are needed, which would mostly wait for the next minute with the limits of the
// specification.
const QUICK = [
  { count: 50, lengthMs: 1_000 },
  { count: 3_000, lengthMs: 60_000 },
];
test.use({ serviceOptions: { limits: { categories: { 'spans-query': QUICK } } } });

/** Starts each variant: adds the spans to the service and opens a window that shows them. */
async function begin({ page }: Launched, service: TestService, testInfo: TestInfo) {
  const firstMs = Date.now() - 3 * DAY_MS;
  const own = Array.from({ length: STUDIO_SPANS }, (_, at) =>
    studioSpan(at, firstMs, TYPES[Math.floor(at / PER_QUERY)]),
  );
  const gone = own.filter((_, at) => isGone(at));
  const applicationId = await idOf(service, '/v3/applications', APPLICATION);
  const file = new SpansInFile(testInfo.outputPath('service', 'service.db'), applicationId);
  file.add(own);
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  await expect(new Workbench(page).row('Applications', APPLICATION)).toBeVisible();
  const spans = new SpansPage(page);
  await spans.open();
  await spans.look('Last 7 days');
  /** Removes spans from the service, or moves them to another time. */
  const lose = (): void => {
    file.remove(gone);
    file.move(
      own.filter((_, at) => isElsewhere(at)),
      new Date(firstMs - 5 * DAY_MS).toISOString(),
    );
  };
  return { spans, lose, goneIds: new Set(gone.map(({ span_id }) => span_id)) };
}

async function pickBoth(spans: SpansPage, age?: RegExp): Promise<void> {
  for (const [index, type] of TYPES.entries()) {
    await spans.onlyType(type, age);
    await expect(await spans.allButton()).toHaveText(`Select all ${number(PER_QUERY)} spans`);
    await spans.pickAll();
    await spans.expectPicked((index + 1) * PER_QUERY);
  }
}

/** Saves the preview as a file, and goes to the plan of the commit. */
async function prepare(spans: SpansPage, app: ElectronApplication, page: Page, preview: string) {
  await spans.makeDataset();
  await spans.button('Suggest a mapping').click();
  await expect(spans.bucket('Inputs').getByRole('textbox').first()).toBeVisible();
  await spans.button('Next: preview').click();
  await expect(spans.view.getByText(/^100 near-duplicates excluded/)).toBeVisible();
  await answerSaveDialog(app, preview);
  await spans.button('Export items…').click();
  await expect(page.getByText('Saved preview.jsonl')).toBeVisible();
  expect(readItems(preview).size).toBe(TO_SEND);
  await spans.button('Next: dataset').click();
  await spans.view.getByRole('textbox', { name: 'Name' }).fill(DATASET);
  await spans.button('Next: commit').click();
  await expect(spans.view.getByRole('region', { name: 'Plan' })).toContainText('up to 200 spans');
}

/** The region about the first rejected call, whose decision also applies to later calls. */
const lostOf = (spans: SpansPage) =>
  spans.view.getByRole('region', { name: /^\d+ spans not found by the service$/ });

/**
 * The rejection lists its spans. Searches for them in wider time ranges, in which the missing ones are not found
 * either.
 */
async function widen(spans: SpansPage): Promise<void> {
  const refused = lostOf(spans);
  await expect(refused).toContainText('was not found between');
  await refused.getByRole('button', { name: 'Look in wider time ranges' }).click();
}

async function leaveOut(spans: SpansPage): Promise<void> {
  const left = spans.view.getByRole('region', { name: '30 spans not found by the service' });
  await expect(left).toContainText('30 spans were not found up to 365 days before and after their starts.');
  await left.getByRole('button', { name: 'Continue without these 30 spans' }).click();
}

/**
 * Expects that the commit is done, and that the service has each item of the preview once, stored by this number of
 * calls.
 */
async function expectWhole(
  { spans, goneIds }: { spans: SpansPage; goneIds: ReadonlySet<string> },
  { app, page, service }: { app: ElectronApplication; page: Page; service: TestService },
  testInfo: TestInfo,
  calls: number,
): Promise<void> {
  await expect(spans.view.getByText('Done', { exact: true })).toBeVisible();
  const progress = spans.view.getByRole('region', { name: 'Progress' });
  await expect(progress).toContainText(`Added ${number(ITEMS)} of ${number(ITEMS)} items`);
  await expect(progress).toContainText(new RegExp(`\\b${calls} of \\d+ requests acknowledged`));
  const preview = readItems(testInfo.outputPath('preview.jsonl'));
  const expected = new Map([...preview].filter(([span]) => !goneIds.has(span)));
  const stored = await itemsOf(service, DATASET);
  expect(stored.size).toBe(ITEMS);
  expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(expected));
  await spans.button(/^Compare/).click();
  await expect(spans.view.getByText('The items in the dataset match the preview')).toBeVisible();

  const receiptsFile = testInfo.outputPath('receipts.csv');
  await answerSaveDialog(app, receiptsFile);
  await spans.button('Save receipts').click();
  await expect(page.getByText('Saved receipts.csv')).toBeVisible();
  const receipts = readSpanReceipts(receiptsFile);
  expect(new Set(receipts.map(({ item }) => item)).size).toBe(ITEMS);
}

test('builds 2,000 spans without near-duplicates and with lost ones found or dropped into the items of the preview', async ({
  launch,
  service,
}, testInfo) => {
  const launched = await launch();
  const { app, page } = launched;
  const studio = await begin(launched, service, testInfo);
  const { spans } = studio;
  await pickBoth(spans);
  await prepare(spans, app, page, testInfo.outputPath('preview.jsonl'));
  expect(service.now.report().operations['datasets.create']).toBeUndefined();
  studio.lose();
  await spans.start(`Create the dataset with ${number(TO_SEND)} items`);
  await widen(spans);
  await leaveOut(spans);
  await expectWhole(studio, { app, page, service }, testInfo, FEWEST_CALLS);
  const { statuses = {} } = service.now.report().operations['datasets.add-spans'] ?? {};
  expect(statuses['201']).toBe(FEWEST_CALLS);
  await spans.button('Open the dataset').click();
  await expect(new Workbench(page).heading).toHaveText(DATASET);
  await expect(spans.view.getByRole('tab', { name: `Items ${number(ITEMS)}` })).toBeVisible();
});

test('shows spans that the service lost or moved during an offline preparation before anything is sent', async ({
  launch,
  service,
}, testInfo) => {
  const launched = await launch();
  const { app, page } = launched;
  const studio = await begin(launched, service, testInfo);
  const { spans } = studio;
  // Both lists are completely stored before the service is stopped.
  for (const type of TYPES) await spans.onlyType(type, /live$/);
  await spans.bench.expectQuiet();
  await service.stop();
  await page.keyboard.press('Control+r');
  await spans.bench.expectAge(OFFLINE);
  await pickBoth(spans, OFFLINE);
  await prepare(spans, app, page, testInfo.outputPath('preview.jsonl'));
  studio.lose();
  await spans.start(`Queue ${number(TO_SEND)} items`);
  await expect(
    spans.view.getByText('Queued: it goes on by itself when the service can be reached.'),
  ).toBeVisible();
  await service.start();

  const changed = spans.view.getByRole('region', { name: 'Changed since you prepared this' });
  await expect(changed).toContainText(
    `${number(TO_SEND)} spans read again, nothing sent yet: 30 gone, 0 with other values, 30 at another time.`,
  );
  expect(service.now.report().operations['datasets.create']).toBeUndefined();
  await spans.button('Continue').click();
  const calls = Math.ceil(ITEMS / 200);
  await expectWhole(studio, { app, page, service }, testInfo, calls);
  expect(service.now.report().operations['datasets.add-spans']?.statuses).toEqual({ 201: calls });
});

test('survives three kills: evidence or the user decides about calls without a response', async ({
  launch,
  service,
}, testInfo) => {
  test.slow();
  const first = await launch();
  const studio = await begin(first, service, testInfo);
  await pickBoth(studio.spans);
  await prepare(studio.spans, first.app, first.page, testInfo.outputPath('preview.jsonl'));
  studio.lose();
  await studio.spans.start(`Create the dataset with ${number(TO_SEND)} items`);
  await expect(lostOf(studio.spans)).toBeVisible();
  // The service carries out two of the three calls that hang.
  const hangs = [
    { after: 3, isStored: true },
    { after: 2, isStored: false },
    { after: 4, isStored: true },
  ];
  const { app, page } = await killRepeatedly(first, {
    ...{ launch, service, operation: 'datasets.add-spans', hangs },
    begin: () => widen(studio.spans),
  });
  const spans = new SpansPage(page);
  // Calls that were carried out are found among the items, and the other ones are sent in the meantime.
  const unknown = spans.view.getByRole('region', { name: '1 request without an answer' });
  await expect(spans.view.getByRole('region', { name: '30 spans not found by the service' })).toContainText(
    'most likely no longer has them',
  );
  const call = unknown.getByRole('article', { name: /^Request / });
  await expect(async () => {
    await unknown.getByRole('button', { name: 'Check again' }).click();
    await expect(call).toContainText('Probably not stored', { timeout: 2_000 });
  }).toPass();
  await call.getByRole('button', { name: 'Send again' }).click();
  await leaveOut(spans);
  await expectWhole({ ...studio, spans }, { app, page, service }, testInfo, FEWEST_CALLS);
});
