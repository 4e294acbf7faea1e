/**
 * Pointer and keyboard interaction with the column summaries in a grid: the part under the cursor, and the
 * range being drawn.
 */
import { on } from 'svelte/events';
import type { ColumnFilter, ColumnProfile } from '../../../electron/shared/analysis-model.ts';
import type { TimeRange } from '../../../electron/shared/model.ts';
import type { Column } from '../../lib/grid/columns.ts';
import { filterOfBars, partsOf, type SummaryData, summaryOf, withFilter } from '../../lib/grid/summaries.ts';
import { isKey } from '../../lib/part-keys.ts';

/** Height in pixels that the summaries add to the headings: bars, range, missing values. */
export const SUMMARY_HEIGHT = 89;
/** Height in pixels of the row of typed filters. */
export const FILTER_HEIGHT = 30;

/** Source of profiles and target of filters. Reactive. */
export interface SummarySource {
  readonly columns: ReadonlyMap<string, ColumnProfile>;
  readonly filters: readonly ColumnFilter[];
  readonly isSample: boolean;
  setFilters(filters: readonly ColumnFilter[]): void;
  /** Sets the visible fields, whose profiles are requested. */
  see(fields: readonly string[]): void;
}

/** A part of a summary. `from`: the other end of a range; the same part if there is no range. */
interface PartPlace {
  field: string;
  at: number;
  from: number;
}

/** The part of a GridModel that is used here; a plain table has it too. */
interface SummarizedColumns {
  readonly arranged: readonly { column: Column }[];
  columnIndex: number;
  sortField(column: Column): string | null;
}

interface SingleSummary {
  readonly column: Column | undefined;
  mostBars: number;
  /** The bars of a time column cover at least this range. */
  readonly range: TimeRange | null;
}

/** The options of a summary outside the headings. The current state is read each time. */
export function singleSummary({
  mostBars,
  column,
  range = () => null,
}: {
  mostBars: number;
  column: () => Column | undefined;
  range?: () => TimeRange | null;
}): SingleSummary {
  return {
    mostBars,
    get column() {
      return column();
    },
    get range() {
      return range();
    },
  };
}

export class ColumnSummaries {
  readonly source: SummarySource;
  /** Keyboard cursor; null while the grid handles the keys. */
  cursor = $state.raw<PartPlace | null>(null);
  /** The part under the pointer. */
  hovered = $state.raw<PartPlace | null>(null);
  /** The part on which the pointer was pressed, while it is held down. */
  #held = $state.raw<PartPlace | null>(null);
  readonly #grid: SummarizedColumns;
  readonly #alone: Readonly<SingleSummary> | null;

  /** `alone`: options of a single summary outside the headings. */
  constructor(grid: SummarizedColumns, source: SummarySource, alone: SingleSummary | null = null) {
    this.#grid = grid;
    this.source = source;
    this.#alone = alone;
  }

  /** Field of the profile of a column; null if the column does not have single values. */
  fieldOf(column: Column): string | null {
    return column.kind === 'pick' || column.kind === 'json' ? null : this.#grid.sortField(column);
  }

