/** Uploads, deletions, files sent whole and what is kept: the one transition says what their own said before. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type DeletionCore,
  type DeletionEvent,
  deletionTransition,
} from '../../electron/core/jobs/deletion.ts';
import { keepTransition } from '../../electron/core/jobs/keep-offline.ts';
import { NEW_UPLOAD, uploadTransition } from '../../electron/core/jobs/upload-job.ts';
import { type WholeFileCore, wholeFileTransition } from '../../electron/core/jobs/whole-file.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { JobState as ServiceTask } from '../../electron/shared/resource-contract.ts';
import type { BatchState } from '../../electron/shared/upload-model.ts';
import * as oldDeletion from '../helpers/earlier/deletion.ts';
import * as oldKeep from '../helpers/earlier/keep-offline.ts';
import * as oldUpload from '../helpers/earlier/upload-job.ts';
import * as oldFile from '../helpers/earlier/whole-file.ts';
import { runs } from '../helpers/runs.ts';

const TRACES = runs(10_000);
const HOUR_MS = 3_600_000;
const moment = fc.integer({ min: 0, max: 6 }).map((hour) => hour * HOUR_MS);
const schedule = fc.record({
  type: fc.constant('schedule' as const),
  startAtMs: fc.option(moment, { nil: null }),
  nowMs: moment,
});
const due = fc.record({ type: fc.constant('due' as const), nowMs: moment });
const PROBLEMS = [
  new AppError('TIMEOUT', 'No answer.', { outcome: 'unknown' }),
  new AppError('OFFLINE', 'No network.', { outcome: 'unsent' }),
  new AppError('READ_ONLY', 'Read-only.', { outcome: 'unsent' }),
  new AppError('INVALID_ARGUMENT', 'Refused.', { outcome: 'answered', status: 422 }),
  new AppError('SERVICE_FAILED', 'Failed.', { outcome: 'answered', status: 500 }),
];
const problem = fc.constantFrom(...PROBLEMS);
const wire = problem.map((each) => each.toWire());
const halt = <T extends string>(type: T) =>
  fc.record({
    type: fc.constant(type),
    reason: fc.constantFrom('', 'asked'),
    error: fc.option(wire, { nil: null }),
  });
const task: fc.Arbitrary<ServiceTask> = fc
  .record({
    status: fc.constantFrom(null, 'PENDING', 'STARTED', 'SUCCESS', 'FAILURE', 'REVOKED', 'done'),
    progress: fc.option(fc.integer({ min: 0, max: 100 }), { nil: null }),
    error: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: wire }),
    errorMessage: fc.constantFrom(null, 'Too many rows.'),
    isOver: fc.boolean(),
  })
  .map(
    (each) =>
      ({
        ...each,
        jobId: 'job',
        isOver:
          each.error === null ? ['SUCCESS', 'FAILURE', 'REVOKED'].includes(each.status ?? '') : each.isOver,
      }) as ServiceTask,
  );

interface Named<Core> {
  fault: string;
  /** Puts both into one form where they differ by the fault. Null: the trace ends here. */
  even(before: Core, old: Core, now: Core): Core | null;
}

type Said<Core> = { core: Core } | { refused: string };

function said<Core, Event>(
  transition: (core: Core, event: Event) => Core,
  core: Core,
  event: Event,
): Said<Core> {
  try {
    return { core: transition(core, event) };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    return { refused: `${thrown.code} ${thrown.message}` };
  }
}

interface Kind<Core extends { state: string }, Old, Now> {
  begin: Core;
  old: (core: Core, event: Old) => Core;
  now: (core: Core, event: Now) => Core;
  /** An event of the old transition and what it is now. */
  events: fc.Arbitrary<{ old: Old; now: Now }>;
  faults?: Named<Core>[];
  /** Traces begin with one of these, so that they come far. */
  first?: readonly (readonly Old[])[];
  /** Every state that the traces are to have come to. */
  states: readonly Core['state'][];
  /** Words of a refusal that changed by a named fault. */
  words?: (text: string) => string;
}

