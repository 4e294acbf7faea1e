/** The search view: results while the user types, groups, filters, keys, and all states. */
import { violations } from './accessibility.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';
import { openSearch, searchField } from './search-steps.ts';

test('finds typed text in groups with counts and highlights, and opens a hit on Enter', async ({ open }) => {
  const page = await open();
  await openSearch(page);
  await expect(page.getByText('Type to search everything that is stored')).toBeVisible();
  await page.keyboard.type('refund');
  const found = page.getByRole('listbox', { name: 'Found' });
  await expect(found.getByRole('group', { name: 'Resources' })).toContainText('Refund questions');
  await expect(found.locator('mark').first()).toHaveText(/refund/i);
  await expect(
    page.getByText(/^Searched the [\d,]+ of [\d,]+ records that are stored here\. The oldest/),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: /^Everything/ })).toHaveAttribute('aria-pressed', 'true');
  const first = found.getByRole('option').first();
  await expect(first).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('PageDown');
  await expect(first).toHaveAttribute('aria-selected', 'false');
  await page.keyboard.press('PageUp');
  await expect(first).toHaveAttribute('aria-selected', 'true');
  const option = found.getByRole('option', { name: /^Refund questions/ });
  await option.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refund questions');
  await page.getByRole('tab', { name: 'Search' }).click();
  await expect(searchField(page)).toHaveValue('refund');
  await expect(option).toBeVisible();

  // The hit opens a single item, not the whole dataset.
  await found.getByRole('group', { name: 'Dataset items' }).getByRole('option').first().click();
  const filter = page.getByRole('textbox', { name: 'Filter the loaded items' });
  await expect(filter).toHaveValue(/^[\da-f-]{36}$/);
  const narrow = await filter.inputValue();
  await expect.poll(() => newestCall(page, 'library:read-rows')).toMatchObject({ window: { narrow } });
});

