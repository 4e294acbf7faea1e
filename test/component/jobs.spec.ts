/** Jobs of every kind in one list: running, planned and ended jobs. */

import { openPlace } from '../helpers/places.ts';
import { expect, expectCalls, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

test('lists jobs of all kinds by state, and opens, reschedules and pauses them', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await openPlace(page, 'Jobs');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Jobs');
  const groups = page.getByRole('region', { name: /^(Running|Start later|Ended) / });
  await expect(groups.getByRole('heading')).toHaveText([/^Running 1/, /^Start later 2/, /^Ended 2/]);
  const later = page.getByRole('region', { name: /^Start later/ });
  await expect(later.getByRole('row', { name: /churn_1\.csv/ })).toContainText('starts at 18:24, in 8 h');
  await expect(later.getByRole('row', { name: /3 events by id/ })).toContainText('Deletion of events');

  await later.getByRole('button', { name: 'Start 3 events by id now' }).click();
  await expect(page.getByRole('dialog', { name: 'Start this now' })).toContainText('cannot undo');
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
  await later.getByRole('button', { name: 'Cancel the start of 3 events by id' }).click();
  await expect(later.getByRole('row', { name: /3 events by id/ })).toBeHidden();
  await page.getByRole('button', { name: 'Pause churn_2.csv' }).click();
  await expectCalls(page, 'jobs:control', [
    { kind: 'deletion', id: 'deletion-1', action: 'unschedule' },
    { kind: 'upload', id: 'job-2', action: 'pause' },
  ]);

  await page.getByRole('radio', { name: 'Deletion of events' }).check();
  await expect(page.getByRole('row', { name: /churn/ })).toHaveCount(0);
  await page.getByRole('radio', { name: 'All' }).check();
  await page.getByRole('textbox', { name: 'Search jobs' }).fill('churn_3');
  await expect(page.getByRole('row', { name: /churn/ })).toHaveCount(1);
  await page.getByRole('button', { name: 'churn_3.csv' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('churn_3.csv');
});

test('says what fills an empty list of jobs, and leads to it', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Jobs');
  await expect(page.getByRole('main').getByRole('status')).toContainText(
    'No jobs yet. Send a file, make a dataset from spans or change several rows: each is a job, listed here with its progress and result.',
  );
  await takePictures(page, test.info(), 'empty');
  await page.getByRole('button', { name: 'Upload a file' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Uploads');
});
