/**
 * Stops unfinished jobs whose store or service is not the one for which they were started, so that none continues
 * automatically.
 */
import type { AppError } from '../shared/errors.ts';
import { BUILD_STATES } from '../shared/job-kinds/build.ts';
import { BULK_STATES } from '../shared/job-kinds/bulk.ts';
import { DELETION_STATES, isOwnDeletionState } from '../shared/job-kinds/deletion.ts';
import { FILE_STATES } from '../shared/job-kinds/file.ts';
import { JOB_STATES, type JobPhase } from '../shared/job-kinds/job-kind.ts';
import { RUN_STATES } from '../shared/job-kinds/scores.ts';
import { UPLOAD_STATES } from '../shared/job-kinds/upload.ts';
import { isJobOver } from '../shared/job-status.ts';
import type { Database } from './open.ts';

/** `end`: it is unknown which requests of a job were answered. `pause`: it is known, so a person can resume the job. */
type Settling = 'end' | 'pause';

interface Kind {
  states: Readonly<Record<string, JobPhase>>;
  /**
   * State in which a job ends; null: the job is paused instead, because it only reads, or reads its target before it
   * writes.
   */
  ended: string | null;
  paused: string;
  /** States in which a request may be in flight whose outcome nobody will learn. */
  unknown: Readonly<Record<Settling, readonly string[]>>;
}

const PLAIN = Object.fromEntries(JOB_STATES.map((state) => [state, state]));
const NEVER = { end: [], pause: [] };
const READING = { states: PLAIN, ended: null, paused: 'paused', unknown: NEVER };

/** Rules by the name of a kind in its store. */
const KINDS: Readonly<Record<string, Kind>> = {
  upload: { states: UPLOAD_STATES, ended: 'failed', paused: 'paused', unknown: NEVER },
  file: {
    ...{ states: FILE_STATES, ended: 'failed', paused: 'interrupted' },
    unknown: { end: [], pause: ['publishing', 'following'] },
  },
  // Builds are cancelled, because stopped ones could be resumed.
  build: { states: BUILD_STATES, ended: 'cancelled', paused: 'paused', unknown: NEVER },
  bulk: { states: BULK_STATES, ended: 'stopped', paused: 'paused', unknown: NEVER },
  items: { states: PLAIN, ended: 'cancelled', paused: 'paused', unknown: NEVER },
  deletion: {
    ...{ states: DELETION_STATES, ended: 'cancelled', paused: 'not-sent' },
    unknown: { end: ['sending'], pause: ['sending'] },
  },
  outbox: READING,
  score: { ...READING, states: RUN_STATES },
  export: READING,
  mirror: READING,
  'keep-offline': READING,
};
/** Condition for inactive jobs that a person can resume, or decide about. */
const RESUMABLE = `state IN ('paused', 'interrupted', 'needs-decision', 'stopped', 'not-sent')
  OR (state = 'failed' AND kind IN ('outbox', 'items', 'file'))`;
/** Kinds whose lists show the error of a job instead of its reason. */
const WITH_ERROR = ['file', 'deletion'];
const PAUSE_REPEATS = `UPDATE job SET facts_json = json_set(facts_json, '$.repeat.isPaused', json('true')), revision = revision + 1
  WHERE json_valid(facts_json) AND json_type(facts_json, '$.repeat') = 'object'
    AND json_extract(facts_json, '$.repeat.nextId') IS NULL AND state NOT IN ('done', 'cancelled')`;
const UNDER_WAY: readonly JobPhase[] = ['ready', 'running', 'waiting'];
const UNFINISHED: readonly JobPhase[] = [...UNDER_WAY, 'paused', 'needs-decision'];
/** Phases of deletions that would be sent. */
const DELETING: readonly JobPhase[] = [...UNDER_WAY, 'paused'];

/**
 * Stops the unfinished jobs of a store. Drafts stay, but lose their planned start. `why`: its message becomes the
 * reason of each job. `nowMs`: wall time. Returns the number of changed jobs.
 */
