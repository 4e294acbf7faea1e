/** Brings the files of one table of a mirror up to date, with one or two processes that end when the table is done. */
import type { Clock } from '../core/ports.ts';
import type { StartChild } from '../platform/child-process.ts';
import { detached } from '../shared/detached.ts';
import { AppError } from '../shared/errors.ts';
import { mirrorFolderError } from '../shared/mirror-errors.ts';
import type { MirrorColumn, MirrorPart, MirrorTable } from '../shared/mirror-model.ts';
import { isDiskFull } from './analysis-client.ts';
import { AnalysisLink, EngineFailure } from './analysis-link.ts';
import { isStoreDamage } from './file-damage.ts';
import { type CountedRows, commonColumns, mergeCounts, pathKey, shapeOf } from './mirror-columns.ts';
import type { MirrorSegment, MirrorSource } from './mirror-segments.ts';

interface MirroredTable {
  source: MirrorSource;
  /** Patterns of fields whose values are masked. */
  maskedFields: readonly string[];
  /** The folder of the table's files. */
  folder: string;
  /** Files that exist, with their digests. Files with other columns are written again. */
  parts: readonly MirrorPart[];
  /** The table with its columns in the last catalog; null if it is new. */
  before: MirrorTable | null;
}

interface Progress {
  onPlanned(rows: number): void;
  /** `rows`: number of rows written since the last call. */
  onRows(rows: number): void;
  /** Called with new files, so that they are not written again after an interruption. */
  onParts(parts: readonly MirrorPart[]): void;
}

export type MirrorTableWriter = ReturnType<typeof createMirrorWriter>;

/** Minimum number of rows for two processes. Fewer rows are read and written by one. */
const ROWS_FOR_TWO = 20_000;
/**
 * Idle time after which a process ends. It is long, because one process may have nothing to do while the other one
 * writes.
 */
const IDLE_MS = 3_600_000;
/** Number of segments written in one request, whose files are then recorded together. */
const SEGMENTS_AT_ONCE = 4;
/**
 * Maximum number of attempts. Rows may change while they are written, because a list is being read or because a full
 * log drops its oldest row with each request.
 */
const MAX_TRIES = { union: 5, kept: 40 } as const satisfies Record<MirrorSource['form'], number>;

/**
 * Aborting the signal ends the processes. Rejects with CANCELLED, DISK_FULL, STORE_DAMAGED, CONFLICT if the table
 * changed during every attempt.
 */
export function createMirrorWriter({ startChild, clock }: { startChild: StartChild; clock: Clock }) {
  return async (
    table: MirroredTable,
    signal: AbortSignal,
    progress: Progress,
  ): Promise<Omit<MirrorTable, 'key'>> => {
    const link = () => new AnalysisLink({ startChild, clock, idleMs: IDLE_MS });
    const links = [link(), link()] as const;
    const end = () => Promise.all(links.map((link) => link.end()));
    const stop = () => detached('stopping a mirror', end());
    const cancelled = () => new AppError('CANCELLED', 'The mirror was stopped.');
    signal.addEventListener('abort', stop);
    const work = new TableWork(table, links, progress);
    try {
      for (let tries = 0; tries < MAX_TRIES[table.source.form]; tries += 1) {
        if (signal.aborted) throw cancelled();
        const written = await work.bringUpToDate();
        if (written !== null) return written;
      }
      throw new AppError(
        'CONFLICT',
        'This table changed again and again while it was written, because its lists are being read. Resume once they are.',
      );
    } catch (problem) {
      if (signal.aborted) throw cancelled();
      throw problem instanceof EngineFailure ? mirrorError(problem) : problem;
    } finally {
      signal.removeEventListener('abort', stop);
      await end();
    }
  };
}

class TableWork {
  readonly #table: MirroredTable;
  readonly #links: readonly AnalysisLink[];
  readonly #first: AnalysisLink;
  readonly #progress: Progress;
  /** Files by digest. */
  readonly #parts = new Map<string, MirrorPart>();
  /** Columns by shape. */
  readonly #columns = new Map<string, MirrorColumn[]>();
  #sample: CountedRows | null = null;

  constructor(table: MirroredTable, links: readonly [AnalysisLink, AnalysisLink], progress: Progress) {
    this.#table = table;
    this.#links = links;
    this.#first = links[0];
    this.#progress = progress;
    for (const part of table.parts) this.#parts.set(part.digest, part);
    const shape = table.before?.parts.at(0)?.shape;
    if (table.before !== null && shape !== undefined) this.#columns.set(shape, table.before.columns);
  }