function sameAsBefore<Core extends { state: string }, Old, Now>(name: string, kind: Kind<Core, Old, Now>) {
  test(`${name}: ${TRACES} traces`, () => {
    const seen = new Map<string, number>();
    const states = new Set<string>();
    fc.assert(
      fc.property(
        fc.constantFrom(...(kind.first ?? [[]])),
        fc.array(kind.events, { maxLength: 40 }),
        (first, rest) => {
          let core = first.reduce(kind.old, kind.begin);
          for (const event of rest) {
            const old = said(kind.old, core, event.old);
            const now = said(kind.now, core, event.now);
            if ('refused' in old || 'refused' in now) {
              const words = kind.words ?? ((text: string) => text);
              const plain = (one: Said<Core>) => ('refused' in one ? { refused: words(one.refused) } : one);
              expect(plain(now)).toEqual(plain(old));
              continue;
            }
            let told = old.core;
            for (const { fault, even } of kind.faults ?? []) {
              const evened = even(core, told, now.core);
              if (evened === told) continue;
              seen.set(fault, (seen.get(fault) ?? 0) + 1);
              if (evened === null) return;
              told = evened;
            }
            expect(now.core).toEqual(told);
            core = now.core;
            states.add(core.state);
          }
        },
      ),
      { numRuns: TRACES },
    );
    console.info(name, [...states].toSorted().join(' '), Object.fromEntries(seen));
    expect([...states].toSorted()).toEqual([...kind.states].toSorted());
  });
}

const both = <Event>(event: fc.Arbitrary<Event>) => event.map((each) => ({ old: each, now: each }));
const constants = <Event>(...events: Event[]) => fc.constantFrom(...events);

const batchStates: BatchState[] = ['pending', 'sending', 'acknowledged', 'refused', 'unknown', 'cancelled'];
const batchState = fc.constantFrom(...batchStates);
const rows = fc.constantFrom(1, 5);
const move = (from: BatchState | null, to: BatchState) =>
  rows.map((count): oldUpload.JobEvent => ({ type: 'batch', from, to, rows: count }));
const uploadEvent: fc.Arbitrary<Exclude<oldUpload.JobEvent, { type: 'fail' }>> = fc.oneof(
  constants<Exclude<oldUpload.JobEvent, { type: 'fail' }>>(
    { type: 'start' },
    { type: 'start' },
    { type: 'resume' },
    { type: 'wake' },
    { type: 'cancel' },
    { type: 'split' },
    { type: 'settle' },
    { type: 'settle' },
    { type: 'interrupt', reason: 'ended' },
    { type: 'scanned', rows: 10, rejected: 5 },
  ),
  halt('pause'),
  halt('wait'),
  schedule,
  due,
  fc.record({ type: fc.constant('scanned' as const), rows: fc.nat(40), rejected: fc.nat(10) }),
  fc.record({
    type: fc.constant('batch' as const),
    from: fc.option(batchState, { nil: null }),
    to: batchState,
    rows: fc.integer({ min: 1, max: 10 }),
  }),
  ...[
    move(null, 'sending'),
    move('sending', 'acknowledged'),
    move('sending', 'unknown'),
    move('sending', 'pending'),
    move('pending', 'sending'),
    move('unknown', 'acknowledged'),
  ].map((each) => each as fc.Arbitrary<Exclude<oldUpload.JobEvent, { type: 'fail' }>>),
);

