/** Reads a list once, page by page, into one generation of the store. */

import type { ItemRow } from '../api/item-row.ts';
import type { OperationInfo, ServiceClient } from '../api/types.ts';
import type { Clock } from '../core/ports.ts';
import type { NewPage, NewRow } from '../db/library-rows.ts';
import type { AppendOutcome, ListStore } from '../db/list-store.ts';
import type { LongTextStore } from '../db/long-text-store.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';
import { isWhole, type Totals, withTotal } from './completeness.ts';
import { newRows } from './long-rows.ts';
import { type FetchedPage, type OverlapReads, PageOverlap } from './page-overlap.ts';

export interface FillPlan {
  info: OperationInfo;
  query: ListQuery;
  generationId: number;
  /**
   * Null if rows are visible as they arrive. Otherwise the generation is shown once it is complete or has this many
   * rows, so that the displayed list neither shrinks nor mixes readings.
   */
  showAtRows: number | null;
  /** Key of a kept list. At its end, the reading is shown together with the rows that it did not bring. */
  keptKey?: string;
  /** Number of rows after which reading stops even if the list continues. */
  maxRows: number;
  pageRows: number;
  /** Maximum number of requests. */
  maxRequests?: number;
  /** Page size in bytes above which the next pages are smaller. */
  heavyPageBytes?: number;
  /** Priorities of the first page and of later ones. */
  priorities: readonly ['view' | 'click' | 'prefetch', 'prefetch' | 'click'];
  group: string;
  signal: AbortSignal;
}

/** Facts about one reading of a list. */
export interface Reading {
  generationId: number;
  /** Number of pages requested so far. */
  requests: number;
  totals: Totals;
  /** True if some rows have no id. */
  hasUnnamed: boolean;
}

export interface FillDeps {
  clock: Pick<Clock, 'nowMs'>;
  client: ServiceClient;
  lists: ListStore;
  longTexts: LongTextStore;
  /** Called after each page is durable. `isLast`: the list has ended. */
  onPage: (fetchedRows: number, isLast: boolean) => void;
}

const HEAVY_PAGE_BYTES = 400_000;
const PIECE_CHARS = 60_000;
/** Cost of writing a row in addition to its text, in characters. */
const CHARS_A_ROW = 400;
const FEWEST_ROWS = 20;
/**
 * Number of consecutive repeats of a page after which the service is assumed to ignore the offset, whatever total it
 * states.
 */
const MAX_REPEATS = 3;
/**
 * Maximum number of consecutive pages without new rows. They occur if rows are added at the front faster than they are
 * read.
 */
export const MAX_IDLE_PAGES = 50;
/** In a list without a total, a page with a smaller share of new rows counts as one without. */
const MIN_NEW_SHARE = 0.1;

/**
 * Fetches until the list ends or `maxRows` are stored. Advances by the number of received rows, never by the number
 * requested (SERVICE.md F4). Null if the generation was replaced meanwhile. Throws AppError; pages written until then
 * stay in the generation.
 */
export async function readPages(deps: FillDeps, plan: FillPlan): Promise<Reading | null> {
  const { lists } = deps;
  const reading = beginReading(lists, plan);
  let fetchedRows = 0;
  let idle: Idle = { pages: 0, repeats: 0, shortPages: 0, mostRows: 0, page: null };
  let pageRows = plan.pageRows;
  const overlap = new PageOverlap(lastRowOf(lists, plan.generationId));
  for (let isFirst = true; ; isFirst = false) {
    const before = lists.generation(plan.generationId);
    if (before === null) return null;
    if (isReadyToShow(plan, before)) lists.show(plan.generationId);
    const isFar = reading.requests >= (plan.maxRequests ?? Number.POSITIVE_INFINITY);
    if (before.isEnded || isFar || (!isFirst && before.frontPosition >= plan.maxRows)) return reading;
    const priority = plan.priorities[isFirst ? 0 : 1];
    const reads = readsOf(deps, { ...plan, pageRows }, priority, reading);
    const page = await overlap.next(reads, before.frontOffset, pageRows);
    pageRows = nextPageRows(plan, page);
    reading.hasUnnamed ||= page.rows.some(({ identity }) => identity === null);
    const rest = priority === 'prefetch' ? () => deps.client.whenFree() : async () => undefined;
    const outcome = await appendInPieces(deps, reading, page, before.frontOffset, rest);
    if (outcome === 'gone') return null;
    overlap.wrote(outcome === 'written' ? page : null);
    if (outcome === 'conflict') continue;
    fetchedRows += page.rows.length;
    const after = lists.generation(plan.generationId);
    if (after === null) return null;
    if (isReadyToShow(plan, after)) lists.show(plan.generationId);
    idle = idleAfter(idle, page, after.frontPosition - before.frontPosition);
    const isEnded = after.isEnded || (await endIfStuck(deps, plan, reads, reading, after, page, idle));
    deps.onPage(fetchedRows, isEnded);
  }
}

