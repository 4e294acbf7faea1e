/** A report is saved as PDF by the application itself, while the service is stopped. */
import { readFileSync } from 'node:fs';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlaceToStay } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';
import { answerSaveDialog } from '../helpers/upload-pages.ts';

test('saves the report of a trace as tagged pages without a network, and shows no second window', async ({
  shared,
  service,
}, testInfo) => {
  const { app, page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const { view, inspector } = new Workbench(page);
  await openPlaceToStay(page, 'Spans');
  await view.getByRole('button', { name: 'Reading pane' }).click();
  await inspector.getByRole('button', { name: 'Open trace' }).click();
  await expect(view.getByRole('button', { name: 'Report…' })).toBeEnabled();
  await service.stop();
  const file = testInfo.outputPath('trace.pdf');
  await answerSaveDialog(app, file);
  await view.getByRole('button', { name: 'Report…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Report/ });
  const heading = dialog.getByRole('heading', { name: /^Report: / });
  const title = (await heading.innerText()).replace('Report: ', '');
  await dialog.getByRole('button', { name: 'Save as PDF…' }).click();
  await expect(page.getByText('Saved trace.pdf')).toBeVisible();
  const text = readFileSync(file).toString('latin1');
  expect(text).toMatch(/^%PDF-1\.\d/);
  expect(text).toMatch(/\/StructTreeRoot/);
  expect(text).toMatch(/\/Outlines/);
  expect(text).toContain(`/Title (${title})`);
  expect(app.windows()).toHaveLength(1);
});
