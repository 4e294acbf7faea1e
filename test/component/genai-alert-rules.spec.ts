/** Alert rules of applications, listed beside the alert rules of models. */
import { openPlace } from '../helpers/places.ts';
import { violations, violationsInDark } from './accessibility.ts';
import { expect, test } from './fixtures.ts';

test('lists rules of applications beside those of models, and says that the service does not report firing', async ({
  open,
}) => {
  const page = await open();
  await openPlace(page, 'Alert rules');
  await expect(page.getByRole('grid', { name: 'Alert rules' })).toBeVisible();
  await page.getByRole('navigation', { name: 'Alerts' }).getByRole('button', { name: 'GenAI rules' }).click();
  const grid = page.getByRole('grid', { name: 'GenAI rules' });
  await expect(grid.getByRole('row', { name: /Answers get long/ })).toContainText(
    /Support assistant.*unknown.*Token count: output tokens.*1,200.*900.*mara@example\.com/,
  );
  const state = grid.getByRole('gridcell', { name: 'unknown' }).first();
  await state.hover();
  await expect(state).toHaveAttribute('title', 'The service does not report whether this rule fired.');
  await expect(grid.locator('.chip')).toHaveCount(0);
  await expect(grid.getByRole('row', { name: /Unsafe answers/ })).toContainText('Evaluator: is_safe = false');
  await expect(page.getByRole('button', { name: /^New / })).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
  expect(await violationsInDark(page)).toEqual([]);
  await grid.getByRole('gridcell', { name: 'Traffic stops' }).dblclick();
  await expect(page.getByRole('region', { name: 'Fields of Traffic stops' }).last()).toContainText(
    /Critical threshold\s*10/,
  );
});

test('says where a service lacks them; the rules of models stay', async ({ open }) => {
  const page = await open({ lists: 'unknown' });
  await openPlace(page, 'GenAI rules');
  await expect(page.getByText('This service does not offer alert rules of applications')).toBeVisible();
});