  /** Null if rows changed meanwhile. */
  async bringUpToDate(): Promise<Omit<MirrorTable, 'key'> | null> {
    const segments = await this.#segments();
    if (segments === null) return null;
    this.#progress.onPlanned(segments.reduce((sum, { rows }) => sum + rows, 0));
    const missing = segments.filter(({ digest }) => !this.#parts.has(digest));
    const there = segments.filter(({ digest }) => this.#parts.has(digest));
    this.#progress.onRows(there.reduce((sum, { rows }) => sum + rows, 0));
    if (there.length === 0 && this.#sample === null) {
      const bounds = segments.map(({ digest: _, ...each }) => each);
      this.#sample = await this.#first.call('mirror-sample', this.#asked(bounds));
      if (this.#sample === null) return null;
    }
    const order = this.#table.before?.order ?? this.#orderOfSample();
    if (!(await this.#write(missing, order, this.#counted(segments)))) return null;
    const counted = this.#counted(segments);
    const common = commonColumns(counted, order);
    const shape = shapeOf(common);
    const others = segments.filter(
      ({ digest }, at) => this.#parts.get(digest)?.shape !== shape || (at === 0 && !this.#columns.has(shape)),
    );
    if (!(await this.#write(others, common.map(pathKey), counted))) return null;
    return {
      order: common.map(pathKey),
      columns: this.#columns.get(shape) ?? [],
      parts: segments.flatMap(({ digest }) => this.#parts.get(digest) ?? []),
    };
  }

  #asked<S>(segments: readonly S[]) {
    const { source, maskedFields } = this.#table;
    return { source, maskedFields: [...maskedFields], segments: [...segments] };
  }

  /** Plans the segments. Each process hashes the rows of half of them. */
  async #segments(): Promise<MirrorSegment[] | null> {
    const { segments: _, ...asked } = this.#asked([]);
    const { source } = this.#table;
    const mostRows =
      source.form === 'kept' ? 0 : source.parts.reduce((sum, { rowCount }) => sum + rowCount, 0);
    // Started in advance, because starting a process takes longer than planning.
    if (mostRows >= ROWS_FOR_TWO) for (const link of this.#links) link.start();
    const planned = await this.#first.call('mirror-plan', asked);
    if (planned === null) return null;
    const known = planned.segments.flatMap(({ digest, ...each }) =>
      digest === null ? [] : { ...each, digest },
    );
    const open = planned.segments.flatMap(({ digest, ...each }) => (digest === null ? each : []));
    const rows = open.reduce((sum, each) => sum + each.rows, 0);
    const half = rows < ROWS_FOR_TWO ? open.length : Math.ceil(open.length / 2);
    const halves = [open.slice(0, half), open.slice(half)];
    const hashed = await Promise.all(
      halves.map(async (some, at) => {
        const link = this.#links[at];
        if (some.length === 0 || link === undefined) return [];
        const found = await link.call('mirror-digests', this.#asked(some));
        return found === null
          ? null
          : some.map((each, index) => ({ ...each, ...(found.segments[index] ?? { digest: '' }) }));
      }),
    );
    if (hashed.includes(null)) return null;
    return [...known, ...hashed.flatMap((some) => some ?? [])].filter((segment) => segment.rows > 0);
  }

  #orderOfSample(): string[] {
    return this.#sample === null ? [] : commonColumns(this.#sample, []).map(pathKey);
  }

  /** Counts of the fields in all these segments; before the first file, those of the sample. */
  #counted(segments: readonly MirrorSegment[]): CountedRows {
    const parts = segments.flatMap(({ digest }) => this.#parts.get(digest) ?? []);
    return mergeCounts([...(parts.length === 0 && this.#sample !== null ? [this.#sample] : []), ...parts]);
  }

  /** Returns false if rows changed meanwhile. */
  async #write(
    segments: readonly MirrorSegment[],
    order: readonly string[],
    known: CountedRows,
  ): Promise<boolean> {
    const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
    // A local table is read by one process, from the first row to the last.
    const isOneWork = rows < ROWS_FOR_TWO || this.#table.source.form === 'kept';
    // Equal segments have one file in common.
    const queue = [...new Map(segments.map((segment) => [segment.digest, segment])).values()];
    const atOnce =
      this.#table.source.form === 'kept'
        ? queue.length
        : Math.min(SEGMENTS_AT_ONCE, Math.ceil(queue.length / this.#links.length));
    let isWhole = true;
    let merged = known;
    const work = async (link: AnalysisLink): Promise<void> => {
      for (;;) {
        const next = queue.splice(0, atOnce);
        if (next.length === 0 || !isWhole) return;
        const { folder } = this.#table;
        let seen = 0;
        const written = await link.call(
          'mirror-write',
          {
            ...this.#asked(next),
            ...{ known: merged, order: [...order], folder },
          },
          (count) => {
            this.#progress.onRows(count - seen);
            seen = count;
          },
        );
        if (written === null) {
          isWhole = false;
          return;
        }
        for (const part of written.parts) this.#parts.set(part.digest, part);
        merged = mergeCounts([merged, ...written.parts]);
        const shape = written.parts.at(-1)?.shape;
        if (shape !== undefined) this.#columns.set(shape, written.columns);
        this.#progress.onParts(written.parts);
      }
    };
    await Promise.all((isOneWork ? this.#links.slice(0, 1) : this.#links).map(work));
    return isWhole;
  }
}

function mirrorError({ message }: EngineFailure): AppError {
  if (isDiskFull(message) || /ENOSPC/.test(message)) return mirrorFolderError('full');
  if (/EACCES|EPERM|EROFS|Permission denied/i.test(message)) return mirrorFolderError('unwritable');
  if (isStoreDamage(message))
    return new AppError(
      'STORE_DAMAGED',
      'A stored row of this table cannot be read. Run health, then resume the mirror.',
      {},
      new Error(message),
    );
  return new AppError('INTERNAL', 'The files of this table could not be written.', {}, new Error(message));
}
