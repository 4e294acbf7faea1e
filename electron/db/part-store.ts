/** Parts of durable jobs and their receipts. A part is sent in one request, and its outcome is known or unknown. */
import { wireError } from '../core/jobs/job-record.ts';
import { readable } from '../core/readable.ts';
import type { WireError } from '../shared/errors.ts';
import * as z from '../shared/zod.ts';
import { oncePerDatabase } from './once-per-database.ts';
import { type Database, parseRow, type Statement } from './open.ts';
import { asJson, json } from './row-parts.ts';

/** Sending state of a part, in contrast to its contents, which its kind defines. */
interface PartState {
  state: string;
  error: WireError | null;
  attempts?: number;
  sentAtMs?: number | null;
  answeredAtMs?: number | null;
  requestId?: string | null;
  /** Evidence about the outcome, if the answer was lost. */
  evidence?: unknown;
}

/** How one kind stores its parts and receipts. */
interface PartShape<T extends PartState, Receipt> {
  /** The part's name in messages, e.g. `upload batch`. */
  what: string;
  schema: z.ZodType<T>;
  receipt: z.ZodType<Receipt>;
  /**
   * `part`: number of the part in the order of the job. `root`: number of the part from which it was split; absent if
   * it is an original one. `weight`: number of rows or records in it. `endsAt`: where it ends in the source.
   */
  place: (part: T) => { part: number; root?: number; weight: number; endsAt: number };
}

interface Tally {
  parts: number;
  weight: number;
}

/** Additional state for queries: acknowledged by an answer that is not a receipt. */
const DOUBTFUL = 'doubtful';

export interface PartStore<T extends PartState, Receipt> {
  /** Inserts the part or replaces it completely. */
  save(jobId: string, part: T): void;
  /** Replaces state and error. `attempts`: number of attempts added; negative to subtract. Default: 0. */
  change(
    jobId: string,
    part: number,
    to: { state: string; error: WireError | null },
    attempts?: number,
  ): void;
  /** Moves every part from one state to another; `isAnew`: also resets their attempts. */
  moveAll(jobId: string, from: string, to: string, isAnew?: boolean): void;
  /** Resets the attempts of parts in this state. */
  forgetAttempts(jobId: string, state: string): void;
  get(jobId: string, part: number): T | null;
  /** The next part in this state after number `after`; null if there is none. */
  next(jobId: string, state: string, after?: number): T | null;
  /** Parts in order; `states` null: in any state. `doubtful` is accepted as a state. */
  list(jobId: string, states: readonly string[] | null, offset: number, limit: number): T[];
  count(jobId: string, states: readonly string[] | null): number;
  /** Numbers and weights of parts by state. */
  tallies(jobId: string): Map<string, Tally>;
  /** The part with the last end in the source. */
  last(jobId: string): T | null;
  nextNumber(jobId: string): number;
  /** Time at which the latest acknowledged part was sent. */
  latestAcknowledgedMs(jobId: string): number | null;
  wasSplit(jobId: string, root: number): boolean;
  /** Number of requests used for splitting this part. */
  splitRequests(jobId: string, root: number): number;
  addSplitRequest(jobId: string, root: number): void;
  saveReceipt(jobId: string, part: number, receipt: Receipt): void;
  receipt(jobId: string, part: number): Receipt | null;
  /** Acknowledged parts in source order, with their receipts. Throws STORE_DAMAGED. */
  acknowledged(jobId: string): IterableIterator<{ part: T; receipt: Receipt | null }>;
  /** Like `acknowledged`, but each receipt is the stored JSON. */
  acknowledgedJson(jobId: string): IterableIterator<{ part: T; json: Uint8Array | null }>;
  /** Like `acknowledgedJson`, for lists: unreadable parts are left out, and an unreadable receipt is null. */
  readableAcknowledged(jobId: string): IterableIterator<{ part: T; receipt: Receipt | null }>;
}

const STATE_FIELDS = new Set([
  'state',
  'error',
  'attempts',
  'sentAtMs',
  'answeredAtMs',
  'requestId',
  'evidence',
]);
const COLUMNS = `facts_json AS facts, state, error_json AS error, attempts, sent_at_ms AS sentAtMs,
  answered_at_ms AS answeredAtMs, request_id AS requestId, evidence_json AS evidence`;
const IS_DOUBTFUL = `state = 'acknowledged' AND iif(json_valid(error_json), error_json ->> 'code', '') = 'RECEIPT_DOUBTFUL'`;

const anything = json(z.unknown());
const row = z.looseObject({
  facts: json(z.looseObject({})),
  error: json(wireError).nullable(),
  evidence: anything.nullable(),
});
const tallyRow = z.object({ state: z.string(), parts: z.number(), weight: z.number() });
const number = z.int();

