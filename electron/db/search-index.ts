/**
 * The search index of a connection: a thread reads `library.db` and writes `search.db`. It processes the changes noted
 * by the library, some rows at a time, and resumes after an interruption.
 */

import type { Clock, Logger } from '../core/ports.ts';
import { damageOf, readable } from '../core/readable.ts';
import { documentOf, kindOf, STORED_KINDS, type StoredKind, searchedText } from '../core/search/documents.ts';
import { foldForSearch } from '../core/search/fold.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { type ListQuery, listQuery } from '../shared/model.ts';
import { parseRecord } from '../shared/record-parts.ts';
import * as z from '../shared/zod.ts';
import type { ChangedRange } from './changed-ranges.ts';
import { WHOLE_RECORD } from './list-reads.ts';
import { onlyReads } from './only-reads.ts';
import { type Database, isUnwritable, parseRow } from './open.ts';
import { openFile, openToRead } from './open-file.ts';
import { json } from './row-parts.ts';
import { ALL_POSITIONS } from './search-changes.ts';
import { MAX_IN_MEMORY, openIndex, openInMemory, removeIndex } from './search-file.ts';
import { recordHash } from './search-identity.ts';
import { createSearchReads, type SearchReads } from './search-reads.ts';
import { WordWriter } from './search-words.ts';

export interface SearchIndex extends SearchReads {
  /**
   * Processes some changes, about `mostChars` of text; false if nothing is left to do. Steps are committed together,
   * after a second and a half or when nothing is left. A crash loses uncommitted steps, which are then done again. No
   * other process can write the index before the commit.
   */
  step(mostChars: number): boolean;
  /** Commits the steps so far, so that other processes can see them and write. Call it before a pause. */
  commit(): void;
  /** Whether this process currently keeps other processes from writing. */
  readonly isHeld: boolean;
  /** Like `step`, but commits at once and does not wait for other writers; null if the index cannot be written now. */
  stepNow(mostChars: number): boolean | null;
  /** Number of stored rows that are not in the index yet. */
  rowsLeft(): number;
  /**
   * Whether the remaining rows will never be indexed, because this process only reads and they exceed its memory limit.
   */
  readonly isFixed: boolean;
  /** Number of the last change that the library can delete. */
  takenOver(): number;
  /** Checkpoints the library's write-ahead log, so that the main thread need not wait for the disk. */
  checkpointLibrary(): void;
  close(): void;
}

interface IndexOptions {
  libraryFile: string;
  indexFile: string;
  clock: Clock;
  logger: Logger;
  /** Overrides the limit in tests. */
  leastGone?: number;
}

const MAX_ROWS = 2_000;
/**
 * Length of a transaction. Words have no order in the index, so in short transactions nearly every row would write
 * separate pages. Other processes wait for five seconds at most.
 */
const MAX_HELD_MS = 1_500;
const MAX_GONE = 1_000;
/**
 * Maximum attempts to copy an index that other processes keep updating; after that, everything is read from the
 * library.
 */
const MAX_COPIES = 3;
/** Cost of a row in addition to its text, in characters of text. */
const CHARS_A_ROW = 60;
const BUSY_TIMEOUT_MS = 10_000;
/**
 * A kind is indexed again after this many rows were removed, if these are more than its remaining rows, because words
 * without rows take up space.
 */
const MIN_GONE = 100_000;

const change = z.object({
  seq: z.int(),
  generation_id: z.int(),
  from_position: z.int(),
  to_position: z.number(),
});
const todo = z.object({
  id: z.int(),
  generation_id: z.int(),
  from_position: z.int(),
  to_position: z.number(),
});
const source = z.object({ generation_id: z.int(), kind: z.enum(STORED_KINDS) });
const reading = z.object({ id: z.int(), query: json(listQuery) });
const stored = z.tuple([z.int(), z.string().nullable(), z.string()]);
const count = z.int();
const extent = z.object({ row_count: z.int(), gone_count: z.int() });

/**
 * Another process has indexed changes in the file and deleted their entries, so the copy in memory cannot be updated.
 */
