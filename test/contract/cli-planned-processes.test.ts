/**
 * `planned` with several processes: jobs are started, rejected, ended, interrupted and killed in another process than
 * the one that planned them.
 */
import type { ChildProcess } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { answerOf, FAR, LaterRig, leave, MODEL, plannedIdOf } from '../helpers/later-rig.ts';
import type { CliResult } from '../helpers/run-cli.ts';

let rig: LaterRig;
beforeEach(async () => {
  rig = await LaterRig.start();
});
afterEach(async () => {
  const report = await rig.end();
  expect(report).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

interface Planned {
  id: string;
}
const listed = async (): Promise<Planned[]> => answerOf(await rig.cli(['planned'])).items;
/** Number of events at the service. */
const events = async () => rig.raw.service.events(await rig.raw.idOf('models.list', MODEL)).count;

/**
 * Plans a job in a separate process, which is interrupted. Returns the id in the hint that says how to start the job.
 */
const plan = async (command: string[]) => plannedIdOf(await rig.cli([...command, ...FAR], leave));

/** Calls `then` once the service has answered this number of requests. */
function after(operation: OperationId, requests: number, then: (child: ChildProcess) => void) {
  return once(() => rig.sent(operation) >= requests, then);
}

/** Calls `then` while a request of the process waits for the scripted fault. */
function atFault(then: (child: ChildProcess) => void) {
  const before = rig.faults;
  return once(() => rig.faults > before, then);
}

function once(isTime: () => boolean, then: (child: ChildProcess) => void) {
  return (child: ChildProcess) => {
    const watch = setInterval(() => {
      if (!isTime()) return;
      clearInterval(watch);
      then(child);
    }, 10);
    child.once('close', () => clearInterval(watch));
  };
}

test('a job started by hand belongs to one process: a second start is rejected, and a process that waited for its time reports this and ends', async () => {
  rig.raw.service.setFaults([
    { match: { operation: 'events.publish' }, action: { type: 'delay', delayMs: 4_000 } },
  ]);
  const before = await events();
  const begun = Promise.withResolvers<CliResult>();
  const refused = Promise.withResolvers<CliResult>();
  // The process that planned the job keeps waiting for its start time.
  const waiting = await rig.cli([...rig.upload(800), '--batch-rows', '50', ...FAR], (child) => {
    child.stderr?.on('data', (text: Buffer) => {
      if (!text.toString().includes('Starts at')) return;
      void listed().then(([act]) => {
        const start = ['planned', 'start', act?.id ?? ''];
        const asksToo = after('events.publish', 2, () =>
          refused.resolve(rig.cli(['uploads', 'resume', act?.id ?? ''])),
        );
        begun.resolve(rig.cli(start, asksToo));
      });
    });
  });
  const second = await refused.promise;
  // The service is slow only until one process has the job and the other was rejected.
  rig.raw.service.setFaults([]);
  expect(second.stderr).toMatch(/^error CONFLICT: Another Spandeck .* is working on this upload\./m);
  expect(waiting.code).toBe(0);
  expect(waiting.stderr).toContain(
    'Another Spandeck (a window or a command line) started it and continues it.',
  );
  expect(answerOf(await begun.promise)).toMatchObject({ state: 'done', acknowledged: 800, unknown: 0 });
  expect((await events()) - before).toBe(800);
});

test.each<['hang' | null, readonly string[]]>([
  ['hang', ['running']],
  // The progress that this process sees of the other one when it reads the job.
  [null, ['running', 'over']],
])(
  'a change that waits for its time here and is started elsewhere ends here too (%s)',
  async (fault, states) => {
    const ids = await rig.datasetIds();
    if (fault !== null) {
      rig.raw.service.setFaults([{ match: { operation: 'datasets.update' }, action: { type: fault } }]);
    }
    const faultsBefore = rig.faults;
    const other: { child?: ChildProcess; ended?: Promise<CliResult> } = {};
    const waiting = await rig.cli([...rig.change(ids), ...FAR], (child) => {
      child.stderr?.on('data', (text: Buffer) => {
        if (!text.toString().includes('Starts at')) return;
        void listed().then(([act]) => {
          other.ended = rig.cli(['planned', 'start', act?.id ?? ''], (begun) => {
            other.child = begun;
          });
        });
      });
    });
    expect(answerOf(waiting)).toMatchObject({ what: 'Change 2 datasets' });
    expect(states).toContain(answerOf(waiting)['state']);
    expect(waiting.stderr).toContain('Another Spandeck (a window or a command line) started it');
    expect(waiting.code).toBe(0);
    if (fault !== null) {
      // The process is killed only once both of its requests hang at the service.
      await expect.poll(() => rig.faults - faultsBefore).toBe(2);
      other.child?.kill('SIGKILL');
    }
    expect((await other.ended)?.code).toBe(fault === null ? 0 : null);
    expect(rig.sent('datasets.update')).toBe(2);
  },
);

test('killed or interrupted while running, a job started by hand is continued, and nothing is sent twice', async () => {
  // The signal arrives before the end, however fast the computer is.
  rig.raw.service.setFaults([
    { match: { operation: 'events.publish' }, after: 2, action: { type: 'delay', delayMs: 2_000 } },
    { match: { operation: 'datasets.add-spans' }, after: 2, action: { type: 'hang', isStored: true } },
  ]);
  const before = await events();
  const upload = await plan([...rig.upload(400), '--batch-rows', '50']);
  const build = await plan(await rig.fromSpans());
  const stopped = await rig.cli(
    ['planned', 'start', upload],
    atFault((child) => child.kill('SIGINT')),
  );
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toMatch(/^error CANCELLED: The upload is paused\. .*uploads resume /m);
  const killed = await rig.cli(
    ['planned', 'start', build],
    atFault((child) => child.kill('SIGKILL')),
  );
  expect(killed.code).toBeNull();
  expect(await listed()).toEqual([]);
  rig.raw.service.setFaults([]);
  expect(answerOf(await rig.cli(['uploads', 'resume']))).toMatchObject({ state: 'done', acknowledged: 400 });
  expect((await events()) - before).toBe(400);
  const decided = answerOf(await rig.cli(['builds', 'decide']));
  expect(decided).toMatchObject({ state: 'done', written: 250 });
  const path = rig.raw.path('datasets.items', { dataset_id: decided.datasetId }, '?limit=1000');
  expect((await rig.raw.page(path)).items).toHaveLength(250);
});
