/** Pages a query to its end into the basket, page by page, each on the disk before the next is asked for. */

import { Breather } from '../core/breather.ts';
import { pickedOf } from '../core/jobs/build-job.ts';
import { type BuildFill, MAX_PICKED_SPANS, type SpanSelection } from '../shared/dataset-model.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { BuildLedger } from './build-ledger.ts';
import { PickAct } from './pick-steps.ts';
import { addSpans, fromRecord, type PickResult } from './picks.ts';
import type { DatasetOptions, DatasetsDeps } from './types.ts';

/** Rows written in one commit: more would hold the main thread for too long. */
const CHUNK = 50;
/** More than a list reads at once: span queries are few a minute (SERVICE.md S8), so each should bring much. */
const HEAVY_PAGE_BYTES = 800_000;
const FEWEST_ROWS = 20;
/** Pages in a row that bring nothing new before the service is taken at its word no longer. */
const MOST_IDLE_PAGES = 3;

type FillDeps = Pick<DatasetsDeps, 'store' | 'client' | 'clock' | 'logger'> & {
  options: Pick<DatasetOptions, 'pageRows'>;
};

/** Fills the basket until the list ends, it is full, or `signal` is aborted. Never rejects. */
export async function pickAll(
  deps: FillDeps,
  ledger: BuildLedger,
  selection: SpanSelection,
  signal: AbortSignal,
): Promise<void> {
  try {
    await readPages(deps, ledger, selection, signal);
  } catch (problem) {
    const error = toAppError(problem);
    endFill(deps, ledger, signal.aborted ? { phase: 'stopped' } : { phase: 'failed', error: error.toWire() });
  }
}

export function newFill(selection: SpanSelection): BuildFill {
  return {
    phase: 'running',
    selection,
    fetched: 0,
    added: 0,
    total: null,
    hasMovedWhileRead: false,
    isCut: false,
    error: null,
  };
}

async function readPages(
  deps: FillDeps,
  ledger: BuildLedger,
  selection: SpanSelection,
  signal: AbortSignal,
): Promise<void> {
  const { application_id, start_time, end_time, filter, ordering } = selection;
  const body = {
    application_id,
    start_time,
    end_time,
    ...(filter === null || filter === undefined ? {} : { filter }),
    ...(ordering === null || ordering === undefined ? {} : { ordering }),
  };
  const seen = new Set<string>();
  const act = new PickAct(deps, ledger, 'pick');
  let limit = deps.options.pageRows;
  let idlePages = 0;
  for (let offset = 0; ; ) {
    if (signal.aborted) return endFill(deps, ledger, { phase: 'stopped' });
    const { value, sizeBytes } = await deps.client.list(
      'spans.query',
      { body, paging: { limit, offset } },
      { priority: 'click', group: `build ${ledger.id}`, signal },
    );
    if (value.offset !== offset) throw wrongPage(offset, value.offset);
    const before = seen.size;
    const isCut = await writePage(deps, ledger, value, { seen, act });
    offset += value.items.length;
    const isEnd = value.items.length === 0 || (value.total !== null && offset >= value.total);
    if (isEnd || isCut) return endFill(deps, ledger, { phase: 'done', isCut: isCut && !isEnd });
    idlePages = seen.size === before ? idlePages + 1 : 0;
    if (idlePages >= MOST_IDLE_PAGES) throw stuck(offset);
    limit = nextLimit(deps.options.pageRows, value.items.length, sizeBytes);
  }
}

/** Writes the spans of a page in pieces; true when the basket is full. */
async function writePage(
  deps: FillDeps,
  ledger: BuildLedger,
  page: { items: readonly Record<string, unknown>[]; total: number | null },
  { seen, act }: { seen: Set<string>; act: PickAct },
): Promise<boolean> {
  const breather = new Breather(deps.clock);
  const selection = fillOf(ledger).selection;
  const range = { startTime: selection.start_time, endTime: selection.end_time };
  const pieces = Math.max(1, Math.ceil(page.items.length / CHUNK));
  for (let piece = 0; piece < pieces; piece += 1) {
    // Before the first one too: reading the page from its answer has taken its share of this turn.
    await (piece === 0 ? breather.rest() : breather.pause());
    const items = page.items.slice(piece * CHUNK, (piece + 1) * CHUNK);
    const spans = items.map(fromRecord).filter((span) => span !== null);
    const repeated = spans.filter(({ trace_id, span_id }) => seen.has(`${trace_id} ${span_id}`)).length;
    for (const { trace_id, span_id } of spans) seen.add(`${trace_id} ${span_id}`);
    const changes = ({ added }: PickResult) => {
      const fill = fillOf(ledger);
      const hasMoved =
        repeated > 0 || (fill.total !== null && page.total !== null && fill.total !== page.total);
      return {
        fill: {
          ...fill,
          fetched: fill.fetched + items.length,
          added: fill.added + added,
          total: page.total ?? fill.total,
          hasMovedWhileRead: fill.hasMovedWhileRead || hasMoved,
        },
      };
    };
    const write = () => addSpans(deps, ledger, spans, range, act, changes);
    // The next page is asked for once this one is on the disk: its last piece brings the others there.
    const { isCut } = piece === pieces - 1 ? write() : deps.store.unhurried(write);
    if (isCut) return true;
  }
  return pickedOf(ledger.core.tallies) >= MAX_PICKED_SPANS;
}

function fillOf(ledger: BuildLedger): BuildFill {
  const { fill } = ledger.stored;
  if (fill === null) throw new AppError('INTERNAL', 'No spans are being picked into this build.');
  return fill;
}

function endFill(
  { logger }: FillDeps,
  ledger: BuildLedger,
  end: Pick<BuildFill, 'phase'> & Partial<BuildFill>,
): void {
  try {
    ledger.apply([], { fill: { ...fillOf(ledger), ...end } });
  } catch (problem) {
    // The pages written so far are there; the next start takes it as stopped.
    logger.warn('end of picking not written', { build: ledger.id, reason: toAppError(problem).message });
  }
}

/** Heavy spans come in smaller pages: parsing and writing one must not hold the main thread for long. */
function nextLimit(pageRows: number, rows: number, sizeBytes: number): number {
  if (rows === 0 || sizeBytes <= HEAVY_PAGE_BYTES) return pageRows;
  return Math.min(pageRows, Math.max(FEWEST_ROWS, Math.floor(HEAVY_PAGE_BYTES / (sizeBytes / rows))));
}

function wrongPage(asked: number, came: number): AppError {
  return new AppError(
    'ANSWER_INVALID',
    `Expected the spans from offset ${asked} on, got those from ${came} on. Pick again later.`,
  );
}

function stuck(offset: number): AppError {
  return new AppError(
    'ANSWER_INVALID',
    `Expected further spans before offset ${offset}, got spans of earlier pages ${MOST_IDLE_PAGES} times. Pick again later.`,
  );
}