class ChangesMissed extends Error {}

/**
 * Opens the index, and rebuilds it if it is damaged or of another version, immediately or when that is noticed. Throws
 * STORE_FAILED, DISK_FULL.
 */
export function openSearchIndex(options: IndexOptions): SearchIndex {
  const library = openToRead(options.libraryFile, 'copy');
  let hasUsableFile = true;
  const build = (usesFile: boolean) => {
    const index = onlyReads() ? openInMemory(options, usesFile) : openIndex(options);
    const writer = new IndexWriter(library, index, options.clock, options.leastGone ?? MIN_GONE);
    return { index, writer, reads: createSearchReads(library, index, options.clock) };
  };
  try {
    let parts = build(hasUsableFile);
    // A separate connection, because read-only connections cannot make checkpoints.
    let checkpoints: Database | null = null;
    let hasRebuiltPages = false;
    let copiesLeft = MAX_COPIES;
    /** Rebuilds a damaged index and repeats the work. Everything in the index can be read again from the library. */
    const guarded = <T>(work: (now: typeof parts) => T): T => {
      try {
        const result = work(parts);
        copiesLeft = MAX_COPIES;
        return result;
      } catch (problem) {
        if (problem instanceof ChangesMissed) {
          parts.index.close();
          // The file contains the changes whose entries were deleted, unless it was removed or replaced.
          parts = build(hasUsableFile && copiesLeft > 0);
          copiesLeft -= 1;
          return guarded(work);
        }
        const damage = damageOf(toAppError(problem));
        if (damage === null) throw problem;
        // SQLite does not say which file has the damaged page. If it is in the library, a new index does not help.
        if (damage !== problem) {
          if (hasRebuiltPages) throw damage;
          hasRebuiltPages = true;
        }
        parts.index.close();
        hasUsableFile = false;
        if (!onlyReads()) removeIndex(options, damage);
        parts = build(hasUsableFile);
        return damage === problem ? work(parts) : guarded(work);
      }
    };
    return {
      find: (request, mostMs, isStopped) =>
        guarded(({ reads, writer }) => {
          // Rows with noted changes must not be found by their old text.
          writer.takeOver();
          return reads.find(request, mostMs, isStopped, writer.pending());
        }),
      step: (mostChars) => guarded(({ writer }) => writer.step(mostChars)),
      stepNow: (mostChars) =>
        guarded(({ writer }) =>
          writer.ifWritable(() => {
            const isGoing = writer.step(mostChars);
            writer.commit();
            return isGoing;
          }),
        ),
      commit: () => guarded(({ writer }) => writer.commit()),
      get isHeld() {
        return parts.index.inTransaction;
      },
      get isFixed() {
        return (
          onlyReads() &&
          guarded(({ index, writer }) => index.readonly || writer.rowsLeft() > MAX_IN_MEMORY.rows)
        );
      },
      rowsLeft: () => guarded(({ writer }) => writer.rowsLeft()),
      takenOver: () => guarded(({ writer }) => writer.takenOver()),
      checkpointLibrary: () => {
        if (onlyReads()) return;
        checkpoints ??= openFile(options.libraryFile, 'copy', { timeoutMs: BUSY_TIMEOUT_MS });
        checkpoints.pragma('wal_checkpoint(PASSIVE)');
      },
      close: () => {
        try {
          parts.writer.commit();
        } finally {
          parts.index.close();
          library.close();
          checkpoints?.close();
        }
      },
    };
  } catch (problem) {
    library.close();
    throw problem;
  }
}

class IndexWriter {
  readonly #library: Database;
  readonly #index: Database;
  readonly #leastGone: number;
  readonly #kinds = new Map<StoredKind, ReturnType<typeof prepareKind>>();
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #writes: ReturnType<typeof prepareWrites>;
  /** Data version of the library for which no more generations had to be dropped. */
  #checkedVersion: unknown = null;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** Time at which the open transaction began. */
  #heldSinceMs = 0;

