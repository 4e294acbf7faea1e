/** Picked spans are reviewed: decided by keyboard, grouped into failure kinds, undone, and resumed. */
import type { Locator, Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';
import { takePicture, takePictures } from './pictures.ts';
import { bar, decided, openMapping, openReview, openSpans } from './span-steps.ts';

/** The dataset that the first experiments use. */
const REFUNDS = '29fd94f9-4f1c-4d2a-9b77-5ec7a1fc226d';

interface Change {
  type: string;
  seq?: number;
  events?: { type: string; position?: number; patch?: { verdict?: string } }[];
}
const changes = async (page: Page): Promise<Change[]> =>
  (await callsOf(page, 'jobs:change')).map(({ argument }) => argument['change'] as Change);
const counts = (page: Page) => page.getByRole('group', { name: 'Counts' });

test('decides sixty spans by keyboard, each once and in order, and excludes the rejected ones', async ({
  open,
}) => {
  const page = await open();
  await openReview(page);
  for (let at = 0; at < 60; at += 1) await page.keyboard.press(at % 3 === 0 ? 'r' : at % 3 === 1 ? 'a' : 's');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '60');
  await expect(counts(page)).toContainText('20 rejected');
  await expect(page.getByText('Kept on this computer')).toBeVisible();
  const events = (await changes(page))
    .filter(({ type }) => type === 'review')
    .flatMap(({ events = [] }) => events);
  expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 60 }, (_, at) => at));
  // A decision changes the build but not the displayed spans, so each of them and the next twenty are read once.
  const reads = (await callsOf(page, 'builds:read')).filter(({ argument }) => argument['action'] === 'span');
  const places = reads.map(({ argument }) => argument['position']);
  expect(places.length - new Set(places).size).toBeLessThanOrEqual(21);
  // A key that is held down decides only once.
  await page.keyboard.down('a');
  for (let at = 0; at < 5; at += 1) await page.keyboard.down('a');
  await page.keyboard.up('a');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '61');
});

test('adds skipped spans at the end of a review only if the box is ticked', async ({ open }, info) => {
  const page = await open();
  await openSpans(page);
  const grid = page.getByRole('grid');
  for (let at = 1; at <= 5; at += 1) await grid.getByRole('checkbox').nth(at).click();
  await bar(page)
    .getByRole('button', { name: /^Review/ })
    .click();
  await expect(page.getByRole('group', { name: 'Review' })).toBeFocused();
  for (const key of ['a', 'a', 'r', 's', 's']) await page.keyboard.press(key);
  const main = page.getByRole('main');
  await expect(main.getByText('2 accepted · 0 edited · 1 rejected · 2 skipped')).toBeVisible();
  await expect(main.getByText('1 rejected and 2 skipped left out of the dataset.')).toBeVisible();
  await expect(main.getByRole('button', { name: 'Add 2 accepted…' })).toBeVisible();
  await main.getByRole('checkbox', { name: 'Add the 2 skipped spans as well' }).check();
  await expect(main.getByRole('button', { name: 'Add 2 accepted and 2 skipped…' })).toBeVisible();
  // No span is shown, so there is nothing for a note.
  const note = page.getByRole('textbox', { name: 'Note' });
  await expect(note).toBeDisabled();
  const backgroundOf = (field: Locator) => field.evaluate((each) => getComputedStyle(each).backgroundColor);
  const other = page.getByRole('textbox', { name: 'New failure kind' }).locator('..');
  expect(await backgroundOf(note)).toBe(await backgroundOf(other));
  // Skipped spans do not count as judged.
  await expect(
    page.getByText('Accepted or edited, of 3 judged spans: 66.7 % (20.8 to 93.9 %)'),
  ).toBeVisible();
  await takePictures(page, info, 'review-end');
  await main.getByRole('checkbox', { name: 'Add the 2 skipped spans as well' }).uncheck();
  await expect(main.getByRole('button', { name: 'Add 2 accepted…' })).toBeVisible();
});

