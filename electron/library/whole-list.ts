/**
 * Reads a list until all of it is here. Offsets say little of a list whose rows change their places between two pages:
 * rows of one time in another order at each page, rows that come or go in front. If one reading does not bring as many
 * rows as are stated, the list is read again, in larger pages, within a bound on requests.
 */
import { toAppError } from '../shared/errors.ts';
import { fixedTotal, isWhole, joinedTotals } from './completeness.ts';
import { type FillDeps, type FillPlan, type Reading, readPages } from './fill.ts';
import { MAX_PAGE_ROWS } from './page-overlap.ts';

/** Requests of all further readings of a list together. */
const MAX_REPAIR_REQUESTS = 60;
/** Readings in a row that bring nothing that is missing. */
const MAX_VAIN_READINGS = 3;
const REPAIR_PAGE_BYTES = 4_000_000;
const ADOPTED_ROWS = 200;

/** Answers the generation that has the rows: the one of the plan, or a later one that took its place. Throws AppError. */
export async function fill(deps: FillDeps, plan: FillPlan): Promise<number> {
  const first = await readPages(deps, plan);
  return first === null ? plan.generationId : readAgain(deps, plan, first);
}

/** How further readings ask. */
interface Way {
  pageRows: number;
  /** Rows that are equal in the order that is asked for stand in that of their ids. */
  isOrderedById: boolean;
}

async function readAgain(deps: FillDeps, plan: FillPlan, first: Reading): Promise<number> {
  const { lists } = deps;
  let kept = first;
  let way: Way | null = null;
  let requestsLeft = MAX_REPAIR_REQUESTS;
  for (let vain = 0; vain < MAX_VAIN_READINGS; ) {
    const before = lists.generation(kept.generationId);
    // What brought no sign of a move comes no other way by another reading: the pages end before the stated total.
    if (before === null || !before.isEnded || before.isComplete || !before.hasMoved || before.isDiscarded)
      return kept.generationId;
    way ??= firstWay(plan, kept, before);
    const requests = Math.ceil(Math.max(before.totalRows ?? 0, before.rowCount) / way.pageRows) + 1;
    if (requests > requestsLeft) return kept.generationId;
    const next = lists.begin(before.listId, false);
    let reading: Reading | null = null;
    try {
      reading = await readPages(deps, { ...planOf(plan, way, next.id), maxRequests: requestsLeft });
    } catch (problem) {
      lists.discard(next.id);
      const { code } = toAppError(problem);
      const simpler: Way | null = code === 'BAD_REQUEST' ? simplerWay(plan, way) : null;
      // Pages that bring the same rows over and over: the list moves faster than it is read.
      if (simpler === null && code !== 'ANSWER_INVALID') throw problem;
      if (simpler === null) vain += 1;
      way = simpler ?? way;
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
    if ((after.isComplete && !way.isOrderedById) || fixedTotal(totals) === null) {
      // Rows came or went: those of the later reading are nearer to what is there.
      lists.show(next.id);
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
      lists.show(next.id);
      return next.id;
    }
    lists.discard(next.id);
    vain = rowCount > before.rowCount ? 0 : vain + 1;
    kept = { ...kept, totals };
  }
  return kept.generationId;
}

/** A list that fits into one page is whole at one moment, in its own order. */
function firstWay(
  { pageRows, info }: FillPlan,
  { totals }: Reading,
  { sizeBytes, rowCount, totalRows }: { sizeBytes: number; rowCount: number; totalRows: number | null },
): Way {
  const fitting = Math.floor(REPAIR_PAGE_BYTES / Math.max(1, sizeBytes / Math.max(1, rowCount)));
  const rows = Math.max(pageRows, Math.min(MAX_PAGE_ROWS, fitting));
  const isOfOnePage = Math.max(totalRows ?? 0, rowCount) <= rows;
  return {
    pageRows: rows,
    isOrderedById:
      !isOfOnePage && info.ordersIn !== null && info.identity !== null && fixedTotal(totals) !== null,
  };
}

/** After the service refused to answer that way; null where there is no other. */
function simplerWay({ pageRows }: FillPlan, way: Way): Way | null {
  if (way.isOrderedById) return { ...way, isOrderedById: false };
  return way.pageRows > pageRows ? { ...way, pageRows } : null;
}

function planOf(plan: FillPlan, { pageRows, isOrderedById }: Way, generationId: number): FillPlan {
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

/** The same order, in which rows that are equal follow their ids. */
function orderedById(query: FillPlan['query'], { identity, ordersIn }: FillPlan['info']): FillPlan['query'] {
  const ordering = (asked: unknown): string =>
    [asked, identity].filter((part) => typeof part === 'string' && part !== '').join(',');
  if (ordersIn === 'body')
    return { ...query, body: { ...query.body, ordering: ordering(query.body?.['ordering']) } };
  return { ...query, query: { ...query.query, ordering: ordering(query.query['ordering']) } };
}

/** In small steps: each is a transaction of the main thread. */
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
