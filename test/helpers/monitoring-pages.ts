/** Charts and alert rules in the window, located by role and name. */
import { expect, type Locator, type Page } from '@playwright/test';
import { Workbench } from './pages.ts';

export class MonitoringPage extends Workbench {
  /** The element that handles the keys of the chart: arrows, Enter, +, -. */
  readonly chart: Locator = this.view.getByRole('slider', { name: /^Time in / });
  readonly chosenBin: Locator = this.view.getByRole('region', { name: 'Chosen bin' });

  constructor(page: Page) {
    super(page);
  }

  button(name: string | RegExp): Locator {
    return this.view.getByRole('button', { name });
  }

  /** Chooses a part of a rule, or the rules that the list shows. */
  async part(name: string): Promise<void> {
    const shown = { Rules: /^All rules/, 'Latest alerts': /^Fired/ }[name];
    if (shown === undefined) await this.view.getByRole('tab', { name }).click();
    else await this.view.getByRole('radio', { name: shown }).check();
  }

  /** Chooses an entry in a field with suggestions. */
  async pick(field: string, entry: RegExp): Promise<void> {
    await this.view.getByRole('combobox', { name: field, exact: true }).click();
    await this.page.getByRole('listbox').getByRole('option', { name: entry }).click();
  }

  /** Adds a metric to the current chart. */
  async addMetric(name: RegExp): Promise<void> {
    await this.pick('Add a metric', name);
  }

  /** Ticks columns of a metric. `metric`: its number, from 1. */
  async chooseColumns(metric: number, columns: readonly string[]): Promise<void> {
    await this.button(new RegExp(`^Columns of metric ${metric}:`)).click();
    const dialog = this.page.getByRole('dialog', { name: `Columns of metric ${metric}` });
    for (const column of columns) await dialog.getByRole('checkbox', { name: column, exact: true }).check();
    await this.page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  }

  /** The description of the chart for screen readers. */
  async describe(): Promise<string> {
    await expect(this.chart).toBeVisible();
    return this.chart.evaluate(
      (element) => document.getElementById(element.getAttribute('aria-describedby') ?? '')?.textContent ?? '',
    );
  }

  /** The description of the chart, once all requested answers are drawn and described. */
  async describeWhole(): Promise<string> {
    await expect(this.chart).toBeVisible();
    await expect(this.view.locator('[aria-busy="true"]')).toHaveCount(0);
    return this.describe();
  }

  /** The first rows of the chart's table, cell by cell. Shows the chart again afterwards. */
  async tableRows(label: string, count: number): Promise<string[][]> {
    await this.button('Table').click();
    const rowAt = (number: number) => this.rowAt(`Values of ${label}`, number);
    await expect(rowAt(count)).toBeVisible();
    const cells: string[][] = [];
    for (let at = 1; at <= count; at += 1) cells.push(await rowAt(at).getByRole('gridcell').allInnerTexts());
    await this.button(/^Chart$/).click();
    await expect(this.chart).toBeVisible();
    return cells;
  }
}