test('accepts the open spans together, says so at the end, and undoes that in one step', async ({
  open,
}, info) => {
  const page = await open();
  await openReview(page);
  for (const key of ['r', 'r']) await page.keyboard.press(key);
  const left = Number(await decided(page).getAttribute('aria-valuemax')) - 2;
  await page.getByRole('button', { name: 'More about the review' }).click();
  await page.getByRole('menuitem', { name: `Accept the ${left} open spans together` }).click();
  await expect(decided(page)).toHaveAttribute('aria-valuenow', String(left + 2));
  const main = page.getByRole('main');
  await expect(
    main.getByText(`${left} spans accepted together, without being decided one by one.`),
  ).toBeVisible();
  await takePictures(page, info, 'review-together');
  await page.keyboard.press('z');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '2');
});

test('creates a failure kind, uses it by number, renames and merges it, and undoes each step', async ({
  open,
}) => {
  const page = await open();
  const review = await openReview(page);
  await review.getByRole('textbox', { name: 'New failure kind' }).fill('Invents a policy');
  await page.keyboard.press('Enter');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '1');
  await expect(review).toBeFocused();
  await page.keyboard.press('1');
  const kind = review.getByRole('button', { name: /^1 Invents a policy 2$/ });
  await expect(kind).toBeVisible();
  await page.keyboard.press('n');
  await page.keyboard.type('Counts the voucher as money.');
  await page.keyboard.press('Escape');
  await expect(review).toBeFocused();
  await review.getByRole('textbox', { name: 'New failure kind' }).fill('Too long');
  await page.keyboard.press('Enter');
  await review.getByRole('button', { name: 'More about Too long' }).click();
  await page.getByRole('menuitem', { name: 'Merge into Invents a policy' }).click();
  await expect(review.getByRole('button', { name: /^1 Invents a policy 3$/ })).toBeVisible();
  await review.getByRole('button', { name: 'More about Invents a policy' }).click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await review.getByRole('textbox', { name: 'New name of Invents a policy' }).fill('Made-up policy');
  await page.keyboard.press('Enter');
  await expect(review.getByRole('button', { name: /^1 Made-up policy 3$/ })).toBeVisible();
  await expect(review).toBeFocused();
  await page.keyboard.press('z');
  await page.keyboard.press('z');
  await expect(review.getByRole('button', { name: /^2 Too long 1$/ })).toBeVisible();
  await page.keyboard.press('Shift+Z');
  await expect(review.getByRole('button', { name: /Too long/ })).toHaveCount(0);
});

test('resumes a review at the first undecided span, with the earlier decisions', async ({ open }) => {
  const page = await open();
  const review = await openReview(page);
  await page.keyboard.press('a');
  await page.keyboard.press('n');
  await page.keyboard.type('Good example');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('r');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '2');
  await page.keyboard.press('k');
  await expect(page.getByText('rejected', { exact: true })).toBeVisible();
  await page.keyboard.press('k');
  await expect(review.getByRole('textbox', { name: 'Note' })).toHaveValue('Good example');
  await page.getByRole('main').getByRole('button', { name: 'Back to the list' }).click();
  await page.getByRole('main').getByRole('button', { name: 'Review', exact: true }).click();
  await page.keyboard.press('z');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '1');
  await expect(review.getByText('rejected', { exact: true })).toHaveCount(0);
});