const CUT: oldUpload.JobEvent[] = [
  { type: 'start' },
  { type: 'scanned', rows: 7, rejected: 2 },
  { type: 'batch', from: null, to: 'sending', rows: 5 },
];
sameAsBefore('upload', {
  begin: NEW_UPLOAD,
  states: [
    'ready',
    'scheduled',
    'running',
    'waiting',
    'paused',
    'needs-decision',
    'done',
    'cancelled',
    'failed',
  ],
  first: [[], [{ type: 'start' }], CUT, [...CUT, { type: 'batch', from: 'sending', to: 'unknown', rows: 5 }]],
  old: oldUpload.transition,
  now: uploadTransition,
  events: fc.oneof(
    { weight: 30, arbitrary: both(uploadEvent) },
    {
      weight: 1,
      arbitrary: wire.map((error) => ({
        old: { type: 'fail' as const, error },
        now: { type: 'fail' as const, reason: error.message, error },
      })),
    },
  ),
  faults: [
    {
      fault: 'one that failed while it was cancelled was still being cancelled',
      even: (before, old) =>
        before.isCancelling && old.state === 'failed' ? { ...old, isCancelling: false } : old,
    },
  ],
});

const onceEvents = [
  both(schedule),
  both(due),
  both(constants({ type: 'cancel' as const })),
  both(constants({ type: 'interrupt' as const })),
  both(wire.map((error) => ({ type: 'rest' as const, error }))),
  both(task.map((each) => ({ type: 'look' as const, task: each }))),
] as const;

const deletion: DeletionCore = {
  ...{ state: 'not-sent', reason: '', error: null, startAtMs: null, lateStart: null },
  ...{ taskId: null, taskStatus: null, progress: null, begunForMs: null },
};
const deletionEvents: fc.Arbitrary<{ old: oldDeletion.DeletionEvent; now: DeletionEvent }> = fc.oneof(
  ...onceEvents,
  constants(
    { old: { type: 'send' as const, from: 'not-sent' as const }, now: { type: 'resume' as const } },
    { old: { type: 'send' as const, from: 'scheduled' as const }, now: { type: 'start' as const } },
  ),
  both(fc.record({ type: fc.constant('fail' as const), error: problem, mayPass: fc.boolean() })),
  both(
    fc.record({
      type: fc.constant('answered' as const),
      taskId: fc.constantFrom('', 'task', 'task'),
      status: fc.constantFrom(null, 'PENDING', 'STARTED', 'SUCCESS', 'FAILURE'),
      progress: fc.constantFrom(null, 10),
    }),
  ),
);
const FOLLOWED = [
  {
    fault: 'progress of a task that has succeeded is 100',
    even: <Core extends DeletionCore | WholeFileCore>(before: Core, old: Core, now: Core): Core =>
      before.state === 'following' && old.state === 'done' && now.progress === 100
        ? { ...old, progress: 100 }
        : old,
  },
];
for (const state of ['not-sent', 'scheduled'] as const) {
  sameAsBefore(`deletion, ${state}`, {
    begin: { ...deletion, state, startAtMs: state === 'scheduled' ? HOUR_MS : null },
    states: [
      ...(['not-sent', 'sending', 'refused', 'unknown', 'following', 'done', 'failed'] as const),
      ...(state === 'scheduled' ? (['scheduled', 'cancelled'] as const) : []),
    ],
    first: [
      [],
      [
        { type: 'send', from: state },
        { type: 'answered', taskId: 'task', status: null, progress: null },
      ],
    ],
    old: oldDeletion.deletionTransition,
    now: deletionTransition,
    events: deletionEvents,
    words: (text) =>
      text
        .replace(/this deletion is .*/, 'this deletion is somewhere')
        .replace('Cannot send', 'Cannot begin'),
    faults: [
      ...FOLLOWED,
      {
        fault: 'the time that one began too late for is kept when it is sent by hand',
        even: (before, old, now) =>
          before.state === 'not-sent' ? { ...old, lateStart: now.lateStart } : old,
      },
    ],
  });
}

