/** Picks a complete source into the basket, page by page. Each page is on disk before the next one is read. */

import { isDeepStrictEqual } from 'node:util';
import { pickedOf } from '../core/jobs/build-job.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredBuild } from '../db/build-store.ts';
import type { BuildFill } from '../shared/dataset-model.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { PickSource } from '../shared/pick-source.ts';
import type { BuildLedger } from './build-ledger.ts';
import { pagesOf, rangeOfSource, type SourceDeps, type SourcePage } from './pick-sources.ts';
import { PickAct } from './pick-steps.ts';
import type { PickedSpan } from './picked-span.ts';
import { addSpans, type PickResult } from './picks.ts';
import type { DatasetsDeps } from './types.ts';

/** Number of spans written in one commit. More would block the main thread for too long. */
const CHUNK = 30;
/**
 * Time in a turn after which no further piece is written. With one more piece, a turn takes less than 10 ms including
 * garbage collection.
 */
const BUSY_MS = 3;
/** Number of consecutive pages without any new span after which the service's paging is no longer trusted. */
const MAX_IDLE_PAGES = 3;

type FillDeps = SourceDeps & Pick<DatasetsDeps, 'clock' | 'logger'> & { closing: AbortSignal };

/**
 * Fills the basket until the source ends or `signal` is aborted. Resumes a file that was partly read. Never rejects.
 */
export async function pickAll(
  deps: FillDeps,
  ledger: BuildLedger,
  source: PickSource,
  signal: AbortSignal,
): Promise<void> {
  try {
    // Begins a new turn, because claiming the build and its first view have used this one.
    await new TimeSlicer(deps.clock).rest();
    await readPages(deps, ledger, source, signal);
  } catch (problem) {
    const error = toAppError(problem);
    endFill(deps, ledger, signal.aborted ? halted(deps) : { phase: 'failed', error: error.toWire() });
  }
}

const halted = ({ closing }: FillDeps): Pick<BuildFill, 'phase'> => ({
  phase: closing.aborted ? 'interrupted' : 'stopped',
});

/** The state at the start of picking a source. For a partly read file, picking continues. */
export function fillFrom(
  { fill, fileProgress }: StoredBuild,
  source: PickSource,
): Pick<StoredBuild, 'fill' | 'fileProgress'> {
  const isContinued = fill !== null && fileProgress !== null && isDeepStrictEqual(fill.source, source);
  if (!isContinued) return { fill: newFill(source), fileProgress: null };
  return { fill: { ...fill, phase: 'running', fetched: fileProgress.rows, error: null }, fileProgress };
}

function newFill(source: PickSource): BuildFill {
  return {
    phase: 'running',
    source,
    fetched: 0,
    added: 0,
    total: null,
    hasMovedWhileRead: false,
    error: null,
  };
}

async function readPages(
  deps: FillDeps,
  ledger: BuildLedger,
  source: PickSource,
  signal: AbortSignal,
): Promise<void> {
  const range = rangeOfSource(deps, ledger, source);
  const repeats = new Repeats(ledger);
  const { fill } = ledger.stored;
  // Spans picked from the same file before belong to the same undo step.
  const act = new PickAct(deps, ledger, 'pick', fill?.source.kind === 'file' && fill.added > 0);
  let idlePages = 0;
  for await (const page of pagesOf(deps, ledger, source, signal)) {
    const repeated = await writePage(deps, ledger, page, { repeats, act, range });
    if (signal.aborted) return endFill(deps, ledger, halted(deps));
    if (source.kind !== 'service' || page.read === 0) continue;
    idlePages = repeated < page.spans.length ? 0 : idlePages + 1;
    if (idlePages >= MAX_IDLE_PAGES) throw stuck(fillOf(ledger).fetched);
  }
  endFill(deps, ledger, { phase: 'done' }, { fileProgress: null });
}