const statementsOf = oncePerDatabase((db) => {
  const one = `SELECT ${COLUMNS} FROM part WHERE job_id = @jobId`;
  return {
    save: db.prepare(
      `INSERT INTO part (job_id, part, root, weight, ends_at, facts_json, state, error_json, attempts, split_requests,
         sent_at_ms, answered_at_ms, request_id, evidence_json)
       VALUES (@jobId, @part, @root, @weight, @endsAt, @facts, @state, @error, @attempts, 0, @sentAtMs, @answeredAtMs,
         @requestId, @evidence)
       ON CONFLICT (job_id, part) DO UPDATE SET weight = @weight, ends_at = @endsAt, facts_json = @facts,
         state = @state, error_json = @error, attempts = @attempts, sent_at_ms = @sentAtMs,
         answered_at_ms = @answeredAtMs, request_id = @requestId, evidence_json = @evidence`,
    ),
    change: db.prepare(
      `UPDATE part SET state = @state, error_json = @error, attempts = attempts + @more
       WHERE job_id = @jobId AND part = @part`,
    ),
    moveAll: db.prepare('UPDATE part SET state = @to WHERE job_id = @jobId AND state = @from'),
    moveAnew: db.prepare(
      `UPDATE part SET state = @to, attempts = 0, error_json = NULL WHERE job_id = @jobId AND state = @from`,
    ),
    forgetAttempts: db.prepare('UPDATE part SET attempts = 0 WHERE job_id = ? AND state = ?'),
    get: db.prepare(`${one} AND part = @part`),
    next: db.prepare(`${one} AND state = @state AND part > @after ORDER BY part LIMIT 1`),
    last: db.prepare(`${one} ORDER BY ends_at DESC LIMIT 1`),
    after: db.prepare(
      `SELECT ${COLUMNS}, part, ends_at AS endsAt FROM part
       WHERE job_id = @jobId AND state = 'acknowledged' AND ends_at > @endsAt ORDER BY ends_at LIMIT 1`,
    ),
    tallies: db.prepare(
      'SELECT state, count(*) AS parts, sum(weight) AS weight FROM part WHERE job_id = ? GROUP BY state',
    ),
    nextNumber: db.prepare('SELECT coalesce(max(part) + 1, 0) FROM part WHERE job_id = ?').pluck(),
    latest: db
      .prepare<[string], number | null>(
        "SELECT max(sent_at_ms) FROM part WHERE job_id = ? AND state = 'acknowledged'",
      )
      .pluck(),
    wasSplit: db.prepare('SELECT 1 FROM part WHERE job_id = ? AND root = ? AND part <> root LIMIT 1'),
    spent: db
      .prepare<[string, number], number>('SELECT split_requests FROM part WHERE job_id = ? AND part = ?')
      .pluck(),
    spend: db.prepare('UPDATE part SET split_requests = split_requests + 1 WHERE job_id = ? AND part = ?'),
    saveReceipt: db.prepare(
      `INSERT INTO receipt (job_id, part, receipt_json) VALUES (?, ?, ?)
       ON CONFLICT (job_id, part) DO UPDATE SET receipt_json = excluded.receipt_json`,
    ),
    receipt: db
      .prepare<[string, number], string>('SELECT receipt_json FROM receipt WHERE job_id = ? AND part = ?')
      .pluck(),
    receiptBytes: db
      .prepare<[string, number], Uint8Array>(
        'SELECT CAST(receipt_json AS BLOB) FROM receipt WHERE job_id = ? AND part = ?',
      )
      .pluck(),
  };
});

/** Prepares one statement for each set of states, so that a single state can use its index. */
function byState(db: Database) {
  const known = new Map<string, { list: Statement; count: Statement }>();
  return (states: readonly string[] | null) => {
    const key = states?.join() ?? '*';
    const prepared = known.get(key);
    if (prepared !== undefined) return prepared;
    const own = states?.filter((state) => state !== DOUBTFUL) ?? [];
    const wanted =
      own.length === 1 ? 'state = @s0' : `state IN (${own.map((_, at) => `@s${at}`).join(', ')})`;
    const doubtful = states?.includes(DOUBTFUL) === true ? [`(${IS_DOUBTFUL})`] : [];
    const among =
      states === null
        ? ''
        : `AND (${[...(own.length === 0 ? [] : [wanted]), ...doubtful].join(' OR ') || '0'})`;
    const found = `FROM part WHERE job_id = @jobId ${among}`;
    // Selects numbers before rows, so that no rows are read to reach an offset.
    const list = db.prepare(
      `SELECT ${COLUMNS} FROM part WHERE job_id = @jobId AND part IN (
         SELECT part ${found} ORDER BY part LIMIT @limit OFFSET @offset) ORDER BY part`,
    );
    const made = { list, count: db.prepare(`SELECT count(*) ${found}`).pluck() };
    known.set(key, made);
    return made;
  };
}

