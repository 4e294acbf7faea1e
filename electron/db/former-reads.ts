/**
 * Finds out which records are stored only as they were read before a moment, e.g. at a former address. All lists and
 * records are looked through once for all asked ids, in small steps, so that other tasks can run in between.
 */
import type { Clock } from '../core/ports.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { hashOf, prepareBlocks } from './row-places.ts';

export interface FormerReads {
  /**
   * The first id whose record is stored but was not read in the given time, or null. Ids without a stored record do
   * not count. `sinceMs` and `untilMs`: wall times.
   */
  notReadSince(ids: readonly string[], sinceMs: number, untilMs: number): Promise<string | null>;
}

/** Number of stored queries, or of rows without a place, that are read in one step. */
const ROWS_AT_ONCE = 200;
const IDS_AT_ONCE = 1_000;

const generationRow = z.object({ id: z.int(), oldest_ms: z.number(), returned_to: z.int() });
const pathPart = z.tuple([z.union([z.int(), z.string()]), z.number(), z.unknown()]);
const placed = z.tuple([z.int(), z.string().nullable()]);
type PathPart = z.infer<typeof pathPart>;
type Placed = z.infer<typeof placed>;

/** The path of a query, one row for each part; one row without a value for an empty path. */
const PATH_PARTS = "LEFT JOIN json_each(iif(json_valid(query), query, '{}'), '$.path') AS part";

export function createFormerReads(db: Database, clock: Clock): FormerReads {
  // Almost no connection has a former address.
  let prepared: ReturnType<typeof prepareStatements> | null = null;
  return {
    notReadSince: async (ids, sinceMs, untilMs) => {
      prepared ??= prepareStatements(db);
      const isSince = (timeMs: number) => timeMs >= sinceMs && timeMs <= untilMs;
      const slicer = new TimeSlicer(clock);
      const asked = new Asked();
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
        asked.add(ids.slice(from, from + IDS_AT_ONCE));
        await slicer.pause();
      }
      await lookInPaths(prepared, asked, isSince, slicer);
      await lookInRows(prepared, asked, isSince, slicer);
      return ids.find((id) => asked.isFormer(id)) ?? null;
    },
  };
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(db: Database) {
  const pathsOf = (from: string, key: string, timeMs: string, where: string) =>
    db
      .prepare(
        `SELECT found.key, found.time_ms, part.value FROM
           (SELECT ${key} AS key, ${timeMs} AS time_ms, query FROM ${from}
            WHERE ${key} > ? AND ${where} ORDER BY ${key} LIMIT ${ROWS_AT_ONCE}) AS found
         ${PATH_PARTS} ORDER BY found.key`,
      )
      .raw();
  return {
    paths: [
      {
        first: 0,
        read: pathsOf(
          'generation CROSS JOIN list ON list.id = list_id',
          'generation.id',
          'oldest_ms',
          'is_discarded = 0 AND oldest_ms IS NOT NULL',
        ),
      },
      { first: '', read: pathsOf('record', 'record_key', 'fetched_at_ms', 'TRUE') },
    ],
    // Rows at the end of a reading of a kept list can come from the reading before.
    generations: db.prepare(`
      SELECT id, oldest_ms, coalesce((SELECT max(position) + 1 FROM list_row WHERE generation_id = generation.id), 0)
        - carried_count AS returned_to
      FROM generation WHERE is_discarded = 0 AND oldest_ms IS NOT NULL ORDER BY oldest_ms DESC`),
    blocks: prepareBlocks(db),
    identityAt: db.prepare('SELECT identity FROM list_row WHERE generation_id = ? AND position = ?').pluck(),
    rowsFrom: db
      .prepare(
        `SELECT position, identity FROM list_row WHERE generation_id = ? AND position >= ? ORDER BY position LIMIT ${ROWS_AT_ONCE}`,
      )
      .raw(),
  };
}

