/** The space that Home reserves for the newest alerts. */
import type { Page } from '@playwright/test';
import { NOW } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';

const DAY = 86_400_000;
const RECENTS = [
  {
    kind: 'dataset',
    title: 'Refund questions',
    params: { datasetId: 'd1', name: 'Refund questions' },
    atMs: NOW - DAY,
    isStarred: false,
  },
];
const LAYOUT = { left: NOW - 2 * DAY, recents: RECENTS };

test('shows an alert in one line where it has the width of the page, and its value below beside other parts', async ({
  open,
}) => {
  const heightOf = async (page: Page) => {
    await page.setViewportSize({ width: 1_000, height: 640 });
    const line = page.getByRole('region', { name: 'Newest alerts' }).getByRole('listitem').first();
    await expect(line).toContainText('limit 60');
    return (await line.boundingBox())?.height ?? 0;
  };
  const alone = await heightOf(await open({ opensStart: true }));
  expect(alone).toBeLessThan(60);
  expect(await heightOf(await open({ opensStart: true, layout: LAYOUT }))).toBeGreaterThan(alone);
});
