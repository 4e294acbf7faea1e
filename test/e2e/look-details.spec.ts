/**
 * Details and forms while the service is unavailable: stored content, missing content, and the reason why nothing can
 * be sent.
 */
import type { Page } from '@playwright/test';
import { Look, SIZES, SMALL, type Theme } from '../helpers/look.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';
import { PICTURES_ONLY } from '../helpers/tours.ts';

const rows = (page: Page) =>
  new Workbench(page).view
    .getByRole('grid')
    .first()
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell'), hasText: /\S/ });

/** Opens the details of a row of a section. */
async function openRow(page: Page, section: string, at: number): Promise<void> {
  await openPlace(page, section);
  // Until the section is active, the rows belong to the previous view.
  await expect(new Workbench(page).heading).toHaveText(section);
  await rows(page).nth(at).dblclick();
  await expect(new Workbench(page).heading).not.toHaveText(section);
}

async function lookAtParts(page: Page, look: Look, name: string): Promise<void> {
  await look.settle();
  const parts = page
    .getByRole('main')
    .getByRole('tablist', { name: /^Parts of/ })
    .getByRole('tab');
  for (let at = 0; at < (await parts.count()); at += 1) {
    await parts.nth(at).click();
    await look.at(`${name}-${at}`, { asksAxe: at === 0 });
  }
}

for (const theme of ['light', 'dark'] satisfies Theme[]) {
  const tag = theme === 'dark' ? [PICTURES_ONLY] : [];
  test(`details offline and unreachable, ${theme}`, { tag }, async ({ launch, service }, testInfo) => {
    test.slow();
    const { page } = await launch();
    await page.emulateMedia({ colorScheme: theme });
    await new WelcomePage(page).connect.click();
    await new ConnectionPage(page).connectTo(service);
    const look = new Look(page, theme, testInfo, theme === 'light' ? SIZES : SMALL);
    const bench = new Workbench(page);
    for (const section of ['Alert rules', 'Models', 'Baselines', 'Datasets']) {
      await openPlace(page, section);
      await expect(rows(page).first()).toBeVisible();
    }
    await openRow(page, 'Models', 0);
    await look.settle();

    await bench.offlineSwitch.click();
    await look.at('model-offline-stored');
    await openRow(page, 'Datasets', 0);
    await lookAtParts(page, look, 'dataset-offline');
    await openRow(page, 'Alert rules', 0);
    await look.at('alert-rule-offline');
    await openPlace(page, 'Baselines');
    await bench.view.getByRole('button', { name: 'New baseline' }).first().click();
    await look.at('form-offline');

    await service.stop();
    await bench.offlineSwitch.click();
    await openRow(page, 'Models', 1);
    await lookAtParts(page, look, 'model-unreachable');
    await openRow(page, 'Datasets', 1);
    await look.at('dataset-unreachable');
    await openRow(page, 'Alert rules', 1);
    await look.at('alert-rule-unreachable');
  });
}
