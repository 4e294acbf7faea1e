/** What is stored and cannot be read is named above its list, and can be removed. */
import { expect, test } from './fixtures.ts';

test('a damaged upload is named beside the others, and removed once a person says so', async ({
  open,
}, testInfo) => {
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
      { kind: 'build', id: 'other', title: 'of another kind', atMs: null, reason: 'x' },
    ],
  });
  await page.getByRole('button', { name: 'Uploads' }).click();
  const damaged = page.getByRole('list', { name: 'Damaged entries' });
  await expect(damaged.getByRole('listitem')).toHaveCount(1);
  await expect(damaged).toContainText('The upload “broken.csv” is damaged on this computer. It lacks a part');
  await expect(page.getByRole('table')).toContainText('churn_2.csv');
  await page.screenshot({ path: testInfo.outputPath('damaged.png') });
  await damaged.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(damaged).toHaveCount(0);
});