function namesOf(states: readonly string[] | null): Record<string, string> {
  return Object.fromEntries(
    (states ?? []).filter((state) => state !== DOUBTFUL).map((state, at) => [`s${at}`, state]),
  );
}

export function createPartStore<T extends PartState, Receipt>(
  db: Database,
  { what, schema, receipt, place }: PartShape<T, Receipt>,
): PartStore<T, Receipt> {
  const sql = statementsOf(db);
  const among = byState(db);
  const read = (stored: unknown): T => {
    const { facts, ...known } = parseRow(row, stored, what);
    return parseRow(schema, { ...facts, ...known }, what);
  };
  const optional = (stored: unknown): T | null => (stored === undefined ? null : read(stored));
  const receiptOf = (jobId: string, part: number) => {
    const text = sql.receipt.get(jobId, part);
    return text === undefined ? null : parseRow(json(receipt), text, 'receipt');
  };
  const facts = (part: T) =>
    JSON.stringify(Object.fromEntries(Object.entries(part).filter(([name]) => !STATE_FIELDS.has(name))));
  const bind = (jobId: string, part: T) => {
    const { state, attempts = 0, sentAtMs = null, answeredAtMs = null, requestId = null } = part;
    const at = place(part);
    const texts = { facts: facts(part), error: asJson(part.error), evidence: asJson(part.evidence) };
    return { jobId, root: at.part, ...at, ...texts, state, attempts, sentAtMs, answeredAtMs, requestId };
  };
  /** Reads rows one at a time, because an open cursor would block every write in between. */
  function* rowsOf(jobId: string) {
    for (let endsAt = -1; ; ) {
      const stored = sql.after.get({ jobId, endsAt });
      if (stored === undefined) return;
      const place = parseRow(placeRow, stored, what);
      yield { stored, place };
      endsAt = place.endsAt;
    }
  }
  return {
    save: (jobId, part) => {
      sql.save.run(bind(jobId, part));
    },
    change: (jobId, part, { state, error }, attempts = 0) => {
      sql.change.run({ jobId, part, state, error: asJson(error), more: attempts });
    },
    moveAll: (jobId, from, to, isAnew = false) => {
      (isAnew ? sql.moveAnew : sql.moveAll).run({ jobId, from, to });
    },
    forgetAttempts: (jobId, state) => {
      sql.forgetAttempts.run(jobId, state);
    },
    get: (jobId, part) => optional(sql.get.get({ jobId, part })),
    next: (jobId, state, after = -1) => optional(sql.next.get({ jobId, state, after })),
    list: (jobId, states, offset, limit) =>
      among(states)
        .list.all({ jobId, offset, limit, ...namesOf(states) })
        .map(read),
    count: (jobId, states) =>
      parseRow(number, among(states).count.get({ jobId, ...namesOf(states) }), 'number of parts'),
    tallies: (jobId) =>
      new Map(
        sql.tallies.all(jobId).map((found) => {
          const { state, ...tally } = parseRow(tallyRow, found, 'tally');
          return [state, tally];
        }),
      ),
    last: (jobId) => optional(sql.last.get({ jobId })),
    nextNumber: (jobId) => parseRow(number, sql.nextNumber.get(jobId), 'number of parts'),
    latestAcknowledgedMs: (jobId) => sql.latest.get(jobId) ?? null,
    wasSplit: (jobId, root) => sql.wasSplit.get(jobId, root) !== undefined,
    splitRequests: (jobId, root) => sql.spent.get(jobId, root) ?? 0,
    addSplitRequest: (jobId, root) => {
      sql.spend.run(jobId, root);
    },
    saveReceipt: (jobId, part, value) => {
      sql.saveReceipt.run(jobId, part, JSON.stringify(value));
    },
    receipt: receiptOf,
    *acknowledged(jobId) {
      for (const { stored, place } of rowsOf(jobId))
        yield { part: read(stored), receipt: receiptOf(jobId, place.part) };
    },
    *acknowledgedJson(jobId) {
      for (const { stored, place } of rowsOf(jobId))
        yield { part: read(stored), json: sql.receiptBytes.get(jobId, place.part) ?? null };
    },
    *readableAcknowledged(jobId) {
      for (const { stored, place } of rowsOf(jobId)) {
        const [receipt = null] = readable([place.part], (part) => receiptOf(jobId, part));
        for (const part of readable([stored], read)) yield { part, receipt };
      }
    },
  };
}

const placeRow = z.object({ part: z.number(), endsAt: z.number() });