/** The asked ids that were not found as read in the given time. */
class Asked {
  /** Whether the id was found at all. */
  readonly #isFormer = new Map<string, boolean>();
  readonly #byHash = new Map<number, string[]>();

  add(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.#isFormer.has(id)) continue;
      this.#isFormer.set(id, false);
      const hash = hashOf(id);
      const others = this.#byHash.get(hash);
      if (others === undefined) this.#byHash.set(hash, [id]);
      else others.push(id);
    }
  }

  get isAnswered(): boolean {
    return this.#isFormer.size === 0;
  }

  isFormer(id: string): boolean {
    return this.#isFormer.get(id) === true;
  }

  /** Whether a sighting of the id would change anything. */
  concerns(id: string, isSince: boolean): boolean {
    const isFormer = this.#isFormer.get(id);
    return isFormer !== undefined && (isSince || !isFormer);
  }

  note(id: string, isSince: boolean): void {
    if (!this.#isFormer.has(id)) return;
    if (isSince) this.#isFormer.delete(id);
    else this.#isFormer.set(id, true);
  }

  withHash(hash: number): readonly string[] {
    return this.#byHash.get(hash) ?? [];
  }
}

type IsSince = (timeMs: number) => boolean;

async function lookInPaths(
  { paths }: Statements,
  asked: Asked,
  isSince: IsSince,
  slicer: TimeSlicer,
): Promise<void> {
  for (const { first, read } of paths) {
    for (let after: string | number | null = first; after !== null && !asked.isAnswered; ) {
      const parts: PathPart[] = read.all(after).map((row) => parseRow(pathPart, row, 'path of a query'));
      for (const [, timeMs, value] of parts)
        if (typeof value === 'string') asked.note(value, isSince(timeMs));
      after = parts.at(-1)?.[0] ?? null;
      await slicer.pause();
    }
  }
}

async function lookInRows(
  statements: Statements,
  asked: Asked,
  isSince: IsSince,
  slicer: TimeSlicer,
): Promise<void> {
  const generations = statements.generations
    .all()
    .map((row) => parseRow(generationRow, row, 'reading of a list'));
  // The readings since then are first, because an id that they have needs no further look.
  const [since, before] = [true, false].map((is) =>
    generations.filter((each) => isSince(each.oldest_ms) === is),
  );
  for (const { id, oldest_ms, returned_to } of [...(since ?? []), ...(before ?? [])]) {
    if (asked.isAnswered) return;
    const isRead = isSince(oldest_ms);
    const reads = (position: number) => isRead && position < returned_to;
    if (await lookInPlaces(statements, id, asked, reads, slicer)) continue;
    await lookInEachRow(statements, id, asked, reads, slicer);
  }
}

/** False if the reading has no places, as in stores of earlier versions. */
async function lookInPlaces(
  { blocks, identityAt }: Statements,
  generationId: number,
  asked: Asked,
  reads: (position: number) => boolean,
  slicer: TimeSlicer,
): Promise<boolean> {
  for (let after = 0; ; ) {
    const [block] = blocks(generationId, after, 1);
    if (block === undefined) return after > 0;
    for (const [at, hash] of block.hashes.entries()) {
      for (const id of asked.withHash(hash)) {
        const position = block.from + at;
        const isSince = reads(position);
        if (asked.concerns(id, isSince) && identityAt.get(generationId, position) === id)
          asked.note(id, isSince);
      }
    }
    after = block.id;
    await slicer.pause();
  }
}

async function lookInEachRow(
  { rowsFrom }: Statements,
  generationId: number,
  asked: Asked,
  reads: (position: number) => boolean,
  slicer: TimeSlicer,
): Promise<void> {
  for (let from: number | null = 0; from !== null; ) {
    const rows: Placed[] = rowsFrom.all(generationId, from).map((row) => parseRow(placed, row, 'list row'));
    for (const [position, identity] of rows) if (identity !== null) asked.note(identity, reads(position));
    const last = rows.at(-1);
    from = last === undefined ? null : last[0] + 1;
    await slicer.pause();
  }
}
