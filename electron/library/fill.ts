/** Reads a list from the service, page after page, into one generation of the store. */
import type { OperationInfo, Page, ServiceClient } from '../api/types.ts';
import type { NewPage } from '../db/library-rows.ts';
import type { ListStore } from '../db/list-store.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';
import { toNewRow } from './item-row.ts';

export interface FillPlan {
  info: OperationInfo;
  query: ListQuery;
  generationId: number;
  /**
   * Null when the rows are seen as they arrive. Otherwise the generation is shown once it is whole or has so many
   * rows, so that what is on screen neither shrinks nor mixes.
   */
  showAtRows: number | null;
  /** Stop here even when the list goes on. */
  maxRows: number;
  pageRows: number;
  /** The first page, and those after it. */
  priorities: readonly ['view' | 'click' | 'prefetch', 'prefetch' | 'click'];
  group: string;
  signal: AbortSignal;
}

export interface FillDeps {
  client: ServiceClient;
  lists: ListStore;
  /** After each page that is durable. */
  onPage: (fetchedRows: number) => void;
}

const HEAVY_PAGE_BYTES = 400_000;
const FEWEST_ROWS = 20;
/** Pages in a row that bring nothing new before the service is taken at its word no longer. */
const MAX_IDLE_PAGES = 3;

/**
 * Fetches until the list is whole or `maxRows` are there. Steps by the rows that came, never by the rows asked
 * for (API_FACTS 4). Throws AppError; the pages written until then stay in the generation.
 */
export async function fill(deps: FillDeps, plan: FillPlan): Promise<void> {
  const { lists } = deps;
  let fetchedRows = 0;
  let idlePages = 0;
  let pageRows = plan.pageRows;
  for (let isFirst = true; ; isFirst = false) {
    const before = lists.generation(plan.generationId);
    if (before === null) return;
    if (isReadyToShow(plan, before)) lists.show(plan.generationId);
    if (before.isComplete || (!isFirst && before.frontPosition >= plan.maxRows)) return;
    const priority = plan.priorities[isFirst ? 0 : 1];
    const page = await fetchPage(deps.client, { ...plan, pageRows }, before.frontOffset, priority);
    pageRows = nextPageRows(plan.pageRows, page);
    const outcome = lists.append(plan.generationId, page, isLastPage(page));
    if (outcome === 'gone') return;
    if (outcome === 'conflict') continue;
    fetchedRows += page.rows.length;
    const after = lists.generation(plan.generationId);
    if (after === null) return;
    if (isReadyToShow(plan, after)) lists.show(plan.generationId);
    idlePages = after.frontPosition === before.frontPosition ? idlePages + 1 : 0;
    if (idlePages > 0 && !after.isComplete) endIfStuck(deps, plan, after.frontOffset, page, idlePages);
    deps.onPage(fetchedRows);
  }
}

/** Heavy rows come in smaller pages: parsing and writing one must not hold the main thread for long. */
function nextPageRows(pageRows: number, page: FetchedPage): number {
  if (page.rows.length === 0 || page.sizeBytes <= HEAVY_PAGE_BYTES) return pageRows;
  const bytesPerRow = page.sizeBytes / page.rows.length;
  return Math.min(pageRows, Math.max(FEWEST_ROWS, Math.floor(HEAVY_PAGE_BYTES / bytesPerRow)));
}

function isReadyToShow(
  plan: FillPlan,
  { isComplete, frontPosition }: { isComplete: boolean; frontPosition: number },
) {
  return plan.showAtRows !== null && (isComplete || (frontPosition > 0 && frontPosition >= plan.showAtRows));
}

/** An empty page ends the list; so does the last of the rows the service says there are. */
function isLastPage(page: NewPage): boolean {
  return page.rows.length === 0 || (page.total !== null && page.offset + page.rows.length >= page.total);
}

/** A service that does not step by offset sends the same rows for ever. */
function endIfStuck(deps: FillDeps, plan: FillPlan, offset: number, page: NewPage, idlePages: number): void {
  if (page.total === null) {
    deps.lists.append(plan.generationId, { ...page, offset, rows: [] }, true);
  } else if (idlePages >= MAX_IDLE_PAGES) {
    throw new AppError(
      'ANSWER_INVALID',
      `${plan.info.text}: expected further rows from offset ${page.offset} on, got rows of earlier pages ${idlePages} times. Refresh the list later.`,
      { operation: plan.info.text, requestId: page.requestId },
    );
  }
}

interface FetchedPage extends NewPage {
  sizeBytes: number;
}

/** One page at an offset, ready to be written. Throws AppError. */
export async function fetchPage(
  client: ServiceClient,
  plan: Pick<FillPlan, 'info' | 'query' | 'pageRows' | 'group' | 'signal'>,
  offset: number,
  priority: 'view' | 'click' | 'prefetch',
): Promise<FetchedPage> {
  const { info, query, pageRows, group, signal } = plan;
  const answer = await client.list(
    info.id,
    {
      path: query.path,
      query: query.query,
      paging: { limit: pageRows, offset },
      ...(query.body === undefined ? {} : { body: query.body }),
    },
    { priority, group, signal },
  );
  const page: Page<unknown> = answer.value;
  if (page.offset !== offset) {
    throw new AppError(
      'ANSWER_INVALID',
      `${info.text}: expected the page at offset ${offset}, got the one at ${page.offset}. Refresh the list later.`,
      { operation: info.text, requestId: answer.requestId },
    );
  }
  return {
    offset,
    rows: page.items.map((item) => toNewRow(toRecord(item), info.identity)),
    total: page.total,
    receivedAtMs: answer.receivedAtMs,
    requestId: answer.requestId,
    sizeBytes: answer.sizeBytes,
  };
}

/** A list of bare values is shown in one column. */
function toRecord(item: unknown): Record<string, unknown> {
  return typeof item === 'object' && item !== null ? { ...item } : { value: item };
}