test('edits an expected output, shows its changed words, and undoes the edit', async ({ open }) => {
  const page = await open();
  const review = await openReview(page);
  await page.keyboard.press('e');
  const field = review.getByRole('textbox', { name: 'Edited expected output' });
  await expect(field).toBeFocused();
  const before = await field.inputValue();
  expect(before).not.toBe('');
  await field.fill(`${before} And 60 € as a voucher.`);
  await expect(review.getByText('0 words removed, 6 added')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect(counts(page)).toContainText('1 edited');
  await expect(review.getByRole('button', { name: 'Span 2, open' })).toBeHidden();
  await page.keyboard.press('k');
  await expect(review.getByRole('region', { name: 'Expected output' })).toContainText('60 € as a voucher.');
  // Saving an unchanged text is not an edit.
  await page.keyboard.press('e');
  await field.fill(before);
  await page.keyboard.press('Escape');
  await expect(counts(page)).toContainText('0 edited');
  await page.keyboard.press('z');
  await expect(counts(page)).toContainText('1 edited');
  await page.keyboard.press('a');
  await expect(counts(page)).toContainText('1 accepted');
  await expect(counts(page)).toContainText('0 edited');
});

test('creates and suggests labels, and reviews spans by label', async ({ open }) => {
  const page = await open();
  const review = await openReview(page);
  await page.keyboard.press('l');
  await page.keyboard.type('voucher');
  await page.keyboard.press('Enter');
  await page.keyboard.type('hard');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(review).toBeFocused();
  await page.keyboard.press('a');
  await review.getByRole('button', { name: '+ voucher' }).click();
  await page.keyboard.press('r');
  const queue = page.getByRole('combobox', { name: 'Spans gone through' });
  await queue.selectOption({ label: '2 label: voucher' });
  await expect(page.getByText('rejected', { exact: true })).toHaveCount(0);
  await expect(page.getByText('accepted', { exact: true })).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.getByText('rejected', { exact: true })).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.getByText('All 2 spans of this part are decided')).toBeVisible();
});

