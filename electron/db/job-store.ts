/** Durable jobs of every kind: one table, with a schema for each kind. */
import {
  type JobRecord,
  type JobShape,
  lateStart,
  recordFields,
  wallMs,
  wireError,
} from '../core/jobs/job-record.ts';
import type { Lease, LeaseTable } from '../core/jobs/lease.ts';
import { readable } from '../core/readable.ts';
import { AppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import * as z from '../shared/zod.ts';
import type { DamagedRows, DamagedSource } from './damaged-rows.ts';
import { oncePerDatabase } from './once-per-database.ts';
import { type Database, parseRow } from './open.ts';
import { asJson, checkStorable, json, type PlannedStart, plannedRow } from './row-parts.ts';

/** Fields by which jobs are ordered and searched. */
const headRow = z.object({ id: z.string(), title: z.string(), state: z.string(), createdAtMs: wallMs });
type JobHead = z.infer<typeof headRow>;

/** An unfinished job. Its row is read often, so it is not parsed. */
interface UnfinishedRow {
  id: string;
  state: string;
  isLeased: boolean;
}

interface JobList {
  /** Null: all subjects. */
  subject?: string | null;
  /** Only jobs that have not ended, and jobs that a process holds. */
  isUnfinished?: boolean;
  offset?: number;
  limit?: number;
}

export interface JobStore<T extends JobRecord> {
  /** `isUnseen`: the job stays hidden until `show`. */
  create(job: T, isUnseen?: boolean): void;
  show(id: string): void;
  /** Jobs created before this time and never shown. */
  unshown(beforeMs: number): string[];
  /** Writes the mutable fields and increments the revision. */
  save(job: T): void;
  get(id: string): T | null;
  /** Throws INVALID_ARGUMENT if there is no such job. */
  load(id: string): T;
  revision(id: string): number | null;
  /** Newest first; unreadable jobs are left out. */
  list(window?: JobList): T[];
  /**
   * Ended runs for this subject that another run of the same repeat has followed and that no process holds, newest
   * first.
   */
  followed(subject: string): T[];
  /** Newest first, including unreadable jobs. */
  heads(): JobHead[];
  /** Ids of the jobs with this fact, newest first. */
  withFact(name: keyof T & string): string[];
  /** Jobs that have not ended, and jobs that a process holds. */
  unfinished(): UnfinishedRow[];
  /** Scheduled jobs and their start times. */
  scheduled(): PlannedStart[];
  /** Hides the job; its rows are deleted in the background. */
  forget(id: string): void;
  /** Removes the job and all its rows. */
  remove(id: string): void;
  damaged: DamagedSource;
  leases: LeaseTable;
}

/** The jobs of one kind, with a commit for changing several rows at once. */
export interface KindStore<T extends JobRecord> {
  jobs: JobStore<T>;
  damaged: DamagedRows;
  commit<R>(work: () => R): R;
}

const HEAD = new Set<string>([...Object.keys(recordFields), 'state']);
const row = z.looseObject({
  error: json(wireError).nullable(),
  lateStart: json(lateStart).nullable(),
  plan: z.string(),
  facts: z.string(),
});

const COLUMNS = `job_id AS id, title, state, reason, error_json AS error, start_at_ms AS startAtMs,
  late_start_json AS lateStart, created_at_ms AS createdAtMs, ended_at_ms AS endedAtMs, plan_json AS plan,
  facts_json AS facts`;

const statementsOf = oncePerDatabase((db) => {
  const seen = 'kind = @kind AND is_hidden = 0';
  const unfinished = '(ended_at_ms IS NULL OR lease_owner IS NOT NULL)';
  const wanted = `(@isUnfinished = 0 OR ${unfinished})`;
  const newestFirst = 'ORDER BY created_at_ms DESC, job_id LIMIT @limit OFFSET @offset';
  return {
    create: db.prepare(
      `INSERT INTO job (job_id, kind, title, subject, plan_json, facts_json, state, reason, error_json, start_at_ms,
         late_start_json, revision, is_hidden, created_at_ms, ended_at_ms)
       VALUES (@id, @kind, @title, @subject, @plan, @facts, @state, @reason, @error, @startAtMs, @lateStart, 0,
         @isHidden, @createdAtMs, @endedAtMs)`,
    ),
    save: db.prepare(
      `UPDATE job SET title = @title, subject = @subject, facts_json = @facts, state = @state, reason = @reason, error_json = @error,
         start_at_ms = @startAtMs, late_start_json = @lateStart, revision = revision + 1,
         created_at_ms = @createdAtMs, ended_at_ms = @endedAtMs WHERE job_id = @id`,
    ),
    get: db.prepare(`SELECT ${COLUMNS} FROM job WHERE job_id = @id AND ${seen}`),
    list: db.prepare(`SELECT ${COLUMNS} FROM job WHERE ${seen} AND ${wanted} ${newestFirst}`),
    ofSubject: db.prepare(
      `SELECT ${COLUMNS} FROM job WHERE ${seen} AND subject = @subject AND ${wanted} ${newestFirst}`,
    ),
    followed: db.prepare(
      `SELECT ${COLUMNS} FROM job WHERE ${seen} AND subject = @subject AND lease_owner IS NULL
         AND iif(json_valid(facts_json), json_extract(facts_json, '$.repeat.nextId'), NULL) IS NOT NULL
       ORDER BY created_at_ms DESC, job_id`,
    ),
    heads: db.prepare(
      `SELECT job_id AS id, title, state, created_at_ms AS createdAtMs FROM job WHERE ${seen} ORDER BY created_at_ms DESC, job_id`,
    ),
    withFact: db
      .prepare(
        `SELECT job_id FROM job WHERE ${seen}
           AND iif(json_valid(facts_json), json_type(facts_json, '$.' || @name), NULL) IS NOT NULL
         ORDER BY created_at_ms DESC, job_id`,
      )
      .pluck(),
    unfinished: db.prepare<{ kind: string }, { id: string; state: string; isLeased: number }>(
      `SELECT job_id AS id, state, lease_owner IS NOT NULL AS isLeased FROM job
       WHERE ${seen} AND ${unfinished}`,
    ),
    scheduled: db.prepare(
      `SELECT job_id AS id, start_at_ms AS startAtMs FROM job WHERE ${seen} AND start_at_ms IS NOT NULL`,
    ),
    revision: db
      .prepare<[string], number>('SELECT revision FROM job WHERE job_id = ? AND is_hidden = 0')
      .pluck(),
    unshown: db
      .prepare('SELECT job_id FROM job WHERE kind = @kind AND is_hidden = 2 AND created_at_ms < @beforeMs')
      .pluck(),
    hide: db.prepare('UPDATE job SET is_hidden = ? WHERE job_id = ?'),
    remove: db.prepare('DELETE FROM job WHERE job_id = ?'),
  };
});

/** Text that is not a JSON object lacks the fields of the kind, so its row is damaged like any other. */
function objectOf(text: string): object {
  try {
    const value = parseExact(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function readerOf<T extends JobRecord>({ schema, what }: JobShape<T>) {
  return (stored: unknown): T => {
    const { plan, facts, ...head } = parseRow(row, stored, what);
    return parseRow(schema, { ...objectOf(plan), ...objectOf(facts), ...head }, what);
  };
}

function binderOf<T extends JobRecord>({ kind, what, schema, plan, title, subject }: JobShape<T>) {
  const planned = new Set<string>(plan);
  const own = (job: T, isPlan: boolean) => {
    const fields = Object.entries(job).filter(([name]) => !HEAD.has(name) && planned.has(name) === isPlan);
    return JSON.stringify(Object.fromEntries(fields));
  };
  const save = (job: T) => {
    checkStorable(schema, job, what);
    const { id, state, reason, error, startAtMs, createdAtMs, endedAtMs } = job;
    const texts = {
      title: title(job),
      subject: subject?.(job) ?? null,
      facts: own(job, false),
      error: asJson(error),
    };
    const lateStart = asJson(job.lateStart);
    return { ...texts, id, state, reason, startAtMs, lateStart, createdAtMs, endedAtMs };
  };
  const create = (job: T) => ({
    ...save(job),
    kind,
    plan: own(job, true),
  });
  return { save, create };
}

export function createJobStore<T extends JobRecord>(db: Database, shape: JobShape<T>): JobStore<T> {
  const { kind, what } = shape;
  const sql = statementsOf(db);
  const read = readerOf(shape);
  const bind = binderOf(shape);
  const all = { kind, isUnfinished: 0, limit: -1, offset: 0 };
  const get = (id: string) => {
    const found = sql.get.get({ id, kind });
    return found === undefined ? null : read(found);
  };
  return {
    create: (job, isUnseen = false) => {
      sql.create.run({ ...bind.create(job), isHidden: isUnseen ? 2 : 0 });
    },
    show: (id) => {
      sql.hide.run(0, id);
    },
    unshown: (beforeMs) => sql.unshown.all({ kind, beforeMs }).map(String),
    save: (job) => {
      sql.save.run(bind.save(job));
    },
    get,
    load: (id) => {
      const job = get(id);
      if (job !== null) return job;
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected ${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}; none has the id ${id}.`,
      );
    },
    revision: (id) => sql.revision.get(id) ?? null,
    list: ({ subject = null, isUnfinished = false, limit = -1, offset = 0 } = {}) => {
      const window = { kind, isUnfinished: isUnfinished ? 1 : 0, limit, offset };
      return readable(
        subject === null ? sql.list.all(window) : sql.ofSubject.all({ ...window, subject }),
        read,
      );
    },
    followed: (subject) => readable(sql.followed.all({ kind, subject }), read),
    heads: () => readable(sql.heads.all({ kind }), (found) => parseRow(headRow, found, what)),
    withFact: (name) => sql.withFact.all({ kind, name }).map(String),
    unfinished: () =>
      sql.unfinished.all({ kind }).map(({ isLeased, ...row }) => ({ ...row, isLeased: isLeased === 1 })),
    scheduled: () =>
      readable(sql.scheduled.all({ kind }), (found) => parseRow(plannedRow, found, 'planned start')),
    forget: (id) => {
      sql.hide.run(1, id);
    },
    remove: (id) => {
      sql.remove.run(id);
    },
    damaged: {
      kind,
      rows: () => sql.list.all(all),
      read,
      columns: { id: 'id', title: 'title', atMs: 'createdAtMs' },
      remove: (id) => {
        sql.remove.run(id);
      },
    },
    leases: leaseTableOf(db),
  };
}

const leaseRow = z.object({ owner: z.string(), processId: z.number(), atMs: wallMs });

/** The process that works on each job. */
const leaseTableOf = oncePerDatabase((db): LeaseTable => {
  const read = db.prepare(
    `SELECT lease_owner AS owner, lease_pid AS processId, lease_at_ms AS atMs FROM job
     WHERE job_id = ? AND lease_owner IS NOT NULL`,
  );
  const take = db.prepare(`UPDATE job SET lease_owner = ?, lease_pid = ?, lease_at_ms = ? WHERE job_id = ?`);
  const renew = db.prepare(`UPDATE job SET lease_at_ms = ? WHERE job_id = ? AND lease_owner = ?`);
  const release = db.prepare(
    `UPDATE job SET lease_owner = NULL, lease_pid = NULL, lease_at_ms = NULL
     WHERE job_id = ? AND lease_owner = ?`,
  );
  const held = (id: string): Lease | null => {
    const row = read.get(id);
    return row === undefined ? null : parseRow(leaseRow, row, 'lease');
  };
  const takeFree = db.transaction((id: string, wanted: Lease, isStale: (lease: Lease) => boolean) => {
    const before = held(id);
    if (before !== null && before.owner !== wanted.owner && !isStale(before)) return false;
    return take.run(wanted.owner, wanted.processId, wanted.atMs, id).changes === 1;
  });
  return {
    read: held,
    take: (id, lease, isStale) => takeFree.immediate(id, lease, isStale),
    renew: (id, owner, atMs) => renew.run(atMs, id, owner).changes === 1,
    release: (id, owner) => {
      release.run(id, owner);
    },
  };
});
