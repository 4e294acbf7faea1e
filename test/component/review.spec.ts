/** The review of picked spans: decided by the keyboard, grouped into failure kinds, taken back, gone on with. */
import type { Locator, Page } from '@playwright/test';
import { callsOf, expect, test } from './fixtures.ts';
import { openMapping } from './span-steps.ts';

async function openReview(page: Page): Promise<Locator> {
  await openMapping(page);
  await page.getByRole('button', { name: 'Spans', exact: true }).and(page.locator('main button')).click();
  await page.getByRole('main').getByRole('button', { name: 'Review', exact: true }).click();
  const review = page.getByRole('group', { name: 'Review' });
  await expect(review).toBeFocused();
  return review;
}

interface Change {
  type: string;
  seq?: number;
  events?: { type: string; position?: number; patch?: { verdict?: string } }[];
  positions?: number[];
  isExcluded?: boolean;
}
const changes = async (page: Page): Promise<Change[]> =>
  (await callsOf(page, 'jobs:change')).map(({ argument }) => argument['change'] as Change);
const decided = (page: Page) => page.getByRole('progressbar', { name: 'Decided' });

test('sixty spans are decided by keys alone: each once, in order, the rejected ones left out', async ({
  open,
}) => {
  const page = await open();
  await openReview(page);
  for (let at = 0; at < 60; at += 1) await page.keyboard.press(at % 3 === 0 ? 'r' : at % 3 === 1 ? 'a' : 's');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '60');
  await expect(page.getByText('20 rejected')).toBeVisible();
  await expect
    .poll(
      async () =>
        (await changes(page)).flatMap(({ positions = [], isExcluded }) => (isExcluded ? positions : []))
          .length,
    )
    .toBe(20);
  const events = (await changes(page))
    .filter(({ type }) => type === 'review')
    .flatMap(({ events = [] }) => events);
  expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 60 }, (_, at) => at));
});

test('a failure kind is made, used by its number, renamed and merged; undo takes each step back', async ({
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

test('a review goes on at the first span that was not decided, with what was said before', async ({
  open,
}) => {
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
  await expect
    .poll(async () => (await changes(page)).filter(({ type }) => type === 'exclude').at(-1)?.isExcluded)
    .toBe(false);
});
