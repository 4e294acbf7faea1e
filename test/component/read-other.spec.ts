/** If the user compares with a dataset that has no stored version, its items are read first. */
import type { Page } from '@playwright/test';
import { openDataset } from './dataset-steps.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, newestCall, test } from './fixtures.ts';

const changes = (page: Page) => page.getByRole('region', { name: 'Changes' });

/** Chooses the other dataset and returns its id. */
async function chooseOther(page: Page): Promise<string> {
  await openDataset(page);
  await page.getByRole('tab', { name: /^Versions/ }).click();
  await page.getByRole('combobox', { name: 'Compare with another dataset' }).click();
  await page.getByRole('listbox').getByRole('option').nth(2).click();
  await expect(changes(page)).toContainText(/The items of .+ are not on this computer yet\./);
  return String((await newestCall(page, 'snapshots:ask'))['datasetId']);
}

/** Acts as if the first complete reading had created a version. */
const createVersion = (page: Page, datasetId: string) =>
  page.evaluate((id) => {
    const fake = globalThis as unknown as FakeWindow;
    fake.isOtherRead = true;
    const { argument } = fake.fakeCalls.findLast(({ channel }) => channel === 'snapshots:ask') ?? {};
    const { connectionId } = argument as { connectionId: string };
    fake.fakeEvent('snapshots:changed', { connectionId, datasetId: id });
  }, datasetId);

/** Records in order every text that this part of the view shows from now on. */
const noteTexts = (page: Page) =>
  changes(page).evaluate((part) => {
    const texts: string[] = [];
    const note = () => texts.push(part.textContent ?? '');
    new MutationObserver(note).observe(part, { childList: true, subtree: true, characterData: true });
    Object.assign(globalThis, { notedTexts: texts });
  });
const notedTexts = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { notedTexts: string[] }).notedTexts);

test('reads a short dataset at once, with the cost on the button, and then compares', async ({ open }) => {
  const page = await open({ isOtherUnread: true });
  const id = await chooseOther(page);
  await changes(page)
    .getByRole('button', { name: /^Read 1,240 items and compare · \d+ requests?$/ })
    .click();
  await expect(changes(page)).toContainText(/^.*Reading .+ of 1,240 items\. The comparison follows\./);
  expect(await newestCall(page, 'library:open-list')).toMatchObject({
    query: { operation: 'datasets.items', path: { dataset_id: id } },
  });
  await createVersion(page, id);
  await expect(changes(page).getByRole('heading', { name: /^Refund questions v3 → .+ v3$/ })).toBeVisible();
});

test('keeps a long dataset offline first, and does not call it absent between the end of the job and its version', async ({
  open,
}) => {
  const page = await open({ isOtherUnread: true, settings: { prefetchRows: 100 } });
  const id = await chooseOther(page);
  await changes(page).getByRole('button', { name: 'Keep 1,240 items offline…' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Keep offline/ })
    .click();
  await expect(changes(page)).toContainText(/is being kept offline\. The comparison opens here when/);
  await changes(page).getByRole('button', { name: 'Show job' }).click();
  await expect(page.locator('[aria-current="true"]').getByText('Keep offline')).toBeVisible();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await noteTexts(page);
  await page.evaluate(async () => {
    const fake = globalThis as unknown as FakeWindow & {
      spandeck: { invoke: (channel: string, argument: object) => Promise<{ value: { jobs: KeptJob[] } }> };
    };
    interface KeptJob {
      kind: string;
      id: string;
      own: { connectionId: string };
    }
    const all = { kinds: null, states: null, search: null, offset: 0, limit: 100 };
    const { value } = await fake.spandeck.invoke('jobs:list', all);
    const job = value.jobs.find(({ kind }) => kind === 'keep-offline');
    if (job === undefined) throw new Error('Nothing is being kept.');
    const ended = { ...job, state: 'done', own: { ...job.own, state: 'done' } };
    fake.fakeEvent('jobs:changed', {
      ...{ connectionId: job.own.connectionId, kind: job.kind, id: job.id },
      job: ended,
    });
  });
  await expect(changes(page)).toContainText(/All items of .+ are on this computer\./);
  await createVersion(page, id);
  await expect(changes(page).getByRole('heading', { name: /^Refund questions v3 → .+ v3$/ })).toBeVisible();
  for (const text of await notedTexts(page)) {
    expect(text).not.toContain('not on this computer yet');
    // No version of this dataset is shown in the meantime either.
    expect(text).not.toContain('v2 → v3');
  }
});