test('groups sixty notes of a hundred spans into six kinds by keys and a drag, renames, splits and undoes', async ({
  open,
}) => {
  test.slow();
  const page = await open();
  const review = await openReview(page);
  for (let at = 0; at < 100; at += 1) {
    if (at < 60) {
      await page.keyboard.press('n');
      await page.keyboard.type(`n${at % 6}`);
      await page.keyboard.press('Escape');
    }
    await page.keyboard.press(at < 60 ? 'r' : 'a');
  }
  await expect(counts(page)).toContainText('60 rejected');
  await page.keyboard.press('g');
  const groups = page.getByRole('group', { name: 'Group notes' });
  const notes = groups.getByRole('listbox', { name: 'Notes' });
  await notes.focus();
  const options = notes.getByRole('option');
  const makeKind = async (name: string, text: string) => {
    const found = options.filter({ hasText: text });
    for (let left = await found.count(), at = 0; at < left; at += 1) await found.nth(at).click();
    await groups.getByRole('textbox', { name: 'New kind of the chosen notes' }).fill(name);
    await page.keyboard.press('Enter');
  };
  for (let kind = 0; kind < 6; kind += 1) await makeKind(`Kind ${kind}`, `n${kind}`);
  await expect(groups.getByText('No note is left without a failure kind.')).toBeVisible();
  // Ten of a hundred spans are 10 %, with the Wilson interval.
  await expect(groups.getByRole('button', { name: /^1 Kind 0 10 10 % \(5.5 to 17.4 %\)$/ })).toBeVisible();
  // Splits a kind: notes are moved to another kind, by dragging and by number.
  await groups.getByRole('combobox', { name: 'Notes shown' }).selectOption({ label: 'Kind 0 (10)' });
  await options.first().dragTo(groups.getByRole('button', { name: /^2 Kind 1 / }));
  await expect(groups.getByRole('button', { name: /^2 Kind 1 11 / })).toBeVisible();
  await notes.focus();
  await page.keyboard.press('x');
  await page.keyboard.press('x');
  await page.keyboard.press('3');
  await expect(groups.getByRole('button', { name: /^3 Kind 2 12 / })).toBeVisible();
  await expect(groups.getByRole('button', { name: /^1 Kind 0 7 / })).toBeVisible();
  await page.keyboard.press('z');
  await page.keyboard.press('z');
  await expect(groups.getByRole('button', { name: /^1 Kind 0 10 / })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(review).toBeFocused();
  const kept = (await changes(page)).flatMap(({ type, events = [] }) => (type === 'review' ? events : []));
  expect(kept.filter(({ patch }) => patch?.verdict !== undefined)).toHaveLength(100);
});

test('reviews only the selected rows, and continues with the missing parts of the dataset', async ({
  open,
}) => {
  const page = await open();
  await openMapping(page);
  await page.getByRole('button', { name: 'Spans', exact: true }).and(page.locator('main button')).click();
  const grid = page.getByRole('grid', { name: 'Selected spans' });
  await grid.getByRole('gridcell').first().click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('main').getByRole('button', { name: 'Review 3 spans' }).click();
  await expect(page.getByRole('combobox', { name: 'Spans gone through' })).toHaveValue('chosen');
  for (const key of ['a', 'r', 'a']) await page.keyboard.press(key);
  await expect(page.getByText('All 3 spans of this part are decided')).toBeVisible();
  await page.getByRole('button', { name: 'Add 999 items…' }).click();
  await expect(page.getByRole('listbox', { name: 'Attribute keys' })).toBeVisible();
});

test('adds a span to the last filled dataset by one key, edited or not, and saves the review', async ({
  open,
}, testInfo) => {
  const page = await open({ hasSentBuild: true });
  const review = await openReview(page);
  await page.keyboard.press('e');
  await review.getByRole('textbox', { name: 'Edited expected output' }).fill('On Friday.');
  await page.keyboard.press('Escape');
  const add = review.getByRole('button', { name: 'Add to Refund questions D' });
  await page.setViewportSize({ width: 1_000, height: 640 });
  await expect(add).toBeInViewport({ ratio: 1 });
  await takePicture(page, testInfo, 'review-1000');
  await page.keyboard.press('d');
  await expect(page.getByText('1 span added to “Refund questions”')).toBeVisible();
  await expect(review).toBeFocused();
  const types = (await changes(page)).map(({ type }) => type);
  // The edit is stored before the decision, so the span is accepted in its edited form.
  expect(types.indexOf('review')).toBeLessThan(types.indexOf('pick-of'));
  expect(await changes(page)).toContainEqual(expect.objectContaining({ type: 'pick-of', positions: [0] }));
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '1');
  await page.keyboard.press('j');
  await page.keyboard.press('n');
  await page.keyboard.type('look again');
  await page.getByRole('button', { name: 'Save review…' }).click();
  await expect.poll(async () => (await callsOf(page, 'jobs:save')).length).toBe(1);
  expect(await newestCall(page, 'jobs:save')).toMatchObject({ kind: 'build', what: 'review' });
  await page.getByRole('button', { name: 'More about the review' }).click();
  await page.getByRole('menuitem', { name: 'Save verdicts as results of an experiment…' }).click();
  expect(await newestCall(page, 'jobs:save', 2)).toMatchObject({ kind: 'build', what: 'verdicts' });
});

test('adds verdicts to a chosen run after a preview, and warns that the service does not remove them', async ({
  open,
}, testInfo) => {
  const page = await open({ draftDataset: REFUNDS });
  await openReview(page);
  await page.keyboard.press('a');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '1');
  await page.getByRole('button', { name: 'More about the review' }).click();
  await page.getByRole('menuitem', { name: 'Add verdicts to a run…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add verdicts to a run' });
  await expect(dialog).toContainText('cannot be taken back one by one');
  await expect(dialog.getByRole('button', { name: 'Add verdicts' })).toBeDisabled();
  await dialog.getByRole('combobox', { name: 'Run' }).selectOption('Prompt v1');
  await expect(dialog.getByRole('status')).toHaveText(
    /21 verdicts\s+are added, in 1 request\..*4 results with the same verdict already\..*1 result with another verdict of a person, left as it is\./s,
  );
  await takePictures(page, testInfo, 'add-verdicts');
  await dialog.getByRole('button', { name: 'Add 21 verdicts' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/^Adding verdicts to /)).toBeVisible();
  expect(await newestCall(page, 'builds:add-verdicts', 2)).toMatchObject({
    ...{ action: 'send', dataset: { id: REFUNDS }, experiment: { id: expect.any(String) } },
  });
});

