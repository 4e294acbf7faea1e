/** Looks at every section while something is missing: empty, failed, offline, unreachable, or read-only. */
import type { Page, TestInfo } from '@playwright/test';
import type { Launched } from '../helpers/app.ts';
import { Look, SMALL, type Theme } from '../helpers/look.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlaceToStay, placeTitles } from '../helpers/places.ts';
import { expect, TestService, test } from '../helpers/product.ts';

const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
/** Sections that show only local data, so the service cannot make them fail. */
const OWN = new Set([
  ...['Uploads', 'Deletions', 'Drafts', 'Charts', 'Jobs', 'Outbox', 'Offline library', 'Changes', 'Requests'],
  ...['Diagnostics', 'Settings', 'SQL'],
]);
/** Sections whose parts each show their own state, and which have no common age. */
const IN_PARTS = new Set(['Home', 'Diagnostics', 'Settings']);
const FAILED = [{ action: { type: 'status', status: 500 } }] as const;

class Tour {
  readonly bench: Workbench;
  readonly #page: Page;
  readonly #look: Look;

  constructor(page: Page, look: Look) {
    this.#page = page;
    this.#look = look;
    this.bench = new Workbench(page);
  }

  async connect(
    service: TestService,
    name: string,
    isFirst = false,
    how: 'tested' | 'anyway' = 'tested',
  ): Promise<void> {
    if (isFirst) await new WelcomePage(this.#page).connect.click();
    else await this.bench.fromConnectionMenu('Connect to a service…');
    await new ConnectionPage(this.#page).connectTo(service, name, how);
    await expect(this.#page.getByRole('button', { name: `Connection: ${name}` })).toBeVisible();
    // When the first view of the connection shows its age, the tabs have been restored.
    await expect(this.bench.age).toHaveAccessibleName(/: (live|not loaded)/);
  }

  /** Opens every section, so that their requests run in parallel. */
  async openAll(titles: readonly string[]): Promise<void> {
    for (const title of titles) {
      await openPlaceToStay(this.#page, title);
      await expect(this.bench.heading).toHaveText(title);
    }
  }

  /** Looks at every section in its current state, at the smaller size. */
  async lookAtAll(
    state: string,
    check: (title: string) => Promise<void>,
    { titles, refreshes = false }: { titles?: readonly string[]; refreshes?: boolean } = {},
  ): Promise<void> {
    const sections = titles ?? (await placeTitles(this.#page));
    if (refreshes) {
      for (const title of sections) {
        await openPlaceToStay(this.#page, title);
        await expect(this.bench.heading).toHaveText(title);
        await this.#page.keyboard.press('Control+r');
      }
    }
    for (const [index, title] of sections.entries()) {
      await openPlaceToStay(this.#page, title);
      await expect(this.bench.heading).toHaveText(title);
      await check(title);
      // Runs the accessibility checker only for every third section, as all of them show states with the same
      // components.
      await this.#look.at(`${state}-${slug(title)}`, { asksAxe: index % 3 === 0 });
    }
  }

  titles(): Promise<string[]> {
    return placeTitles(this.#page);
  }

  /** Expects data of the service on Home. Some alerts of the sample service fire on any day. */
  async expectAlerts(): Promise<void> {
    const alerts = this.bench.view.getByRole('region', { name: 'Newest alerts' });
    await expect(alerts.getByRole('listitem').first()).toBeVisible();
  }

  get alert() {
    return this.bench.view.getByRole('alert');
  }
}

async function startEmpty(testInfo: TestInfo): Promise<TestService> {
  const empty = new TestService({ dbFile: testInfo.outputPath('empty.db'), isEmpty: true });
  await empty.start();
  return empty;
}

async function begin(
  launch: () => Promise<Launched>,
  theme: Theme,
  testInfo: TestInfo,
): Promise<[Page, Look, Tour]> {
  test.slow();
  const { page } = await launch();
  await page.emulateMedia({ colorScheme: theme });
  const look = new Look(page, theme, testInfo, SMALL);
  return [page, look, new Tour(page, look)];
}

test('every section of an empty service', async ({ launch }, testInfo) => {
  const empty = await startEmpty(testInfo);
  const [, , tour] = await begin(launch, 'light', testInfo);
  await tour.connect(empty, 'Empty service', true);
  await tour.lookAtAll('empty', async (title) => {
    const { view } = tour.bench;
    const parts = IN_PARTS.has(title)
      ? view.getByRole('heading', { level: 2 })
      : view.getByRole('grid').or(view.getByRole('status'));
    await expect(parts.filter({ visible: true }).first()).toBeVisible();
    await expect(tour.alert).toBeHidden();
  });
  await empty.stop();
  empty.expectClean();
});

test('every section of a service that fails before anything is stored', async ({
  launch,
  service,
}, testInfo) => {
  const [, , tour] = await begin(launch, 'light', testInfo);
  service.now.setFaults(FAILED);
  await tour.connect(service, 'Failing service', true, 'anyway');
  await tour.openAll(await tour.titles());
  await tour.lookAtAll('failed', async (title) => {
    if (OWN.has(title)) return;
    await expect(tour.alert).toContainText('500');
    await expect(tour.alert.getByRole('button', { name: 'Try again' })).toBeVisible();
    if (!IN_PARTS.has(title)) await expect(tour.bench.age.first(), title).toHaveAccessibleName(/not loaded/);
  });
});

test('every section once stored: not refreshed, offline, and without a service', async ({
  launch,
  service,
}, testInfo) => {
  const [page, look, tour] = await begin(launch, 'dark', testInfo);
  await tour.connect(service, 'Test service', true);
  // There are more sections than the maximum number of tabs, so some tabs would be closed and opened again.
  const titles = (await tour.titles()).filter((title) => !OWN.has(title));
  await tour.openAll(titles);
  for (const title of titles) {
    await openPlaceToStay(page, title);
    await look.settle();
  }
  service.now.setFaults(FAILED);
  // "Last 7 days" now ends later, so a refresh requests a range for which nothing is stored.
  await page.clock.setFixedTime(Date.now() + 120_000);
  const refreshes = true;
  const isNotRefreshed = async (title: string): Promise<void> => {
    if (IN_PARTS.has(title)) return tour.expectAlerts();
    // When the user returns to a board, it is read from the store without a refresh.
    if (title === 'Boards') await page.keyboard.press('Control+r');
    await expect(tour.bench.age.first(), title).toHaveAccessibleName(/refresh failed · as of/);
    await expect(tour.alert).toContainText('500');
  };
  await tour.lookAtAll('not-refreshed', isNotRefreshed, { titles, refreshes });
  service.now.setFaults([]);
  const isOffline = async (title: string): Promise<void> => {
    if (IN_PARTS.has(title)) return tour.expectAlerts();
    await expect(tour.bench.age.first(), title).toHaveAccessibleName(/offline · as of/);
  };
  await tour.bench.offlineSwitch.click();
  await tour.lookAtAll('offline', isOffline, { titles });
  await tour.bench.offlineSwitch.click();
  await service.stop();
  await tour.lookAtAll('unreachable', isOffline, { titles, refreshes });
  await tour.lookAtAll('unreachable-own', async () => undefined, { titles: [...OWN] });
});

test('every section of a read-only connection: forms explain why nothing is sent', async ({
  launch,
  service,
}, testInfo) => {
  const [page, look, tour] = await begin(launch, 'light', testInfo);
  await new WelcomePage(page).connect.click();
  const form = new ConnectionPage(page);
  await form.form.getByRole('checkbox', { name: 'Read-only' }).check();
  await form.connectTo(service);
  await tour.lookAtAll('read-only', async (title) => {
    await look.settle();
    const create = tour.bench.view.getByRole('button', { name: /^New (?!chart|project)/ }).first();
    if (OWN.has(title) || (await create.count()) === 0) return;
    await create.click();
    await expect(tour.bench.heading).toHaveText(/^New /);
    await expect(tour.bench.view).toContainText('This connection is read-only: it cannot change anything.');
    await look.at(`read-only-${slug(title)}-new`, { asksAxe: false });
    await page.keyboard.press('Control+w');
    await expect(tour.bench.heading).toHaveText(title);
  });
});
