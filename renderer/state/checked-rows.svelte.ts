/** Rows of a checked file in the preview: the rows to show, their problems, and the selected problem. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import {
  type BadRow,
  type CellMark,
  type CheckedRow,
  type DryRun,
  MAX_CHECKED_ROWS,
  type PreviewRow,
  type ProblemGroup,
  type RowStart,
} from '../../electron/shared/upload-model.ts';
import { problemKey } from '../lib/repair-words.ts';
import { LatestRequest } from './newest.ts';

type Place = Pick<PreviewRow, 'line' | 'byteOffset'> & Partial<RowStart>;

/** Reads rows of the file with the results of a check. Rejects with AppError. */
type ReadRows = (checkId: string, places: RowStart[]) => Promise<readonly CheckedRow[]>;

export class CheckedRows {
  /** Key of the group of problems that the user selected; empty if none is. */
  chosen = $state('');
  /** Whether only rows of the selected group are shown. */
  isFiltered = $state(false);
  /** The part of the rows that is shown. */
  part = $state<'head' | 'sample' | 'problems' | 'bad' | 'unusual'>('problems');
  error = $state.raw<AppError | null>(null);
  isReading = $state(false);
  #found = $state.raw<{ places: string; rows: readonly CheckedRow[] } | null>(null);
  readonly #readRows: ReadRows;
  readonly #latest = new LatestRequest();
  #asked = '';
  #last: { run: Pick<DryRun, 'dryRunId'>; places: readonly Place[] } | null = null;

  constructor(readRows: ReadRows) {
    this.#readRows = readRows;
  }

  choose(group: Pick<ProblemGroup, 'source' | 'problem'>): void {
    const key = problemKey(group);
    if (this.chosen === key) return;
    this.chosen = key;
    this.isFiltered = false;
  }

  /** Shows only the rows of this group. */
  showOnly(group: Pick<ProblemGroup, 'source' | 'problem'>): void {
    this.chosen = problemKey(group);
    this.isFiltered = true;
    this.part = 'problems';
  }

  /**
   * The first rows with problems of these groups, and bad rows without a group. Each row occurs once, in file order.
   */
  placesOf(groups: readonly ProblemGroup[], badRows: readonly BadRow[]): RowStart[] {
    const shown = this.isFiltered ? groups.filter((group) => problemKey(group) === this.chosen) : groups;
    const places = new Map(
      shown.flatMap((group) => group.places.map((place) => [place.byteOffset, place] as const)),
    );
    for (const { row, line, byteOffset } of this.isFiltered ? [] : badRows)
      if (byteOffset !== undefined) places.set(byteOffset, { row, line, byteOffset });
    return [...places.values()]
      .toSorted((one, other) => one.byteOffset - other.byteOffset)
      .slice(0, MAX_CHECKED_ROWS);
  }

  /** The first rows with problems, separated into bad rows and rows that are merely unusual. */
  byKind(
    groups: readonly ProblemGroup[],
    badRows: readonly BadRow[],
  ): { bad: RowStart[]; unusual: RowStart[] } {
    const left = groups.filter(({ rows, repaired }) => repaired < rows);
    const bad = this.placesOf(
      left.filter(({ isSent }) => !isSent),
      badRows,
    );
    const isBad = new Set(bad.map(({ byteOffset }) => byteOffset));
    const unusual = this.placesOf(
      left.filter(({ isSent }) => isSent),
      [],
    );
    return { bad, unusual: unusual.filter(({ byteOffset }) => !isBad.has(byteOffset)) };
  }

  /**
   * The rows at these positions as checked. Until they are read, their state in the previous check is returned; if
   * there is none, they are empty. Reactive.
   */
  of(places: readonly Place[]): readonly CheckedRow[] {
    return this.#found?.places === placesText(places) ? this.#found.rows : [];
  }

  /** Text to show if there are no rows. */
  get emptyText(): string {
    if (this.isReading) return 'Reading the rows with problems…';
    return this.error === null ? 'No rows here.' : 'The rows could not be read.';
  }

  /** Reads the last requested rows again after an error. */
  async readAgain(): Promise<void> {
    const last = this.#last;
    if (last !== null) await this.read(last.run, last.places);
  }

  /** Reads rows; repeated calls with the same arguments read only once. */
  async read(run: Pick<DryRun, 'dryRunId'>, places: readonly Place[]): Promise<void> {
    this.#last = { run, places };
    const key = keyOf(run, places);
    if (places.length === 0 || (this.#asked === key && this.error === null)) return;
    this.#asked = key;
    const isLast = this.#latest.ask();
    this.isReading = true;
    this.error = null;
    try {
      const asked = places
        .slice(0, MAX_CHECKED_ROWS)
        .map(({ row = 0, line, byteOffset }) => ({ row, line, byteOffset }));
      const rows = await this.#readRows(run.dryRunId, asked);
      if (isLast()) this.#found = { places: placesText(places), rows };
    } catch (thrown) {
      if (isLast()) this.error = toAppError(thrown);
    } finally {
      if (isLast()) this.isReading = false;
    }
  }
}

const placesText = (places: readonly Place[]): string => places.map(({ byteOffset }) => byteOffset).join(' ');
const keyOf = ({ dryRunId }: Pick<DryRun, 'dryRunId'>, places: readonly Place[]): string =>
  `${dryRunId} ${placesText(places)}`;

/** Problems in a row, by column of the file. */
export function marksByColumn({ marks }: Pick<CheckedRow, 'marks'>): Map<string, CellMark> {
  return new Map(marks.map((mark) => [mark.source, mark]));
}
