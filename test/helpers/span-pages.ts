/** From spans to a dataset through the window, and the records of the service for comparison. */
import * as fs from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { expect } from './app.ts';
import { startNow, Workbench } from './pages.ts';
import { openPlaceToStay } from './places.ts';
import type { TestService } from './product.ts';

const BUCKETS = ['inputs', 'expected_outputs', 'metadata', 'extras'] as const;
export type Item = Record<(typeof BUCKETS)[number], Record<string, unknown>> & { source_id: string };

/** A value in the facets beside the spans. Cells of the list contain the same word. */
export const facetValue = (view: Locator, value: string): Locator =>
  view.getByRole('complementary', { name: 'Facets' }).getByText(value, { exact: true });

export class SpansPage {
  readonly bench: Workbench;
  readonly view: Locator;
  readonly grid: Locator;
  readonly basket: Locator;
  readonly alert: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.bench = new Workbench(page);
    this.view = page.getByRole('main');
    this.grid = this.view.getByRole('grid', { name: /^Spans of/ });
    this.basket = this.view.getByRole('region', { name: 'Selected spans', includeHidden: true });
    this.alert = this.view.getByRole('alert');
  }

  button(name: string | RegExp): Locator {
    return this.view.getByRole('button', { name });
  }

  async open(): Promise<void> {
    await openPlaceToStay(this.#page, 'Spans');
    await expect(this.bench.heading).toHaveText('Spans');
    await expect(this.#box(1)).toBeVisible();
  }

  /** Chooses another time range, and waits until its spans are loaded. */
  async look(preset: string): Promise<void> {
    await this.button(/^Time range/).click();
    await this.#page.getByRole('button', { name: preset, exact: true }).click();
    await expect(this.button(`Time range: ${preset}`)).toBeVisible();
    await this.bench.expectAge(/live/);
  }

  /** Shows spans of one type, by typing the filter as text. `age`: the expected age label of the content. */
  async onlyType(type: string, age = /live/): Promise<void> {
    await this.button('Filter').click();
    const editor = this.view.getByRole('region', { name: 'Filter of the spans' });
    await editor.getByRole('tab', { name: 'Text' }).click();
    const rule = { field: 'Span::span_type', operator: 'eq', value: type };
    await editor.getByRole('textbox').fill(JSON.stringify({ condition: 'AND', rules: [rule] }));
    await editor.getByRole('button', { name: 'Apply filter' }).click();
    await this.bench.expectAge(age);
    await expect(this.grid.getByRole('gridcell', { name: type, exact: true }).first()).toBeVisible();
  }

  #box(row: number): Locator {
    // The heading counts as the first row.
    return this.grid.locator(`[aria-rowindex="${row + 1}"]`).getByRole('checkbox');
  }

  /** Selects the first rows of the list: clicks the first checkbox, then the last one with Shift. */
  async pickFirst(count: number): Promise<void> {
    const height = 38;
    await this.grid.evaluate((grid) => grid.scrollTo(0, 0));
    await this.#choose(1);
    await this.grid.evaluate((grid, top) => grid.scrollTo(0, top), (count - 5) * height);
    await expect(this.#box(count)).toBeInViewport();
    await this.#choose(count, { shiftKey: true });
  }

  /**
   * Clicks the checkbox of a row in the same step that finds it. A grid uses the element of a row for other rows while
   * it scrolls, so a later click at the same place could hit another row.
   */
  async #choose(row: number, keys: { readonly shiftKey?: boolean } = {}): Promise<void> {
    await this.#box(row).dispatchEvent('click', keys);
  }

  /** The button that picks all matching spans. It is in the popup of further tools, which is opened. */
  async allButton(): Promise<Locator> {
    const tools = this.#page.getByRole('dialog', { name: 'More tools' });
    if (!(await tools.isVisible())) await this.button('More tools').click();
    return tools.getByRole('button', { name: /^Select all/ });
  }

  async pickAll(): Promise<void> {
    await (await this.allButton()).click();
    await this.#page.keyboard.press('Escape');
  }

  async expectPicked(count: number): Promise<void> {
    await expect(this.basket).toContainText(`${count.toLocaleString('en-US')} selected`);
  }

  /** Presses the button that starts the build. Does not wait until the start can no longer be cancelled. */
  async start(name: string): Promise<void> {
    const button = this.button(name);
    await button.click();
    await expect(button).toBeHidden();
    await startNow(this.view);
  }

  async makeDataset(): Promise<void> {
    await this.basket.getByRole('button', { name: 'Create dataset…' }).click();
    await expect(this.view.getByRole('listbox', { name: 'Attribute keys' })).toBeVisible();
  }

  bucket(name: string): Locator {
    return this.view.getByRole('region', { name: 'Buckets' }).getByRole('region', { name, exact: true });
  }

  /** In the preview, long near-duplicates are excluded automatically. This keeps them with one click. */
  async keepNearDuplicates(): Promise<void> {
    await expect(this.button('Find near-duplicates')).toBeEnabled();
    const keep = this.button('Keep near-duplicates');
    if (await keep.isVisible()) await keep.click();
    await expect(keep).toBeHidden();
  }

  /** Goes from the suggested mapping to the plan for a new dataset. */
  async prepare(name: string): Promise<void> {
    await this.button('Suggest a mapping').click();
    await expect(this.bucket('Inputs').getByRole('textbox').first()).toBeVisible();
    await this.button('Next: preview').click();
    await this.keepNearDuplicates();
    await this.button('Next: dataset').click();
    await this.view.getByRole('textbox', { name: 'Name' }).fill(name);
    await this.button('Next: commit').click();
    await expect(this.view.getByRole('region', { name: 'Plan' })).toContainText(name);
  }
}

