/**
 * Reading the rows of a list: scrolling, sorting and filtering. Each window of rows is compared with the rows that
 * follow from all stored rows of the list.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Session } from '../../../electron/engine/session.ts';
import { fold } from '../../../electron/shared/fold.ts';
import { GONE_FIELD } from '../../../electron/shared/gone-field.ts';
import type { ListRow, RowPage, RowWindow } from '../../../electron/shared/model.ts';
import { shownTextOf } from '../../../electron/shared/text-filter.ts';
import type { Draw } from '../draw.ts';
import type { Act, OpenView, Stage } from '../stage.ts';
import { closeList, openPlainList } from './list-acts.ts';

/** Maximum number of rows that are on the screen or read around it. */
const MAX_WINDOW_ROWS = 60;
/** The largest window that the library returns. */
const ALL_ROWS: RowWindow = { offset: 0, limit: 200, sort: null, narrow: null };
/** Words in names that the simulation creates. No date contains them. */
const WORDS = ['built', 'made', 'another client', 'churn', 'no such thing'] as const;
const PLAIN_TEXT = /\w[\w -]*/;
const SORTED_FIELDS = ['name', 'id', 'created_at'] as const;
/** Maximum number of readings, as rows can change between two readings only if a step is done between them. */
const MAX_READINGS = 3;

export const ROWS_SHOWN = 'the rows of a grid are those of its list, once each';
export const ROWS_MATCH = 'the rows of a filter are all rows with its text';
export const ROWS_SORTED = 'the rows of a grid are in the requested order';

type Ordering = Pick<RowWindow, 'sort' | 'narrow'>;

interface Reading {
  whole: RowPage;
  window: RowWindow;
  page: RowPage;
}

/** Reads a window and the whole list at the same moment, null if the list changes all the time. */
async function readTogether(
  { world }: Stage,
  { library }: Session,
  { query }: OpenView,
  choose: (whole: RowPage) => RowWindow,
): Promise<Reading | null> {
  let window: RowWindow | null = null;
  for (let reading = 0; reading < MAX_READINGS; reading += 1) {
    const { steps } = world;
    const whole = await library.readRows({ query, window: ALL_ROWS });
    window ??= choose(whole);
    const page = await library.readRows({ query, window });
    if (world.steps === steps) return { whole, window, page };
  }
  return null;
}

/**
 * Whether the shown text of a row contains this text. If the service no longer has the row, the time of that mark is in
 * a separate column and is not part of the text.
 */
function hasText({ [GONE_FIELD]: _, ...record }: ListRow['record'], text: string): boolean {
  return fold(shownTextOf(record)).includes(fold(text));
}

/** Missing values are last in both directions, and equal values keep the order of the service. */
function sorted(
  rows: readonly ListRow[],
  { field, isDescending }: NonNullable<RowWindow['sort']>,
): ListRow[] {
  const textOf = ({ record }: ListRow): string | null => {
    const value = record[field];
    return value === null || value === undefined ? null : fold(String(value));
  };
  return rows.toSorted((first, second) => {
    const [one, other] = [textOf(first), textOf(second)];
    if (one === other) return first.position - second.position;
    if (one === null || other === null) return one === null ? 1 : -1;
    return one < other === isDescending ? 1 : -1;
  });
}

function filtered(rows: readonly ListRow[], text: string | null): ListRow[] {
  return rows.filter(({ record }) => text === null || hasText(record, text));
}

/** The invariant that a window of rows breaks, with details; null if the rows are correct. */
function wrongRows({ whole, window, page }: Reading): [invariant: string, detail: string] | null {
  const { offset, limit, sort, narrow } = window;
  const text = `${page.rows.length} of ${page.matchingRows} rows for ${JSON.stringify(window)}, ${whole.rows.length} of ${whole.matchingRows} in all`;
  const positions = new Set(page.rows.map(({ position }) => position));
  if (positions.size < page.rows.length) return [ROWS_SHOWN, `${text}: ${positions.size} positions`];
  const without = page.rows.find(({ record }) => narrow !== null && !hasText(record, narrow));
  if (without !== undefined) return [ROWS_MATCH, `${text}: ${JSON.stringify(without).slice(0, 200)}`];
  const isAll = whole.rows.length === whole.matchingRows;
  const matching = filtered(whole.rows, narrow);
  if (isAll && matching.length !== page.matchingRows)
    return [narrow === null ? ROWS_SHOWN : ROWS_MATCH, `${text}: expected ${matching.length}`];
  if (page.matchingRows < matching.length)
    return [ROWS_MATCH, `${text}: expected at least ${matching.length}`];
  const ordered = sort === null ? matching : sorted(matching, sort);
  const isInOrder =
    sort === null || isDeepStrictEqual(positionsOf(page.rows), positionsOf(sorted(page.rows, sort)));
  if (!isInOrder) return [ROWS_SORTED, `${text}: ${positionsOf(page.rows).join(' ')}`];
  // Only the first rows of a longer list are known.
  if (!isAll && (sort !== null || offset + limit > (narrow === null ? ALL_ROWS.limit : ordered.length)))
    return null;
  const isPlain = sort === null && narrow === null;
  const expected = isPlain
    ? ordered.filter(({ position }) => position >= offset && position < offset + limit)
    : ordered.slice(offset, offset + limit);
  return isDeepStrictEqual(page.rows, expected)
    ? null
    : [
        sort === null ? ROWS_SHOWN : ROWS_SORTED,
        `${text}: at ${positionsOf(page.rows).join(' ')}, expected ${positionsOf(expected).join(' ')}`,
      ];
}

