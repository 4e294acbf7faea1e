/** The receipts file of an upload is dropped on the form that deletes events. */
import { writeFileSync } from 'node:fs';
import { openPlace } from '../helpers/places.ts';
import { expect, test } from './fixtures.ts';

// The debugger session of a drag must not affect the next test.
test.use({ ownPage: true });

test('reads only the event ids from a receipts file dropped on the deletion form', async ({
  open,
}, testInfo) => {
  const page = await open();
  await openPlace(page, 'Uploads');
  await page.getByRole('button', { name: 'Delete events…' }).click();
  const form = page.getByRole('form', { name: 'What to delete' });
  await expect(form).toBeVisible();
  const file = testInfo.outputPath('receipts-churn.csv');
  const rows = Array.from(
    { length: 1_200 },
    (_, index) => `${index + 1},${index + 2},${1 + index / 1_000},e-${index}`,
  );
  writeFileSync(file, ['row,line,batch,event_id', ...rows].join('\n'));
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 500, y: 250, data });
  await expect(form.getByText('1,200 event ids from receipts in receipts-churn.csv')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Deletions');
  await form.getByRole('button', { name: 'Remove' }).click();
  await form.getByRole('textbox', { name: 'Event ids' }).fill('row,line,batch,event_id\n1,2,1,a\n2,3,1,b\n');
  await expect(form.getByText('2 event ids from pasted receipts')).toBeVisible();
});

test('keeps 10,000 pasted ids out of the field, counts them, and can remove them', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Uploads');
  await page.getByRole('button', { name: 'Delete events…' }).click();
  const form = page.getByRole('form', { name: 'What to delete' });
  const field = form.getByRole('textbox', { name: 'Event ids' });
  await field.fill('first\n');
  await field.evaluate((element) => {
    const clipboardData = new DataTransfer();
    const ids = Array.from({ length: 10_000 }, () => crypto.randomUUID());
    clipboardData.setData('text/plain', ids.join('\n'));
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect(form.getByText('10,001 event ids', { exact: true })).toBeVisible();
  await expect(field).toBeHidden();
  await expect(form.getByRole('group', { name: 'Event ids' })).toContainText('first, ');
  await form.getByRole('button', { name: 'Remove' }).click();
  await expect(field).toHaveValue('');
  await expect(form.getByText('0 event ids', { exact: true })).toBeVisible();
});
