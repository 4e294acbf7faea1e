/** Files dropped on the window, wherever in it and whatever it shows by then. */
import { writeFileSync } from 'node:fs';
import type { CDPSession } from '@playwright/test';
import type { OfferedFile } from '../../electron/shared/upload-model.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';

interface Offering extends FakeWindow {
  spandeck: { offerFiles: (files: File[]) => Promise<{ ok: true; value: OfferedFile[] }> };
}

test('a view that changes under the pointer does not take the drop away', async ({ open }, testInfo) => {
  const page = await open();
  await page.evaluate(() => {
    const { spandeck } = globalThis as unknown as Offering;
    spandeck.offerFiles = (files) =>
      Promise.resolve({
        ok: true,
        value: files.map(({ name, size }) => ({ fileId: name, name, sizeBytes: size, error: null })),
      });
  });
  const file = testInfo.outputPath('churn.csv');
  writeFileSync(file, 'a,b\n1,2\n');
  const session: CDPSession = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  const drag = (type: 'dragEnter' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x: 500, y: 250, data });
  await drag('dragEnter');
  await expect(page.getByText('Prepare this file for upload to Production')).toBeVisible();
  // Between the last move and the drop another view comes: as rows that arrive do.
  await page.evaluate(() => {
    const { fakeEvent } = globalThis as unknown as Offering;
    const change = () => fakeEvent('app:command', { command: 'go.datasets' });
    window.addEventListener('dragover', () => queueMicrotask(change), { once: true });
  });
  await drag('drop');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('churn.csv');
  await expect(page.getByText('Prepare this file for upload')).toHaveCount(0);
});