/** Writes the spans of a page in pieces. Returns how many of them already came on earlier pages. */
async function writePage(
  deps: FillDeps,
  ledger: BuildLedger,
  { spans, read, total, fileProgress }: SourcePage,
  { repeats, act, range }: { repeats: Repeats; act: PickAct; range: ReturnType<typeof rangeOfSource> },
): Promise<number> {
  const slicer = new TimeSlicer(deps.clock, BUSY_MS);
  const pieces = Math.max(1, Math.ceil(spans.length / CHUNK));
  let repeatedInPage = 0;
  repeats.beginPage();
  for (let piece = 0; piece < pieces; piece += 1) {
    // A rest is needed before the first piece too, because reading the page has used this turn.
    await (piece === 0 ? slicer.rest() : slicer.pause());
    const part = spans.slice(piece * CHUNK, (piece + 1) * CHUNK);
    const isLast = piece === pieces - 1;
    const changes = (result: PickResult) => {
      const fill = fillOf(ledger);
      const repeated = repeats.of(part, result);
      repeatedInPage += repeated;
      const isOfService = fill.source.kind === 'service';
      const hasMoved = repeated > 0 || (fill.total !== null && total !== null && fill.total !== total);
      return {
        ...(isLast && fileProgress !== undefined ? { fileProgress } : {}),
        fill: {
          ...fill,
          // Spans without an identity are counted with the last piece.
          fetched: fill.fetched + part.length + (isLast ? read - spans.length : 0),
          added: fill.added + result.added,
          total: total ?? fill.total,
          hasMovedWhileRead: fill.hasMovedWhileRead || (isOfService && hasMoved),
        },
      };
    };
    const write = () => addSpans(deps, ledger, part, range, act, changes);
    // The last piece of a page is written at once and with it the others, so that the page is on disk before the next
    // one is read.
    if (isLast) write();
    else deps.store.unhurried(write);
  }
  return repeatedInPage;
}

/**
 * Distinguishes repeated spans of earlier pages from spans that were in the basket before, without storing all ids.
 * Spans added since the start have later positions, and spans that were there before can be met only a limited number
 * of times.
 */
class Repeats {
  readonly #firstPosition: number;
  readonly #before: number;
  #met = 0;
  /** Spans of the latest pages that were in the basket before. */
  #recent: Set<string>[] = [];

  constructor({ stored, core }: BuildLedger) {
    this.#firstPosition = stored.nextPosition;
    this.#before = pickedOf(core.tallies);
  }

  beginPage(): void {
    this.#recent = [...this.#recent.slice(1 - MAX_IDLE_PAGES), new Set()];
  }

  of(spans: readonly PickedSpan[], { added, known }: PickResult): number {
    const before = known.filter(({ position }) => position < this.#firstPosition);
    let repeated = spans.length - added - before.length;
    for (const { traceId, spanId } of before) {
      const key = `${traceId} ${spanId}`;
      const isRepeated = this.#met >= this.#before || this.#recent.some((page) => page.has(key));
      if (isRepeated) repeated += 1;
      else this.#met += 1;
      this.#recent.at(-1)?.add(key);
    }
    return repeated;
  }
}

function fillOf(ledger: BuildLedger): BuildFill {
  const { fill } = ledger.stored;
  if (fill === null) throw new AppError('INTERNAL', 'No spans are being added to this draft.');
  return fill;
}

function endFill(
  { logger }: FillDeps,
  ledger: BuildLedger,
  end: Pick<BuildFill, 'phase'> & Partial<BuildFill>,
  changes: Partial<StoredBuild> = {},
): void {
  try {
    ledger.apply([], { ...changes, fill: { ...fillOf(ledger), ...end } });
  } catch (problem) {
    // The pages written so far are stored. At the next start, picking counts as stopped.
    logger.warn('end of selecting not written', { build: ledger.id, reason: toAppError(problem).message });
  }
}

function stuck(offset: number): AppError {
  return new AppError(
    'ANSWER_INVALID',
    `Expected further spans before offset ${offset}, got spans of earlier pages ${MAX_IDLE_PAGES} times. Select again later.`,
  );
}
