/**
 * Near-duplicates among the picked spans: found in a thread, excluded unless a person keeps them, and shown with what
 * they are similar to.
 */
import { TimeSlicer } from '../core/time-slicer.ts';
import { inputText } from '../core/twins/input-text.ts';
import type { DatasetBuild, SpanState } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import type { TwinPair, TwinSkips } from '../shared/twin-model.ts';
import { diffWords } from '../shared/word-diff.ts';
import type { ControlDeps } from './build-control.ts';
import type { BuildJobs } from './build-jobs.ts';
import type { BuildLedger } from './build-ledger.ts';
import { moveSpans } from './move-spans.ts';
import { readOne } from './preview.ts';
import type { FoundTwin } from './twin-thread.ts';

const MAX_TEXT = 20_000;
/** Length of an input that two spans do not share by chance. */
const LONG_INPUT = 200;
/** Spans written in one commit: more would block the main thread for too long. */
const CHUNK = 100;

/** After a person excludes or includes spans: an included near-duplicate is kept from then on. */
export function twinsAfter(
  twins: BuildLedger['stored']['twins'],
  positions: readonly number[],
  isExcluded: boolean,
): BuildLedger['stored']['twins'] {
  if (twins === null) return null;
  const named = new Set(positions);
  const { skipped, kept } = twins;
  if (isExcluded) return { ...twins, kept: kept.filter((position) => !named.has(position)) };
  const back = skipped.filter((position) => named.has(position));
  return {
    ...twins,
    skipped: skipped.filter((position) => !named.has(position)),
    kept: [...new Set([...kept, ...back])],
  };
}

const isSure = ({ of, likeness, length }: FoundTwin): boolean =>
  length >= LONG_INPUT || (of.kind === 'item' && likeness === 1);

export class Twins {
  readonly #deps: ControlDeps;
  readonly #jobs: BuildJobs;
  readonly #found = new Map<string, ReadonlyMap<number, FoundTwin>>();

  constructor(deps: ControlDeps, jobs: BuildJobs) {
    this.#deps = deps;
    this.#jobs = jobs;
  }

  /** By position; empty before the first search since the program started. */
  of(buildId: string): ReadonlyMap<number, FoundTwin> {
    return this.#found.get(buildId) ?? new Map();
  }

  /**
   * Searches again, with the current mapping and dataset, and excludes the near-duplicates; spans that no longer are
   * near-duplicates are included again.
   */
  async find(buildId: string, threshold: number, skips: TwinSkips): Promise<DatasetBuild> {
    const { stored } = this.#editing(buildId);
    const { mapping, target, datasetId } = stored;
    const known = target?.kind === 'existing' ? target.datasetId : null;
    const question = { buildId, mapping, threshold, datasetId: datasetId ?? known };
    const found = await this.#deps.findTwins(
      { ...question, skipped: stored.twins?.skipped ?? [] },
      this.#deps.closing,
    );
    const ledger = this.#editing(buildId);
    this.#found.set(buildId, new Map(found.map((twin) => [twin.position, twin])));
    const { skipped: before = [], kept = [] } = ledger.stored.twins ?? {};
    const keeps = new Set(kept);
    const was = new Set(before);
    // Spans excluded before stay excluded.
    const isSkipped = (twin: FoundTwin) => skips === 'all' || was.has(twin.position) || isSure(twin);
    const skipped = found
      .filter((twin) => isSkipped(twin) && !keeps.has(twin.position))
      .map(({ position }) => position);
    const is = new Set(skipped);
    // The result is stored first: a kill in between then leaves no span excluded for good.
    ledger.apply([], {
      twins: { threshold, found: found.length, skipped: [...new Set([...before, ...skipped])], kept },
    });
    const back = before.filter((position) => !is.has(position));
    const out = skipped.filter((position) => !was.has(position));
    await this.#move(buildId, out, { sources: ['unsent', 'unresolved'], to: 'excluded' });
    await this.#move(buildId, back, { sources: ['excluded'], to: 'unsent' });
    const last = this.#editing(buildId);
    last.apply([], { twins: { threshold, found: found.length, skipped, kept } });
    return last.view();
  }

  async #move(
    buildId: string,
    positions: readonly number[],
    way: { sources: readonly SpanState[]; to: SpanState },
  ): Promise<void> {
    const slicer = new TimeSlicer(this.#deps.clock);
    for (let from = 0; from < positions.length; from += CHUNK) {
      moveSpans(this.#deps, this.#editing(buildId), positions.slice(from, from + CHUNK), way);
      await slicer.pause();
    }
  }

  #editing(buildId: string): BuildLedger {
    if (this.#deps.closing.aborted) {
      throw new AppError('CANCELLED', 'The connection was closed before twins were excluded.');
    }
    const ledger = this.#jobs.idle(buildId);
    if (ledger.core.state === 'editing') return ledger;
    throw new AppError(
      'INVALID_ARGUMENT',
      'Items of this build were already sent, so its twins stay as they are.',
    );
  }

  pair(buildId: string, position: number): TwinPair {
    const twin = this.of(buildId).get(position);
    if (twin === undefined) {
      throw new AppError('INVALID_ARGUMENT', `The span at position ${position} is no twin any more.`);
    }
    const { store, ledgers } = this.#deps;
    const ledger = ledgers.get(buildId);
    const textAt = (at: number) =>
      inputText(readOne({ store, ledger }, ledger.stored.mapping, at).row.item?.inputs);
    const { of, likeness } = twin;
    const source = of.kind === 'item' ? (twin.text ?? '') : textAt(of.position);
    const own = textAt(position);
    return {
      of,
      likeness,
      pieces: diffWords(source.slice(0, MAX_TEXT), own.slice(0, MAX_TEXT)),
      isCut: Math.max(source.length, own.length) > MAX_TEXT,
    };
  }
}
