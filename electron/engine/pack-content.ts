/** The contents of a pack, line by line, and how its lines become the library of a connection. */

import { AnswerScan } from '../api/answer-bounds.ts';
import { endpoint, isOperationId } from '../api/endpoints.ts';
import { toItemRow } from '../api/item-row.ts';
import { maskedFieldOf, maskedValue, tellsNamedValue } from '../core/masking/named-values.ts';
import { createRedactor, type Redactor } from '../core/masking/redact.ts';
import { askedIn, selectionOf, textsOf } from '../core/pack/choose.ts';
import type { PackedList, PackSource, PackTarget } from '../db/pack-store.ts';
import { canonicalQuery, keyOf } from '../library/list-query.ts';
import { counted, numberText } from '../shared/count-text.ts';
import { cutText } from '../shared/cut-text.ts';
import { AppError } from '../shared/errors.ts';
import { isRawNumber, parseExact, writeExact } from '../shared/exact-json.ts';
import { type ListQuery, listQuery } from '../shared/model.ts';
import {
  type Named,
  PACK_VERSION,
  type PackChoice,
  type PackManifest,
  type PackPlan,
  packManifest,
  packTime,
} from '../shared/pack-model.ts';
import { parseRecord } from '../shared/record-parts.ts';
import { MAX_VIEWS, type SavedView, savedView, VIEWS_KEY, viewsOf } from '../shared/saved-view.ts';
import * as z from '../shared/zod.ts';

type Rec = Record<string, unknown>;
interface Chart {
  id: string;
  name: string;
  body: unknown;
}

const chartList = z.looseObject({
  list: z.array(z.looseObject({ id: z.string().max(200), name: z.string().max(500), body: z.unknown() })),
});

/** The saved charts in the window's state. */
function chartsOf(layout: Readonly<Record<string, unknown>>): Chart[] {
  const parsed = chartList.safeParse(layout['charts']);
  return parsed.success ? parsed.data.list.map((each) => ({ ...each, body: each.body ?? null })) : [];
}

/**
 * The part of a library that a choice selects. Reads only the lists of applications, datasets and experiments
 * completely.
 */
export class PackSelection {
  readonly available: PackPlan['available'];
  readonly charts: readonly Chart[];
  readonly #views: readonly SavedView[];
  readonly lists: ReturnType<PackSource['lists']>;
  readonly redactor: Redactor;
  readonly #source: PackSource;
  readonly #selected: ReturnType<typeof selectionOf>;

  constructor(source: PackSource, layout: Readonly<Record<string, unknown>>, choice: PackChoice) {
    this.#source = source;
    const all = source.lists();
    const rowsOf = (operation: string): Named[] => {
      const found = new Map<string, string>();
      for (const { query, generationId } of all) {
        if (query.operation !== operation) continue;
        for (const { record } of source.rows(generationId)) {
          const { id, name } = parseRecord(record);
          if (typeof id === 'string') found.set(id, typeof name === 'string' ? name : id);
        }
      }
      return [...found].map(([id, name]) => ({ id, name }));
    };
    const charts = chartsOf(layout);
    this.available = {
      applications: rowsOf('applications.list'),
      datasets: rowsOf('datasets.list'),
      experiments: rowsOf('experiments.list'),
      charts: charts.map(({ id, name }) => ({ id, name })),
      views: [],
    };
    const inPaths = all.flatMap(({ query: { path } }) =>
      [path['application_id'], path['dataset_id'], path['experiment_id']].filter((id) => id !== undefined),
    );
    const { applications, datasets, experiments } = this.available;
    const known = [...applications, ...datasets, ...experiments].map(({ id }) => id);
    const chosen = new Set([...choice.applications, ...choice.datasets, ...choice.experiments]);
    const hidden = new Set([...known, ...inPaths].filter((id) => !chosen.has(id)));
    this.charts = charts.filter(({ id }) => choice.charts.includes(id));
    this.#selected = selectionOf(
      choice,
      hidden,
      this.charts.map(({ body }) => body),
    );
    this.lists = all.filter(({ query }) => this.#selected.has(query));
    this.redactor = createRedactor(choice.redact, hidden);
    const views = viewsOf(layout[VIEWS_KEY]).filter((view) => !this.#isHidden(view));
    this.available.views.push(...views.map(({ id, name }) => ({ id, name })));
    this.#views = views.filter(({ id }) => choice.views.includes(id));
  }

  /** The chosen views. Call it after all rows were read, because only then are the masked values known. */
  views(): SavedView[] {
    return this.#views.filter((view) => !this.#isHidden(view));
  }

  /**
   * Whether a view is left out. A view that contains a masked value, or names data that was not chosen, cannot be
   * masked, because it would show something else.
   */
  #isHidden(view: SavedView): boolean {
    const { title, name, params, grid } = view;
    const of = [title, name, params, grid];
    return (
      textsOf(of).some((text) => this.redactor.mask(text) !== text) || tellsNamedValue(of, this.redactor)
    );
  }

