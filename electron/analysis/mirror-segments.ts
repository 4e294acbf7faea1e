/**
 * Divides the rows of a table into segments for the files of a mirror. The content of rows determines where a segment
 * ends, so that adding or removing rows in one place changes only one segment. Runs in the analysis process.
 */
import { createHash, type Hash } from 'node:crypto';
import { keptRows, readKept } from '../db/kept-tables.ts';
import { createListReads, WHOLE_RECORD } from '../db/list-reads.ts';
import type { Database } from '../db/open.ts';
import { openToRead } from '../db/open-file.ts';
import { hashOf, notedHashes } from '../db/row-places.ts';
import { systemClock } from '../platform/system.ts';
import { soundJson } from '../shared/record-parts.ts';
import { recordScopeOf, scopeOfList } from '../shared/record-scope.ts';
import * as z from '../shared/zod.ts';
import { ADDED } from './sql-text.ts';
import { type UnionPart, unionPart } from './union-rows.ts';

/** The rows of a table: the records of several lists, each once, or a local table. */
export const mirrorSource = z.discriminatedUnion('form', [
  z.strictObject({ form: z.literal('union'), libraryFile: z.string(), parts: z.array(unionPart) }),
  z.strictObject({ form: z.literal('kept'), kept: keptRows }),
]);
export type MirrorSource = z.infer<typeof mirrorSource>;

/** A range of neighbouring rows of a list, or of a local table. */
export const mirrorBounds = z.strictObject({
  /** Index of the list; 0 for a local table. */
  part: z.int(),
  from: z.int(),
  /** End of the range, exclusive. */
  to: z.int(),
  /** Number of rows; until the rows were read, an upper bound. */
  rows: z.int(),
  /** Positions of records that another list already contains, in order; null if there are none. */
  without: z.instanceof(Int32Array).nullable(),
});
export type MirrorBounds = z.infer<typeof mirrorBounds>;
export const mirrorSegment = mirrorBounds.extend({ digest: z.string() });
export type MirrorSegment = z.infer<typeof mirrorSegment>;
export type DigestedRows = Pick<MirrorSegment, 'digest' | 'rows'>;

/** Incremented when equal rows are written differently than before. */
const WRITING = 4;
const MIN_ROWS = 8_192;
const MAX_ROWS = 32_768;
/** After the minimum, on average one row in this many ends a segment. */
const ONE_IN = 8_192;
const IDENTITIES_AT_ONCE = 10_000;
/** Number of rows in memory at once. It is small, so that even the longest records fit. */
const ROWS_AT_ONCE = 256;

/**
 * The segments of a table; segments of lists do not have the digests of their rows yet. `rules`: changes whenever the
 * same records are written differently. Throws RowsChanged if the lists were read further meanwhile.
 */
export function planSegments(
  source: MirrorSource,
  rules: string,
): (MirrorBounds & { digest: string | null })[] {
  if (source.form === 'kept') return keptSegments(source.kept, rules);
  return withLists(source, (db) => unionSegments(db, source.parts)).map((each) => ({
    ...each,
    digest: null,
  }));
}

/** The digests and numbers of rows of segments, for which all rows are read. Throws RowsChanged like `planSegments`. */
export function digestsOf(
  source: MirrorSource,
  segments: readonly MirrorBounds[],
  rules: string,
): DigestedRows[] {
  if (source.form === 'kept') return [];
  return withLists(source, (db) => segments.map((each) => digestOf(db, source.parts, each, rules)));
}

/** Reads all lists in one state of the store, and checks that it is the one that the source names. */
function withLists<T>({ libraryFile, parts }: MirrorSource & { form: 'union' }, use: (db: Database) => T): T {
  const db = openToRead(libraryFile, 'copy');
  try {
    db.exec('BEGIN');
    checkRevisions(db, parts);
    return use(db);
  } finally {
    db.close();
  }
}

function checkRevisions(db: Database, parts: readonly UnionPart[]): void {
  const revisionOf = db.prepare('SELECT revision FROM generation WHERE id = ?').pluck();
  for (const { generationId, revision } of parts)
    if (revisionOf.get(generationId) !== revision) throw new RowsChanged();
}

