import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../../../electron/engine/session.ts';
import type { UploadJob } from '../../../electron/shared/upload-model.ts';
import type { Draw } from '../draw.ts';
import type { Act, SentFile, Stage } from '../stage.ts';

const HEADER =
  'CreditScore,Geography,Gender,Age,Tenure,Balance,NumOfProducts,HasCrCard,IsActiveMember,EstimatedSalary,Churned';
/** The column that contains the marker of each row. */
export const MARKER_COLUMN = 'EstimatedSalary';

/** Numbers of rows of uploads that take a while. */
export const LONG: readonly number[] = [400, 1_500];

export function csv(firstMarker: number, rows: number, draw: Draw): string {
  const lines = Array.from({ length: rows }, (_, row) =>
    [
      ...[draw.whole(300, 850), draw.of(['France', 'Spain', 'Germany']), draw.of(['Female', 'Male'])],
      ...[draw.whole(18, 90), draw.whole(0, 10), (draw.next() * 200_000).toFixed(2), draw.whole(1, 4)],
      ...[draw.of(['Yes', 'No']), draw.of(['Yes', 'No']), `${firstMarker + row}.25`],
      draw.of(['Churned', 'Not Churned']),
    ].join(','),
  );
  return `${[HEADER, ...lines].join('\n')}\n`;
}

interface FoundJob {
  session: Session;
  job: UploadJob;
  sent: SentFile | null;
}

/** Decides about one batch whose outcome is unknown. */
async function decide(draw: Draw, { session, job, sent }: FoundJob): Promise<string> {
  const asked = { jobId: job.jobId, states: ['unknown'], offset: 0, limit: 50 };
  const { batches } = session.uploads.listBatches(asked);
  if (batches.length === 0) return 'has nothing to decide';
  const { batch, firstRow, lastRow } = draw.of(batches);
  const decision = draw.of(['stored', 'resend', 'give-up'] as const);
  if (sent !== null && decision === 'resend')
    for (let row = firstRow; row <= lastRow; row += 1) sent.mayRepeat.add(sent.firstMarker + row - 1);
  if (sent !== null && decision !== 'resend') sent.mayMiss = true;
  await session.uploads.decideBatch(job.jobId, batch, decision);
  return `decided ${decision} for batch ${batch} of ${job.jobId}`;
}

async function undo({ session, job, sent }: FoundJob): Promise<string> {
  const plan = await session.uploads.planUndo(job.jobId);
  if (sent !== null) sent.mayMiss = true;
  const agreed = { events: plan.events, deletions: plan.deletions.length };
  const { deletionIds } = await session.uploads.undo(job.jobId, agreed as never);
  return `undoes ${job.jobId} by ${deletionIds.length} deletions`;
}

async function someJob(
  stage: Stage,
  draw: Draw,
  states: readonly UploadJob['state'][],
): Promise<FoundJob | null> {
  const opened = await stage.session(draw);
  if (opened === null) return null;
  const jobs = opened.session.uploads.listJobs().filter(({ state }) => states.includes(state));
  if (jobs.length === 0) return null;
  const job = draw.of(jobs);
  return { session: opened.session, job, sent: stage.sent.find(({ jobId }) => jobId === job.jobId) ?? null };
}

/** Uploads a file with one of the numbers of rows in `sizes`. */
export async function upload(
  stage: Stage,
  draw: Draw,
  later: number | null,
  sizes: readonly number[] = [1, 7, 40, 120, 400, 1_500],
): Promise<string> {
  const opened = await stage.session(draw);
  if (opened === null) return 'has no connection';
  const rows = draw.of(sizes);
  const firstMarker = stage.takeMarkers(rows);
  const path = join(stage.computer.documents, `events-${firstMarker}.csv`);
  stage.outside(() => writeFileSync(path, csv(firstMarker, rows, draw)));
  const { session, connection } = opened;
  const plan = await stage.planOf(stage.run.engine, session, connection.id, path, draw.of([5, 20, 100]));
  const startAtMs = later === null ? null : Date.now() + later;
  const sent = stage.sends(connection, plan.modelId, firstMarker, rows);
  const job = await session.uploads.createJob(plan, later === null, startAtMs);
  sent.jobId = job.jobId;
  return `uploads ${rows} rows from ${firstMarker} on as ${job.jobId}`;
}

