/**
 * Reviews of builds: a person's decisions on picked spans, stored as events, and the effects of these decisions on the
 * dataset.
 */
import { agreementsOf, groupAgreementOf } from '../core/statistics/reviewers.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredSpan } from '../db/build-store.ts';
import { AppError } from '../shared/errors.ts';
import { effectsOf, foldReview, NO_REVIEW, type Review, type ReviewEffects } from '../shared/review-fold.ts';
import { MAX_REVIEW_EVENTS, type ReviewEvent, type StoredReviewEvent } from '../shared/review-model.ts';
import type { ControlDeps } from './build-control.ts';
import { eachSpan } from './build-files.ts';
import type { BuildLedger } from './build-ledger.ts';
import { moveEvents, spansIn } from './move-spans.ts';
import { nearDuplicatesAfter } from './near-duplicates.ts';
import { writeReviewFile } from './review-file.ts';
import { eventsOf, readSecondReview } from './second-reviews.ts';
import type { Builds, ReviewedSpan } from './types.ts';
import { countVerdicts, writeVerdictFile } from './verdict-file.ts';

type ReviewMethods = Pick<
  Builds,
  | 'readReview'
  | 'addReview'
  | 'review'
  | 'readPlaces'
  | 'reviewedSpans'
  | 'writeReview'
  | 'writeVerdicts'
  | 'countVerdicts'
  | 'addSecondReview'
  | 'agreements'
  | 'groupAgreement'
>;

type ReviewDeps = Pick<
  ControlDeps,
  | 'store'
  | 'ledgers'
  | 'clock'
  | 'writeFile'
  | 'readResultsHere'
  | 'extractSpans'
  | 'checkSpans'
  | 'readableFile'
>;

/** Approximate message limit in characters. */
const PAGE_CHARACTERS = 90_000;
/** Number of events read and applied in one turn. */
const SLICE = 500;
/** Maximum number of positions in one answer. */
const MAX_PLACES = 5_000;

/** A review, computed from its stored events. */
interface Folded {
  buildId: string;
  count: number;
  review: Review;
}

export class Reviews {
  readonly #deps: ReviewDeps;
  /** The review that was used last. */
  #latest: Folded | null = null;

  constructor(deps: ReviewDeps) {
    this.#deps = deps;
  }

