/** The kinds of durable jobs with a common interface, and the reasons for actions that a kind lacks. */
import { join } from 'node:path';
import { createBulk } from '../../electron/bulk/bulk.ts';
import { openUploadStore } from '../../electron/db/upload-store.ts';
import { createOutbox } from '../../electron/outbox/outbox.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import { createResources } from '../../electron/resources/resources.ts';
import { hasNoAction, hasNoDecision, ID, type Kind, MAX_STATES, none } from './jobs-kind.ts';
import { addition, build, scoreRun } from './jobs-of-datasets.ts';
import { listExport } from './jobs-of-lists.ts';
import { deletion, rows, wholeFile } from './jobs-of-uploads.ts';
import { Life } from './jobs-world.ts';
import { silentLogger } from './virtual-world.ts';

const RECORDS = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6'];

/** The parts that both kinds of changes share. */
function openChanges(life: Life) {
  const { world, clock, client } = life;
  const file = join(world.folder, 'uploads.db');
  const store = life.onDisk(openUploadStore({ file, clock, logger: silentLogger }));
  const resources = createResources({
    client,
    library: { invalidate: () => undefined },
    clock,
    logger: silentLogger,
    onJobChanged: () => undefined,
  });
  return { clock, store, resources };
}

const change: Kind = {
  name: 'change of many records',
  parts: RECORDS,
  atOnce: 4,
  lacks: {
    decide: {
      reason: 'It looks at each record by itself, and says done only where the service shows it.',
      holds: hasNoDecision('bulk'),
    },
  },
  states: {
    ...MAX_STATES,
    planned: 'scheduled',
    calledOff: 'stopped',
    lost: 'done',
    cancelled: 'stopped',
  },
  whenLimited: 'waits',
  open: (world, pid) => {
    const life = new Life(world, pid);
    const { clock, store, resources } = openChanges(life);
    const bulk = createBulk({
      connectionId: ID,
      store,
      resources,
      clock,
      random: systemRandom,
      logger: silentLogger,
      process: { pid, isRunning: life.isAlive },
      durationMs: () => 0,
      readOf: () => null,
      waitMs: () => Math.max(0, world.service.notBeforeMs - clock.nowMs()),
      blockingError: () => null,
      onChanged: life.note,
    });
    life.onEnd(async () => {
      await bulk.stop();
      await resources.stop();
    }, store);
    const view = () => bulk.list().map(({ bulkId: id, ...job }) => ({ id, ...job }))[0];
    const id = () => view()?.id ?? '';
    return {
      life,
      leases: store.bulk.leases,
      begin: async (startAtMs) => {
        const records = RECORDS.map((record) => ({ id: record, name: record }));
        const ids = { place: 'path', name: 'baseline_id' } as const;
        const request = { operation: 'baselines.delete', path: {}, query: {}, body: null, ids };
        const words = {
          title: 'Delete',
          noun: 'baseline',
          nouns: 'baselines',
          going: 'Deleting',
          done: 'deleted',
        };
        await bulk.create({ request, words, records, startAtMs });
      },
      recover: async (continues) => bulk.recover(continues),
      view,
      stored: () => ({ change: store.bulk.get(id()), parts: store.bulkParts.list(id(), null, 0, 10) }),
      control: async (action, startAtMs = 0) =>
        bulk.control(id(), action === 'call-off' || action === 'cancel' ? 'stop' : action, startAtMs),
      decide: none,
      wake: () => bulk.wake(),
    };
  },
};

const CANNOT_PAUSE = 'It is one request: it is sent, or waits in the outbox.';

const outboxEntry: Kind = {
  name: 'change in the outbox',
  parts: ['r1'],
  atOnce: 1,
  isResumedByWindow: true,
  lacks: {
    pause: { reason: CANNOT_PAUSE, holds: hasNoAction('outbox', 'pause') },
    resume: { reason: CANNOT_PAUSE, holds: hasNoAction('outbox', 'resume') },
    cancel: {
      reason: 'What is on its way cannot be taken back. One that waits is discarded.',
      holds: ({ control }) =>
        control('cancel').then(
          () => false,
          () => true,
        ),
    },
    decide: {
      reason: 'It is one request: what is decided of it is in outbox.test.ts.',
      holds: async ({ decide }) => {
        const refused = await decide('stored').then(
          () => '',
          (thrown: unknown) => String(thrown),
        );
        return refused.includes('does not wait for a decision') || refused.includes('running');
      },
    },
  },
  states: {
    ...MAX_STATES,
    // The state of the target shows that the change was made.
    lost: 'done',
    paused: '',
    cancelled: '',
  },
  whenLimited: 'waits',
  open: (world, pid) => {
    const life = new Life(world, pid);
    const { clock, store, resources } = openChanges(life);
    const outbox = createOutbox({
      connectionId: ID,
      store,
      resources,
      clock,
      random: systemRandom,
      logger: silentLogger,
      process: { pid, isRunning: life.isAlive },
      waitMs: () => Math.max(0, world.service.notBeforeMs - clock.nowMs()),
      blockingError: () => null,
      sendsWhenBack: () => false,
      onChanged: life.note,
    });
    life.onEnd(async () => {
      await outbox.stop();
      await resources.stop();
    }, store);
    const view = () => outbox.list().map(({ entryId: id, ...job }) => ({ id, ...job }))[0];
    const id = () => view()?.id ?? '';
    return {
      life,
      leases: store.outbox.leases,
      begin: async (startAtMs) => {
        const request = {
          operation: 'baselines.delete',
          path: { baseline_id: 'r1' },
          query: {},
          body: null,
        };
        const { entryId } = outbox.put({ request, base: {} }, startAtMs);
        if (startAtMs === null) outbox.send(entryId);
      },
      recover: async (continues) => outbox.recover(continues),
      view,
      stored: () => store.outbox.get(id()),
      control: async (action, startAtMs = 0) => {
        switch (action) {
          case 'schedule':
            return outbox.schedule(id(), startAtMs);
          case 'call-off':
            return outbox.unschedule(id());
          case 'cancel':
            return outbox.discard(id());
          case 'start':
            return outbox.send(id());
          default:
            return none();
        }
      },
      decide: async (decision) => outbox.decide(id(), decision),
      wake: () => outbox.wake(),
    };
  },
};

export const KINDS: readonly Kind[] = [
  rows,
  wholeFile,
  deletion,
  build,
  scoreRun,
  addition,
  change,
  outboxEntry,
  listExport,
];