  /** Rows of a list. If rows are left out, the others are renumbered. */
  *rows(
    list: { generationId: number; query: ListQuery },
    limit?: number,
  ): Generator<{ position: number; record: Rec }> {
    let place = 0;
    const isFiltered = this.#selected.isFiltered(list.query);
    for (const { position, record } of this.#source.rows(list.generationId, limit)) {
      const parsed = this.#named(list.query, parseRecord(record));
      if (isFiltered && !this.#selected.hasRow(list.query, parsed)) continue;
      yield { position: isFiltered ? place : position, record: parsed };
      place += 1;
    }
  }

  *records(): Generator<{ query: ListQuery; record: Rec; fetchedAtMs: number }> {
    for (const { query, record, fetchedAtMs } of this.#source.records()) {
      if (this.#selected.has(query)) yield { query, record: parseRecord(record), fetchedAtMs };
    }
  }

  isFiltered(query: ListQuery): boolean {
    return this.#selected.isFiltered(query);
  }

  /** Whether the list's query contains a masked value, which it would reveal. */
  isNotifying(query: ListQuery): boolean {
    const asked = askedIn(query);
    return textsOf(asked).some((text) => this.redactor.isTold(text)) || tellsNamedValue(asked, this.redactor);
  }

  /** Masks values of an attribute if the attribute's field is masked. */
  #named(query: ListQuery, record: Rec): Rec {
    const name = maskedFieldOf(query, this.redactor);
    if (name === null) return record;
    this.redactor.learn({ [name]: record['value'] });
    return maskedValue(record);
  }
}

const FIELD_ROWS = 60;
const FIELD_LISTS = 60;
const MAX_FIELDS = 300;
const SAMPLE_CHARS = 120;

export function planOf(selection: PackSelection): PackPlan {
  let records = 0;
  let rows = 0;
  let sizeBytes = 0;
  const times: number[] = [];
  const fields = new Map<string, { count: number; sample: string }>();
  for (const list of selection.lists) {
    const isFiltered = selection.isFiltered(list.query);
    const own = isFiltered ? [...selection.rows(list)].length : list.rowCount;
    rows += own;
    sizeBytes += list.rowCount === 0 ? 0 : Math.round((list.sizeBytes * own) / list.rowCount);
    times.push(...[list.oldestMs, list.newestMs].filter((each) => each !== null));
  }
  // The largest lists (spans and items) come first, because they contain texts that people wrote.
  const looked = selection.lists.toSorted((a, b) => b.sizeBytes - a.sizeBytes).slice(0, FIELD_LISTS);
  for (const list of looked) {
    for (const { record } of selection.rows(list, FIELD_ROWS)) addFields(fields, '', record);
  }
  for (const { record, fetchedAtMs } of selection.records()) {
    records += 1;
    sizeBytes += writeExact(record).length;
    times.push(fetchedAtMs);
  }
  return {
    available: selection.available,
    lists: selection.lists.length,
    records,
    rows,
    sizeBytes,
    oldestMs: times.length === 0 ? null : Math.min(...times),
    newestMs: times.length === 0 ? null : Math.max(...times),
    fields: [...fields]
      .toSorted(([, a], [, b]) => b.count - a.count)
      .slice(0, MAX_FIELDS)
      .map(([path, { count, sample }]) => {
        return { path, count, sample, isMasked: isMaskedAt(selection.redactor, path) };
      }),
  };
}

function isMaskedAt(redactor: Redactor, path: string): boolean {
  const names = path.split('.');
  return names.some((_, at) => redactor.isMaskedPath(names.slice(0, at + 1).join('.')));
}

function addFields(
  fields: Map<string, { count: number; sample: string }>,
  path: string,
  value: unknown,
): void {
  if (value === null || value === undefined) return;
  if (typeof value === 'object' && !isRawNumber(value)) {
    if (Array.isArray(value)) for (const each of value.slice(0, 3)) addFields(fields, path, each);
    else
      for (const [name, part] of Object.entries(value))
        addFields(fields, path === '' ? name : `${path}.${name}`, part);
    return;
  }
  const known = fields.get(path);
  if (known !== undefined) known.count += 1;
  else if (fields.size < MAX_FIELDS * 4)
    fields.set(path, { count: 1, sample: cutText(String(value), SAMPLE_CHARS) });
}

/** Maximum factor by which masking can make a text longer. */
const GROWS = 4;
const A_LINE_BYTES = 4_000;

/**
 * Yields the lines of a pack: the manifest, lists with their rows, records, charts, views, and the end, which repeats
 * the counts. Reads everything twice, because a value that is masked in the last row must also be masked in the first.
 * `onShare` gets progress from 0 to 1.
 */
export function* packLines(
  selection: PackSelection,
  choice: PackChoice,
  {
    name,
    nowMs,
    onManifest,
    onShare,
  }: {
    name: string;
    nowMs: number;
    onManifest: (manifest: PackManifest) => void;
    onShare: (share: number) => void;
  },
): Generator<string> {
  const { redactor } = selection;
  const whole = Math.max(1, selection.lists.reduce((sum, { rowCount }) => sum + rowCount, 0) * 2);
  let passed = 0;
  const pass = () => {
    passed += 1;
    if (passed % 500 === 0) onShare(Math.min(1, passed / whole));
  };
  const counts = new Map<number, { rows: number; front: number; bytes: number }>();
  for (const list of selection.lists) {
    const count = { rows: 0, front: 0, bytes: 0 };
    for (const { position, record } of selection.rows(list)) {
      redactor.learn(record);
      if (position === count.front) count.front += 1;
      count.rows += 1;
      count.bytes += Buffer.byteLength(writeExact(record));
      pass();
    }
    counts.set(list.generationId, count);
  }
  const records = [...countRecords(selection)];
  const lists = selection.lists.filter(({ query }) => !selection.isNotifying(query));
  const own = lists.map(({ generationId }) => counts.get(generationId) ?? { rows: 0, front: 0, bytes: 0 });
  const bytes = [...own, ...records].reduce((sum, each) => sum + each.bytes, 0);
  const chosen = (part: 'applications' | 'datasets' | 'experiments' | 'charts') =>
    redactor.mask(selection.available[part].filter(({ id }) => choice[part].includes(id)));
  const views = selection.views();
  const times = [
    ...lists.flatMap(({ oldestMs, newestMs }) => [oldestMs, newestMs].filter((each) => each !== null)),
    ...records.map(({ atMs }) => atMs),
  ];
  const rows = own.reduce((sum, each) => sum + each.rows, 0);
  const manifest: PackManifest = {
    format: 'spandeck-pack',
    version: PACK_VERSION,
    name,
    madeAtMs: nowMs,
    oldestMs: times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b)),
    newestMs: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)),
    applications: chosen('applications'),
    datasets: chosen('datasets'),
    experiments: chosen('experiments'),
    charts: chosen('charts'),
    views: views.map(({ id, name: title }) => ({ id, name: title })),
    redact: choice.redact,
    lists: lists.length,
    records: records.length,
    rows,
    contentBytes: bytes * GROWS + (rows + lists.length + records.length + 10) * A_LINE_BYTES,
  };
  onManifest(manifest);
  yield JSON.stringify(manifest);
  for (const [at, list] of lists.entries()) {
    const count = own[at] ?? { rows: 0, front: 0, bytes: 0 };
    const { generationId: _, sizeBytes: __, ...facts } = list;
    const isFiltered = selection.isFiltered(list.query);
    const filteredCount = {
      totalRows: list.isComplete ? count.rows : null,
      frontPosition: count.front,
    };
    const packed: PackedList = { ...facts, rowCount: count.rows, ...(isFiltered ? filteredCount : {}) };
    yield JSON.stringify({ t: 'list', ...packed });
    for (const { position, record } of selection.rows(list)) {
      yield `{"t":"row","p":${position},"r":${writeExact(redactor.mask(record))}}`;
      pass();
    }
  }
  for (const { query, record, fetchedAtMs } of selection.records()) {
    if (selection.isNotifying(query)) continue;
    yield `{"t":"record","query":${JSON.stringify(query)},"at":${fetchedAtMs},"r":${writeExact(redactor.mask(record))}}`;
  }
  yield writeExact({ t: 'charts', list: redactor.mask(selection.charts) });
  yield writeExact({ t: 'views', list: views });
  yield JSON.stringify({ t: 'end', lists: lists.length, records: records.length, rows });
}