  methods(): ReviewMethods {
    const { store, ledgers } = this.#deps;
    return {
      readReview: (buildId, seq) => {
        ledgers.get(buildId);
        const events: StoredReviewEvent[] = [];
        let characters = 0;
        for (const event of store.reviews.events(buildId, seq, MAX_REVIEW_EVENTS)) {
          characters += JSON.stringify(event).length;
          if (events.length > 0 && characters > PAGE_CHARACTERS) break;
          events.push(event);
        }
        return { events, total: store.reviews.count(buildId) };
      },
      readPlaces: (buildId, position) => {
        ledgers.get(buildId);
        return store.spans.positions(buildId, position, MAX_PLACES);
      },
      addReview: (buildId, seq, events) => this.#add(buildId, seq, events),
      review: async (buildId) => {
        ledgers.get(buildId);
        return (await this.#read(buildId)).review;
      },
      reviewedSpans: (buildId) => this.#spans(buildId),
      writeVerdicts: async (buildId, path, dataset, experiment) => {
        const { ledger, review, datasetId } = await this.#verdictsOf(buildId, dataset);
        return writeVerdictFile(this.#deps, ledger, review, { datasetId, experiment }, path);
      },
      countVerdicts: async (buildId, dataset, experiment) => {
        const { ledger, review, datasetId } = await this.#verdictsOf(buildId, dataset);
        return countVerdicts(this.#deps, ledger, review, { datasetId, experiment });
      },
      addSecondReview: async (buildId, file, given) => {
        ledgers.get(buildId);
        const reviewer = given.trim();
        const { marks, counts } = await readSecondReview(this.#deps, buildId, file);
        const { review, count } = await this.#read(buildId);
        // In one commit, so that a part of a file never counts as the whole review.
        await this.#add(buildId, count, eventsOf(review, reviewer, marks, this.#deps.clock.nowMs()));
        return counts;
      },
      agreements: async (buildId) => {
        ledgers.get(buildId);
        const { review } = await this.#read(buildId);
        return agreementsOf(review, await this.#positions(buildId));
      },
      groupAgreement: async (buildId) => {
        ledgers.get(buildId);
        const { review } = await this.#read(buildId);
        return groupAgreementOf(review, await this.#positions(buildId));
      },
      writeReview: async (buildId, path, choice) => {
        ledgers.get(buildId);
        return writeReviewFile(this.#deps, buildId, (await this.#read(buildId)).review, path, choice);
      },
    };
  }

  async #verdictsOf(buildId: string, dataset: string | null) {
    const ledger = this.#deps.ledgers.get(buildId);
    const { datasetId: own, target } = ledger.stored;
    const datasetId = dataset ?? own ?? (target !== null && 'datasetId' in target ? target.datasetId : null);
    if (datasetId === null) {
      throw new AppError(
        'INVALID_ARGUMENT',
        'Expected the dataset whose items were made from these spans, got none. Choose the dataset of this draft first.',
      );
    }
    return { ledger, datasetId, review: (await this.#read(buildId)).review };
  }

  async *#spans(buildId: string): AsyncGenerator<ReviewedSpan> {
    this.#deps.ledgers.get(buildId);
    const { marks, kinds } = (await this.#read(buildId)).review;
    const names = new Map(kinds.map(({ kindId, name }) => [kindId, name]));
    for await (const span of eachSpan(this.#deps, buildId, { states: null, shapeIds: null })) {
      const mark = marks.get(span.position);
      if (mark === undefined) continue;
      const { traceId, spanId, name, spanType, startTime, itemId } = span;
      const failureKind = mark.kindId === null ? null : (names.get(mark.kindId) ?? null);
      yield { ...mark, traceId, spanId, name, spanType, startTime, itemId, failureKind };
    }
  }

  async #add(buildId: string, seq: number, events: readonly ReviewEvent[]): Promise<void> {
    const { store, ledgers } = this.#deps;
    const before = await this.#read(buildId);
    const ledger = ledgers.get(buildId);
    if (before.count !== seq || store.reviews.count(buildId) !== seq) {
      // The request is a repetition after a lost answer: its events are already stored.
      const there = store.reviews.events(buildId, seq, events.length);
      if (JSON.stringify(there) === JSON.stringify(events)) return;
      throw new AppError(
        'CONFLICT',
        'This review was changed in another window or program meanwhile. Reload it, then decide again.',
      );
    }
    const review = foldReview(events, before.review);
    const append = () => store.reviews.append(buildId, seq, events);
    // Once items were sent, a review does not change the dataset's contents any more.
    if (ledger.core.state === 'editing') {
      this.#apply(ledger, effectsOf(before.review, review), append);
    } else store.commit(append);
    this.#latest = { buildId, count: seq + events.length, review };
  }

  /** Applies the effects in one commit with `append`, so that no decision is stored without its effect. */
  #apply(ledger: BuildLedger, { excluded, included, edited }: ReviewEffects, append: () => void): void {
    const { store } = this.#deps;
    const out = spansIn(store, ledger, excluded, ['unsent', 'added', 'unresolved']);
    const back = spansIn(store, ledger, included, ['excluded']);
    const edits = edited.filter(([position, expected]) =>
      isEditable(store.spans.at(ledger.id, position), expected),
    );
    if (out.length + back.length + edits.length === 0) {
      store.commit(append);
      return;
    }
    const nearDuplicates = nearDuplicatesAfter(
      nearDuplicatesAfter(ledger.stored.nearDuplicates, excluded, true),
      included,
      false,
    );
    ledger.apply([...moveEvents(out, 'excluded'), ...moveEvents(back, 'unsent')], { nearDuplicates }, () => {
      append();
      for (const [spans, state] of [
        [out, 'excluded'],
        [back, 'unsent'],
      ] as const) {
        for (const { position, message } of spans)
          store.spans.change(ledger.id, position, { state, batch: null, message });
      }
      for (const [position, expected] of edits) store.spans.edit(ledger.id, position, expected);
    });
  }

  async #positions(buildId: string): Promise<ReadonlySet<number>> {
    const slicer = new TimeSlicer(this.#deps.clock);
    const found = new Set<number>();
    for (let from = 0; ; ) {
      const page = this.#deps.store.spans.positions(buildId, from, MAX_PLACES);
      for (const position of page) found.add(position);
      const last = page.at(-1);
      if (last === undefined) return found;
      from = last + 1;
      await slicer.pause();
    }
  }

  async #read(buildId: string): Promise<Folded> {
    const { store, clock } = this.#deps;
    const known = this.#latest?.buildId === buildId ? this.#latest : null;
    const total = store.reviews.count(buildId);
    if (known?.count === total) return known;
    const slicer = new TimeSlicer(clock);
    let { count, review } = known !== null && known.count < total ? known : { count: 0, review: NO_REVIEW };
    while (count < total) {
      const events = store.reviews.events(buildId, count, Math.min(SLICE, total - count));
      if (events.length === 0) break;
      review = foldReview(events, review);
      count += events.length;
      await slicer.pause();
    }
    this.#latest = { buildId, count, review };
    return this.#latest;
  }
}

/** A span that was removed from the basket cannot be edited. Throws INVALID_ARGUMENT if only the span's id is known. */
function isEditable(span: StoredSpan | null, expected: string | null): boolean {
  if (span === null) return false;
  if (span.shapeId !== null || expected === null) return true;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Only the id of the span ${span.spanId} is stored here, so its expected output cannot be edited.`,
  );
}
