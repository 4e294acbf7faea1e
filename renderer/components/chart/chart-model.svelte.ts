/** State of a chart as long as its tab exists: hidden series, visible range, cursor. */
import type { TimeSpan } from '../../lib/chart/types.ts';
import { clampSpan, panSpan, revealIn, scaleSpan } from './zoom.ts';

const CLOSER = 0.5;
/** Maximum number of earlier ranges to go back to. */
const MAX_STEPS = 100;

/**
 * The time under the pointer or keyboard cursor in any chart of the window; the other charts show their
 * values at that time.
 */
let pointed = $state.raw<{ ms: number; by: ChartModel } | null>(null);

export class ChartModel {
  /** Ids of hidden series. */
  hidden = $state.raw<ReadonlySet<string>>(new Set());
  /** The visible range; null for the whole time range. */
  zoom = $state.raw<TimeSpan | null>(null);
  #back = $state.raw<readonly (TimeSpan | null)[]>([]);
  #forward = $state.raw<readonly (TimeSpan | null)[]>([]);
  /** Whether the last step was a pan, so that panning on is not another step. */
  #wasMoved = false;
  shape = $state<'chart' | 'table'>('chart');

  toggle(id: string): void {
    const hidden = new Set(this.hidden);
    if (!hidden.delete(id)) hidden.add(id);
    this.hidden = hidden;
  }

  /** Shows only this series. If called again, shows all. */
  only(id: string, all: readonly string[]): void {
    const others = all.filter((each) => each !== id);
    const isAlone = !this.hidden.has(id) && others.every((each) => this.hidden.has(each));
    this.hidden = new Set(isAlone ? [] : others);
  }

  /** The time of the cursor in this chart. */
  get cursorMs(): number | null {
    return pointed?.by === this ? pointed.ms : null;
  }
  set cursorMs(ms: number | null) {
    // Most pointer moves stay at the same time, so that nothing changes in any chart.
    if (ms !== null && ms === this.cursorMs) return;
    if (ms !== null) pointed = { ms, by: this };
    else if (pointed?.by === this) pointed = null;
  }
  /** The time at the cursor of another chart; null if the cursor is in this chart, or in none. */
  get otherMs(): number | null {
    return pointed === null || pointed.by === this ? null : pointed.ms;
  }

  get canGoBack(): boolean {
    return this.#back.length > 0;
  }
  get canGoForward(): boolean {
    return this.#forward.length > 0;
  }

  /** Shows a part of the whole range. */
  show(span: TimeSpan, whole: TimeSpan): void {
    this.#go(clampSpan(span, whole));
  }

  #go(next: TimeSpan | null, isMove = false): void {
    if (isSame(next, this.zoom)) return;
    if (!isMove || !this.#wasMoved) this.#back = [...this.#back, this.zoom].slice(-MAX_STEPS);
    this.#forward = [];
    this.#wasMoved = isMove;
    this.zoom = next;
  }

  /** Shows the previous or next range. A range that is no longer available as a whole is clipped. */
  step(direction: 'back' | 'forward', whole: TimeSpan): void {
    const from = direction === 'back' ? this.#back : this.#forward;
    const to = from.at(-1);
    if (to === undefined) return;
    const rest = from.slice(0, -1);
    if (direction === 'back') [this.#back, this.#forward] = [rest, [...this.#forward, this.zoom]];
    else [this.#back, this.#forward] = [[...this.#back, this.zoom], rest];
    this.#wasMoved = false;
    this.zoom = to === null ? null : clampSpan(to, whole);
  }

  zoomBy(direction: 'in' | 'out', whole: TimeSpan): void {
    const span = this.zoom ?? whole;
    const around = this.cursorMs ?? (span.startMs + span.endMs) / 2;
    this.show(scaleSpan(span, around, direction === 'in' ? CLOSER : 1 / CLOSER), whole);
  }

  panBy(share: number, whole: TimeSpan): void {
    if (this.zoom !== null) this.#go(clampSpan(panSpan(this.zoom, share), whole), true);
  }

  /** Moves the cursor to a time and scrolls it into view. */
  moveTo(ms: number, whole: TimeSpan): void {
    this.cursorMs = ms;
    if (this.zoom !== null) this.#go(clampSpan(revealIn(this.zoom, ms), whole), true);
  }

  reset(): void {
    this.#go(null);
  }

  /** To be called when another time range is requested, for which the earlier visible ranges are not valid. */
  forget(): void {
    this.zoom = null;
    this.#back = [];
    this.#forward = [];
  }
}

const isSame = (a: TimeSpan | null, b: TimeSpan | null): boolean =>
  a === b || (a !== null && b !== null && a.startMs === b.startMs && a.endMs === b.endMs);