test('filters by kind, application and time, and keeps the counts of the others', async ({ open }) => {
  const page = await open();
  await openSearch(page);
  await page.keyboard.type('gen_ai');
  const kinds = page.getByRole('navigation', { name: 'Narrow the results' });
  await expect(kinds.getByRole('button', { name: /^Names [\d,]+/ })).toBeVisible();
  await kinds.getByRole('button', { name: /^Names/ }).click();
  await expect(page.getByRole('group', { name: 'Names' }).getByRole('option')).toHaveCount(50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(page.getByRole('group', { name: 'Names' }).getByRole('option')).toHaveCount(100);
  await expect(kinds.getByRole('button', { name: /^Spans \d/ })).toBeVisible();
  await kinds.getByRole('button', { name: /^Support assistant/ }).click();
  await kinds.getByRole('combobox', { name: 'Time' }).selectOption('Last 7 days');
  // The counts of all kinds are asked for after the hits.
  const asked = async () =>
    (await callsOf(page, 'library:search')).findLast(({ argument }) => argument?.['kind'] !== null)?.argument;
  await expect.poll(asked).toMatchObject({ kind: 'names', typed: 'gen_ai', sinceMs: expect.any(Number) });
  const last = await asked();
  expect(last?.['applicationId']).toEqual(expect.any(String));
});

test('Enter opens a hit of the text as typed, not of the text before it', async ({ open }) => {
  const page = await open();
  await openSearch(page);
  await page.keyboard.type('gen_ai');
  await expect(page.getByRole('listbox', { name: 'Found' })).toBeVisible();
  // Both keys are pressed before the answer to the new text arrives.
  await searchField(page).evaluate((field: HTMLInputElement) => {
    field.value = 'Refund questions';
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refund questions');
});

test('reports that nothing was found, and offers to remove the filters', async ({ open }) => {
  const page = await open();
  await openSearch(page);
  await page.keyboard.type('zzzz-nothing');
  await expect(page.getByText('Nothing found for “zzzz-nothing” in what is stored here.')).toBeVisible();
  const kinds = page.getByRole('navigation', { name: 'Narrow the results' });
  await kinds.getByRole('button', { name: /^Spans/ }).click();
  await page.getByRole('button', { name: 'Search without filters' }).click();
  await expect(page.getByRole('button', { name: /^Everything/ })).toHaveAttribute('aria-pressed', 'true');
});

test('offers another spelling and the lists of the service if nothing was found', async ({ open }) => {
  const page = await open();
  await openSearch(page);
  await page.keyboard.type('refnud');
  const asked = page.getByRole('group', { name: 'Ask the service' });
  await expect(asked.getByRole('button', { name: 'Support assistant' })).toBeVisible();
  await page.getByRole('button', { name: 'refund', exact: true }).click();
  await expect(searchField(page)).toHaveValue('refund');
  await expect(searchField(page)).toBeFocused();
  await expect(page.getByRole('listbox', { name: 'Found' })).toBeVisible();
  await searchField(page).fill('refnud');
  await asked.getByRole('button', { name: 'Support assistant' }).click();
  await expect(page.getByRole('button', { name: 'Remove search refnud' })).toBeVisible();
  const reads = await callsOf(page, 'library:open-list');
  expect(JSON.stringify(reads)).toMatch(/"operation":"catalog.list",[^[]*"query":{"search":"refnud"}/);
});

test('reports that nothing is stored', async ({ open }) => {
  const page = await open({ search: 'empty' });
  await openSearch(page);
  await page.keyboard.type('refund');
  await expect(page.getByText(/^Nothing is stored yet\./)).toBeVisible();
});

test('shows the error of a failed search, and retries', async ({ open }) => {
  const page = await open({ search: 'failed' });
  await openSearch(page);
  await page.keyboard.type('refund');
  await expect(page.getByText('Connection refused')).toBeVisible();
  const before = (await callsOf(page, 'library:search')).length;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await callsOf(page, 'library:search')).length).toBeGreaterThan(before);
});

test('counts rows that are not indexed yet, and the found ones as a lower bound', async ({ open }) => {
  const page = await open({ search: 'indexing', network: 'switched-off' });
  await openSearch(page);
  await page.keyboard.type('refund');
  await expect(page.getByText('Indexing: 41,210 rows left.')).toBeVisible();
  const counts = page.getByRole('navigation', { name: 'Narrow the results' });
  await expect(counts.getByRole('button', { name: /^Spans/ })).toHaveText(/\d\+$/);
  await expect(counts).not.toContainText('at least');
});

test('leads from the first hits of a kind to all of them, in a list box of options alone', async ({
  open,
}) => {
  const page = await open();
  await openSearch(page);
  await page.keyboard.type('gen_ai');
  const all = page.getByRole('group', { name: 'Names' }).getByRole('option', { name: /^All / });
  await expect(all).toBeVisible();
  expect(await violations(page, { within: '[role="listbox"]' })).toEqual([]);
  await all.click();
  await expect(page.getByRole('group', { name: 'Names' }).getByRole('option')).toHaveCount(50);
  expect(await violations(page, { within: '[role="listbox"]' })).toEqual([]);
});

test('previews the hit at the cursor by Space, which is a space while typing', async ({ open }) => {
  const page = await open();
  await openSearch(page);
  await page.keyboard.type('refund questions');
  await expect(searchField(page)).toHaveValue('refund questions');
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await searchField(page).fill('refund');
  const options = page.getByRole('listbox', { name: 'Found' }).getByRole('option');
  await expect(options.nth(1)).toBeVisible();
  await expect(inspector).toBeHidden();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await expect(searchField(page)).toHaveValue('refund');
  const titleOf = (at: number) => options.nth(at).locator('.title').textContent();
  await expect(inspector.getByRole('heading', { level: 2 })).toHaveText((await titleOf(1)) ?? '');
  await page.keyboard.press('ArrowDown');
  await expect(inspector.getByRole('heading', { level: 2 })).toHaveText((await titleOf(2)) ?? '');
  const option = page.getByRole('option', { name: /^Refund questions/ });
  while ((await option.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowUp');
  // The fields are named in words: no label is spelled like a field of the service.
  await expect(inspector.getByText(/^[a-z]+(?:_[a-z]+)+$/)).toHaveCount(0);
  await expect(inspector.getByRole('region', { name: 'Record' })).toContainText('Name Refund questions');
  await page.keyboard.press('Space');
  await expect(inspector).toBeHidden();
  await page.keyboard.type('s');
  await expect(searchField(page)).toHaveValue('refunds');
});

test('shows the known data of an upload, which is in no list, and reports a deleted record', async ({
  open,
}) => {
  const page = await open({ search: 'gone' });
  await openSearch(page);
  await page.keyboard.type('refund');
  const upload = page.getByRole('option', { name: /^refunds\.csv/ });
  await expect(upload).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await expect(upload).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Space');
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector.getByRole('region', { name: 'Record' })).toContainText('Note 1,000 rows sent');
  await page.keyboard.press('ArrowUp');
  await expect(page.getByText(/is not stored any more: search again/)).toBeVisible();
  await expect(inspector.getByRole('heading', { name: 'refunds.csv' })).toBeHidden();
});