const file: WholeFileCore = {
  ...{ state: 'interrupted', reason: '', error: null, startAtMs: null, lateStart: null },
  ...{ taskId: null, taskStatus: null, progress: null, begunForMs: null },
  ...{ name: 'a.csv', publishes: true, partsSent: 0, file: null },
};
for (const [state, publishes] of [
  ['interrupted', true],
  ['scheduled', true],
  ['scheduled', false],
] as const) {
  sameAsBefore(`file, ${state}, ${publishes ? 'published' : 'only sent'}`, {
    begin: { ...file, publishes, state, startAtMs: state === 'scheduled' ? HOUR_MS : null },
    states: [
      ...(['sending', 'failed', 'cancelled', 'interrupted'] as const),
      ...(state === 'scheduled' ? (['scheduled'] as const) : []),
      ...(publishes ? (['publishing', 'following', 'done', 'unknown'] as const) : (['uploaded'] as const)),
    ],
    first: [
      [],
      [{ type: state === 'scheduled' ? 'start' : 'again' }],
      [
        { type: state === 'scheduled' ? 'start' : 'again' },
        { type: 'uploaded', file: { id: 'file' } },
        ...(publishes ? [{ type: 'published' as const, taskId: 'task' }] : []),
      ],
    ],
    old: oldFile.wholeFileTransition,
    now: wholeFileTransition,
    events: fc.oneof(
      ...onceEvents,
      constants(
        { old: { type: 'again' as const }, now: { type: 'resume' as const } },
        { old: { type: 'start' as const }, now: { type: 'start' as const } },
      ),
      both(problem.map((error) => ({ type: 'put-off' as const, error }))),
      both(fc.nat(3).map((partsSent) => ({ type: 'part' as const, partsSent }))),
      both(constants({ type: 'uploaded' as const, file: { id: 'file' } })),
      both(
        constants(
          { type: 'published' as const, taskId: null },
          { type: 'published' as const, taskId: 'task' },
        ),
      ),
      both(
        fc.record({
          type: fc.constant('fail' as const),
          error: problem,
          withdrawn: fc.constantFrom(null, null, 'cancelled' as const, 'interrupted' as const),
        }),
      ),
    ),
    faults: [
      ...FOLLOWED,
      {
        fault: 'a look took progress away, and what it said of one that failed was not kept',
        even: (before, old, now) =>
          before.state === 'following' && (old.progress === null || old.state === 'failed')
            ? { ...old, progress: now.progress }
            : old,
      },
      {
        fault: 'an error from before a look stayed beside what the look said',
        even: (before, old, now) =>
          before.state === 'following' && before.error !== null && old.error === before.error
            ? { ...old, error: now.error }
            : old,
      },
      {
        fault: 'the last status was kept of a task that the service does not know any more',
        even: (before, old, now) =>
          before.state === 'following' && old.state === 'unknown'
            ? { ...old, taskStatus: now.taskStatus }
            : old,
      },
      {
        fault: 'the planned time of one that was cancelled while it was sent was still known, unused',
        even: (_, old) => (old.state === 'cancelled' ? { ...old, begunForMs: null } : old),
      },
    ],
  });
}

sameAsBefore('kept', {
  begin: { state: 'running', reason: '', error: null, startAtMs: null, lateStart: null } as oldKeep.KeepCore,
  states: ['running', 'waiting', 'paused'],
  old: oldKeep.keepTransition,
  now: keepTransition,
  events: fc.oneof(
    both(halt('pause')),
    both(halt('wait')),
    both(constants({ type: 'interrupt' as const }, { type: 'wake' as const }, { type: 'resume' as const })),
    both(schedule),
    both(due),
  ),
});
test('kept: ends, and calls off, as before', () => {
  for (const state of ['running', 'waiting', 'paused', 'done'] as const) {
    for (const startAtMs of state === 'paused' || state === 'done' ? [null, HOUR_MS] : [null]) {
      const core = { state, reason: 'x', error: null, startAtMs, lateStart: null };
      if (state === 'running')
        expect(keepTransition(core, { type: 'settle' })).toEqual(
          oldKeep.keepTransition(core, { type: 'end' }),
        );
      if (startAtMs !== null) {
        expect(keepTransition(core, { type: 'unschedule' })).toEqual(
          oldKeep.keepTransition(core, { type: 'unschedule' }),
        );
      }
    }
  }
});