/** The totals of a resumed reading are known only if all of them were equal. */
function beginReading(lists: ListStore, { generationId, info }: FillPlan): Reading {
  const before = lists.generation(generationId);
  const isNew = before === null || (before.frontPosition === 0 && before.newestMs === null);
  return {
    generationId,
    requests: 0,
    totals: isNew ? 'unread' : before.hasMoved ? 'unknown' : withTotal('unread', before.totalRows),
    hasUnnamed: !isNew && info.identity === null,
  };
}

/** Writes a large or long page in several steps. Each blocks the main thread for a few milliseconds. */
async function appendInPieces(
  { lists, longTexts }: Pick<FillDeps, 'lists' | 'longTexts'>,
  { generationId, totals, hasUnnamed }: Reading,
  page: FetchedPage,
  frontOffset: number,
  rest: () => Promise<void>,
): Promise<AppendOutcome> {
  const isLast = isLastPage(page);
  let follows = frontOffset;
  for (let from = 0; ; ) {
    const to = pieceEnd(page.rows, from);
    const isEnd = to === page.rows.length;
    // Also pauses between reading the answer and the first piece, so that urgent work can run.
    if (!(isEnd && from === 0)) await new Promise((resolve) => setImmediate(resolve));
    await rest();
    const rows = await newRows(longTexts, page.rows.slice(from, to));
    const hasMoved = from === 0 && page.hasMoved === true;
    const piece: NewPage = { ...page, offset: page.offset + from, follows, hasMoved, rows };
    const outcome = lists.append(generationId, piece, isEnd && isLast, (facts) =>
      isWhole(totals, { ...facts, hasUnnamed }),
    );
    if (isEnd || outcome !== 'written') return outcome;
    from = to;
    follows = page.offset + from;
  }
}

/** Index at which the rows from `from` on exceed one step. At least one row fits. */
function pieceEnd(rows: readonly ItemRow[], from: number): number {
  let characters = 0;
  for (let index = from; index < rows.length; index++) {
    characters += CHARS_A_ROW + (rows[index]?.record.length ?? 0);
    if (characters > PIECE_CHARS && index > from) return index;
  }
  return rows.length;
}

function readsOf(
  { client, lists }: FillDeps,
  plan: FillPlan,
  priority: 'view' | 'click' | 'prefetch',
  reading: Reading,
): OverlapReads {
  const noted = async (asked: Promise<FetchedPage>) => {
    reading.requests += 1;
    const page = await asked;
    reading.totals = withTotal(reading.totals, page.total);
    return page;
  };
  return {
    ask: (offset, pageRows) => noted(askPage(client, { ...plan, pageRows }, offset, priority)),
    page: (offset) => noted(fetchPage(client, plan, offset, priority)),
    isKnown: ({ identity }) => identity === null || lists.hasIdentity(plan.generationId, identity),
  };
}

/** The row before the position at which reading continues. If the list moved, this is not the last stored row. */
function lastRowOf(lists: ListStore, generationId: number): NewRow | null {
  const generation = lists.generation(generationId);
  if (generation === null || generation.hasMoved || generation.frontPosition === 0) return null;
  return lists.rowBefore(generationId, generation.frontPosition);
}

/** Reduces the page size for large rows, because parsing and writing a page must not block the main thread for long. */
function nextPageRows(
  { pageRows, heavyPageBytes = HEAVY_PAGE_BYTES }: Pick<FillPlan, 'pageRows' | 'heavyPageBytes'>,
  page: FetchedPage,
): number {
  if (page.rows.length === 0 || page.sizeBytes <= heavyPageBytes) return pageRows;
  const bytesPerRow = page.sizeBytes / page.rows.length;
  return Math.min(pageRows, Math.max(FEWEST_ROWS, Math.floor(heavyPageBytes / bytesPerRow)));
}

function isReadyToShow(
  plan: FillPlan,
  { isEnded, frontPosition }: { isEnded: boolean; frontPosition: number },
) {
  if (isEnded && plan.keptKey !== undefined) return false;
  return plan.showAtRows !== null && (isEnded || (frontPosition > 0 && frontPosition >= plan.showAtRows));
}

/**
 * True if the list has ended: with an empty page, or with the last row of the stated total. A total below the number of
 * received rows is wrong and ends nothing.
 */
function isLastPage(page: FetchedPage): boolean {
  return page.rows.length === 0 || page.offset + page.rows.length === page.total;
}

/** How long no new rows have arrived, or only few. */
interface Idle {
  pages: number;
  /** Number of pages that equal the previous page. */
  repeats: number;
  /** Pages in a row of a list without a total that had less than half of the rows of the fullest page. */
  shortPages: number;
  /** Rows of the fullest page. */
  mostRows: number;
  page: FetchedPage | null;
}

