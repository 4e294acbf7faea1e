/**
 * Finds the position of a row by its identity within a generation. Each page adds the hashes of its identities, four
 * bytes for each row, and a lookup scans all of them. Both take equally long for the first and the last page of a long
 * list, whereas an index of the identities would change half of its pages with each page of rows. The hashes of
 * recently used generations stay in memory.
 */
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';

type Identity = string | null;

interface RowPlaces {
  /**
   * Notes the identities of rows in order, the first at position `from`; call it within the transaction that writes the
   * rows.
   */
  note(generationId: number, from: number, identities: readonly Identity[]): void;
  /** The current positions of these identities. */
  of(generationId: number, identities: readonly Identity[]): FoundPlaces;
}

export interface FoundPlaces {
  /** Whether no row of the generation has any of the identities. */
  readonly hasNone: boolean;
  /** Current position of the row; null if there is none. */
  positionOf(identity: Identity): number | null;
  /** Notes a row that was written after the lookup. */
  put(identity: Identity, position: number): void;
}

/** Maximum number of rows whose hashes share one row of the table. */
const BLOCK_ROWS = 1_000;
const HASH_BYTES = 4;
const NO_IDENTITY = 0;
/** Size in bits of a Bloom filter, a power of two. The filter skips most blocks without a match with one lookup. */
const FILTER_BITS = 65_536;

/**
 * Number of generations that are usually written at the same time, such as a list kept for offline use and a list in a
 * view.
 */
const MAX_IN_MEMORY = 4;

interface Block {
  id: number;
  from: number;
  /** Signed 32-bit numbers, which are the fastest to compare. */
  hashes: Int32Array;
}

const block = z.tuple([z.int(), z.int(), z.instanceof(Uint8Array)]);
const lastBlock = z.object({ id: z.int(), from_position: z.int(), hashes: z.instanceof(Uint8Array) });
const placed = z.tuple([z.int(), z.string().nullable()]);
const end = z.int();

/**
 * FNV-1a hash of the UTF-16 units, signed; 0 only for null. Hashes are stored, so changing the function needs a
 * migration.
 */
export function hashOf(identity: Identity): number {
  if (identity === null) return NO_IDENTITY;
  let hash = 0x811c9dc5;
  for (let at = 0; at < identity.length; at += 1) {
    hash = Math.imul(hash ^ identity.charCodeAt(at), 0x01000193);
  }
  return hash | 0 || 1;
}

