/** The content of the window, located by role and name. */
import { expect, type Locator, type Page } from '@playwright/test';
// Provides the type of `window.spandeck` for functions that run in the window.
import type {} from '../../renderer/lib/client.ts';
import { openPlaceToStay, sidebar } from './places.ts';

/** Maximum time in ms until a service that is reachable again is noticed: it is probed at most a minute apart. */
const NOTICED_MS = 90_000;

/**
 * Ends the time in which a start can be cancelled. On a busy computer it may be over already, so the button is pressed
 * in the same step that finds it.
 */
export const startNow = (view: Locator): Promise<void> =>
  view.getByRole('button', { name: 'Start now', exact: true }).evaluateAll((buttons) => {
    for (const button of buttons) if (button instanceof HTMLElement) button.click();
  });

/** The frame of the application around its views. */
export class Workbench {
  readonly page: Page;
  readonly view: Locator;
  readonly heading: Locator;
  readonly status: Locator;
  readonly offlineSwitch: Locator;
  readonly inspector: Locator;
  readonly age: Locator;

  constructor(page: Page) {
    this.page = page;
    this.view = page.getByRole('main');
    this.heading = this.view.getByRole('heading', { level: 1 });
    this.status = page.getByRole('contentinfo', { name: 'Status' });
    this.offlineSwitch = page.getByRole('switch', { name: 'Work offline' });
    this.inspector = page.getByRole('complementary', { name: 'Inspector' });
    this.age = this.view.getByRole('button', { name: /^Age of this content/ });
  }

  /** Opens a place, in a tab that is kept. */
  async go(
    section:
      | 'Home'
      | 'Catalog'
      | 'Datasets'
      | 'Attributes'
      | 'Uploads'
      | 'Alert rules'
      | 'Charts'
      | 'Requests'
      | 'Evaluators',
  ): Promise<void> {
    await openPlaceToStay(this.page, section);
    await expect(this.heading).toHaveText(section);
  }

  /** Goes from the first tab of a new connection to the catalog, so that there is still only one tab. */
  async leaveStart(): Promise<void> {
    await this.go('Catalog');
    await this.page.getByRole('button', { name: 'Close Home' }).click();
    await expect(this.tab('Home')).toHaveCount(0);
  }

  tab(title: string): Locator {
    return this.page.getByRole('tab', { name: title, exact: true });
  }

  grid(label: string | RegExp): Locator {
    return this.view.getByRole('grid', { name: label });
  }

  /** The loaded rows of a grid. */
  rows(label: string | RegExp): Locator {
    return this.grid(label)
      .getByRole('row')
      .filter({ has: this.page.getByRole('gridcell'), hasText: /\S/ });
  }

  /**
   * A loaded row by its number, from 1. While scrolling, a grid uses its elements in another order, and it draws rows
   * above the visible ones too.
   */
  rowAt(label: string | RegExp, number: number): Locator {
    // The heading counts as the first row.
    return this.rows(label).and(this.page.locator(`[aria-rowindex="${number + 1}"]`));
  }

  row(label: string | RegExp, text: string | RegExp): Locator {
    return this.rows(label).filter({ hasText: text });
  }

  /** Waits until the shown rows belong to the current query. Before, they are those of the previous one. */
  async expectAnswered(): Promise<void> {
    await expect(this.view.locator('[role="grid"][aria-busy="true"]')).toHaveCount(0);
  }

  /** Chooses an entry of the connection menu. */
  async fromConnectionMenu(entry: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name: /^Connection:/ }).click();
    await this.page.getByRole('menuitem', { name: entry }).click();
  }

  /** Waits until every sent request has ended. */
  async expectQuiet(): Promise<void> {
    const underWay = () =>
      this.page.evaluate(async () => {
        const list = await window.spandeck?.invoke('connections:list', undefined);
        const connectionId = (list as { value: { activeId: string } }).value.activeId;
        const answer = await window.spandeck?.invoke('traffic:get-lanes', { connectionId });
        const { lanes } = (answer as { value: { lanes: { inFlight: number }[] } }).value;
        return lanes.reduce((sum, { inFlight }) => sum + inFlight, 0);
      });
    await expect.poll(underWay).toBe(0);
  }

  /** The label for the age of the view's content: `live`, `offline · as of 14:02`. */
  async expectAge(text: RegExp): Promise<void> {
    await this.expectAnswered();
    await expect(this.age).toHaveAccessibleName(new RegExp(`^Age of this content: ${text.source}`));
  }

  /** Waits until the return of a service is noticed, which happens automatically. */
  async expectBack(): Promise<void> {
    await expect(this.age).toHaveAccessibleName(/: live/, { timeout: NOTICED_MS });
  }
}

export class WelcomePage {
  readonly page: Page;
  readonly openSample: Locator;
  readonly connect: Locator;

  constructor(page: Page) {
    this.page = page;
    this.openSample = page.getByRole('button', { name: /^Open sample workspace/ });
    this.connect = page.getByRole('button', { name: /^Connect to a service/ });
  }

  /** Opens the sample workspace with its catalog in the only tab. */
  async enterSample(): Promise<void> {
    await this.openSample.click();
    await new Workbench(this.page).leaveStart();
  }
}

/** The form for a new or saved connection. */
export class ConnectionPage {
  readonly #page: Page;
  readonly form: Locator;
  readonly name: Locator;
  readonly baseUrl: Locator;
  readonly token: Locator;
  readonly inKeychain: Locator;
  readonly thisSession: Locator;
  readonly test: Locator;
  readonly connect: Locator;
  readonly result: Locator;
  /** The sidebar of the workbench, which replaces the form. */
  readonly sections: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.sections = sidebar(page);
    this.form = page.getByRole('form', { name: /^(New connection|Connection )/ });
    this.name = this.form.getByRole('textbox', { name: 'Name', exact: true });
    this.baseUrl = this.form.getByRole('textbox', { name: 'Base URL' });
    this.token = this.form.getByLabel(/^(New a|A)ccess token$/);
    this.inKeychain = this.form.getByRole('radio', { name: /^In the / });
    this.thisSession = this.form.getByRole('radio', { name: /^This session only/ });
    this.test = this.form.getByRole('button', { name: 'Test connection' });
    this.connect = this.form.getByRole('button', { name: 'Connect', exact: true });
    this.result = this.form.getByLabel('Result of the test');
  }

  async fill(values: { name?: string; baseUrl: string; token: string }): Promise<void> {
    if (values.name !== undefined) await this.name.fill(values.name);
    await this.baseUrl.fill(values.baseUrl);
    await this.token.fill(values.token);
  }

  /**
   * Saves a new connection as proposed, with the token in the keychain. `anyway`: saves it even though its test fails.
   */
  async connectTo(
    service: { baseUrl: string; token: string },
    name = 'Test service',
    how: 'tested' | 'anyway' = 'tested',
  ): Promise<void> {
    await this.fill({ name, baseUrl: service.baseUrl, token: service.token });
    await this.connect.click();
    if (how === 'anyway') await this.form.getByRole('button', { name: 'Save anyway' }).click();
    // Until then, the sidebar would still open tabs of the previous connection.
    await expect(this.#page.getByRole('button', { name: `Connection: ${name}` })).toBeVisible();
    await new Workbench(this.#page).leaveStart();
  }
}