function idleAfter(before: Idle, page: FetchedPage, addedRows: number): Idle {
  const { page: previous } = before;
  const isRepeat =
    page.rows.length > 0 &&
    previous?.rows.length === page.rows.length &&
    previous.rows.every((row, index) => row.record === page.rows[index]?.record);
  // Rows without an identity always count as new, although they may be those of the previous page.
  const isNew = addedRows > 0 && !(isRepeat && isUnnamed(page));
  const mostRows = Math.max(before.mostRows, page.rows.length);
  const isShort = page.total === null && page.rows.length * 2 < mostRows;
  const counts = { mostRows, shortPages: isShort ? before.shortPages + 1 : 0, page };
  const isScarce = page.total === null && addedRows < page.rows.length * MIN_NEW_SHARE;
  if (isNew && !isScarce) return { ...counts, pages: 0, repeats: 0 };
  const repeats = isRepeat && addedRows === 0 ? before.repeats + 1 : 0;
  return { ...counts, pages: before.pages + 1, repeats };
}

const isUnnamed = ({ rows }: FetchedPage): boolean => rows.every(({ identity }) => identity === null);

/**
 * Ends a list that would never end: a service that does not step by offset returns the same rows forever, and one that
 * states no total returns rows as long as they are added. Returns whether the list has ended.
 */
async function endIfStuck(
  deps: FillDeps,
  plan: FillPlan,
  reads: OverlapReads,
  { totals, hasUnnamed }: Reading,
  { frontOffset: offset }: { frontOffset: number },
  page: FetchedPage,
  idle: Idle,
): Promise<boolean> {
  const isRepeated = idle.repeats >= (page.total === null ? 1 : MAX_REPEATS);
  const isStuck = isRepeated || idle.pages >= MAX_IDLE_PAGES;
  const isAtTail = !isStuck && (await isTail(reads, offset, idle));
  if (!isStuck && !isAtTail) return false;
  // Repeated rows without an identity are stored more than once, so the list cannot count as complete.
  if (page.total === null && (isAtTail || !isUnnamed(page))) {
    deps.lists.append(
      plan.generationId,
      { ...page, offset, follows: offset, rows: [] },
      true,
      (facts) => isRepeated || isWhole(totals, { ...facts, hasUnnamed }),
    );
    return true;
  }
  throw new AppError(
    'ANSWER_INVALID',
    `${plan.info.text}: expected further rows from offset ${page.offset} on, got rows of earlier pages ${idle.pages} times. Refresh the list later.`,
    { operation: plan.info.text, requestId: page.requestId },
  );
}

/**
 * Whether short pages are short because only the rows that were just added are left: a full page further on is empty.
 * A service that sends short pages for another reason has rows there.
 */
async function isTail(reads: OverlapReads, offset: number, { shortPages, mostRows }: Idle): Promise<boolean> {
  if (shortPages === 0 || shortPages % MAX_IDLE_PAGES !== 0) return false;
  const beyond = await reads.ask(offset + mostRows, mostRows);
  return beyond.offset === offset + mostRows && beyond.rows.length === 0;
}

type PagePlan = Pick<FillPlan, 'info' | 'query' | 'pageRows' | 'group' | 'signal'>;

/**
 * Requests one page at an offset and prepares it for writing. Throws AppError, also if the answer is for another
 * offset.
 */
export async function fetchPage(
  client: ServiceClient,
  plan: PagePlan,
  offset: number,
  priority: 'view' | 'click' | 'prefetch',
): Promise<FetchedPage> {
  const page = await askPage(client, plan, offset, priority);
  if (page.offset === offset) return page;
  throw new AppError(
    'ANSWER_INVALID',
    `${plan.info.text}: expected the page at offset ${offset}, got the one at ${page.offset}. Refresh the list later.`,
    { operation: plan.info.text, requestId: page.requestId },
  );
}

/** Like `fetchPage`, but accepts and returns the offset that the answer states. */
async function askPage(
  client: ServiceClient,
  plan: PagePlan,
  offset: number,
  priority: 'view' | 'click' | 'prefetch',
): Promise<FetchedPage> {
  const { info, query, pageRows, group, signal } = plan;
  const answer = await client.rows(
    'rows',
    info.id,
    {
      path: query.path,
      query: query.query,
      paging: { limit: pageRows, offset },
      ...(query.body === undefined ? {} : { body: query.body }),
    },
    { priority, group, signal },
  );
  const { rows, total, offset: stated } = answer.value;
  return {
    offset: stated,
    rows,
    total,
    receivedAtMs: answer.receivedAtMs,
    requestId: answer.requestId,
    sizeBytes: answer.sizeBytes,
  };
}
