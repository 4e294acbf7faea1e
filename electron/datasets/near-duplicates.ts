/**
 * Handles near-duplicates among the picked spans. They are found in a thread, excluded unless a person keeps them, and
 * shown with the text that they are similar to.
 */

import { inputText } from '../core/near-duplicates/input-text.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { DatasetBuild, SpanState } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import type { NearDuplicatePair, NearDuplicateSkips } from '../shared/near-duplicate-model.ts';
import { diffWords } from '../shared/word-diff.ts';
import type { ControlDeps } from './build-control.ts';
import type { BuildJobs } from './build-jobs.ts';
import type { BuildLedger } from './build-ledger.ts';
import { moveSpans } from './move-spans.ts';
import type { FoundNearDuplicate } from './near-duplicate-thread.ts';
import { readOne } from './preview.ts';

const MAX_TEXT = 20_000;
/** Minimum length of an input that two spans hardly share by chance. */
const LONG_INPUT = 200;
/** Number of spans written in one commit. More would block the main thread for too long. */
const CHUNK = 100;

/** The stored state after a person excluded or included spans. An included near-duplicate is kept from then on. */
export function nearDuplicatesAfter(
  nearDuplicates: BuildLedger['stored']['nearDuplicates'],
  positions: readonly number[],
  isExcluded: boolean,
): BuildLedger['stored']['nearDuplicates'] {
  if (nearDuplicates === null) return null;
  const named = new Set(positions);
  const { skipped, kept } = nearDuplicates;
  if (isExcluded) return { ...nearDuplicates, kept: kept.filter((position) => !named.has(position)) };
  const back = skipped.filter((position) => named.has(position));
  return {
    ...nearDuplicates,
    skipped: skipped.filter((position) => !named.has(position)),
    kept: [...new Set([...kept, ...back])],
  };
}

const isSure = ({ of, likeness, length }: FoundNearDuplicate): boolean =>
  length >= LONG_INPUT || (of.kind === 'item' && likeness === 1);

export class NearDuplicates {
  readonly #deps: ControlDeps;
  readonly #jobs: BuildJobs;
  readonly #found = new Map<string, ReadonlyMap<number, FoundNearDuplicate>>();

  constructor(deps: ControlDeps, jobs: BuildJobs) {
    this.#deps = deps;
    this.#jobs = jobs;
  }

  /** Near-duplicates by position. Empty before the first search since the program started. */
  of(buildId: string): ReadonlyMap<number, FoundNearDuplicate> {
    return this.#found.get(buildId) ?? new Map();
  }

  /**
   * Searches again with the current mapping and dataset, and excludes the near-duplicates. Spans that are no
   * near-duplicates any more are included again.
   */
  async find(buildId: string, threshold: number, skips: NearDuplicateSkips): Promise<DatasetBuild> {
    const { stored } = this.#editing(buildId);
    const { mapping, target, datasetId } = stored;
    const known = target?.kind === 'existing' ? target.datasetId : null;
    const query = { buildId, mapping, threshold, datasetId: datasetId ?? known };
    const found = await this.#deps.findNearDuplicates(
      { ...query, skipped: stored.nearDuplicates?.skipped ?? [] },
      this.#deps.closing,
    );
    const ledger = this.#editing(buildId);
    this.#found.set(buildId, new Map(found.map((nearDuplicate) => [nearDuplicate.position, nearDuplicate])));
    const { skipped: before = [], kept = [] } = ledger.stored.nearDuplicates ?? {};
    const keeps = new Set(kept);
    const was = new Set(before);
    // Spans that were excluded before stay excluded.
    const isSkipped = (nearDuplicate: FoundNearDuplicate) =>
      skips === 'all' || was.has(nearDuplicate.position) || isSure(nearDuplicate);
    const skipped = found
      .filter((nearDuplicate) => isSkipped(nearDuplicate) && !keeps.has(nearDuplicate.position))
      .map(({ position }) => position);
    const is = new Set(skipped);
    // The result is stored first. If the process is killed before the spans are excluded, none stays excluded for good.
    ledger.apply([], {
      nearDuplicates: {
        threshold,
        found: found.length,
        skipped: [...new Set([...before, ...skipped])],
        kept,
      },
    });
    const back = before.filter((position) => !is.has(position));
    const out = skipped.filter((position) => !was.has(position));
    await this.#move(buildId, out, { sources: ['unsent', 'unresolved'], to: 'excluded' });
    await this.#move(buildId, back, { sources: ['excluded'], to: 'unsent' });
    const last = this.#editing(buildId);
    last.apply([], { nearDuplicates: { threshold, found: found.length, skipped, kept } });
    return last.view();
  }

  async #move(
    buildId: string,
    positions: readonly number[],
    move: { sources: readonly SpanState[]; to: SpanState },
  ): Promise<void> {
    const slicer = new TimeSlicer(this.#deps.clock);
    for (let from = 0; from < positions.length; from += CHUNK) {
      moveSpans(this.#deps, this.#editing(buildId), positions.slice(from, from + CHUNK), move);
      await slicer.pause();
    }
  }

  #editing(buildId: string): BuildLedger {
    if (this.#deps.closing.aborted) {
      throw new AppError('CANCELLED', 'The connection was closed before near-duplicates were excluded.');
    }
    const ledger = this.#jobs.idle(buildId);
    if (ledger.core.state === 'editing') return ledger;
    throw new AppError(
      'INVALID_ARGUMENT',
      'Items of this build were already sent, so its near-duplicates stay as they are.',
    );
  }

  pair(buildId: string, position: number): NearDuplicatePair {
    const nearDuplicate = this.of(buildId).get(position);
    if (nearDuplicate === undefined) {
      throw new AppError(
        'INVALID_ARGUMENT',
        `The span at position ${position} is not a near-duplicate any more.`,
      );
    }
    const { store, ledgers } = this.#deps;
    const ledger = ledgers.get(buildId);
    const textAt = (at: number) =>
      inputText(readOne({ store, ledger }, ledger.stored.mapping, at).row.item?.inputs);
    const { of, likeness } = nearDuplicate;
    const source = of.kind === 'item' ? (nearDuplicate.text ?? '') : textAt(of.position);
    const own = textAt(position);
    return {
      of,
      likeness,
      pieces: diffWords(source.slice(0, MAX_TEXT), own.slice(0, MAX_TEXT)),
      isCut: Math.max(source.length, own.length) > MAX_TEXT,
    };
  }
}