  constructor(library: Database, index: Database, clock: Pick<Clock, 'monotonicMs'>, leastGone: number) {
    this.#library = library;
    this.#index = index;
    this.#clock = clock;
    this.#leastGone = leastGone;
    this.#reads = prepareReads(library);
    this.#writes = prepareWrites(index);
  }

  step(mostChars: number): boolean {
    try {
      if (!this.#index.inTransaction) {
        this.#index.exec('BEGIN IMMEDIATE');
        this.#heldSinceMs = this.#clock.monotonicMs();
      }
      this.#takeOver();
      const isGoing = this.#dropGone() || this.#indexNext(mostChars);
      if (!isGoing || this.#clock.monotonicMs() - this.#heldSinceMs >= MAX_HELD_MS) this.commit();
      if (!isGoing) this.#index.pragma('shrink_memory');
      return isGoing;
    } catch (problem) {
      if (this.#index.inTransaction) this.#index.exec('ROLLBACK');
      this.#checkedVersion = null;
      // The cache contains numbers of words that the rollback has removed.
      this.#kinds.clear();
      throw problem;
    }
  }

  commit(): void {
    if (this.#index.inTransaction) this.#index.exec('COMMIT');
  }

  /**
   * Takes over the noted changes of the library if there are new ones; changes that cannot be written now stay pending.
   */
  takeOver(): void {
    if (this.takenOver() === parseRow(count, this.#reads.lastSeq.get(), 'search change')) return;
    this.ifWritable(() => this.#index.transaction(() => this.#takeOver()).immediate());
  }

  /** Runs `write` without waiting for other writers; null if the index cannot be written now. */
  ifWritable<T>(write: () => T): T | null {
    const waitMs = this.#index.pragma('busy_timeout', { simple: true });
    try {
      this.#index.pragma('busy_timeout = 0');
      return write();
    } catch (problem) {
      if (!isUnwritable(problem)) throw problem;
      return null;
    } finally {
      this.#index.pragma(`busy_timeout = ${waitMs}`);
    }
  }

  /** Changes that could not be taken over yet. */
  pending(): ChangedRange[] {
    const seq = this.takenOver();
    const rows = seq < 0 ? [] : this.#reads.changes.all(seq);
    return readable(rows, (row) => parseRow(change, row, 'change')).map(
      ({ generation_id: id, from_position: from, to_position: to }) => [id, from, to],
    );
  }

  rowsLeft(): number {
    this.takeOver();
    const pending = this.pending().reduce((sum, range) => sum + this.#rowsOf(range), 0);
    return parseRow(count, this.#writes.rowsLeft.get(), 'search index') + pending;
  }

  takenOver(): number {
    return parseRow(count, this.#writes.seq.get(), 'search index');
  }

  /** Turns the noted changes of the library into tasks; the first time, everything in the library. */
  #takeOver(): void {
    const seq = this.takenOver();
    // Reads one snapshot; later changes have higher numbers and are processed next time.
    const { changes, readings, first, last } = this.#library.transaction(() => ({
      changes: this.#reads.changes.all(seq),
      readings: seq < 0 ? this.#reads.readings.all() : [],
      first: this.#reads.firstSeq.get(seq),
      last: parseRow(count, this.#reads.lastSeq.get(), 'search change'),
    }))();
    if (onlyReads() && seq >= 0 && last > seq && first !== seq + 1) throw new ChangesMissed();
    for (const { id } of readable(readings, (row) => parseRow(reading, row, 'list')))
      this.#add(id, 0, ALL_POSITIONS);
    if (seq >= 0) {
      for (const each of readable(changes, (row) => parseRow(change, row, 'change')))
        this.#add(each.generation_id, each.from_position, each.to_position);
    }
    if (seq > last) throw new AppError('STORE_DAMAGED', 'The search index is ahead of the stored lists.');
    if (last > seq) this.#writes.setSeq.run(last);
  }

  #add(generationId: number, from: number, to: number): void {
    this.#writes.addTodo.run(generationId, from, to, this.#rowsOf([generationId, from, to]));
  }

  #rowsOf([generationId, from, to]: ChangedRange): number {
    const end = parseRow(count, this.#reads.end.get(generationId), 'list');
    return Math.max(0, Math.min(to, end) - from);
  }

  /** Removes rows of discarded or missing generations, some at a time. */
  #dropGone(): boolean {
    const version = this.#library.pragma('data_version', { simple: true });
    if (version === this.#checkedVersion) return false;
    for (const row of this.#writes.sources.all()) {
      const { generation_id: id, kind } = parseRow(source, row, 'search index');
      if (this.#reads.alive.get(id) !== undefined) continue;
      const gone = this.#drop(kind, id, [0, ALL_POSITIONS], MAX_GONE);
      if (gone < MAX_GONE) this.#writes.dropSource.run(id);
      this.#renewWorn(kind);
      return true;
    }
    this.#checkedVersion = version;
    return false;
  }

  /** Removes rows from the index and returns their number; a negative `most` means all. */
  #drop(kind: StoredKind, generationId: number, [from, to]: readonly [number, number], most: number): number {
    const { idsOf, deleteDoc, deleteText } = this.#kind(kind);
    const ids = idsOf.all(generationId, from, to, most);
    for (const docId of ids) {
      deleteText.run(docId);
      deleteDoc.run(docId);
    }
    this.#writes.addExtent.run(-ids.length, ids.length, kind);
    return ids.length;
  }

  /** Indexes a kind again from time to time, because words are not deleted with the last row that has them. */
  #renewWorn(kind: StoredKind): void {
    const { row_count: rows, gone_count: gone } = parseRow(
      extent,
      this.#writes.extent.get(kind),
      'search index',
    );
    if (gone < Math.max(rows, this.#leastGone)) return;
    for (const part of ['letters', 'text'])
      this.#index.exec(`INSERT INTO ${part}_${kind} (${part}_${kind}) VALUES ('delete-all')`);
    this.#index.exec(`DELETE FROM word_${kind}; DELETE FROM doc_${kind}`);
    this.#kinds.delete(kind);
    this.#writes.addExtent.run(-rows, -gone, kind);
    for (const row of this.#writes.sources.all()) {
      const read = parseRow(source, row, 'search index');
      if (read.kind === kind) this.#add(read.generation_id, 0, ALL_POSITIONS);
    }
  }

  #indexNext(mostChars: number): boolean {
    const row = this.#writes.nextTodo.get();
    if (row === undefined) return false;
    const {
      id,
      generation_id: generationId,
      from_position: from,
      to_position: to,
    } = parseRow(todo, row, 'search index');
    const query = this.#queryOf(generationId);
    const kind = query === null ? null : kindOf(query.operation);
    if (query === null || kind === null) {
      this.#writes.dropTodo.run(id);
      return true;
    }
    const { next, rows } = this.#indexRange(kind, query, generationId, [from, to], mostChars);
    if (next >= to) this.#writes.dropTodo.run(id);
    else this.#writes.moveTodo.run(next, rows, id);
    this.#renewWorn(kind);
    return true;
  }

  #queryOf(generationId: number): ListQuery | null {
    const row = this.#reads.alive.get(generationId);
    if (row === undefined) return null;
    // A list whose query cannot be read is not indexed.
    return readable([row], (each) => parseRow(reading, each, 'list').query)[0] ?? null;
  }

  /** Indexes rows of a range; returns the end of the indexed part, and its number of rows. */
  #indexRange(
    kind: StoredKind,
    query: ListQuery,
    generationId: number,
    [from, to]: readonly [number, number],
    mostChars: number,
  ): { next: number; rows: number } {
    const { words, insertDoc, insertText } = this.#kind(kind);
    const documents: { position: number; identity: string | null; json: string }[] = [];
    let chars = 0;
    let next = to;
    for (const row of this.#reads.rows.iterate(generationId, from, to)) {
      const [read] = readable([row], (each) => parseRow(stored, each, 'list row'));
      if (read === undefined) continue;
      const [position, identity, json] = read;
      if (chars >= mostChars || documents.length >= MAX_ROWS) {
        next = position;
        break;
      }
      chars += json.length + CHARS_A_ROW;
      documents.push({ position, identity, json });
    }
    this.#drop(kind, generationId, [from, next], -1);
    this.#writes.addSource.run(generationId, kind);
    for (const { position, identity, json } of documents) {
      const record = parseRecord(json);
      const same = recordHash(query, record, identity);
      const { title, fields, atMs, applicationId } = documentOf(kind, query, record);
      const folded = foldForSearch(title);
      const { lastInsertRowid } = insertDoc.run(generationId, position, folded, atMs, applicationId, same);
      insertText.run(lastInsertRowid, words.numbersOf(searchedText(fields)));
    }
    this.#writes.addExtent.run(documents.length, 0, kind);
    return { next, rows: documents.length };
  }

  #kind(kind: StoredKind): ReturnType<typeof prepareKind> {
    const known = this.#kinds.get(kind) ?? prepareKind(this.#index, kind);
    this.#kinds.set(kind, known);
    return known;
  }
}

function prepareReads(library: Database) {
  const alive = 'SELECT generation.id, list.query FROM generation JOIN list ON list.id = list_id';
  return {
    changes: library.prepare('SELECT * FROM search_change WHERE seq > ? ORDER BY seq'),
    firstSeq: library.prepare('SELECT min(seq) FROM search_change WHERE seq > ?').pluck(),
    lastSeq: library
      .prepare("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'search_change'), 0)")
      .pluck(),
    readings: library.prepare(`${alive} WHERE is_discarded = 0`),
    alive: library.prepare(`${alive} WHERE generation.id = ? AND is_discarded = 0`),
    end: library
      .prepare('SELECT coalesce(max(position) + 1, 0) FROM list_row WHERE generation_id = ?')
      .pluck(),
    rows: library
      .prepare(
        `SELECT position, identity, ${WHOLE_RECORD} FROM list_row WHERE generation_id = ? AND position >= ? AND position < ? ORDER BY position`,
      )
      .raw(),
  };
}

function prepareWrites(index: Database) {
  return {
    seq: index.prepare('SELECT seq FROM progress').pluck(),
    setSeq: index.prepare('UPDATE progress SET seq = ?'),
    sources: index.prepare('SELECT generation_id, kind FROM source'),
    addSource: index.prepare('INSERT OR IGNORE INTO source (generation_id, kind) VALUES (?, ?)'),
    dropSource: index.prepare('DELETE FROM source WHERE generation_id = ?'),
    extent: index.prepare('SELECT row_count, gone_count FROM extent WHERE kind = ?'),
    addExtent: index.prepare(
      'UPDATE extent SET row_count = row_count + ?, gone_count = gone_count + ? WHERE kind = ?',
    ),
    addTodo: index.prepare(
      'INSERT INTO todo (generation_id, from_position, to_position, row_count) VALUES (?, ?, ?, ?)',
    ),
    nextTodo: index.prepare('SELECT * FROM todo ORDER BY id LIMIT 1'),
    moveTodo: index.prepare(
      'UPDATE todo SET from_position = ?, row_count = max(0, row_count - ?) WHERE id = ?',
    ),
    dropTodo: index.prepare('DELETE FROM todo WHERE id = ?'),
    rowsLeft: index.prepare('SELECT coalesce(sum(row_count), 0) FROM todo').pluck(),
  };
}

function prepareKind(index: Database, kind: StoredKind) {
  return {
    words: new WordWriter(index, kind),
    idsOf: index
      .prepare(
        `SELECT id FROM doc_${kind} WHERE generation_id = ? AND position >= ? AND position < ? LIMIT ?`,
      )
      .pluck(),
    insertDoc: index.prepare(
      `INSERT INTO doc_${kind} (generation_id, position, title, at_ms, application_id, same) VALUES (?, ?, ?, ?, ?, ?)`,
    ),
    deleteDoc: index.prepare(`DELETE FROM doc_${kind} WHERE id = ?`),
    insertText: index.prepare(`INSERT INTO text_${kind} (rowid, words) VALUES (?, ?)`),
    deleteText: index.prepare(`DELETE FROM text_${kind} WHERE rowid = ?`),
  };
}