test('offers no run to a review whose spans are in no dataset', async ({ open }) => {
  const page = await open();
  await openReview(page);
  await page.keyboard.press('a');
  await page.getByRole('button', { name: 'More about the review' }).click();
  await page.getByRole('menuitem', { name: 'Add verdicts to a run…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add verdicts to a run' });
  await expect(dialog).toContainText('The spans of this review are in no dataset yet');
  await expect(dialog.getByRole('button', { name: 'Add verdicts' })).toBeDisabled();
});

test('shows the trace of a span by T, moves in it by arrows, shows each span, and returns to the review', async ({
  open,
}) => {
  const page = await open({ traceSpans: 12 });
  const review = await openReview(page);
  await expect(review.getByRole('button', { name: 'Trace T' })).toBeVisible();
  await page.keyboard.press('t');
  const tree = review.getByRole('treegrid', { name: 'Spans of the trace of this span' });
  await expect(tree).toBeFocused();
  await expect(tree).toHaveAttribute('aria-rowcount', '12');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  const read = review.getByRole('region', { name: 'Span of the trace' });
  await expect(read).toContainText('Where is my refund for order 10010?');
  await expect(read).toBeInViewport({ ratio: 0.9 });
  await expect(tree).toBeInViewport({ ratio: 0.9 });
  await page.keyboard.press('ArrowRight');
  // Arrow keys control the tree, and letters control the review.
  await expect(review.getByText('1', { exact: true }).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(tree).toHaveCount(0);
  await expect(review).toBeFocused();
  await page.keyboard.press('t');
  await expect(tree).toBeFocused();
  await page.keyboard.press('a');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '1');
  await expect(tree).toHaveCount(0);
  await expect(review).toBeFocused();
});

test('reviews the picked spans from the list of spans, or only selected rows', async ({ open }) => {
  const page = await open();
  const grid = await openSpans(page);
  const review = page.getByRole('group', { name: 'Review' });
  await grid.press('ArrowDown');
  await grid.press('x');
  await bar(page)
    .getByRole('button', { name: /^Review / })
    .click();
  await expect(review).toBeFocused();
  await expect(counts(page)).toContainText('0 of 1 span');
  await openPlace(page, 'Spans');
  await grid.press('ArrowDown');
  await grid.press('Shift+ArrowDown');
  await grid.press('Shift+ArrowDown');
  // Ticked spans have priority over a selected range.
  await expect(bar(page).getByRole('button', { name: 'Review 1 span', exact: true })).toBeVisible();
  await bar(page).getByRole('button', { name: 'More', exact: true }).click();
  await expect(page.getByRole('menuitem', { name: 'Delete the trace of 1 span…' })).toBeVisible();
  await page.getByRole('menuitem', { name: 'Clear the selection of 1' }).click();
  await bar(page).getByRole('button', { name: 'Review 3 spans', exact: true }).click();
  await expect(page.getByRole('combobox', { name: 'Spans gone through' })).toHaveValue('chosen');
  await expect(counts(page)).toContainText('0 of 3 spans');
  for (const key of ['a', 'r', 'a']) await page.keyboard.press(key);
  await expect(page.getByText('All 3 spans are decided')).toBeVisible();
});

interface HeldWindow extends FakeWindow {
  spandeck: { invoke: (channel: string, argument?: Record<string, unknown>) => Promise<unknown> };
  release: () => void;
}

