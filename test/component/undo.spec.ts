/** Undoing an upload in its view. */

import { openPlace, sidebarLine } from '../helpers/places.ts';
import { expect, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

test('shows the deletions of an undo, asks for the name of the model, and follows the progress', async ({
  open,
}) => {
  const page = await open({ hasPlans: true });
  await openPlace(page, 'Uploads');
  await page.getByRole('button', { name: 'churn_3.csv', exact: true }).click();
  await page.getByRole('button', { name: 'Undo…' }).click();
  const panel = page.getByRole('complementary', { name: 'Undo this upload' });
  await expect(panel).toContainText('the 9,998 events that this upload created');
  await expect(panel).toContainText(/28 deletions 3 of 30 used today · 27 now · 1 from/);
  await expect(panel.getByRole('listitem')).toHaveText([
    /By event ids, 27 deletions Only the receipts of this upload have these ids\. 9,720 now/,
    /By event ids, 1 deletion +278 from/,
    /Verification/,
  ]);
  await expect(panel).toContainText('Not deleted: 2 rows of unknown outcome.');
  const act = panel.getByRole('button', { name: 'Delete 9,998 events' });
  await expect(act).toBeDisabled();
  await panel.getByRole('textbox', { name: 'Name of the model' }).fill('Bank churn');
  await act.click();
  await expect(page.getByText('Undoing: 27 of 28 deletions done')).toBeVisible();
  await expect(panel.getByRole('listitem')).toHaveText(['27 deletions done', /^1 deletion\s+from /]);
  await panel.press('Escape');
  await expect(panel).toBeHidden();
});

test('plans an undo while offline, and says so', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await openPlace(page, 'Uploads');
  await page.getByRole('button', { name: 'churn_3.csv', exact: true }).click();
  await page.getByRole('switch', { name: 'Work offline' }).click();
  await page.getByRole('button', { name: 'Undo…' }).click();
  const panel = page.getByRole('complementary', { name: 'Undo this upload' });
  await expect(panel.getByRole('status')).toContainText('planned, and sent when it answers again');
  await expect(panel.getByRole('listitem').first()).toContainText('once online');
  await panel.press('Escape');
  await expect(page.getByRole('button', { name: 'Undo…' })).toBeFocused();
  await page.keyboard.press('Enter');
  await panel.getByRole('textbox', { name: 'Name of the model' }).fill('Bank churn');
  await panel.getByRole('button', { name: 'Plan to delete 9,998 events' }).click();
  await expect(page.getByText(/^Undoing: /)).toBeVisible();
});

test('shows another plan for an undo that starts later, and requests it with its start', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await openPlace(page, 'Uploads');
  await page.getByRole('button', { name: 'churn_3.csv', exact: true }).click();
  await page.getByRole('button', { name: 'Undo…' }).click();
  const panel = page.getByRole('complementary', { name: 'Undo this upload' });
  await panel.getByRole('radio', { name: 'Start later' }).check();
  await panel.getByRole('button', { name: 'Tonight 02:00' }).click();
  await expect(panel.getByRole('listitem')).toHaveText([
    /By event ids, 28 deletions .* 9,998 from/,
    /Verification/,
  ]);
  await panel.getByRole('textbox', { name: 'Name of the model' }).fill('Bank churn');
  await panel.getByRole('button', { name: 'Plan to delete 9,998 events' }).click();
  await expect(page.getByText(/^Undoing: /)).toBeVisible();
  const { startAtMs } = (await newestCall(page, 'jobs:plan')) ?? {};
  expect(startAtMs).toEqual(expect.any(Number));
  expect(await newestCall(page, 'uploads:undo')).toMatchObject({ startAtMs });
});

test('shows target and outcome of an upload completely, also in the smallest window', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await page.setViewportSize({ width: 1000, height: 640 });
  await openPlace(page, 'Uploads');
  const row = page.getByRole('main').getByRole('row', { name: /churn_3\.csv/ });
  await expect(row).toContainText('10,000 rows');
  const cut = await row.evaluate((element) =>
    [...element.querySelectorAll('.meta')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent.trim()),
  );
  expect(cut).toEqual([]);
});

test('offers no undo for an upload whose events are all deleted', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await openPlace(page, 'Uploads');
  await page.getByRole('button', { name: 'churn_4.csv', exact: true }).click();
  await expect(page.getByText('Undone', { exact: true })).toBeVisible();
  await expect(page.getByText(/^Of 9,998 acknowledged events: 9,998 deleted/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Undo…' })).toHaveCount(0);
  const counts = page.getByRole('group', { name: 'Rows in production, as the service counts them' });
  await expect(counts).toContainText(
    /Before the upload 4,210 .*Before the undo 14,208 .*After the undo 4,210/,
  );
  await counts.getByRole('button', { name: 'Count again' }).click();
  expect(await newestCall(page, 'jobs:control')).toMatchObject({ id: 'job-4', action: 'gather-evidence' });
  await expect(counts).toContainText(
    '9,998 rows fewer, as many as were deleted. The environment has as many as',
  );
});

test('shows deletions beside the form also in a small window, and focuses them from an upload', async ({
  open,
}) => {
  const page = await open({ hasPlans: true });
  await page.setViewportSize({ width: 1000, height: 640 });
  const uploads = sidebarLine(page, 'Uploads');
  await uploads.click();
  await page.getByRole('button', { name: 'Delete events…' }).click();
  const list = page.getByRole('region', { name: 'From this computer' });
  await expect(list).toBeInViewport();
  await expect(list).not.toBeFocused();
  await uploads.click();
  await page.getByRole('button', { name: 'churn_4.csv', exact: true }).click();
  await page.getByRole('button', { name: 'Open deletions' }).click();
  await expect(list).toBeFocused();
  await expect(list.getByRole('listitem').first()).toBeInViewport();
});

test('shows paused deletions of an undo with their reason once, and where each can be resumed or cancelled', async ({
  open,
}, info) => {
  const page = await open({ hasPlans: true, hasPausedUndo: true });
  await openPlace(page, 'Uploads');
  await page.getByRole('button', { name: 'churn_3.csv', exact: true }).click();
  const progress = page.getByRole('button', { name: 'Undo paused: 0 of 2 deletions done' });
  await expect(progress).toHaveAttribute('aria-live', 'polite');
  await expect(progress.getByRole('status')).toHaveCount(0);
  await progress.click();
  const panel = page.getByRole('complementary', { name: 'Undo this upload' });
  await expect(panel.getByRole('listitem')).toHaveText([/^2 deletions paused: .* was not accepted\.$/]);
  await expect(panel).toContainText('They continue by themselves with a new token of the connection.');
  await takePictures(page, info, 'undo-paused-panel');
  await panel.getByRole('button', { name: 'Open deletions' }).click();
  const first = page.getByRole('region', { name: 'From this computer' }).getByRole('listitem').first();
  await expect(first).toContainText('Enter a valid access token for this connection.');
  await expect(first.getByText('paused', { exact: false })).toHaveCount(1);
  await takePictures(page, info, 'undo-paused-list');
  await first.getByRole('button', { name: 'Resume' }).click();
  await expect(first).not.toContainText('Paused');
});