  of(column: Column): SummaryData | null {
    const field = this.fieldOf(column);
    const profile = field === null ? undefined : this.source.columns.get(field);
    return profile === undefined
      ? null
      : summaryOf(column, profile, this.source.filters, this.#alone?.mostBars, this.#alone?.range);
  }

  /** The part that the tooltip describes, with its summary. */
  get pointed(): { summary: SummaryData; column: Column; place: PartPlace } | null {
    const place = this.#held ?? this.hovered ?? this.cursor;
    const column = place === null ? undefined : this.#columnOf(place.field);
    const summary = column === undefined ? null : this.of(column);
    return place === null || column === undefined || summary === null ? null : { summary, column, place };
  }

  /** Bars of the range that is being drawn with the pointer or the keys. */
  brushOf(field: string): { first: number; last: number } | null {
    const place = this.#held ?? this.cursor;
    if (place === null || place.field !== field || place.at === place.from) return null;
    return { first: Math.min(place.at, place.from), last: Math.max(place.at, place.from) };
  }

  press(field: string, at: number): void {
    this.#held = { field, at, from: at };
  }

  /** To be called when the pointer moved over a part, or left all parts. */
  point(place: { field: string; at: number } | null, bars: number): void {
    const held = this.#held;
    if (held === null) {
      this.hovered = place === null ? null : { ...place, from: place.at };
    } else if (place !== null && place.field === held.field && place.at < bars && held.from < bars)
      this.#held = { ...held, at: place.at };
  }

  /**
   * To be called when the pointer was released: the covered parts become the filter. `adds`: a value is added to the
   * filter instead of replacing it.
   */
  release(adds: boolean): void {
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    this.cursor = null;
    this.choose(held, adds);
  }

  /** Moves the keyboard cursor to a part. */
  moveTo(field: string, at: number): void {
    this.cursor = { field, at, from: at };
  }

  /** Gives the keys back to the grid. */
  leave(): void {
    this.cursor = null;
  }

  /** An attachment that gives the keys back when the grid loses the focus, or is removed. */
  readonly leaveOnBlur = (element: HTMLElement): (() => void) => on(element, 'blur', () => this.leave());

  cancel(): void {
    this.#held = null;
    this.hovered = null;
  }

  /** Sets the filter for a part or range, or clears it if it is already active. */
  choose({ field, at, from }: PartPlace, adds = false): void {
    const column = this.#columnOf(field);
    const summary = column === undefined ? null : this.of(column);
    if (summary === null) return;
    const { filters } = this.source;
    const own = filters.find((filter) => filter.field === field);
    const part = partsOf(summary)[at];
    const wanted = at === from ? (part?.filter ?? null) : filterOfBars(summary, from, at);
    const isSame = JSON.stringify(own) === JSON.stringify(wanted);
    const next = adds ? together(own, wanted) : isSame ? null : wanted;
    this.source.setFilters(withFilter(filters, field, next));
  }

  clear(field: string): void {
    this.source.setFilters(withFilter(this.source.filters, field, null));
  }

  /** Handles a key within summaries; returns false if it belongs to the grid. */
  key(event: KeyboardEvent): boolean {
    if (isKey(event, 'grid.picture')) return this.#walk(1);
    if (isKey(event, 'grid.picture-back')) return this.#walk(-1);
    // Pressing Shift alone begins a range, so the cursor stays.
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === 'Shift') return false;
    if (event.key === 'Escape') return this.#escape();
    const { cursor } = this;
    const column = cursor === null ? undefined : this.#columnOf(cursor.field);
    const summary = column === undefined ? null : this.of(column);
    if (cursor === null || summary === null) return false;
    if (event.key === 'Enter' || event.key === ' ') {
      this.choose(cursor, event.key === ' ');
      this.cursor = { ...cursor, from: cursor.at };
      return true;
    }
    const by = STEPS[event.key];
    if (by === undefined || (by === 'down' && summary.shape === 'bars')) {
      this.cursor = null;
      return false;
    }
    const last = partsOf(summary).length - 1;
    const wanted = by === 'down' ? cursor.at + 1 : cursor.at + by;
    const at = Math.max(0, Math.min(last, wanted));
    const isRange = event.shiftKey && at < summary.bars.length && cursor.from < summary.bars.length;
    this.cursor = { ...cursor, at, from: isRange ? cursor.from : at };
    return true;
  }

  /** Moves to the next summary, starting at the cursor, or else at the grid's current column. */
  #walk(by: 1 | -1): boolean {
    const { arranged } = this.#grid;
    const own = this.cursor;
    const now = own === null ? -1 : arranged.findIndex(({ column }) => this.fieldOf(column) === own.field);
    const start = now === -1 ? this.#grid.columnIndex - by : now;
    for (let step = 1; step <= arranged.length; step += 1) {
      const index = (start + by * step + arranged.length * 2) % arranged.length;
      const column = arranged[index]?.column;
      const summary = column === undefined ? null : this.of(column);
      if (summary === null || partsOf(summary).length === 0) continue;
      const chosen = partsOf(summary).findIndex(({ isChosen }) => isChosen);
      const at = Math.max(0, chosen);
      this.cursor = { field: summary.field, at, from: at };
      this.#grid.columnIndex = index;
      return true;
    }
    return false;
  }

  #escape(): boolean {
    const { filters } = this.source;
    const { cursor } = this;
    const own = cursor === null ? filters.at(-1) : filters.find(({ field }) => field === cursor.field);
    if (own !== undefined) this.clear(own.field);
    else if (this.cursor === null) return false;
    else this.cursor = null;
    return true;
  }

  #columnOf(field: string): Column | undefined {
    if (this.#alone !== null) return this.#alone.column;
    return this.#grid.arranged.find(({ column }) => this.fieldOf(column) === field)?.column;
  }
}

const STEPS: Record<string, number | 'down' | undefined> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowDown: 'down',
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** The chosen values with one added or removed. */
function together(own: ColumnFilter | undefined, wanted: ColumnFilter | null): ColumnFilter | null {
  if (own?.kind !== 'values' || wanted?.kind !== 'values' || own.excludes) return wanted;
  const [value = ''] = wanted.values;
  const values = own.values.includes(value)
    ? own.values.filter((each) => each !== value)
    : [...own.values, value];
  return values.length === 0 ? null : { ...own, values };
}
