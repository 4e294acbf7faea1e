/** Taking an upload back from its page. */
import { expect, test } from './fixtures.ts';

test('an upload says what undoing it deletes, takes the name of the model, and follows it', async ({
  open,
}) => {
  const page = await open({ hasPlans: true });
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Uploads' }).click();
  await page.getByRole('button', { name: 'churn_3.csv', exact: true }).click();
  await page.getByRole('button', { name: 'Undo…' }).click();
  const panel = page.getByRole('dialog', { name: 'Undo this upload' });
  await expect(panel).toContainText('exactly the 9,998 events');
  await expect(panel).toContainText('28 deletions: 27 of 30 now · 1 from');
  await expect(panel).toContainText('Not deleted: 2 rows of unknown outcome.');
  const act = panel.getByRole('button', { name: 'Delete 9,998 events' });
  await expect(act).toBeDisabled();
  await panel.getByRole('textbox').fill('Bank churn');
  await act.click();
  await expect(page.getByText('Undoing: 27 of 28 deletions done')).toBeVisible();
});

test('where an upload went and what became of it is read whole, in the smallest window too', async ({
  open,
}) => {
  const page = await open({ hasPlans: true });
  await page.setViewportSize({ width: 1000, height: 640 });
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Uploads' }).click();
  const row = page.getByRole('main').getByRole('row', { name: /churn_3\.csv/ });
  await expect(row).toContainText('10,000 rows');
  const cut = await row.evaluate((element) =>
    [...element.querySelectorAll('.meta')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent.trim()),
  );
  expect(cut).toEqual([]);
});

test('an upload whose events are all deleted offers no undoing', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Uploads' }).click();
  await page.getByRole('button', { name: 'churn_4.csv', exact: true }).click();
  await expect(page.getByText(/^Undone .*, 9,998 of 9,998$/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Undo…' })).toHaveCount(0);
});
