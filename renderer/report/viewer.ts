/**
 * The script inside a report: unpacks the rows, and draws each table with search, sorting and the visible rows.
 * `build/report-viewer.ts` puts it into `electron/core/report/viewer-text.ts`.
 */
import type { ReportCell, ReportHead } from '../../electron/shared/report-model.ts';
import { printable } from '../../electron/shared/untrusted-text.ts';

/** Height of a row in pixels, as in the style of the report. */
const ROW = 28;
/** Number of rows drawn above and below the visible ones. */
const MARGIN = 12;
/** Maximum number of printed rows; a longer table is useless on paper and takes minutes. */
const MAX_PRINTED = 1_000;

type Table = ReportHead['tables'][number];
type Values = ReportCell[][];

interface PageData {
  head: ReportHead;
  rows: string;
}

void start();

async function start(): Promise<void> {
  const place = document.getElementById('tables');
  const source = document.getElementById('report')?.textContent;
  if (place === null || source === null || source === undefined) return;
  try {
    // The content is not checked: this application wrote the file, and `spandeck verify` checks it.
    const { head, rows } = (await new Response(source).json()) as PageData;
    const values = (await unpacked(rows)) as Values[];
    place.replaceChildren(...head.tables.map((table, at) => tableView(table, values[at] ?? [])));
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    place.textContent = `The rows could not be read: ${text}. A current Firefox, Chrome or Safari reads them.`;
    document.documentElement.dataset['ready'] = 'failed';
    return;
  }
  document.documentElement.dataset['ready'] = 'true';
}

async function unpacked(text: string): Promise<unknown> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream).json();
}

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });
const count = (rows: number): string => `${numbers.format(rows)} ${rows === 1 ? 'row' : 'rows'}`;

function textOf(cell: ReportCell | undefined, type: string): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number' && type === 'number') {
    const isPlain = cell === 0 || (Math.abs(cell) >= 1e-6 && Math.abs(cell) < 1e15);
    return isPlain ? numbers.format(cell) : String(cell);
  }
  return printable(String(cell));
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function compared(one: ReportCell | undefined, other: ReportCell | undefined): number {
  // Rows without a value come last in both directions.
  if (one === null || one === undefined || other === null || other === undefined) return 0;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [a, b] = [String(one), String(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** One table: its heading, its search field, and a scrolling part that contains only the visible rows. */
function tableView(table: Table, values: Values): HTMLElement {
  const { title, columns, rows } = table;
  const every = Array.from({ length: rows }, (_, at) => at);
  let found = every;
  let order: { column: number; isDescending: boolean } | null = null;
  let typed = '';
  /** The text of each row in lower case, as stored and as displayed; built at the first search. */
  let texts: string[] | null = null;

  const heading = element('h2', {}, title);
  const status = element('p', { class: 'count', role: 'status' });
  const search = element('input', { type: 'search', 'aria-label': `Search ${title}`, placeholder: 'Search' });
  const head = element('tr');
  const body = element('tbody');
  const grid = element('table', { 'aria-label': title, 'aria-rowcount': String(rows + 1) });
  grid.append(element('thead', {}, head), body);
  const scroll = element(
    'div',
    { class: 'rows', tabindex: '0', role: 'region', 'aria-label': `Rows: ${title}` },
    grid,
  );
  const detail = element('dialog', { 'aria-label': 'Row' });

  const buttons = columns.map((column, at) => {
    const button = element('button', { type: 'button' }, column.title);
    button.addEventListener('click', () => {
      order =
        order?.column !== at
          ? { column: at, isDescending: column.type === 'number' }
          : { column: at, isDescending: !order.isDescending };
      apply();
    });
    head.append(element('th', { scope: 'col', class: column.type }, button));
    return button;
  });

  const sideOf = (at: number) =>
    order?.column !== at ? null : order.isDescending ? 'descending' : 'ascending';

  function apply(): void {
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length > 0)
      texts ??= every.map((row) =>
        columns
          .map(({ type }, at) => `${values[at]?.[row] ?? ''}\n${textOf(values[at]?.[row], type)}`)
          .join('\n')
          .toLowerCase(),
      );
    const lines = texts;
    found =
      words.length === 0 || lines === null
        ? [...every]
        : every.filter((row) => words.every((word) => lines[row]?.includes(word)));
    const sorted = order;
    if (sorted !== null) {
      const cells = values[sorted.column] ?? [];
      const isEmpty = (row: number) => cells[row] === null || cells[row] === undefined;
      found.sort(
        (one, other) =>
          Number(isEmpty(one)) - Number(isEmpty(other)) ||
          (sorted.isDescending ? -1 : 1) * compared(cells[one], cells[other]),
      );
    }
    for (const [at, button] of buttons.entries()) {
      const side = sideOf(at);
      if (side === null) button.parentElement?.removeAttribute('aria-sort');
      else button.parentElement?.setAttribute('aria-sort', side);
    }
    status.textContent =
      found.length === rows ? count(rows) : `${numbers.format(found.length)} of ${count(rows)}`;
    scroll.scrollTop = 0;
    draw();
  }

  function rowOf(row: number, place: number): HTMLTableRowElement {
    const cells = columns.map(({ type }, at) => {
      const text = textOf(values[at]?.[row], type);
      return element('td', { class: type }, text);
    });
    const line = element('tr', { 'aria-rowindex': String(place + 2) }, ...cells);
    line.addEventListener('click', () => show(row));
    return line;
  }

  const space = (lines: number): HTMLTableRowElement[] => {
    if (lines <= 0) return [];
    const cell = element('td', { colspan: String(columns.length) });
    cell.style.height = `${lines * ROW}px`;
    return [element('tr', { class: 'space', 'aria-hidden': 'true' }, cell)];
  };

  function draw(): void {
    const from = Math.max(0, Math.floor(scroll.scrollTop / ROW) - MARGIN);
    const to = Math.min(found.length, from + Math.ceil(scroll.clientHeight / ROW) + 2 * MARGIN);
    const lines = found.slice(from, to).map((row, at) => rowOf(row, from + at));
    body.replaceChildren(...space(from), ...lines, ...space(found.length - to));
    performance.mark('rows drawn');
  }

  /** Shows the complete values of a row. */
  function show(row: number): void {
    const list = element('dl');
    for (const [at, { title: label, type }] of columns.entries())
      list.append(element('dt', {}, label), element('dd', {}, textOf(values[at]?.[row], type)));
    const close = element('button', { type: 'button' }, 'Close');
    close.addEventListener('click', () => detail.close());
    detail.replaceChildren(list, close);
    detail.showModal();
  }

  let waiting = false;
  scroll.addEventListener('scroll', () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  });
  scroll.addEventListener('keydown', (event) => {
    // Enter opens the topmost visible row; other rows are opened by a click.
    if (event.key !== 'Enter') return;
    const row = found[Math.floor(scroll.scrollTop / ROW)];
    if (row !== undefined) show(row);
  });
  search.addEventListener('input', () => {
    typed = search.value;
    apply();
  });
  window.addEventListener('resize', draw);
  window.addEventListener('beforeprint', () => {
    body.replaceChildren(...found.slice(0, MAX_PRINTED).map(rowOf));
    if (found.length > MAX_PRINTED)
      status.textContent = `The first ${count(MAX_PRINTED)} of ${numbers.format(found.length)}`;
  });
  window.addEventListener('afterprint', apply);
  const view = element(
    'section',
    { class: 'table' },
    heading,
    element('div', { class: 'tools' }, search, status),
    scroll,
    detail,
  );
  // The height of the visible part is known only once the table is in the page.
  requestAnimationFrame(apply);
  return view;
}