/** The rows of a segment changed since it was planned. */
export class RowsChanged extends Error {}

/** Takes rows one by one, and ends a segment where the content of a row determines it. */
class Cutter {
  readonly segments: MirrorBounds[] = [];
  readonly #part: number;
  #from = 0;
  #rows = 0;
  #without: number[] = [];

  constructor(part: number) {
    this.#part = part;
  }

  /** `content`: the row's identity, or its text. */
  add(position: number, content: string, isLeftOut: boolean): void {
    if (isLeftOut) this.#without.push(position);
    else this.#rows += 1;
    const seen = this.#rows + this.#without.length;
    if (seen === 1) this.#from = position;
    if (seen >= MAX_ROWS || (seen >= MIN_ROWS && isEnd(hashOf(content)))) this.end(position + 1);
  }

  end(to: number): void {
    const without = this.#without.length === 0 ? null : Int32Array.from(this.#without);
    if (this.#rows > 0)
      this.segments.push({ part: this.#part, from: this.#from, to, rows: this.#rows, without });
    this.#rows = 0;
    this.#without = [];
  }
}

/** The hash is mixed, because hashes of similar texts have similar low bits. */
function isEnd(hash: number): boolean {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) % ONE_IN === 0;
}

function unionSegments(db: Database, parts: readonly UnionPart[]): MirrorBounds[] {
  const scopes = parts.map(({ query }) => scopeOfList(query));
  const haveOwnRows = !scopes.includes(null) && new Set(scopes).size === scopes.length;
  const known = new Set<string>();
  return parts.flatMap((part, index) => {
    const isAlone = haveOwnRows || parts.length === 1;
    const hashes = isAlone ? notedHashes(db, part.generationId) : null;
    if (hashes !== null) return hashedSegments(hashes, index);
    const cutter = new Cutter(index);
    let last = -1;
    for (const { position, identity, key } of isAlone ? identities(db, part) : keys(db, part)) {
      const isKnown = key !== null && known.has(key);
      if (key !== null && !isKnown) known.add(key);
      cutter.add(position, identity ?? String(position), isKnown);
      last = position;
    }
    cutter.end(last + 1);
    return cutter.segments;
  });
}

/** The same segments as `Cutter` finds, from stored hashes without reading rows. */
function hashedSegments(hashes: Int32Array, part: number): MirrorBounds[] {
  const segments: MirrorBounds[] = [];
  const endsAt = (position: number): boolean => isEnd(hashes[position] || hashOf(String(position)));
  for (let from = 0; from < hashes.length; ) {
    let last = Math.min(from + MIN_ROWS, hashes.length) - 1;
    const latest = Math.min(from + MAX_ROWS, hashes.length) - 1;
    while (last < latest && !endsAt(last)) last += 1;
    segments.push({ part, from, to: last + 1, rows: last + 1 - from, without: null });
    from = last + 1;
  }
  return segments;
}

interface Keyed {
  position: number;
  identity: string | null;
  /** Key that is equal for the same record in another list; null if no other list is read. */
  key: string | null;
}

function* identities(db: Database, { generationId }: UnionPart): Generator<Keyed> {
  const reads = createListReads(db);
  const joined = db
    .prepare(
      `SELECT count(*), count(identity), min(position), max(position), group_concat(identity, char(31)) FROM (
         SELECT position, identity FROM list_row WHERE generation_id = ? AND position >= ? ORDER BY position LIMIT ?)`,
    )
    .raw();
  for (let from = 0; ; ) {
    const row = joined.get(generationId, from, IDENTITIES_AT_ONCE);
    const [rows, named, first, last, text] = row as [
      number,
      number,
      number | null,
      number | null,
      string | null,
    ];
    if (first === null || last === null) return;
    const together = (text ?? '').split('\u001F');
    if (named === rows && last - first === rows - 1 && together.length === rows) {
      for (const [at, identity] of together.entries()) yield { position: first + at, identity, key: null };
    } else {
      const { positions, texts } = reads.identitiesFrom(generationId, from, IDENTITIES_AT_ONCE);
      for (const [at, position] of positions.entries())
        yield { position, identity: texts[at] ?? null, key: null };
    }
    from = last + 1;
  }
}

/** Rows without an identity are the same record if they are equal, as in `readUnion`. */
function* keys(db: Database, part: UnionPart): Generator<Keyed> {
  const scope = scopeOfList(part.query);
  if (scope !== null) {
    let hasUnnamed = false;
    const found: Keyed[] = [];
    for (const row of identities(db, part)) {
      hasUnnamed ||= row.identity === null;
      found.push({ ...row, key: `${scope}\n${row.identity}` });
    }
    if (!hasUnnamed) return yield* found;
  }
  const unnamed = new Map<string, number>();
  for (const [position, identity, text] of rowsOf(db, part.generationId, 0, Number.MAX_SAFE_INTEGER)) {
    const json = soundJson(text);
    const count = (unnamed.get(json) ?? 0) + 1;
    if (identity === null) unnamed.set(json, count);
    const record: unknown = scope === null ? JSON.parse(json) : {};
    const own = scope ?? recordScopeOf(part.query, record as Readonly<Record<string, unknown>>);
    yield { position, identity, key: `${own}\n${identity ?? `${ADDED}${count} ${json}`}` };
  }
}

type Row = readonly [position: number, identity: string | null, record: string, textId: number | null];

/** The text of a row need not be valid JSON. */
function* rowsOf(db: Database, generationId: number, from: number, to: number): Generator<Row> {
  const some = db
    .prepare(
      `SELECT position, identity, record, text_id FROM list_row
       WHERE generation_id = ? AND position >= ? AND position < ? ORDER BY position LIMIT ${ROWS_AT_ONCE}`,
    )
    .raw();
  const whole = db
    .prepare(`SELECT ${WHOLE_RECORD} FROM list_row WHERE generation_id = ? AND position = ?`)
    .pluck();
  for (let next = from; next < to; ) {
    const rows = some.all(generationId, next, to) as Row[];
    for (const [position, identity, record, textId] of rows) {
      const text = textId === null ? record : String(whole.get(generationId, position));
      yield [position, identity, text, textId];
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    next = last[0] + 1;
  }
}

const frontOf = ({ added }: UnionPart): string =>
  Object.entries(added)
    .map(([name, value]) => `${JSON.stringify(`${ADDED}${name}`)}:${JSON.stringify(value)}`)
    .join(',');

/** Number of rows, and their texts; null if there are none. */
type Chunk = readonly [number, Buffer | null];

function startHash(rules: string, front: string): Hash {
  return createHash('sha1').update(`${WRITING}\n${rules}\n${front}\n`);
}

/** The digest covers everything that is written for these rows. */
function digestOf(
  db: Database,
  parts: readonly UnionPart[],
  segment: MirrorBounds,
  rules: string,
): DigestedRows {
  const { part, from, to, without } = segment;
  const list = parts[part];
  if (list === undefined) throw new Error('Expected a list of the table.');
  const hash = startHash(rules, frontOf(list));
  for (const position of without ?? []) hash.update(`${position - from},`);
  const chunk = db
    .prepare(
      `SELECT count(*), CAST(group_concat(text, char(10)) AS BLOB) FROM (
         SELECT CASE WHEN text_id IS NULL THEN record ELSE ${WHOLE_RECORD} END AS text FROM list_row
         WHERE generation_id = ? AND position >= ? AND position < ? ORDER BY position)`,
    )
    .raw();
  let rows = 0;
  for (let start = from; start < to; start += ROWS_AT_ONCE) {
    const [count, bytes] = chunk.get(list.generationId, start, Math.min(to, start + ROWS_AT_ONCE)) as Chunk;
    if (bytes !== null) hash.update(bytes).update('\n');
    rows += count;
  }
  return { digest: hash.digest('hex'), rows: rows - (without?.length ?? 0) };
}

function keptSegments(kept: z.infer<typeof keptRows>, rules: string): MirrorSegment[] {
  const cutter = new Cutter(0);
  const segments: MirrorSegment[] = [];
  let hash = startHash(rules, kept.name);
  let rows = 0;
  const end = () => {
    const segment = cutter.segments.at(-1);
    if (cutter.segments.length === segments.length || segment === undefined) return;
    segments.push({ ...segment, digest: hash.digest('hex') });
    hash = startHash(rules, kept.name);
  };
  for (const [position, text] of readKept(kept, systemClock.nowMs())) {
    hash.update(text).update('\n');
    cutter.add(position, text, false);
    rows = position + 1;
    end();
  }
  cutter.end(rows);
  end();
  return segments;
}

interface SegmentRows {
  segment: MirrorSegment;
  /** The query of the rows' list; null for a local table. */
  query: UnionPart['query'] | null;
  rows: Iterable<string>;
}

/**
 * The rows of these segments as JSON, in order, from one state of the store. Throws RowsChanged if it is not the state
 * that was planned.
 */
export function* readSegments(
  source: MirrorSource,
  segments: readonly MirrorSegment[],
  rules: string,
): Generator<SegmentRows> {
  if (source.form === 'kept') return yield* readKeptSegments(source.kept, segments, rules);
  const db = openToRead(source.libraryFile, 'copy');
  try {
    for (const segment of segments) {
      db.exec('BEGIN');
      try {
        if (digestOf(db, source.parts, segment, rules).digest !== segment.digest) throw new RowsChanged();
        const query = source.parts[segment.part]?.query ?? null;
        yield { segment, query, rows: unionRows(db, source.parts, segment) };
      } finally {
        db.exec('COMMIT');
      }
    }
  } finally {
    db.close();
  }
}

function* unionRows(db: Database, parts: readonly UnionPart[], segment: MirrorBounds): Generator<string> {
  const list = parts[segment.part];
  if (list === undefined) return;
  const front = frontOf(list);
  const without = new Set(segment.without ?? []);
  for (const [position, , text] of rowsOf(db, list.generationId, segment.from, segment.to)) {
    if (without.has(position)) continue;
    // A record that is not an object becomes a field itself, as in `readUnion`. Text that is not JSON is detected when
    // the row is read.
    const json = text.startsWith('{') ? text : `{"value":${soundJson(text)}}`;
    if (front === '') yield json;
    else yield `{${front}${json === '{}' ? '' : `,${json.slice(1, -1)}`}}`;
  }
}

function* readKeptSegments(
  kept: z.infer<typeof keptRows>,
  segments: readonly MirrorSegment[],
  rules: string,
): Generator<SegmentRows> {
  const wanted = segments.toSorted((one, other) => one.from - other.from);
  let next = 0;
  let rows: string[] = [];
  let hash = startHash(rules, kept.name);
  for (const [position, text] of readKept(kept, systemClock.nowMs())) {
    const segment = wanted[next];
    if (segment === undefined) return;
    if (position < segment.from) continue;
    rows.push(text);
    hash.update(text).update('\n');
    if (position + 1 < segment.to) continue;
    if (hash.digest('hex') !== segment.digest) throw new RowsChanged();
    yield { segment, query: null, rows };
    next += 1;
    rows = [];
    hash = startHash(rules, kept.name);
  }
  if (next < wanted.length) throw new RowsChanged();
}

/** The first rows of each segment as JSON, up to `each` per segment. */
export function* firstRows(
  source: MirrorSource,
  segments: readonly MirrorBounds[],
  each: number,
): Generator<{ query: UnionPart['query'] | null; text: string }> {
  if (source.form === 'kept') return;
  const db = openToRead(source.libraryFile, 'copy');
  try {
    for (const segment of segments) {
      let taken = 0;
      for (const text of unionRows(db, source.parts, segment)) {
        yield { query: source.parts[segment.part]?.query ?? null, text };
        taken += 1;
        if (taken === each) break;
      }
    }
  } finally {
    db.close();
  }
}
