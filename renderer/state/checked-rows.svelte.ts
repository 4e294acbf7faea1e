/** Rows of a checked file as the preview shows them: which of them, what is wrong in each, and which problem is chosen. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import {
  type BadRow,
  type CellMark,
  type CheckedRow,
  type DryRun,
  MOST_CHECKED_ROWS,
  type PreviewRow,
  type ProblemGroup,
  type RowStart,
} from '../../electron/shared/upload-model.ts';
import { client } from '../lib/client.ts';
import { problemKey } from '../lib/repair-words.ts';
import { LastQuestion } from './newest.ts';

type Place = Pick<PreviewRow, 'line' | 'byteOffset'> & Partial<RowStart>;

export class CheckedRows {
  /** The group of problems that a person chose, by its key; empty: none yet. */
  chosen = $state('');
  /** Only rows of that group are shown. */
  isNarrowed = $state(false);
  /** Which rows are shown. */
  part = $state<'head' | 'sample' | 'problems' | 'bad' | 'unusual'>('problems');
  error = $state.raw<AppError | null>(null);
  isReading = $state(false);
  #found = $state.raw<{ places: string; rows: readonly CheckedRow[] } | null>(null);
  readonly #connectionId: () => string;
  readonly #question = new LastQuestion();
  #asked = '';

  constructor(connectionId: () => string) {
    this.#connectionId = connectionId;
  }

  choose(group: Pick<ProblemGroup, 'source' | 'problem'>): void {
    const key = problemKey(group);
    if (this.chosen === key) return;
    this.chosen = key;
    this.isNarrowed = false;
  }

  /** Shows the rows of this group alone. */
  narrowTo(group: Pick<ProblemGroup, 'source' | 'problem'>): void {
    this.chosen = problemKey(group);
    this.isNarrowed = true;
    this.part = 'problems';
  }

  /** The first rows with problems of these groups, and bad rows of none, each once, in the order of the file. */
  placesOf(groups: readonly ProblemGroup[], badRows: readonly BadRow[]): RowStart[] {
    const shown = this.isNarrowed ? groups.filter((group) => problemKey(group) === this.chosen) : groups;
    const places = new Map(
      shown.flatMap((group) => group.places.map((place) => [place.byteOffset, place] as const)),
    );
    for (const { row, line, byteOffset } of this.isNarrowed ? [] : badRows)
      if (byteOffset !== undefined) places.set(byteOffset, { row, line, byteOffset });
    return [...places.values()]
      .toSorted((one, other) => one.byteOffset - other.byteOffset)
      .slice(0, MOST_CHECKED_ROWS);
  }

  /** The same of bad rows, and of rows that are unusual and not bad. */
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
   * As the check sees the rows at these places; as the check before saw the same ones until they are read; else empty.
   * Reactive.
   */
  of(places: readonly Place[]): readonly CheckedRow[] {
    return this.#found?.places === placesText(places) ? this.#found.rows : [];
  }

  /** Asks once for the same. */
  async read(run: Pick<DryRun, 'dryRunId'>, places: readonly Place[]): Promise<void> {
    const key = keyOf(run, places);
    if (places.length === 0 || (this.#asked === key && this.error === null)) return;
    this.#asked = key;
    const isLast = this.#question.ask();
    this.isReading = true;
    this.error = null;
    try {
      const rows = await client.invoke('uploads:check-rows', {
        connectionId: this.#connectionId(),
        dryRunId: run.dryRunId,
        places: places
          .slice(0, MOST_CHECKED_ROWS)
          .map(({ row = 0, line, byteOffset }) => ({ row, line, byteOffset })),
      });
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

/** What is wrong in a row, by the column of the file. */
export function marksByColumn({ marks }: Pick<CheckedRow, 'marks'>): Map<string, CellMark> {
  return new Map(marks.map((mark) => [mark.source, mark]));
}