export function settleJobs(db: Database, how: Settling, why: AppError, nowMs: number): number {
  for (const table of ['part', 'span'])
    if (hasTable(db, table)) db.exec(`UPDATE ${table} SET state = 'unknown' WHERE state = 'sending'`);
  // Marks changes as possibly sent, so that their targets are read first.
  if (how === 'end')
    db.prepare(
      `UPDATE job SET facts_json = json_set(facts_json, '$.sentAtMs', ?)
       WHERE kind = 'outbox' AND state NOT IN ('done', 'cancelled') AND json_valid(facts_json)
         AND json_extract(facts_json, '$.sentAtMs') IS NULL`,
    ).run(nowMs);
  else db.exec(PAUSE_REPEATS);
  const settle = settler(db, why);
  // Deletions that a task of the former service carries out, which has accepted them.
  const followed = how === 'pause' ? followedDeletions(db) : [];
  let changed = settle({ kind: 'deletion', from: followed, to: 'accepted', endedAtMs: nowMs });
  for (const [kind, rules] of Object.entries(KINDS)) {
    const { states, ended, paused, unknown } = rules;
    const isEnd = how === 'end' && ended !== null;
    const inPhases = (phases: readonly JobPhase[]) =>
      Object.keys(states).filter((state) => phases.includes(states[state] ?? 'done'));
    changed += settle({ kind, from: unknown[how], to: 'unknown', endedAtMs: nowMs });
    if (isEnd) {
      // Failed builds and additions of items are included, because they could be resumed.
      const from = inPhases(ended === 'cancelled' ? [...UNFINISHED, 'failed'] : UNFINISHED);
      const own = kind === 'deletion' ? inPhases(DELETING) : from;
      changed += settle({ kind, from: own, to: ended, endedAtMs: nowMs });
    } else {
      const from = inPhases(kind === 'deletion' ? DELETING : UNDER_WAY);
      changed += settle({ kind, from, to: paused, endedAtMs: null });
    }
  }
  // The other jobs keep their state, but show the reason to a person who wants to resume them. A new token resumes none
  // of them.
  db.prepare(
    `UPDATE job SET reason = iif(reason = '', @reason, @reason || ' ' || reason), start_at_ms = NULL,
       error_json = iif(state = 'paused', NULL, error_json), revision = revision + 1
     WHERE start_at_ms IS NOT NULL OR (instr(reason, @reason) = 0 AND (${RESUMABLE}))`,
  ).run({ reason: why.message });
  return changed;
}

/** States of deletions that are the status of a task that has not ended. */
function followedDeletions(db: Database): string[] {
  const states = db
    .prepare("SELECT DISTINCT state FROM job WHERE kind = 'deletion'")
    .pluck()
    .all()
    .map(String);
  return states.filter((state) => !isOwnDeletionState(state) && !isJobOver(state));
}

function hasTable(db: Database, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

interface Step {
  kind: string;
  from: readonly string[];
  to: string;
  endedAtMs: number | null;
}

function settler(db: Database, why: AppError): (step: Step) => number {
  const update = db.prepare(
    `UPDATE job SET state = @to, reason = @reason, error_json = @error, ended_at_ms = @endedAtMs, start_at_ms = NULL,
       late_start_json = NULL, lease_owner = NULL, lease_pid = NULL, lease_at_ms = NULL, revision = revision + 1
     WHERE kind = @kind AND state <> @to AND state IN (SELECT value FROM json_each(@from))`,
  );
  return ({ kind, from, to, endedAtMs }) => {
    if (from.length === 0) return 0;
    const isShown = to === 'failed' || (WITH_ERROR.includes(kind) && to !== 'accepted');
    const error = isShown ? JSON.stringify(why.toWire()) : null;
    return update.run({ kind, to, from: JSON.stringify(from), reason: why.message, error, endedAtMs })
      .changes;
  };
}