/** Calls the service as any other program would. */
export async function ask(
  service: TestService,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const answer = await fetch(service.baseUrl + path, {
    method,
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}.`);
  return answer.status === 204 ? {} : ((await answer.json()) as Record<string, unknown>);
}

async function list(service: TestService, path: string): Promise<Record<string, unknown>[]> {
  const { data } = (await ask(service, 'GET', path)) as { data: { items: Record<string, unknown>[] } };
  return data.items;
}

export async function idOf(service: TestService, path: string, name: string): Promise<string> {
  const found = (await list(service, `${path}?limit=1000`)).find((record) => record['name'] === name);
  if (found === undefined) throw new Error(`The service has nothing named ${name} under ${path}.`);
  return String(found['id']);
}

/** The four buckets of every item, by its span. Fails if a span has two items. */
function bySpan(records: readonly Record<string, unknown>[]): Map<string, Item> {
  const items = new Map(
    records.map((record) => {
      const buckets = Object.fromEntries(BUCKETS.map((bucket) => [bucket, record[bucket] ?? {}]));
      const source_id = String(record['source_id']);
      return [source_id, { ...buckets, source_id } as Item];
    }),
  );
  expect(items.size, 'spans of the items').toBe(records.length);
  return items;
}

/** Items of a dataset at the service. */
export async function itemsOf(service: TestService, dataset: string): Promise<Map<string, Item>> {
  const id = await idOf(service, '/v3/evals/datasets', dataset);
  const items: Record<string, unknown>[] = [];
  for (;;) {
    const page = await list(service, `/v3/evals/datasets/${id}/items?limit=1000&offset=${items.length}`);
    items.push(...page);
    if (page.length < 1_000) return bySpan(items);
  }
}

/** Reads the items of a preview that was saved as a file. */
export function readItems(file: string): Map<string, Item> {
  const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  return bySpan(lines.map((line) => JSON.parse(line) as Record<string, unknown>));
}

export interface SpanReceipt {
  trace: string;
  span: string;
  item: string;
}

/** Reads a receipts file with ids without commas and quotes. */
export function readSpanReceipts(file: string): SpanReceipt[] {
  const [, ...lines] = fs.readFileSync(file, 'utf8').trimEnd().split(/\r?\n/);
  return lines.map((line) => {
    const [trace = '', span = '', item = ''] = line.split(',');
    return { trace, span, item };
  });
}

/** Spans of the basket as the main process knows them: trace and span id in the order of selection. */
export async function pickedSpans(page: Page): Promise<{ trace: string; span: string; type: string }[]> {
  return page.evaluate(async () => {
    const call = async (channel: string, argument?: unknown) => {
      const answer = (await window.spandeck?.invoke(channel, argument)) as { value: never };
      return answer.value as Record<string, unknown>;
    };
    const connectionId = (await call('connections:list'))['activeId'];
    const all = { states: null, search: null, offset: 0, limit: 1 };
    const { jobs } = await call('jobs:list', { connectionId, kinds: ['build'], ...all });
    const [build] = jobs as { id: string }[];
    const found: { trace: string; span: string; type: string }[] = [];
    for (;;) {
      const question = {
        connectionId,
        buildId: build?.id,
        mapping: [],
        show: 'all',
        offset: found.length,
        limit: 200,
      };
      const { rows, matchingRows } = (await call('builds:read', { action: 'rows', ...question })) as {
        rows: { trace_id: string; span_id: string; span_type: string }[];
        matchingRows: number;
      };
      found.push(...rows.map((row) => ({ trace: row.trace_id, span: row.span_id, type: row.span_type })));
      if (rows.length === 0 || found.length >= matchingRows) return found;
    }
  });
}
