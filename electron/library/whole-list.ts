/**
 * Reads a list until it is complete. Offsets are unreliable if rows move between two pages, because rows of equal time
 * have a different order on each page, or rows are added or removed at the front. If one reading does not bring as many
 * rows as stated, the list is read again, in larger pages, up to a maximum number of requests.
 */
import { toAppError } from '../shared/errors.ts';
import { fixedTotal, isWhole, joinedTotals } from './completeness.ts';
import { type FillDeps, type FillPlan, type Reading, readPages } from './fill.ts';
import { showWithGone } from './gone-rows.ts';
import { MAX_PAGE_ROWS } from './page-overlap.ts';

/** Maximum total number of requests for all further readings of a list. */
export const MAX_REPAIR_REQUESTS = 60;
/** Maximum number of consecutive readings that add no missing row. */
const MAX_VAIN_READINGS = 3;
const REPAIR_PAGE_BYTES = 4_000_000;
const ADOPTED_ROWS = 200;

/**
 * Returns the generation that has the rows: that of the plan, or a later one that replaced it. Rows of a kept list that
 * the service no longer returns stay, marked as gone. Throws AppError.
 */
export async function fill(deps: FillDeps, plan: FillPlan): Promise<number> {
  const first = await readPages(deps, plan);
  const generationId = first === null ? plan.generationId : await readAgain(deps, plan, first);
  if (plan.keptKey !== undefined) await showWithGone(deps, plan.keptKey, generationId);
  return generationId;
}

/** Request parameters of further readings. */
interface Paging {
  pageRows: number;
  /** Orders equal rows by id in addition to the requested order. */
  isOrderedById: boolean;
}

async function readAgain(deps: FillDeps, plan: FillPlan, first: Reading): Promise<number> {
  const { lists } = deps;
  let kept = first;
  let paging: Paging | null = null;
  let requestsLeft = MAX_REPAIR_REQUESTS;
  for (let vain = 0; vain < MAX_VAIN_READINGS; ) {
    const before = lists.generation(kept.generationId);
    // If nothing indicates that rows moved, another reading would bring the same: the pages end before the stated
    // total.
    if (before === null || !before.isEnded || before.isComplete || !before.hasMoved || before.isDiscarded)
      return kept.generationId;
    paging ??= firstPaging(plan, kept, before);
    const requests = Math.ceil(Math.max(before.totalRows ?? 0, before.rowCount) / paging.pageRows) + 1;
    if (requests > requestsLeft) return kept.generationId;
    const next = lists.begin(before.listId, false);
    let reading: Reading | null = null;
    try {
      reading = await readPages(deps, { ...planOf(plan, paging, next.id), maxRequests: requestsLeft });
    } catch (problem) {
      lists.discard(next.id);
      const { code } = toAppError(problem);
      const simpler: Paging | null = code === 'BAD_REQUEST' ? simplerPaging(plan, paging) : null;
      // Pages repeat the same rows, so the list moves faster than it is read.
      if (simpler === null && code !== 'ANSWER_INVALID') throw problem;
      if (simpler === null) vain += 1;
      paging = simpler ?? paging;
      requestsLeft -= requests;
      continue;
    }
    if (reading === null) return kept.generationId;
    requestsLeft -= reading.requests;
    const after = lists.generation(next.id);
    if (after?.isEnded !== true) {
      lists.discard(next.id);
      return kept.generationId;
    }
    const totals = joinedTotals(kept.totals, reading.totals);
    if ((after.isComplete && !paging.isOrderedById) || fixedTotal(totals) === null) {
      // If rows were added or removed, the later reading is closer to the current state.
      replaceBy(deps, plan, kept.generationId, next.id);
      kept = { ...reading, totals };
      vain += 1;
      continue;
    }
    await adoptAll(deps, kept.generationId, next.id, after.rowCount);
    const now = lists.generation(kept.generationId);
    const rowCount = now?.rowCount ?? 0;
    if (isWhole(totals, { rowCount, hasMoved: true, hasUnnamed: kept.hasUnnamed })) {
      lists.markComplete(kept.generationId);
      lists.discard(next.id);
      return kept.generationId;
    }
    if (after.isComplete) {
      replaceBy(deps, plan, kept.generationId, next.id);
      return next.id;
    }
    lists.discard(next.id);
    vain = rowCount > before.rowCount ? 0 : vain + 1;
    kept = { ...kept, totals };
  }
  return kept.generationId;
}

function replaceBy({ lists }: FillDeps, { keptKey }: FillPlan, generationId: number, nextId: number): void {
  if (keptKey !== undefined && lists.find(keptKey)?.shown?.id !== generationId) lists.discard(generationId);
  else lists.show(nextId);
}

/** A list that fits into one page is consistent, in its own order. */
function firstPaging(
  { pageRows, info }: FillPlan,
  { totals }: Reading,
  { sizeBytes, rowCount, totalRows }: { sizeBytes: number; rowCount: number; totalRows: number | null },
): Paging {
  const fitting = Math.floor(REPAIR_PAGE_BYTES / Math.max(1, sizeBytes / Math.max(1, rowCount)));
  const rows = Math.max(pageRows, Math.min(MAX_PAGE_ROWS, fitting));
  const isOfOnePage = Math.max(totalRows ?? 0, rowCount) <= rows;
  return {
    pageRows: rows,
    isOrderedById:
      !isOfOnePage && info.ordersIn !== null && info.identity !== null && fixedTotal(totals) !== null,
  };
}

/** The parameters to try after the service rejected these; null if there are none. */
function simplerPaging({ pageRows }: FillPlan, paging: Paging): Paging | null {
  if (paging.isOrderedById) return { ...paging, isOrderedById: false };
  return paging.pageRows > pageRows ? { ...paging, pageRows } : null;
}

function planOf(plan: FillPlan, { pageRows, isOrderedById }: Paging, generationId: number): FillPlan {
  const { query, info, priorities } = plan;
  return {
    ...plan,
    generationId,
    query: isOrderedById ? orderedById(query, info) : query,
    showAtRows: null,
    maxRows: Number.POSITIVE_INFINITY,
    pageRows,
    heavyPageBytes: REPAIR_PAGE_BYTES,
    priorities: [priorities[1], priorities[1]],
  };
}

/** The same order, with the id as the last criterion. */
function orderedById(query: FillPlan['query'], { identity, ordersIn }: FillPlan['info']): FillPlan['query'] {
  const ordering = (asked: unknown): string =>
    [asked, identity].filter((part) => typeof part === 'string' && part !== '').join(',');
  if (ordersIn === 'body')
    return { ...query, body: { ...query.body, ordering: ordering(query.body?.['ordering']) } };
  return { ...query, query: { ...query.query, ordering: ordering(query.query['ordering']) } };
}

/** Works in small steps, because each is a transaction on the main thread. */
async function adoptAll(
  { lists }: FillDeps,
  generationId: number,
  fromId: number,
  rowCount: number,
): Promise<void> {
  for (let position = 0; position < rowCount; position += ADOPTED_ROWS) {
    lists.adopt(generationId, { generationId: fromId, position }, ADOPTED_ROWS);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
