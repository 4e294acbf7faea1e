/** Uploads as jobs, and facts about them that other uploads need. */
import type { UploadPlan } from '../shared/upload-model.ts';
import * as z from '../shared/zod.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import { type Database, parseRow } from './open.ts';
import { jobSchema, type StoredJob } from './upload-rows.ts';

export interface UploadJobStore extends JobStore<StoredJob> {
  /** Number of rows acknowledged by other jobs of the same environment, and of their rows with an unknown outcome. */
  rowsByOthers(job: StoredJob, sinceMs: number): { acknowledged: number; uncertain: number };
  /** Each readable upload with acknowledged rows. */
  acknowledged(): AcknowledgedRows[];
  /** Uploads that sent the same bytes as new events to the same environment, newest first. */
  idsOfContent(sha256: string, plan: UploadPlan): string[];
  /** The batch size that the service accepted for this model, if it was learned since `sinceMs`. */
  learnedBatchRows(modelId: string, sinceMs: number): number | null;
  learnBatchRows(modelId: string, batchRows: number, atMs: number): void;
}

const acknowledgedRow = z.object({
  jobId: z.string(),
  /** Increases with every change of the upload. */
  revision: z.int(),
  batches: z.int(),
  rows: z.int(),
  /** Time of the first answer that acknowledged a batch. */
  firstAtMs: z.number().nullable(),
  /** 1 if no batch is in flight or has an unknown outcome. */
  isSettled: z.int().transform((flag) => flag === 1),
});
type AcknowledgedRows = z.infer<typeof acknowledgedRow>;

const othersRow = z.object({ acknowledged: z.number(), uncertain: z.number() });

function statements(db: Database) {
  return {
    // Reads the scan without parsing the job, so that an unreadable job can still be removed.
    scanOf: db.prepare<[string], string | null>('SELECT subject FROM job WHERE job_id = ?').pluck(),
    removeScan: db.prepare(
      `DELETE FROM scan WHERE scan_id = ? AND NOT EXISTS (
         SELECT 1 FROM job WHERE kind = 'upload' AND subject = scan.scan_id)`,
    ),
    // Without a name, events can go to any environment of the type.
    others: db.prepare(
      `SELECT coalesce(sum(CASE WHEN p.state = 'acknowledged' AND p.answered_at_ms >= @sinceMs THEN p.weight END), 0)
           AS acknowledged,
         coalesce(sum(CASE WHEN p.state IN ('unknown', 'sending') AND p.sent_at_ms >= @sinceMs THEN p.weight END), 0)
           AS uncertain
       FROM job j JOIN part p USING (job_id)
       WHERE j.kind = 'upload' AND j.job_id <> @jobId AND CASE WHEN json_valid(j.plan_json) THEN
         j.plan_json ->> '$.plan.modelId' = @modelId
         AND lower(j.plan_json ->> '$.plan.envType') = lower(@envType)
         AND (@envName IS NULL OR coalesce(j.plan_json ->> '$.plan.envName', @envName) = @envName)
         AND j.plan_json ->> '$.plan.mode' = 'publish' ELSE 0 END`,
    ),
    // Reads only the index of parts and one row for each job, because the rows of parts are long.
    acknowledged: db.prepare(
      `SELECT j.job_id AS jobId, j.revision, count(*) AS batches, sum(p.weight) AS rows,
         (SELECT f.answered_at_ms FROM part f WHERE f.job_id = j.job_id AND f.state = 'acknowledged'
            ORDER BY f.part LIMIT 1) AS firstAtMs,
         NOT EXISTS (SELECT 1 FROM part u WHERE u.job_id = j.job_id
            AND u.state IN ('pending', 'sending', 'unknown')) AS isSettled
       FROM job j JOIN part p ON p.job_id = j.job_id AND p.state = 'acknowledged'
       WHERE j.kind = 'upload' AND j.is_hidden = 0 GROUP BY j.job_id ORDER BY j.job_id`,
    ),
    ofContent: db
      .prepare<[object], string>(
        `SELECT job_id FROM job WHERE kind = 'upload' AND is_hidden = 0
         AND CASE WHEN json_valid(facts_json) AND json_valid(plan_json) THEN
           facts_json ->> '$.sha256' = @sha256
           AND plan_json ->> '$.plan.modelId' = @modelId
           AND lower(plan_json ->> '$.plan.envType') = lower(@envType)
           AND plan_json ->> '$.plan.envName' IS @envName AND plan_json ->> '$.plan.mode' = 'publish' ELSE 0 END
         ORDER BY created_at_ms DESC, job_id`,
      )
      .pluck(),
    learned: db
      .prepare<[string, number], number>(
        'SELECT batch_rows FROM learned_size WHERE model_id = ? AND at_ms >= ?',
      )
      .pluck(),
    learn: db.prepare(
      `INSERT INTO learned_size (model_id, batch_rows, at_ms) VALUES (?, ?, ?)
       ON CONFLICT (model_id) DO UPDATE SET batch_rows = excluded.batch_rows, at_ms = excluded.at_ms`,
    ),
  };
}

export function createUploadJobStore(db: Database): UploadJobStore {
  const sql = statements(db);
  const jobs = createJobStore<StoredJob>(db, {
    kind: 'upload',
    what: 'upload',
    schema: jobSchema,
    plan: ['path', 'fileName', 'plan'],
    title: ({ fileName }) => fileName,
    subject: ({ scanId }) => scanId,
  });
  /** Removes a job; also deletes the scan of its file if nothing else refers to it. */
  const remove = db.transaction((jobId: string) => {
    const scanId = sql.scanOf.get(jobId) ?? null;
    jobs.remove(jobId);
    if (scanId !== null) sql.removeScan.run(scanId);
  });
  return {
    ...jobs,
    damaged: { ...jobs.damaged, remove: (jobId) => remove(jobId) },
    remove: (jobId) => {
      remove.immediate(jobId);
    },
    rowsByOthers: ({ id: jobId, plan }, sinceMs) => {
      const { modelId, envType, envName } = plan;
      return parseRow(othersRow, sql.others.get({ jobId, sinceMs, modelId, envType, envName }), 'tally');
    },
    acknowledged: () => sql.acknowledged.all().map((row) => parseRow(acknowledgedRow, row, 'upload')),
    idsOfContent: (sha256, { modelId, envType, envName }) =>
      sql.ofContent.all({ sha256, modelId, envType, envName }),
    learnedBatchRows: (modelId, sinceMs) => sql.learned.get(modelId, sinceMs) ?? null,
    learnBatchRows: (modelId, batchRows, atMs) => {
      sql.learn.run(modelId, batchRows, atMs);
    },
  };
}
