/** Uploads of rows, files sent unchanged and deletions of events, for the suite of durable jobs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openUploadStore } from '../../electron/db/upload-store.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';

import { createUploads } from '../../electron/uploads/uploads.ts';
import { begun, hasNoAction, hasNoDecision, ID, type Kind, MAX_STATES, none } from './jobs-kind.ts';
import { Life, type World } from './jobs-world.ts';
import { openFiles } from './open-files.ts';
import { silentLogger } from './virtual-world.ts';

/** Uploads, deletions and whole files share a store. */
function openUploads(world: World, pid: number) {
  const life = new Life(world, pid);
  const { clock, client } = life;
  const file = join(world.folder, 'uploads.db');
  const store = life.onDisk(openUploadStore({ file, clock, logger: silentLogger }));
  const files = openFiles(world.folder);
  const uploads = createUploads({
    connectionId: ID,
    store,
    client,
    clock,
    random: systemRandom,
    logger: silentLogger,
    files,
    spoolFolder: join(world.folder, 'copies'),
    plan: () => null,
    followJob: () => () => undefined,
    readBudget: () => ({ usedToday: 0, limit: 30, resetsAtMs: null }),
    onJobChanged: life.note,
    onDryRunChanged: () => undefined,
    onDeletionChanged: ({ status: state, error }) => life.note({ state, error }),
    onWholeFileChanged: life.note,
    blockingError: () => null,
    options: { processId: pid, isProcessAlive: life.isAlive },
  });
  life.onEnd(() => uploads.stop(0), store);
  const wake = () => uploads.wake();
  const recover = (continues: boolean) => uploads.recover({ continues });
  return { program: { life, wake, recover, decide: none }, store, uploads, files };
}

