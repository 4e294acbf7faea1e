/**
 * The user's review of the picked spans of a build. Decisions are shown immediately and stored one by one shortly
 * after.
 */
import type { BuildAnswers } from '../../electron/shared/dataset-contract.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { foldReview, NO_REVIEW, type Review, reduceReview } from '../../electron/shared/review-fold.ts';
import {
  MAX_GROUPED,
  MAX_REVIEW_EVENTS,
  type ReviewEvent,
  type StoredReviewEvent,
} from '../../electron/shared/review-model.ts';
import { client } from '../lib/client.ts';
import { isInFilter, nextOpen, type ReviewFilter } from '../lib/review-words.ts';
import { type BuildName, changeBuild } from './build-actions.ts';
import { clock } from './clock.svelte.ts';

type SpanAnswer = BuildAnswers['span'];

/** Number of spans to read ahead. */
const AHEAD = 20;
const MAX_KEPT = 200;

export class ReviewState {
  review = $state.raw<Review>(NO_REVIEW);
  isLoaded = $state(false);
  /** Positions of all picked spans, and of the spans under review, both in order. */
  places = $state.raw<readonly number[]>([]);
  queue = $state.raw<readonly number[]>([]);
  filter = $state<ReviewFilter>('all');
  /** Index of the current span in the queue; the length of the queue if all were decided. */
  at = $state(0);
  /** Error of reading or storing the review. Decisions are kept, and `again` stores them. */
  error = $state.raw<AppError | null>(null);
  /** Error of reading spans. `ensure` tries again. */
  readError = $state.raw<AppError | null>(null);
  isKeeping = $state(false);
  /** Wall time at which the last decision was stored; null if none was since the start. */
  keptAtMs = $state<number | null>(null);
  readonly #there = $derived(new Set(this.places));
  /** Marks of spans that are still picked. */
  readonly marks = $derived(
    new Map([...this.review.marks].filter(([position]) => this.#there.has(position))),
  );
  readonly position = $derived<number | undefined>(this.queue[this.at]);

  #version = $state(0);
  readonly #name: BuildName;
  #spans = new Map<number, SpanAnswer>();
  /** Spans that are shown until they have been read again. */
  #earlier: ReadonlyMap<number, SpanAnswer> = new Map();
  #kept = 0;
  #waiting: ReviewEvent[] = [];
  #keeping: Promise<void> = Promise.resolve();
  #loading: Promise<void> | null = null;
  #isReading = false;

  constructor(name: BuildName) {
    this.#name = name;
  }

  /**
   * Reads earlier decisions, and continues at the first span without a verdict. Decisions made meanwhile are stored
   * after reading.
   */
  async load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    await this.#loading;
    if (this.error === null && this.#waiting.length > 0) await this.#keep();
  }

  async #load(): Promise<void> {
    // Waits, because decisions that are being stored would be read and counted twice.
    await this.#keeping;
    try {
      const events: StoredReviewEvent[] = [];
      for (let expected = 1; events.length < expected; ) {
        const query = { ...this.#name, seq: events.length };
        const page = await client.act('builds:read', 'review', query);
        expected = page.total;
        if (page.events.length === 0) break;
        events.push(...page.events);
      }
      await this.#readPlaces();
      this.review = foldReview([...events, ...this.#waiting]);
      this.#kept = events.length;
      this.choose(this.filter);
      this.isLoaded = true;
      this.error = null;
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  /** To be called when spans were picked or removed. The current span stays. */
  async refresh(): Promise<void> {
    const { position, at } = this;
    try {
      await this.#readPlaces();
      this.queue = this.filter === 'all' ? this.places : this.queue.filter((each) => this.#there.has(each));
      const found = position === undefined ? -1 : this.queue.indexOf(position);
      this.at = found >= 0 ? found : Math.min(at, this.queue.length);
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  async #readPlaces(): Promise<void> {
    const places: number[] = [];
    for (let position = 0; ; position = (places.at(-1) ?? 0) + 1) {
      const page = await client.act('builds:read', 'places', { ...this.#name, position });
      if (page.length === 0) break;
      places.push(...page);
    }
    this.places = places;
  }

  /** Reviews the spans that match at present. They stay in the queue whatever the user decides. */
  choose(filter: ReviewFilter): void {
    this.filter = filter;
    this.queue = this.places.filter((position) => isInFilter(this.review, position, filter));
    this.at = nextOpen(this.review.marks, this.queue, -1) ?? (filter === 'all' ? this.queue.length : 0);
  }

  /** Reviews these spans only. */
  only(positions: readonly number[]): void {
    const chosen = new Set(positions);
    this.filter = 'chosen';
    this.queue = this.places.filter((position) => chosen.has(position));
    this.at = nextOpen(this.review.marks, this.queue, -1) ?? 0;
  }

  goTo(at: number): void {
    this.at = Math.max(0, Math.min(this.queue.length, at));
  }

  /**
   * Moves on after a decision: to the next span without a verdict, or to the next span if this one had a verdict
   * before.
   */
  advance(wasDecided: boolean): void {
    if (wasDecided) this.goTo(this.at + 1);
    else this.goTo(nextOpen(this.review.marks, this.queue, this.at) ?? this.queue.length);
  }

  /** Makes a decision, which applies immediately. */
  add(event: ReviewEvent): void {
    this.review = reduceReview(this.review, event);
    this.#waiting.push(event);
    void this.#keep();
  }

  /** Spans of the queue without a verdict. */
  get open(): number[] {
    return this.queue.filter((position) => (this.review.marks.get(position)?.verdict ?? null) === null);
  }

  /** Accepts all spans without a verdict, and shows the end of the queue. */
  acceptOpen(): void {
    const { open } = this;
    for (let from = 0; from < open.length; from += MAX_GROUPED) {
      const positions = open.slice(from, from + MAX_GROUPED);
      this.add({ type: 'accept-open', positions, atMs: clock.nowMs });
    }
    this.goTo(this.queue.length);
  }

  /** Undoes or redoes the last decision, and shows its span. */
  step(type: 'undo' | 'redo'): void {
    this.add({ type, atMs: clock.nowMs });
    const [changed] = (type === 'undo' ? this.review.undone : this.review.done).at(-1)?.marks ?? [];
    const at = changed === undefined ? -1 : this.queue.indexOf(changed[0]);
    if (at >= 0) this.goTo(at);
  }

  /** Tries again after an error. Decisions made here are added after those that another window made meanwhile. */
  async again(): Promise<void> {
    if (!this.isLoaded || this.error?.code === 'CONFLICT') await this.load();
    await this.#keep();
  }

  /** Resolves when all decisions so far are stored; to false if they could not be. */
  async whenKept(): Promise<boolean> {
    await this.#loading;
    await this.#keeping;
    return this.error === null;
  }

  #keep(): Promise<void> {
    if (this.#loading !== null) return this.#loading;
    if (!this.isKeeping) this.#keeping = this.#keepAll();
    return this.#keeping;
  }

  async #keepAll(): Promise<void> {
    this.isKeeping = true;
    try {
      while (this.#waiting.length > 0) {
        const events = this.#waiting.slice(0, MAX_REVIEW_EVENTS);
        await changeBuild(this.#name, { type: 'review', seq: this.#kept, events });
        this.#kept += events.length;
        this.#waiting = this.#waiting.slice(events.length);
        this.keptAtMs = clock.nowMs;
      }
      this.error = null;
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.isKeeping = false;
    }
  }

  /** A span of the queue; undefined until it is read. */
  span(position: number | undefined): SpanAnswer | undefined {
    void this.#version;
    if (position === undefined) return undefined;
    return this.#spans.get(position) ?? this.#earlier.get(position);
  }

  /** Number of spans after the current one that are already read. */
  get ahead(): number {
    void this.#version;
    let count = 0;
    while (this.#spans.has(this.queue[this.at + 1 + count] ?? -1)) count += 1;
    return count;
  }

  /**
   * To be called when the mapping changed: the spans have other items now, and nothing can be decided until they are
   * read again.
   */
  forget(): void {
    this.#earlier = new Map();
    // The new version also makes answers in flight outdated.
    this.#spans = new Map();
    this.#version += 1;
  }

  /** To be called when near-duplicates were found: spans are read again, but can be decided meanwhile. */
  readAgain(): void {
    this.#earlier = this.#spans;
    this.#spans = new Map();
    this.#version += 1;
  }

  /** Reads the current span, then the next ones. */
  async ensure(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    this.readError = null;
    try {
      for (let next = this.#missing(); next !== undefined; next = this.#missing()) {
        const spans = this.#spans;
        spans.set(next, await client.act('builds:read', 'span', { ...this.#name, position: next }));
        this.#version += 1;
        const [oldest] = spans.keys();
        if (spans.size > MAX_KEPT && oldest !== undefined) spans.delete(oldest);
      }
    } catch (thrown) {
      this.readError = toAppError(thrown);
    } finally {
      this.#isReading = false;
    }
  }

  #missing(): number | undefined {
    return this.queue.slice(this.at, this.at + AHEAD + 1).find((position) => !this.#spans.has(position));
  }
}
