/** Row uploads, whole-file uploads and event deletions as jobs, for the channels `jobs:*`. */
import { type JobSource, type Listing, ownAction } from '../jobs/source.ts';
import { AppError } from '../shared/errors.ts';
import { deletionAsJob } from '../shared/job-kinds/deletion.ts';
import { fileAsJob } from '../shared/job-kinds/file.ts';
import { uploadAsJob } from '../shared/job-kinds/upload.ts';
import type { WholeFile } from '../shared/whole-file-contract.ts';
import type { Preparations, Uploads, WholeFiles } from './types.ts';
import { requestsOf } from './whole-file-sending.ts';

const UPLOAD_FILES = {
  receipts: 'receipts.csv',
  // Cells are written unchanged, even if a spreadsheet would run them as formulas, so that the file can be dropped in
  // again.
  'refused-rows': 'refused-rows-exact.csv',
  'bad-rows': 'bad-rows.csv',
} as const;

const UPLOAD_ACTIONS = {
  start: 'start',
  pause: 'pause',
  resume: 'resume',
  cancel: 'cancel',
  schedule: 'schedule',
  unschedule: 'cancel',
  'gather-evidence': 'gather-evidence',
} as const;

export function uploadSource(uploads: Omit<Uploads, 'sources'>, jobs: Listing): JobSource<'upload'> {
  return {
    kind: 'upload',
    jobs,
    get: (id) => uploadAsJob(uploads.getJob(id)),
    create: async ({ upload, startsNow, preparationId, told }, startAtMs) =>
      uploadAsJob(await uploads.createJob(upload, startsNow, startAtMs, preparationId, told)),
    control: async (id, action, startAtMs) =>
      uploadAsJob(await uploads.controlJob(id, ownAction(UPLOAD_ACTIONS, action), startAtMs)),
    whenRest: (id) => uploads.whenIdle(id),
    decide: async (id, part, decision) => uploadAsJob(await uploads.decideBatch(id, part, decision)),
    parts: (jobId, query) => {
      const { batches: parts, total } = uploads.listBatches({ jobId, ...query });
      return { parts, total };
    },
    forget: (id) => uploads.forgetJob(id),
    fileName: (_id, what) => UPLOAD_FILES[what],
    writeFile: (id, what, path) => uploads.writeFile(id, what, path),
  };
}

/** A whole file as a job, with the requests that are needed to send it. */
export const asFileJob = (file: WholeFile) =>
  fileAsJob(file, () => [
    ...requestsOf(file.parts),
    ...(file.publishes ? [{ operation: 'events.publish', count: 1 }] : []),
  ]);

const FILE_ACTIONS = {
  start: 'start',
  cancel: 'cancel',
  retry: 'again',
  schedule: 'schedule',
  unschedule: 'cancel',
} as const;

export function fileSource(
  files: WholeFiles,
  jobs: Listing,
  preparations: Pick<Preparations, 'end'>,
): JobSource<'file'> {
  return {
    kind: 'file',
    jobs,
    get: (id) => asFileJob(files.get(id)),
    plan: ({ fileId }) => files.look(fileId),
    create: async ({ fileId, preparationId, ...request }, startAtMs) => {
      // Ends the preparation in the same transaction, so that a sent file is never offered for sending again.
      const write =
        typeof preparationId === 'string'
          ? (create: () => void) => preparations.end(preparationId, create)
          : undefined;
      return asFileJob(await files.send(fileId, request, startAtMs, write));
    },
    control: async (id, action, startAtMs) => {
      const file = await files.control(id, ownAction(FILE_ACTIONS, action), startAtMs);
      if (file === null) throw new AppError('INTERNAL', 'A file was forgotten instead of changed.');
      return asFileJob(file);
    },
    whenRest: (id) => files.whenSettled(id),
    forget: (id) => files.control(id, 'forget'),
  };
}

const DELETION_ACTIONS = {
  start: 'start',
  schedule: 'schedule',
  unschedule: 'cancel',
  resume: 'resume',
  cancel: 'cancel',
} as const;

export function deletionSource(uploads: Omit<Uploads, 'sources'>, jobs: Listing): JobSource<'deletion'> {
  return {
    kind: 'deletion',
    jobs,
    get: (id) => deletionAsJob(uploads.getDeletion(id)),
    plan: ({ uploadId, startAtMs }) => uploads.planUndo(uploadId, startAtMs),
    create: async (request, startAtMs) => deletionAsJob(await uploads.deleteEvents(request, startAtMs)),
    control: async (id, action, startAtMs) =>
      deletionAsJob(await uploads.controlDeletion(id, ownAction(DELETION_ACTIONS, action), startAtMs)),
    whenRest: (id) => uploads.whenSent(id),
  };
}
