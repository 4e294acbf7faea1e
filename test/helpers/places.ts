/** Opens places of the window as a user does: first by the sidebar, then by the header of the section. */
import { expect, type Locator, type Page } from '@playwright/test';

/** Sections of the places that are not the first in their section. */
const SECTION_OF: Readonly<Record<string, string>> = {
  Attributes: 'Catalog',
  Drafts: 'Datasets',
  'GenAI rules': 'Alerts',
  Evaluators: 'Datasets',
  'Evaluator rules': 'Datasets',
  Experiments: 'Datasets',
  Charts: 'Charts',
  Environments: 'Models',
  Baselines: 'Models',
  'Custom metrics': 'Models',
  Segments: 'Models',
  Deletions: 'Uploads',
  Outbox: 'Activity',
  Changes: 'Activity',
  'Service tasks': 'Activity',
  Requests: 'Activity',
  Diagnostics: 'Settings',
};
/** Sections whose name differs from that of their first place. */
const LINE_OF: Readonly<Record<string, string>> = {
  'Alert rules': 'Alerts',
  Boards: 'Charts',
  Jobs: 'Activity',
};
/** Places whose tab is named after its content. */
const TAB_OF: Readonly<Record<string, RegExp>> = { Boards: / board$|^Boards$/ };
const ABOVE: readonly string[] = ['Projects', 'Applications', 'Users', 'Access keys'];

export const sidebar = (page: Page): Locator => page.getByRole('navigation', { name: 'Sections' });

/** A line of the sidebar, which can include the number of waiting things. */
export const sidebarLine = (page: Page, title: string): Locator =>
  sidebar(page).getByRole('button', { name: new RegExp(`^${title}(, \\d+ waiting)?$`) });

/** A link to another place in the header of the active side. */
const placeLink = (page: Page, section: string, title: string): Locator =>
  page
    .locator('[data-view="active"]')
    .getByRole('navigation', { name: section, exact: true })
    .getByRole('button', { name: new RegExp(`^${title}( \\d+)?$`) });

export async function openPlace(page: Page, title: string): Promise<void> {
  if (title === 'Search') {
    await page.keyboard.press('ControlOrMeta+Shift+KeyF');
    return;
  }
  if (ABOVE.includes(title)) {
    await page.getByRole('banner').getByRole('button', { name: 'Projects and applications' }).click();
    if (title !== ABOVE[0]) await placeLink(page, 'Projects and applications', title).click();
    return;
  }
  const section = SECTION_OF[title];
  await sidebarLine(page, section ?? LINE_OF[title] ?? title).click();
  if (section !== undefined) await placeLink(page, section, title).click();
}

/** Links to the other places in the section that the active side shows. */
const otherPlaces = (page: Page): Locator =>
  page.locator('[data-view="active"] .header nav[aria-label]').getByRole('button');

/**
 * Opens all places one after another, as the sidebar, the title bar and the headers offer them, so that a new place is
 * tested automatically. `visit` may open other views.
 */
export async function forEachPlace(page: Page, visit: (title: string) => Promise<void>): Promise<void> {
  const lines = sidebar(page).getByRole('button');
  await lines.first().waitFor();
  const openers = [
    ...(await lines.all()),
    page.getByRole('banner').getByRole('button', { name: 'Projects and applications' }),
  ];
  const heading = page.locator('[data-view="active"]').getByRole('heading', { level: 1 }).first();
  const show = async (opener: Locator) => {
    await opener.click();
    await expect(opener).toHaveAttribute('aria-current', 'page');
    await heading.waitFor();
  };
  for (const opener of openers) {
    await show(opener);
    const others = await otherPlaces(page).count();
    for (let at = 0; at <= others; at += 1) {
      if (at > 0) {
        // The visit may have opened another view. The links are in the order of the places.
        await show(opener);
        const link = otherPlaces(page).nth(at - 1);
        const title = ((await link.textContent()) ?? '').replace(/\s*\d*\s*$/, '').trim();
        await link.click();
        await expect(heading).toHaveText(title);
      }
      await visit((await heading.textContent())?.trim() ?? '');
    }
  }
}

/** Titles of all places. */
export async function placeTitles(page: Page): Promise<string[]> {
  const titles: string[] = [];
  await forEachPlace(page, (title) => {
    titles.push(title);
    return Promise.resolve();
  });
  return titles;
}

/** Opens a place, in a tab that the next place does not replace. */
export async function openPlaceToStay(page: Page, title: string): Promise<void> {
  await openPlace(page, title);
  const tab = page.getByRole('tab', { selected: true, name: TAB_OF[title] ?? title });
  await tab.first().waitFor();
  // Double-clicking a tab that is kept already would pin it.
  if ((await tab.first().getAttribute('title'))?.includes('preview') === true) await tab.first().dblclick();
}
