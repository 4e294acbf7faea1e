/** A person's review of the picked spans of a build: shown at once, kept event by event a moment later. */
import type { BuildAnswers } from '../../electron/shared/dataset-contract.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import {
  foldReview,
  MOST_REVIEW_EVENTS,
  NO_REVIEW,
  type Review,
  type ReviewEvent,
  reduceReview,
} from '../../electron/shared/review-model.ts';
import { client } from '../lib/client.ts';
import { nextOpen, rejections } from '../lib/review-words.ts';
import { type BuildName, changeBuild } from './build-actions.ts';

type SpanAnswer = BuildAnswers['span'];

/** Spans that are read before they are looked at. */
const AHEAD = 10;
const MOST_KEPT = 100;
const MOST_EXCLUDED = 1_000;

export class ReviewState {
  review = $state.raw<Review>(NO_REVIEW);
  isLoaded = $state(false);
  /** The span that is looked at; as many as there are: all were decided. */
  at = $state(0);
  /** Of reading or keeping; what was decided stays and is kept by `again`. */
  error = $state.raw<AppError | null>(null);

  #version = $state(0);
  readonly #name: BuildName;
  readonly #spans = new Map<number, SpanAnswer>();
  #kept = 0;
  #waiting: ReviewEvent[] = [];
  /** Positions to leave out (true) or to take in again. */
  #exclusions = new Map<number, boolean>();
  #isKeeping = false;
  #isReading = false;

  constructor(name: BuildName) {
    this.#name = name;
  }

  /** Reads what was decided before; goes on at the first span without a verdict. */
  async load(total: number): Promise<void> {
    try {
      const events: ReviewEvent[] = [];
      for (let expected = 1; events.length < expected; ) {
        const question = { ...this.#name, seq: events.length };
        const page = await client.act('builds:read', 'review', question);
        expected = page.total;
        if (page.events.length === 0) break;
        events.push(...page.events);
      }
      this.review = foldReview(events);
      this.#kept = events.length;
      this.at = nextOpen(this.review.marks, total, -1) ?? total;
      this.isLoaded = true;
      this.error = null;
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  /** Takes it in at once. `isEditable`: rejected spans are left out of the dataset. */
  add(event: ReviewEvent, isEditable: boolean): void {
    const before = this.review.marks;
    this.review = reduceReview(this.review, event);
    this.#waiting.push(event);
    if (isEditable) {
      const { excluded, included } = rejections(before, this.review.marks);
      for (const position of excluded) this.#exclusions.set(position, true);
      for (const position of included) this.#exclusions.set(position, false);
    }
    void this.#keep();
  }

  /** Once more, after a failure. */
  again(total: number): void {
    if (this.isLoaded) void this.#keep();
    else void this.load(total);
  }

  async #keep(): Promise<void> {
    if (this.#isKeeping) return;
    this.#isKeeping = true;
    try {
      while (this.#waiting.length > 0 || this.#exclusions.size > 0) {
        const events = this.#waiting.slice(0, MOST_REVIEW_EVENTS);
        if (events.length > 0) {
          await changeBuild(this.#name, { type: 'review', seq: this.#kept, events });
          this.#kept += events.length;
          this.#waiting = this.#waiting.slice(events.length);
        } else await this.#exclude();
      }
      this.error = null;
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.#isKeeping = false;
    }
  }

  async #exclude(): Promise<void> {
    const [first] = this.#exclusions.values();
    if (first === undefined) return;
    const asked = [...this.#exclusions].filter(([, isExcluded]) => isExcluded === first);
    const positions = asked.map(([position]) => position).slice(0, MOST_EXCLUDED);
    await changeBuild(this.#name, { type: 'exclude', positions, isExcluded: first });
    // Decided otherwise meanwhile: that is asked for next.
    for (const position of positions)
      if (this.#exclusions.get(position) === first) this.#exclusions.delete(position);
  }

  /** Undefined until it is read. */
  span(position: number): SpanAnswer | undefined {
    void this.#version;
    return this.#spans.get(position);
  }

  /** Reads the span that is looked at, then those that come next. */
  async ensure(total: number): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (let next = this.#missing(total); next !== null; next = this.#missing(total)) {
        this.#spans.set(next, await client.act('builds:read', 'span', { ...this.#name, position: next }));
        this.#version += 1;
        const [oldest] = this.#spans.keys();
        if (this.#spans.size > MOST_KEPT && oldest !== undefined) this.#spans.delete(oldest);
      }
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.#isReading = false;
    }
  }

  #missing(total: number): number | null {
    const end = Math.min(total, this.at + AHEAD);
    for (let position = this.at; position < end; position += 1)
      if (!this.#spans.has(position)) return position;
    return null;
  }
}
