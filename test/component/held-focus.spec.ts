/** A button that becomes disabled by its own action keeps the keyboard focus. */
import { expect, test } from './fixtures.ts';
import { openReview } from './span-steps.ts';

test('keeps the focus on a kind that has just received the last note', async ({ open }) => {
  const page = await open();
  await openReview(page);
  for (const note of ['too short', 'too long']) {
    await page.keyboard.press('n');
    await page.keyboard.type(note);
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
  }
  await page.keyboard.press('g');
  const groups = page.getByRole('group', { name: 'Group notes' });
  await groups.getByRole('textbox', { name: 'New kind of the chosen notes' }).fill('Length');
  await page.keyboard.press('Enter');
  const kind = groups.getByRole('button', { name: /^1 Length / });
  await kind.focus();
  await page.keyboard.press('Enter');
  await expect(groups.getByText('No note is left without a failure kind.')).toBeVisible();
  await expect(kind).toBeDisabled();
  await expect(kind).toBeFocused();
});