export const UPLOAD_ACTS = {
  upload: { weight: 10, do: (stage, draw) => upload(stage, draw, null) },
  'upload later': { weight: 2, do: (stage, draw) => upload(stage, draw, draw.whole(60_000, 7_200_000)) },
  /**
   * Only chosen by a focus: the network is down until the next rest, so that the job waits long between its attempts.
   */
  'upload into an outage': {
    weight: 0,
    do: async (stage, draw) => {
      const uploaded = await upload(stage, draw, null, LONG);
      await stage.pause(draw.whole(0, 1_000));
      stage.network.become('down');
      return `${uploaded}, then the network is down`;
    },
  },
  'undo into an outage': {
    weight: 0,
    do: async (stage, draw) => {
      const found = await someJob(stage, draw, ['done']);
      if (found === null) return 'has nothing to undo';
      stage.network.become('down');
      return await undo(found);
    },
  },
  'pause an upload': {
    weight: 4,
    do: async (stage, draw) => {
      const found = await someJob(stage, draw, ['running', 'waiting']);
      if (found === null) return 'has nothing to pause';
      await found.session.uploads.controlJob(found.job.jobId, 'pause');
      return `paused ${found.job.jobId}`;
    },
  },
  'resume an upload': {
    weight: 5,
    do: async (stage, draw) => {
      const found = await someJob(stage, draw, ['paused', 'failed', 'ready']);
      if (found === null) return 'has nothing to resume';
      await found.session.uploads.controlJob(
        found.job.jobId,
        found.job.state === 'ready' ? 'start' : 'resume',
      );
      return `resumed ${found.job.jobId}`;
    },
  },
  'cancel an upload': {
    weight: 1,
    do: async (stage, draw) => {
      const found = await someJob(stage, draw, [
        'running',
        'waiting',
        'paused',
        'needs-decision',
        'scheduled',
      ]);
      if (found === null) return 'has nothing to cancel';
      if (found.sent !== null) found.sent.mayMiss = true;
      await found.session.uploads.controlJob(found.job.jobId, 'cancel');
      return `cancelled ${found.job.jobId}`;
    },
  },
  'gather evidence': {
    weight: 4,
    do: async (stage, draw) => {
      const found = await someJob(stage, draw, ['needs-decision', 'paused', 'running']);
      if (found === null) return 'has nothing in doubt';
      await found.session.uploads.controlJob(found.job.jobId, 'gather-evidence');
      return `gathered evidence for ${found.job.jobId}`;
    },
  },
  decide: {
    weight: 6,
    do: async (stage, draw) => {
      const found = await someJob(stage, draw, ['needs-decision', 'paused', 'running']);
      return found === null ? 'has nothing to decide' : await decide(draw, found);
    },
  },
  /** The count of rows that provides the evidence takes seconds. */
  'decide while evidence is gathered': {
    weight: 3,
    do: async (stage, draw) => {
      const found = await someJob(stage, draw, ['needs-decision', 'paused', 'running']);
      if (found === null) return 'has nothing in doubt';
      const { jobId } = found.job;
      const gathered = found.session.uploads.controlJob(jobId, 'gather-evidence');
      const decided = stage.pause(draw.whole(0, 2_000)).then(() => decide(draw, found));
      const [, result] = await Promise.all([gathered, decided]);
      return result;
    },
  },
  'undo an upload': {
    weight: 2,
    do: async (stage, draw) => {
      const found = await someJob(stage, draw, ['done', 'cancelled', 'paused']);
      return found === null ? 'has nothing to undo' : await undo(found);
    },
  },
  /** For a while after the undo, rows are still being counted for the upload. */
  'undo an upload and forget it': {
    weight: 2,
    do: async (stage, draw) => {
      const found = await someJob(stage, draw, ['done', 'cancelled']);
      if (found === null) return 'has nothing to undo';
      const undone = await undo(found);
      await stage.pause(draw.whole(0, 20_000));
      found.session.uploads.forgetJob(found.job.jobId);
      return `${undone}, forgotten`;
    },
  },
  'count an undo': {
    weight: 1,
    do: async (stage, draw) => {
      const found = await someJob(stage, draw, ['done', 'cancelled']);
      if (found === null) return 'has nothing to count';
      await found.session.uploads.countUndo(found.job.jobId);
      return `counted after ${found.job.jobId}`;
    },
  },
  'forget an upload': {
    weight: 2,
    do: async (stage, draw) => {
      const found = await someJob(stage, draw, ['done', 'cancelled', 'failed']);
      if (found === null) return 'has nothing to forget';
      if (found.sent !== null) found.sent.mayMiss = true;
      found.session.uploads.forgetJob(found.job.jobId);
      return `forgot ${found.job.jobId}`;
    },
  },
} as const satisfies Record<string, Act>;