const PLAN: Omit<UploadPlan, 'fileId'> = {
  dialect: { format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
  columns: [{ source: 'id', target: 'id', type: 'str' }],
  modelId: ID,
  modelName: 'Model',
  envType: 'PRODUCTION',
  envName: null,
  mode: 'publish',
  batchRows: 1,
  maxBatchBytes: 8_000_000,
  onBadRow: 'skip',
};

export const rows: Kind = {
  name: 'upload of rows',
  parts: ['a', 'b', 'c'],
  atOnce: 1,
  lacks: {},
  states: {
    ...MAX_STATES,
    planned: 'scheduled',
    calledOff: 'cancelled',
  },
  whenLimited: 'waits',
  open: (world, pid) => {
    const { program, store, uploads, files } = openUploads(world, pid);
    const view = () => uploads.listJobs().map(({ jobId: id, ...job }) => ({ id, ...job }))[0];
    const id = () => view()?.id ?? '';
    return {
      ...program,
      leases: store.jobs.leases,
      begin: async (startAtMs) => {
        const path = join(world.folder, 'rows.csv');
        writeFileSync(path, 'id\na\nb\nc\n');
        const [offered] = await files.offer([path]);
        await uploads.createJob({ ...PLAN, fileId: offered?.fileId ?? '' }, true, startAtMs);
      },
      view,
      stored: () => ({ job: store.jobs.get(id()), batches: store.batches.list(id(), null, 0, 10) }),
      control: (action, startAtMs) =>
        uploads.controlJob(id(), action === 'call-off' ? 'cancel' : action, startAtMs),
      decide: async (decision) => {
        const [batch] = store.batches.list(id(), ['unknown'], 0, 1);
        return uploads.decideBatch(id(), batch?.batch ?? -1, decision);
      },
    };
  },
};

const CANNOT_PAUSE = 'It is one request, or parts that mean nothing before the last.';

export const deletion: Kind = {
  name: 'deletion of events',
  parts: ['events.delete'],
  atOnce: 1,
  lacks: {
    pause: {
      reason: CANNOT_PAUSE,
      holds: hasNoAction('deletion', 'pause'),
    },
    resume: {
      reason: 'Only a deletion whose token was refused is paused.',
      holds: ({ control }) =>
        control('resume').then(
          () => false,
          () => true,
        ),
    },
    cancel: {
      reason: 'Its one request has left: the service deletes, and nothing takes that back.',
      holds: ({ control }) =>
        control('cancel').then(
          () => false,
          () => true,
        ),
    },
    decide: {
      reason:
        'Events that may be gone cannot be brought back: there is nothing to decide. A person deletes again.',
      holds: hasNoDecision('deletion'),
    },
  },
  states: {
    sending: 'sending',
    planned: 'scheduled',
    calledOff: 'cancelled',
    over: 'SUCCESS',
    offline: 'scheduled',
    limited: 'refused',
    lost: 'unknown',
    killed: 'unknown',
    takenOver: 'paused',
    refused: 'paused',
    full: 'SUCCESS',
    paused: '',
    cancelled: '',
  },
  whenLimited: 'ends',
  open: (world, pid) => {
    const { program, store, uploads } = openUploads(world, pid);
    const view = () =>
      uploads
        .listDeletions()
        .deletions.map(({ deletionId: id, status: state, ...rest }) => ({ id, state, ...rest }))[0];
    const id = () => view()?.id ?? '';
    return {
      ...program,
      leases: store.deletions.leases,
      begin: async (startAtMs) => {
        const request = { modelId: ID, eventIds: ['a'], timeRange: null, updateMetrics: false };
        const act = uploads.deleteEvents(request, startAtMs);
        if (startAtMs === null) begun(act);
        else await act;
      },
      view,
      stored: () => store.deletions.get(id()),
      control: async (action, startAtMs) => {
        if (action === 'start') return begun(uploads.controlDeletion(id(), 'start'));
        if (action === 'schedule') return uploads.controlDeletion(id(), 'schedule', startAtMs);
        return uploads.controlDeletion(id(), 'cancel');
      },
    };
  },
};

export const wholeFile: Kind = {
  name: 'file sent whole',
  parts: ['files.upload'],
  atOnce: 1,
  lacks: {
    pause: { reason: CANNOT_PAUSE, holds: hasNoAction('file', 'pause') },
    resume: { reason: CANNOT_PAUSE, holds: hasNoAction('file', 'resume') },
    unknown: {
      reason: 'A file that is not published is nothing to the service: it is sent again without harm.',
      holds: () => wholeFile.states.lost === 'failed',
    },
    decide: {
      reason:
        'Whether it was published is seen in the jobs of the service, which this program cannot tell apart.',
      holds: hasNoDecision('file'),
    },
  },
  states: {
    sending: 'sending',
    planned: 'scheduled',
    calledOff: 'cancelled',
    over: 'uploaded',
    offline: 'scheduled',
    limited: 'failed',
    lost: 'failed',
    killed: 'interrupted',
    takenOver: 'interrupted',
    refused: 'paused',
    full: 'failed',
    paused: '',
    cancelled: 'cancelled',
  },
  whenLimited: 'ends',
  open: (world, pid) => {
    const { program, store, uploads } = openUploads(world, pid);
    const view = () => uploads.wholeFiles.list()[0];
    const id = () => view()?.id ?? '';
    return {
      ...program,
      leases: store.wholeFiles.leases,
      begin: async (startAtMs) => {
        const path = join(world.folder, 'a.csv');
        writeFileSync(path, 'a,b\n1,2\n');
        const request = { modelId: null, envType: '', envName: null, publishes: false };
        await uploads.wholeFiles.sendPath({ path, name: 'a.csv' }, request, 1_000, startAtMs);
      },
      view,
      stored: () => store.wholeFiles.get(id()),
      control: async (action, startAtMs) => {
        if (action === 'pause' || action === 'resume') return none();
        return uploads.wholeFiles.control(id(), action === 'call-off' ? 'cancel' : action, startAtMs);
      },
    };
  },
};
