/**
 * Finds a time range that undoes exactly one upload. The service cannot list events, so a range is used only if
 * PRODUCTION holds as many events as the receipts of this computer, and no other upload has events nearby.
 */
import { type EventTimes, rangeAround, type UndoRows } from '../core/jobs/undo.ts';
import { isTerminal } from '../core/jobs/upload-job.ts';
import type { StoredJob } from '../db/upload-store.ts';
import { counted, numberText } from '../shared/count-text.ts';
import { toAppError } from '../shared/errors.ts';
import type { WholeFileState } from '../shared/whole-file-contract.ts';
import { readFileState } from './file-state.ts';
import { readRowCount } from './row-counts.ts';
import { isProduction } from './sent-ids.ts';
import type { UploadsDeps } from './types.ts';
import { runInWorker } from './worker/worker-client.ts';

/** Maximum number of other uploads whose files are read. With more, no range is offered. */
const MAX_OTHERS = 20;

/** An upload of the same model, with the number of its rows that no deletion has removed. */
export interface OtherUpload {
  job: StoredJob;
  rows: number;
}

/** The range, or the reason why there is none. */
export interface UndoRange {
  range: { startTime: string; endTime: string } | null;
  reason: string;
}

const no = (reason: string): UndoRange => ({ range: null, reason: `Not by time: ${reason}` });

/** Reads row counts and files, and changes nothing. Never rejects: it returns the reason if nothing can be proven. */
export async function findUndoRange(
  { client, store }: Pick<UploadsDeps, 'client' | 'store'>,
  job: StoredJob,
  rows: UndoRows,
  others: readonly OtherUpload[],
): Promise<UndoRange> {
  if (rows.withoutId + rows.shared > 0 || rows.rows !== rows.events.size)
    return no('not every row of this upload has an event id of its own.');
  if (others.some(({ job: { plan } }) => plan.mode === 'update'))
    return no('events of this model were updated, so their times may differ from the files.');
  const stored = others.filter((other) => other.rows > 0);
  if (stored.length > MAX_OTHERS)
    return no(`more than ${MAX_OTHERS} other uploads have events in this model.`);
  const isOpen = [job, ...others.map((other) => other.job)].some(
    ({ id }) => store.batches.list(id, ['unknown', 'sending'], 0, 1).length > 0,
  );
  if (isOpen) return no('some rows of this model have no answer yet.');
  const open = unendedUpload(store, job);
  if (open !== null) return no(`${open} may still be sent to this model.`);
  try {
    const target = { modelId: job.plan.modelId, envType: 'PRODUCTION', envName: null };
    const { rowCount, reason } = await readRowCount(client, target, `undo ${job.id}`);
    if (rowCount === null) return no(`${reason}.`);
    const own = stored.reduce((sum, other) => sum + other.rows, rows.rows);
    if (rowCount !== own)
      return no(
        `the service counts ${counted(rowCount, 'event')}, receipts on this computer ${numberText(own)}.`,
      );
    const ownTimes = await timesOf(job);
    if (ownTimes === null) return no('the times of its events are not certain.');
    const near: EventTimes[] = [];
    for (const other of stored) {
      const times = await timesOf(other.job);
      if (times === null) return no(`the times of events from ${other.job.fileName} are not certain.`);
      near.push(times);
    }
    const range = rangeAround(ownTimes, near);
    if (range === null) return no('events of other uploads lie in the same days.');
    return { range, reason: `The service counts ${counted(own, 'event')}, and so do the receipts.` };
  } catch (problem) {
    return no(toAppError(problem).message);
  }
}

const ENDED_FILES: ReadonlySet<WholeFileState> = new Set(['done', 'failed', 'cancelled']);

/** The name of another upload or file that can still be sent to the model's PRODUCTION; null if there is none. */
export function unendedUpload(
  { jobs, wholeFiles }: Pick<UploadsDeps['store'], 'jobs' | 'wholeFiles'>,
  { id, plan: { modelId } }: Pick<StoredJob, 'id' | 'plan'>,
): string | null {
  const upload = jobs
    .list()
    .find(
      ({ id: eachId, plan, state }) =>
        eachId !== id && plan.modelId === modelId && isProduction(plan) && !isTerminal(state),
    );
  if (upload !== undefined) return upload.fileName;
  const file = wholeFiles
    .list()
    .find(
      (each) =>
        each.publishes && each.modelId === modelId && isProduction(each) && !ENDED_FILES.has(each.state),
    );
  return file?.name ?? null;
}

/** Event times in the file as it was sent; null if they are not certain. Throws FILE_* errors. */
async function timesOf({ path, plan, schema, sizeBytes, mtimeMs }: StoredJob): Promise<EventTimes | null> {
  if (schema === null) return null;
  await readFileState(path);
  return runInWorker('event-times', { path, plan, model: schema, state: { sizeBytes, mtimeMs } });
}
