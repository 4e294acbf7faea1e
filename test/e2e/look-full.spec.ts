/** Looks at every section and all details in their normal state: screenshots, axe, nothing is cut off or covered. */
import type { Page } from '@playwright/test';
import { Look, SIZES, type Theme, USUAL } from '../helpers/look.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace, placeTitles } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';
import { PICTURES_ONLY } from '../helpers/tours.ts';

const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** Looks at the parts of a record one after another. */
async function lookAtParts(page: Page, look: Look, name: string): Promise<void> {
  const view = page.getByRole('main');
  const parts = view.getByRole('tablist', { name: /^Parts of/ }).getByRole('tab');
  const count = await parts.count();
  for (let index = 1; index < count; index += 1) {
    const part = parts.nth(index);
    const title = (await part.textContent()) ?? '';
    await part.click();
    await look.at(`${name}-part-${slug(title)}`, { asksAxe: index === 1 });
  }
  if (count > 0) await parts.first().click();
}

/** Looks at the content that a header button opens, which is a form in place of the view, or a dialog. */
async function lookBehind(page: Page, look: Look, button: RegExp, name: string): Promise<void> {
  const actions = page.getByRole('main').getByRole('button', { name: button });
  if ((await actions.count()) === 0 || !(await actions.first().isEnabled())) return;
  const tabs = page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab');
  const before = await tabs.count();
  await actions.first().click();
  const cancel = page.getByRole('main').getByRole('button', { name: 'Cancel' });
  await expect
    .poll(async () => [
      (await page.getByRole('dialog').count()) > 0,
      (await tabs.count()) > before,
      (await cancel.count()) > 0,
    ])
    .toContain(true);
  await look.at(name);
  if ((await page.getByRole('dialog').count()) > 0) {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  } else if ((await tabs.count()) > before) await page.keyboard.press('Control+w');
  else await cancel.first().click();
}

async function lookAtSection(page: Page, look: Look, title: string): Promise<void> {
  const bench = new Workbench(page);
  const name = slug(title);
  await look.at(name);
  await lookBehind(page, look, /^New /, `${name}-new`);
  const rows = bench.view
    .getByRole('grid')
    .first()
    .getByRole('row')
    .filter({
      has: page.getByRole('gridcell'),
      hasText: /\S/,
    });
  if ((await rows.count()) === 0) return;
  await rows.first().dblclick();
  await look.settle();
  if ((await bench.heading.textContent()) === title) return;
  await look.at(`${name}-detail`);
  await lookAtParts(page, look, `${name}-detail`);
  await lookBehind(page, look, /^Edit$/, `${name}-edit`);
  await lookBehind(page, look, /^Delete…$/, `${name}-delete`);
  await page.keyboard.press('Control+w');
}

for (const theme of ['light', 'dark'] satisfies Theme[]) {
  const tag = theme === 'dark' ? [PICTURES_ONLY] : [];
  test(`every section and its details, ${theme}`, { tag }, async ({ launch, service }, testInfo) => {
    test.slow();
    const { page } = await launch();
    await page.emulateMedia({ colorScheme: theme });
    await new WelcomePage(page).connect.click();
    await new ConnectionPage(page).connectTo(service);
    const look = new Look(page, theme, testInfo, theme === 'light' ? SIZES : USUAL);
    for (const title of await placeTitles(page)) {
      await openPlace(page, title);
      await expect(new Workbench(page).heading).toHaveText(title);
      await look.settle();
      await lookAtSection(page, look, title);
    }
  });
}