function* countRecords(selection: PackSelection): Generator<{ bytes: number; atMs: number }> {
  for (const { query, record, fetchedAtMs } of selection.records()) {
    selection.redactor.learn(record);
    if (selection.isNotifying(query)) continue;
    yield { bytes: Buffer.byteLength(writeExact(record)), atMs: fetchedAtMs };
  }
}

/** Maximum number of rows of a list; larger positions are invalid. */
const MAX_ROWS = 1_000_000_000;
const ROWS = `a whole number from 0 to ${numberText(MAX_ROWS)}`;
const time = packTime.nullable();
const count = z.int(ROWS).min(0, ROWS).max(MAX_ROWS, ROWS);
const packLine = z.discriminatedUnion('t', [
  z.strictObject({
    t: z.literal('list'),
    query: listQuery,
    totalRows: count.nullable(),
    rowCount: count,
    frontPosition: count,
    isComplete: z.boolean(),
    hasMoved: z.boolean(),
    oldestMs: time,
    newestMs: time,
  }),
  z.strictObject({ t: z.literal('row'), p: count, r: z.record(z.string(), z.unknown()) }),
  z.strictObject({
    t: z.literal('record'),
    query: listQuery,
    at: packTime,
    r: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({ t: z.literal('charts'), list: chartList.shape.list }),
  z.strictObject({ t: z.literal('views'), list: z.array(savedView).max(MAX_VIEWS) }),
  z.strictObject({ t: z.literal('end'), lists: count, records: count, rows: count }),
]);

const malformed = (what: string) =>
  new AppError('FILE_MALFORMED', `The pack ${what} Nothing was opened. Ask for the file again.`);

/** The first line of a pack. Throws FILE_MALFORMED, FILE_NEWER. */
export function manifestOf(line: string | undefined): PackManifest {
  const value = parsedLine(line ?? '');
  const version = z.looseObject({ version: z.int() }).safeParse(value);
  if (version.success && version.data.version > PACK_VERSION) {
    throw new AppError(
      'FILE_NEWER',
      'The pack was made by a newer version of Spandeck. Install that version to open it.',
    );
  }
  const manifest = packManifest.safeParse(value);
  if (!manifest.success)
    throw malformed(`does not state what it contains${issueText(manifest.error, value)}.`);
  return manifest.data;
}

/**
 * Problem of a line, e.g. `: expected a time that is a date for oldestMs, got 1e+300`; empty if the line has a
 * completely different form.
 */
function issueText({ issues }: z.ZodError, value: unknown): string {
  const [issue] = issues;
  if (issue === undefined || issue.path.length === 0 || !issue.message.startsWith('a ')) return '';
  const got = issue.path.reduce<unknown>(
    (part, name) => (typeof part === 'object' && part !== null ? Reflect.get(part, name) : undefined),
    value,
  );
  const text = typeof got === 'number' ? String(got) : writeExact(got ?? null);
  return `: expected ${issue.message} for ${issue.path.join('.')}, got ${cutText(text, 60)}`;
}

/** Parses a line within the bounds of a service's answer, because nothing larger is ever stored. */
function parsedLine(line: string): unknown {
  const beyond = new AnswerScan().add(Buffer.from(line));
  if (beyond !== null) throw malformed(`contains a line with ${beyond}.`);
  try {
    return parseExact(line);
  } catch {
    throw malformed('contains a line that cannot be read.');
  }
}

/**
 * Writes the lines after the manifest to a new library. Returns the state for the window. Throws FILE_MALFORMED if they
 * do not match the manifest; the library is then unusable.
 */
export async function takePack(
  lines: AsyncIterable<string>,
  manifest: PackManifest,
  connectionId: string,
  target: PackTarget,
  onShare: (share: number) => void,
): Promise<{ charts: unknown[]; views: SavedView[] }> {
  const seen = { lists: 0, records: 0, rows: 0 };
  let list: { left: number; last: number; identity: string | null } | null = null;
  let charts: unknown[] = [];
  let views: SavedView[] = [];
  let isEnded = false;
  const keys = new Set<string>();
  const newKey = (query: ListQuery): string => {
    const key = keyOf(connectionId, query);
    if (keys.has(key)) throw malformed('contains the same list twice.');
    keys.add(key);
    return key;
  };
  for await (const text of lines) {
    if (isEnded) throw malformed('continues after its end.');
    const value = parsedLine(text);
    const parsed = packLine.safeParse(value);
    if (!parsed.success)
      throw malformed(`contains a line that does not belong in a pack${issueText(parsed.error, value)}.`);
    const { data } = parsed;
    if (list !== null && list.left > 0 && data.t !== 'row') throw malformed('lacks rows of a list.');
    switch (data.t) {
      case 'list': {
        const { t: _, ...packed } = data;
        if (packed.frontPosition > packed.rowCount) {
          throw malformed(
            `contains a list with ${counted(packed.rowCount, 'row')} that states ${numberText(packed.frontPosition)} without a gap.`,
          );
        }
        const query = readQuery(packed.query);
        target.list(newKey(query), { ...packed, query });
        list = { left: packed.rowCount, last: -1, identity: identityOf(query) };
        seen.lists += 1;
        break;
      }
      case 'row': {
        if (list === null || list.left === 0 || data.p <= list.last)
          throw malformed('contains a row in the wrong place.');
        list.left -= 1;
        list.last = data.p;
        target.row({ position: data.p, ...toItemRow(data.r, list.identity) });
        seen.rows += 1;
        if (seen.rows % 500 === 0) onShare(Math.min(1, seen.rows / Math.max(1, manifest.rows)));
        break;
      }
      case 'record': {
        const query = readQuery(data.query);
        target.record(newKey(query), query, data.at, toItemRow(data.r, null));
        seen.records += 1;
        break;
      }
      case 'charts':
        charts = data.list;
        break;
      case 'views':
        views = data.list;
        break;
      case 'end':
        isEnded = ['lists', 'records', 'rows'].every((each) => {
          const part = each as 'lists' | 'records' | 'rows';
          return data[part] === seen[part] && manifest[part] === seen[part];
        });
        if (!isEnded) throw malformed('does not contain what it states.');
    }
  }
  if (!isEnded) throw malformed('has no end.');
  target.end();
  return { charts, views };
}

function identityOf({ operation }: ListQuery): string | null {
  return isOperationId(operation) ? endpoint(operation).identity : null;
}

/** Accepts only queries that the library could have created. */
function readQuery(query: ListQuery): ListQuery {
  if (!isOperationId(query.operation) || endpoint(query.operation).isWrite) {
    throw malformed(`contains the answer to ${cutText(query.operation, 60)}, which is not a read operation.`);
  }
  return canonicalQuery(query);
}