export function createRowPlaces(db: Database): RowPlaces {
  const last = db.prepare(
    'SELECT id, from_position, hashes FROM row_place WHERE generation_id = ? ORDER BY id DESC LIMIT 1',
  );
  const extend = db.prepare('UPDATE row_place SET hashes = ? WHERE id = ?');
  const add = db.prepare('INSERT INTO row_place (generation_id, from_position, hashes) VALUES (?, ?, ?)');
  const blocksFrom = db
    .prepare(
      'SELECT id, from_position, hashes FROM row_place WHERE generation_id = ? AND id >= ? ORDER BY id',
    )
    .raw();
  const identityAt = db
    .prepare('SELECT identity FROM list_row WHERE generation_id = ? AND position = ?')
    .pluck();
  const hasSome = db.prepare('SELECT 1 FROM row_place WHERE generation_id = ? LIMIT 1');
  const rowsIn = db
    .prepare(
      'SELECT position, identity FROM list_row WHERE generation_id = ? AND position >= ? AND position < ?',
    )
    .raw();
  const endOf = db
    .prepare('SELECT coalesce(max(position) + 1, 0) FROM list_row WHERE generation_id = ?')
    .pluck();

  const note = (generationId: number, from: number, identities: readonly Identity[]): void => {
    if (identities.length === 0) return;
    const hashes = bytesOf(Int32Array.from(identities, hashOf));
    const row = last.get(generationId);
    const before = row === undefined ? null : parseRow(lastBlock, row, 'row place');
    const known = before === null ? 0 : before.hashes.length / HASH_BYTES;
    if (before !== null && before.from_position + known === from && known + identities.length <= BLOCK_ROWS) {
      extend.run(Buffer.concat([before.hashes, hashes]), before.id);
    } else add.run(generationId, from, hashes);
  };

  /** Notes all rows of a generation from an earlier version or a repaired store, which has no places yet. */
  const noteAll = db.transaction((generationId: number): void => {
    const upTo = parseRow(end, endOf.get(generationId), 'list');
    for (let from = 0; from < upTo; from += BLOCK_ROWS) {
      const identities: Identity[] = Array(Math.min(BLOCK_ROWS, upTo - from)).fill(null);
      for (const row of rowsIn.all(generationId, from, from + BLOCK_ROWS)) {
        const [position, identity] = parseRow(placed, row, 'list row');
        identities[position - from] = identity;
      }
      note(generationId, from, identities);
    }
  });

  const read = (generationId: number, fromId: number): Block[] =>
    blocksFrom.all(generationId, fromId).map((row) => {
      const [id, from, bytes] = parseRow(block, row, 'row place');
      return { id, from, hashes: hashesOf(bytes) };
    });

  const inMemory = new Map<number, Block[]>();
  /**
   * Reads the new blocks of a generation. Another process may also write, but it can only extend the last block and add
   * new ones.
   */
  const blocksOf = (generationId: number): readonly Block[] => {
    const known = inMemory.get(generationId) ?? [];
    const latest = known.at(-1);
    const news = read(generationId, latest?.id ?? 0);
    const isSame = latest === undefined || (news[0]?.id === latest.id && news[0].from === latest.from);
    const blocks = isSame ? [...known.slice(0, -1), ...news] : read(generationId, 0);
    inMemory.delete(generationId);
    inMemory.set(generationId, blocks);
    const [oldest] = inMemory.keys();
    if (inMemory.size > MAX_IN_MEMORY && oldest !== undefined) inMemory.delete(oldest);
    return blocks;
  };

  return {
    note,
    of: (generationId, identities) => {
      if (hasSome.get(generationId) === undefined) noteAll(generationId);
      const wanted = new Map<number, Identity[]>();
      const filter = new Uint8Array(FILTER_BITS / 8);
      for (const identity of identities) {
        if (identity === null) continue;
        const hash = hashOf(identity);
        const bit = hash & (FILTER_BITS - 1);
        filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
        wanted.set(hash, [...(wanted.get(hash) ?? []), identity]);
      }
      const candidates = new Map<string, number[]>();
      const put = (identity: Identity, position: number): void => {
        if (identity !== null) candidates.set(identity, [...(candidates.get(identity) ?? []), position]);
      };
      const isThere = (identity: string, position: number) =>
        identityAt.get(generationId, position) === identity;
      const positionOf = (identity: Identity): number | null =>
        identity === null
          ? null
          : (candidates.get(identity)?.findLast((position) => isThere(identity, position)) ?? null);
      for (const { from, hashes } of blocksOf(generationId)) {
        for (let at = 0; at < hashes.length; at += 1) {
          const hash = hashes[at] ?? NO_IDENTITY;
          const bit = hash & (FILTER_BITS - 1);
          if (((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) continue;
          for (const identity of wanted.get(hash) ?? []) put(identity, from + at);
        }
      }
      const hasNone = [...candidates.keys()].every((identity) => positionOf(identity) === null);
      return { hasNone, positionOf, put };
    },
  };
}

/** Reads up to `limit` blocks of a generation after the block with an id, in the order in which they were noted. */
export function prepareBlocks(db: Database) {
  const blocks = db
    .prepare(
      'SELECT id, from_position, hashes FROM row_place WHERE generation_id = ? AND id > ? ORDER BY id LIMIT ?',
    )
    .raw();
  return (generationId: number, afterId: number, limit: number): Block[] =>
    blocks.all(generationId, afterId, limit).map((row) => {
      const [id, from, bytes] = parseRow(block, row, 'row place');
      return { id, from, hashes: hashesOf(bytes) };
    });
}

/**
 * The noted hashes of a generation by position; 0 for rows without an identity. The hash may be that of a row that was
 * replaced or deleted in the meantime. Null if a position has none, as in lists from packs and from earlier versions.
 */
export function notedHashes(db: Database, generationId: number): Int32Array | null {
  const endOf = db
    .prepare('SELECT coalesce(max(position) + 1, 0) FROM list_row WHERE generation_id = ?')
    .pluck();
  const blocks = db
    .prepare('SELECT id, from_position, hashes FROM row_place WHERE generation_id = ? ORDER BY id')
    .raw();
  const upTo = parseRow(end, endOf.get(generationId), 'list');
  const all = new Int32Array(upTo);
  // Blocks overlap if pages were read ahead, or overlapped at the service; each hash is entered at its position.
  const isNoted = new Uint8Array(upTo);
  for (const row of blocks.iterate(generationId)) {
    const [, from, bytes] = parseRow(block, row, 'row place');
    const hashes = hashesOf(bytes).subarray(0, Math.max(0, upTo - from));
    all.set(hashes, Math.min(from, upTo));
    isNoted.fill(1, from, from + hashes.length);
  }
  return isNoted.includes(0) ? null : all;
}

function bytesOf(hashes: Int32Array): Buffer {
  return Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength);
}

/** Copies the bytes, which may be unaligned in the store. */
function hashesOf(bytes: Uint8Array): Int32Array {
  return new Int32Array(Uint8Array.from(bytes).buffer);
}
