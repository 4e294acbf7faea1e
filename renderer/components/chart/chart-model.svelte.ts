/** What a chart remembers while its tab lives: what is hidden, what part is in view, where the cursor stands. */
import type { TimeSpan } from '../../lib/chart/types.ts';
import { clampSpan, panSpan, revealIn, scaleSpan } from './zoom.ts';

const CLOSER = 0.5;

export class ChartModel {
  /** Ids of series that are not shown. */
  hidden = $state.raw<ReadonlySet<string>>(new Set());
  /** Null: all of the time. */
  zoom = $state.raw<TimeSpan | null>(null);
  /** The moment that pointer or keys are at. */
  cursorMs = $state<number | null>(null);
  shape = $state<'chart' | 'table'>('chart');

  toggle(id: string): void {
    const hidden = new Set(this.hidden);
    if (!hidden.delete(id)) hidden.add(id);
    this.hidden = hidden;
  }

  /** Shows this one alone; once more shows all. */
  only(id: string, all: readonly string[]): void {
    const others = all.filter((each) => each !== id);
    const isAlone = !this.hidden.has(id) && others.every((each) => this.hidden.has(each));
    this.hidden = new Set(isAlone ? [] : others);
  }

  /** Looks at a part of the whole. */
  show(span: TimeSpan, whole: TimeSpan): void {
    this.zoom = clampSpan(span, whole);
  }

  zoomBy(direction: 'in' | 'out', whole: TimeSpan): void {
    const span = this.zoom ?? whole;
    const around = this.cursorMs ?? (span.startMs + span.endMs) / 2;
    this.show(scaleSpan(span, around, direction === 'in' ? CLOSER : 1 / CLOSER), whole);
  }

  panBy(share: number, whole: TimeSpan): void {
    if (this.zoom !== null) this.show(panSpan(this.zoom, share), whole);
  }

  /** Puts the cursor on a moment and brings it into view. */
  moveTo(ms: number, whole: TimeSpan): void {
    this.cursorMs = ms;
    if (this.zoom !== null) this.show(revealIn(this.zoom, ms), whole);
  }

  reset(): void {
    this.zoom = null;
  }
}