const positionsOf = (rows: readonly ListRow[]): number[] => rows.map(({ position }) => position);

/**
 * Compares a window of an open list with all its rows. If the list has no rows, it is closed and another one is opened.
 */
async function lookAtGrid(stage: Stage, draw: Draw, order: (rows: readonly ListRow[]) => Partial<Ordering>) {
  const views = [...stage.views.values()];
  if (views.length === 0) return await openPlainList(stage, draw);
  const view = draw.of(views);
  const session = await stage.run.engine.session(view.connectionId);
  const reading = await readTogether(stage, session, view, ({ rows, matchingRows }) => ({
    offset: draw.whole(0, Math.max(0, matchingRows - 1)),
    limit: draw.whole(1, MAX_WINDOW_ROWS),
    ...{ sort: null, narrow: null },
    ...order(rows),
  }));
  if (reading === null) return `saw ${view.viewId} change`;
  const wrong = wrongRows(reading);
  if (wrong !== null) stage.world.fail(...wrong);
  if (reading.whole.rows.length === 0) {
    closeList(stage, view.viewId);
    return await openPlainList(stage, draw);
  }
  const { rows } = reading.page;
  return rows.length === 0 ? `sees no row of ${view.viewId}` : `saw ${rows.length} rows of ${view.viewId}`;
}

/** Like the grid, requests rows that are not stored yet while the view is open. */
async function scroll(stage: Stage, draw: Draw): Promise<string> {
  let shown = 0;
  const told = await lookAtGrid(stage, draw, (rows) => {
    shown = rows.length;
    return {};
  });
  const views = [...stage.views.values()];
  const view = views.length === 0 ? undefined : draw.of(views);
  if (view === undefined) return told;
  const { library } = await stage.run.engine.session(view.connectionId);
  if (!stage.views.has(view.viewId)) return told;
  const { viewId, query } = view;
  const { freshness } = await library.fetchRows({ viewId, query, offset: draw.whole(0, 2 * (shown + 10)) });
  const { steps } = stage.world;
  const { rows } = await library.readRows({ query, window: ALL_ROWS });
  const expected = Math.min(freshness.storedRows, ALL_ROWS.limit);
  if (stage.world.steps === steps && freshness.isComplete && rows.length !== expected)
    stage.world.fail(ROWS_SHOWN, `${rows.length} rows of ${viewId}, ${freshness.storedRows} are stored`);
  return told;
}

/** A part of a text that the user sees, or a word that the user knows. */
function someText(rows: readonly ListRow[], draw: Draw): string {
  const word = draw.of(WORDS);
  if (rows.length === 0 || draw.chance(0.1)) return word;
  const values = Object.values(draw.of(rows).record).filter((value) => typeof value === 'string');
  const value = values.length === 0 ? '' : draw.of(values);
  const from = draw.whole(0, Math.max(0, value.length - 2));
  const length = draw.whole(1, 12);
  return PLAIN_TEXT.exec(value.slice(from))?.[0].slice(0, length).trim() ?? word;
}

export const GRID_ACTS = {
  scroll: { weight: 30, do: scroll },
  sort: {
    weight: 12,
    do: (stage, draw) => {
      const sort = { field: draw.of(SORTED_FIELDS), isDescending: draw.chance(0.5) };
      return lookAtGrid(stage, draw, () => ({ sort }));
    },
  },
  'filter rows': {
    weight: 12,
    do: (stage, draw) => lookAtGrid(stage, draw, (rows) => ({ narrow: someText(rows, draw), offset: 0 })),
  },
} as const satisfies Record<string, Act>;
