/** What pointer and keys do with the pictures in the heads of a grid: one part is under the cursor, a range grows. */
import type { ColumnFilter, ColumnProfile } from '../../../electron/shared/analysis-model.ts';
import type { Column } from '../../lib/grid/columns.ts';
import { type ColumnPicture, filterOfBars, partsOf, pictureOf, withFilter } from '../../lib/grid/pictures.ts';
import { isKey } from '../../lib/part-keys.ts';

/** Pixels that the pictures add to the head: the picture, its range, what is missing. */
export const PICTURE_HEIGHT = 89;
/** The same of the row of typed filters. */
export const FILTER_HEIGHT = 30;

/** Where profiles come from, and where the filters go. Reactive. */
interface PictureSource {
  readonly columns: ReadonlyMap<string, ColumnProfile>;
  readonly filters: readonly ColumnFilter[];
  readonly isSample: boolean;
  setFilters(filters: readonly ColumnFilter[]): void;
  /** Fields in view, by which profiles are asked for. */
  see(fields: readonly string[]): void;
}

/** A part of a picture; `from` where a range was begun, the same otherwise. */
interface PartPlace {
  field: string;
  at: number;
  from: number;
}

/** The part of a GridModel this needs: a plain table has one as well. */
interface PicturedColumns {
  readonly arranged: readonly { column: Column }[];
  columnIndex: number;
  sortField(column: Column): string | null;
}

interface AlonePicture {
  readonly column: Column | undefined;
  mostBars: number;
}

export class HeadPictures {
  readonly source: PictureSource;
  /** Where the keys are; null while they are the grid's. */
  cursor = $state.raw<PartPlace | null>(null);
  /** What the pointer is over. */
  hovered = $state.raw<PartPlace | null>(null);
  /** The pointer went down and is held. */
  #held = $state.raw<PartPlace | null>(null);
  readonly #grid: PicturedColumns;
  readonly #alone: Readonly<AlonePicture> | null;

  /** `alone`: one picture that stands apart from the heads. */
  constructor(grid: PicturedColumns, source: PictureSource, alone: AlonePicture | null = null) {
    this.#grid = grid;
    this.source = source;
    this.#alone = alone;
  }

  /** Field that a column is profiled by; null where it holds no single values. */
  fieldOf(column: Column): string | null {
    return column.kind === 'pick' || column.kind === 'json' ? null : this.#grid.sortField(column);
  }

  of(column: Column): ColumnPicture | null {
    const field = this.fieldOf(column);
    const profile = field === null ? undefined : this.source.columns.get(field);
    return profile === undefined
      ? null
      : pictureOf(column, profile, this.source.filters, this.#alone?.mostBars);
  }

  /** The part to say something about, with its picture. */
  get pointed(): { picture: ColumnPicture; column: Column; place: PartPlace } | null {
    const place = this.#held ?? this.hovered ?? this.cursor;
    const column = place === null ? undefined : this.#columnOf(place.field);
    const picture = column === undefined ? null : this.of(column);
    return place === null || column === undefined || picture === null ? null : { picture, column, place };
  }

  /** Bars of a range that is being drawn with pointer or keys. */
  brushOf(field: string): { first: number; last: number } | null {
    const place = this.#held ?? this.cursor;
    if (place === null || place.field !== field || place.at === place.from) return null;
    return { first: Math.min(place.at, place.from), last: Math.max(place.at, place.from) };
  }

  press(field: string, at: number): void {
    this.#held = { field, at, from: at };
  }

  /** The pointer is over a part of a picture, or over none. */
  point(place: { field: string; at: number } | null, bars: number): void {
    const held = this.#held;
    if (held === null) {
      this.hovered = place === null ? null : { ...place, from: place.at };
    } else if (place !== null && place.field === held.field && place.at < bars && held.from < bars)
      this.#held = { ...held, at: place.at };
  }

  /** The pointer went up: what it went over is the filter. `adds`: one value more instead of another one. */
  release(adds: boolean): void {
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    this.cursor = null;
    this.choose(held, adds);
  }

  /** The keys are the grid's again. */
  leave(): void {
    this.cursor = null;
  }

  cancel(): void {
    this.#held = null;
    this.hovered = null;
  }

  /** Sets the filter of a part or range; clears it where it is at work already. */
  choose({ field, at, from }: PartPlace, adds = false): void {
    const column = this.#columnOf(field);
    const picture = column === undefined ? null : this.of(column);
    if (picture === null) return;
    const { filters } = this.source;
    const own = filters.find((filter) => filter.field === field);
    const part = partsOf(picture)[at];
    const wanted = at === from ? (part?.filter ?? null) : filterOfBars(picture, from, at);
    const isSame = JSON.stringify(own) === JSON.stringify(wanted);
    const next = adds ? together(own, wanted) : isSame ? null : wanted;
    this.source.setFilters(withFilter(filters, field, next));
  }

  clear(field: string): void {
    this.source.setFilters(withFilter(this.source.filters, field, null));
  }

  /** What a key does among pictures; false where it is the grid's. */
  key(event: KeyboardEvent): boolean {
    if (isKey(event, 'grid.picture')) return this.#walk(1);
    if (isKey(event, 'grid.picture-back')) return this.#walk(-1);
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === 'Escape') return this.#escape();
    const { cursor } = this;
    const column = cursor === null ? undefined : this.#columnOf(cursor.field);
    const picture = column === undefined ? null : this.of(column);
    if (cursor === null || picture === null) return false;
    if (event.key === 'Enter' || event.key === ' ') {
      this.choose(cursor, event.key === ' ');
      this.cursor = { ...cursor, from: cursor.at };
      return true;
    }
    const by = STEPS[event.key];
    if (by === undefined || (by === 'down' && picture.shape === 'bars')) {
      this.cursor = null;
      return false;
    }
    const last = partsOf(picture).length - 1;
    const wanted = by === 'down' ? cursor.at + 1 : cursor.at + by;
    const at = Math.max(0, Math.min(last, wanted));
    const isRange = event.shiftKey && at < picture.bars.length && cursor.from < picture.bars.length;
    this.cursor = { ...cursor, at, from: isRange ? cursor.from : at };
    return true;
  }

  /** To the next picture, from that under the cursor or that of the grid's column. */
  #walk(by: 1 | -1): boolean {
    const { arranged } = this.#grid;
    const own = this.cursor;
    const now = own === null ? -1 : arranged.findIndex(({ column }) => this.fieldOf(column) === own.field);
    const start = now === -1 ? this.#grid.columnIndex - by : now;
    for (let step = 1; step <= arranged.length; step += 1) {
      const index = (start + by * step + arranged.length * 2) % arranged.length;
      const column = arranged[index]?.column;
      const picture = column === undefined ? null : this.of(column);
      if (picture === null || partsOf(picture).length === 0) continue;
      const chosen = partsOf(picture).findIndex(({ isChosen }) => isChosen);
      const at = Math.max(0, chosen);
      this.cursor = { field: picture.field, at, from: at };
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

/** Values that are chosen, and one more or less. */
function together(own: ColumnFilter | undefined, wanted: ColumnFilter | null): ColumnFilter | null {
  if (own?.kind !== 'values' || wanted?.kind !== 'values' || own.excludes) return wanted;
  const [value = ''] = wanted.values;
  const values = own.values.includes(value)
    ? own.values.filter((each) => each !== value)
    : [...own.values, value];
  return values.length === 0 ? null : { ...own, values };
}
