/** Stored data that cannot be read is named above its list, and can be removed. */
import { expect, test } from './fixtures.ts';
import { openMapping } from './span-steps.ts';

test('shows a damaged upload beside the others, and removes it after confirmation', async ({ open }) => {
  const page = await open({
    hasPlans: true,
    damaged: [
      {
        kind: 'upload',
        id: 'bad',
        title: 'broken.csv',
        atMs: null,
        reason: 'It lacks a part (plan.batchRows).',
      },
      { kind: 'preset', id: 'worn', title: 'Refunds', atMs: null, reason: 'It lacks a part (mapping).' },
      { kind: 'build', id: 'other', title: 'of another kind', atMs: null, reason: 'x' },
    ],
  });
  await page.getByRole('button', { name: 'Uploads' }).click();
  const damaged = page.getByRole('list', { name: 'Damaged entries' });
  await expect(damaged.getByRole('listitem')).toHaveCount(1);
  await expect(damaged).toContainText('The upload “broken.csv” is damaged on this computer. It lacks a part');
  await expect(page.getByRole('table')).toContainText('churn_2.csv');
  await damaged.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(damaged).toHaveCount(0);
});

test('shows a damaged mapping above the builds and in the menu of mappings, and removes it', async ({
  open,
}) => {
  const preset = {
    kind: 'preset',
    title: 'Refunds',
    atMs: null,
    reason: 'It lacks a part (mapping).',
  } as const;
  const page = await open({
    damaged: [
      { ...preset, id: 'worn' },
      { ...preset, id: 'torn', title: 'Claims' },
    ],
  });
  await openMapping(page);
  await page.getByRole('button', { name: 'Saved mappings' }).click();
  await expect(
    page.getByRole('menuitem', { name: '“Refunds” is damaged and cannot be used' }),
  ).toBeDisabled();
  await page.getByRole('menuitem', { name: 'Remove “Refunds” (damaged)' }).click();
  await expect(page.getByText('Removed the damaged mapping Refunds')).toBeVisible();

  await page.getByRole('button', { name: 'Drafts', exact: true }).first().click();
  const damaged = page.getByRole('list', { name: 'Damaged entries' });
  await expect(damaged.getByRole('listitem')).toHaveCount(1);
  await expect(damaged).toContainText('The saved mapping “Claims” is damaged on this computer.');
});