/** Delays the spans after the first one until they are released. Then the first of these cannot be read. */
const holdSpans = (page: Page) =>
  page.evaluate(() => {
    const fake = globalThis as unknown as HeldWindow;
    const { invoke } = fake.spandeck;
    const released = new Promise<void>((resolve) => {
      fake.release = resolve;
    });
    let hasFailed = false;
    fake.spandeck.invoke = async (channel, argument) => {
      const answer = await invoke(channel, argument);
      const isSpan = channel === 'builds:read' && argument?.['action'] === 'span';
      if (!isSpan || argument['position'] === 0) return answer;
      await released;
      if (hasFailed) return answer;
      hasFailed = true;
      const error = { code: 'STORE_FAILED', title: 'Not read', message: 'The disk is slow.', details: {} };
      return { ok: false, seq: 0, error };
    };
  });

test('ignores a key pressed before the span is loaded, says so, and works once it is', async ({ open }) => {
  const page = await open();
  await openMapping(page);
  await holdSpans(page);
  await page.getByRole('button', { name: 'Spans', exact: true }).and(page.locator('main button')).click();
  await page.getByRole('main').getByRole('button', { name: 'Review', exact: true }).click();
  const review = page.getByRole('group', { name: 'Review' });
  await expect(review.getByText('handle_request').first()).toBeVisible();
  await page.keyboard.press('a');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '1');
  const word = review.getByText('Nothing was decided: span 2 is not here yet.');
  await expect(word).toBeHidden();
  await page.keyboard.press('r');
  await expect(word).toBeVisible();
  await page.keyboard.press('n');
  await expect(review).toBeFocused();
  await page.evaluate(() => (globalThis as unknown as HeldWindow).release());
  await expect(review.getByText('Span 2 was not read.')).toBeVisible();
  await page.keyboard.press('e');
  await review.getByRole('button', { name: 'Try again' }).click();
  await expect(word).toBeHidden();
  await page.keyboard.press('r');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '2');
  await expect(page.getByText('Kept on this computer')).toBeVisible();
  const said = (await changes(page)).flatMap(({ type, events = [] }) => (type === 'review' ? events : []));
  expect(said.map(({ position, patch }) => [position, patch?.verdict])).toEqual([
    [0, 'accepted'],
    [1, 'rejected'],
  ]);
});

test('a second review is compared, and its differences are gone through one after another', async ({
  open,
}, info) => {
  const page = await open({ itemFile: 'full', hasThreeReviewers: true });
  await openReview(page);
  for (const key of 'arsa') await page.keyboard.press(key);
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '4');
  await page.getByRole('button', { name: 'Second review…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Second review' });
  await dialog.getByRole('button', { name: /^Save [\d,]+ spans…$/ }).click();
  expect(await newestCall(page, 'jobs:save')).toMatchObject({ what: 'spans' });
  await dialog.getByRole('button', { name: 'Choose review file…' }).click();
  await dialog.getByRole('textbox').fill('Ann');
  await dialog.getByRole('button', { name: 'Compare' }).click();
  await expect(dialog.getByText(/2 rows without a verdict\./)).toBeVisible();
  const agreement = dialog.getByRole('list', { name: 'Agreement' });
  await expect(agreement).toContainText('3 spans decided by both. Equal for 66.7 %');
  await expect(dialog).toContainText(
    '3 reviewers decided the same 24 spans: Fleiss’ kappa 0.52 (0.29 to 0.75), good in 61 % of all decisions.',
  );
  await takePictures(page, info, 'second-review');
  await agreement.getByRole('button', { name: 'Go through 1 difference' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('group', { name: 'Review' })).toBeFocused();
  await expect(page.getByRole('list', { name: 'Second reviews' })).toContainText('Ann accepted');
  await expect(page.getByRole('combobox', { name: 'Spans gone through' })).toContainText(
    '1 decided differently by Ann',
  );
  // While a span is undecided, the decisions of the other reviewer are hidden, so that neither reviewer influences the
  // other.
  await page.getByRole('combobox', { name: 'Spans gone through' }).selectOption('open');
  await expect(page.getByRole('list', { name: 'Second reviews' })).toBeHidden();
  // New decisions are stored after the events of the second review.
  await page.getByRole('group', { name: 'Review' }).press('a');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '5');
  await expect(page.getByText('The last decisions are not kept.')).toBeHidden();
});
