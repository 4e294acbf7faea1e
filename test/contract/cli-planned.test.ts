/** `planned` lists, starts, reschedules and cancels planned jobs. Invalid commands are rejected. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerOf, FAR, FAR_ISO, LaterRig, leave, plannedIdOf } from '../helpers/later-rig.ts';

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
  kind: string;
  what: string;
  startAt: string | null;
  requests: number;
  error: unknown;
}
const listed = async (): Promise<Planned[]> => answerOf(await rig.here(['planned'])).items;

/** Plans a job, and stops waiting for its start time. Returns the id in the hint that says how to start the job. */
const plan = async (command: string[]) => plannedIdOf(await rig.here([...command, ...FAR], leave));

async function planAll(): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  ids['upload'] = await plan(rig.upload());
  ids['file'] = await plan(rig.uploadFile());
  ids['deletion'] = await plan(rig.deletion());
  ids['build'] = await plan(await rig.fromSpans());
  ids['scores'] = await plan(rig.scores());
  ids['change'] = await plan(rig.change(await rig.datasetIds()));
  return ids;
}

test('all planned jobs are in one list, and are run to their end', async () => {
  expect(answerOf(await rig.here(['planned']))).toEqual({ items: [], total: 0, complete: true, asOf: null });
  const ids = await planAll();
  const items = await listed();
  expect(Object.fromEntries(items.map(({ kind, id }) => [kind, id]))).toEqual(ids);
  for (const item of items) {
    expect(Object.keys(item)).toEqual(['id', 'kind', 'what', 'startAt', 'requests', 'operations', 'error']);
    expect(item).toMatchObject({ startAt: FAR_ISO, requests: expect.any(Number), error: null });
    expect(item.requests).toBeGreaterThan(0);
  }
  const writes = Object.keys(rig.raw.service.report().operations).filter((id) =>
    /^(events\.|files\.|datasets\.(add|create|update)|evaluators\.score)/.test(id),
  );
  expect(writes).toEqual([]);

  const start = async (kind: string) => rig.here(['planned', 'start', ids[kind] ?? '']);
  expect(answerOf(await start('upload'))).toMatchObject({ state: 'done', acknowledged: 30 });
  expect(answerOf(await start('file'))).toMatchObject({
    parts: expect.any(Number),
    ended: { status: 'SUCCESS' },
  });
  expect(answerOf(await start('deletion'))).toMatchObject({
    jobId: expect.any(String),
    budget: { usedToday: 1 },
  });
  expect(answerOf(await start('build'))).toMatchObject({ state: 'done', written: 250 });
  const scored = answerOf(await start('scores'));
  expect(scored).toMatchObject({ state: 'done', unscored: 0, scoresFile: expect.any(String) });
  const changed = await start('change');
  const lines = changed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ state }) => state)).toEqual(['done', 'done']);

  expect(rig.sent('events.delete')).toBe(1);
  expect(rig.sent('datasets.update')).toBe(2);
  expect(rig.sent('datasets.add-spans')).toBe(2);
  // Items that have the same texts share a request.
  expect(rig.sent('evaluators.score')).toBeLessThanOrEqual(scored.scored);
  expect(await listed()).toEqual([]);
  const again = await start('upload');
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toMatch(
    /^error NOT_FOUND: No planned start of .*: it has started, was cancelled, or never existed\./m,
  );
});

test('planned jobs of each kind are rescheduled and cancelled, and nothing of them is sent', async () => {
  const ids = await planAll();
  const moved = new Date(2098, 4, 1, 3).toISOString();
  for (const [kind, id] of Object.entries(ids)) {
    const changed = await rig.here(['planned', 'change', id, '--start-at', '2098-05-01 03:00']);
    expect(answerOf(changed)).toMatchObject({ id, kind, startAt: moved });
    expect(changed).toMatchObject({ code: 0, stderr: expect.stringContaining(`planned start ${id}`) });
  }
  expect((await listed()).map(({ startAt }) => startAt)).toEqual(Object.keys(ids).map(() => moved));
  for (const [kind, id] of Object.entries(ids)) {
    // The beginning of an id is sufficient, as everywhere.
    const off = await rig.here(['planned', 'cancel', id.slice(0, 8)]);
    expect(off.code).toBe(0);
    expect(answerOf(off)).toMatchObject({ id, kind, startAt: null });
  }
  expect(await listed()).toEqual([]);
  const states = async (command: string) =>
    answerOf(await rig.here([command])).items.map(({ state }: { state: string }) => state);
  expect(await states('uploads')).toEqual(['cancelled']);
  expect(await states('builds')).toEqual(['editing']);
  expect(await states('changes')).toEqual(['stopped']);
  expect(rig.sent('events.publish') + rig.sent('events.delete') + rig.sent('datasets.update')).toBe(0);
});

test('an invalid command is rejected with one line; planned jobs stay planned', async () => {
  const id = await plan(rig.deletion());
  const cases: [string[], RegExp][] = [
    [['begin', id], /INVALID_ARGUMENT: planned expects start, change, cancel or nothing, got begin\./],
    [['start'], /INVALID_ARGUMENT: planned start expects ID\. Run planned for the list\./],
    [['start', 'f0000000-0000-4000-8000-000000000000'], /NOT_FOUND: No planned start of f000/],
    [['change', id], /INVALID_ARGUMENT: planned change expects --start-at WHEN\./],
    [['change', id, '--start-at', '2001-01-01 02:00'], /has passed/],
    [
      ['start', id, ...FAR],
      /INVALID_ARGUMENT: planned start takes no --start-at\. It belongs to: planned change\./,
    ],
    [['start', id, '--offline'], /OFFLINE: /],
  ];
  const exitCodes: Record<string, number> = { INVALID_ARGUMENT: 2, OFFLINE: 4 };
  for (const [args, reason] of cases) {
    const { stderr, stdout, code } = await rig.textHere(['planned', ...args]);
    expect({ args, code, stdout, lines: stderr.trim().split('\n').length }).toEqual({
      args,
      code: exitCodes[/^error (\w+)/.exec(stderr)?.[1] ?? ''] ?? 1,
      stdout: '',
      lines: 1,
    });
    expect(stderr).toMatch(reason);
  }
  expect(await listed()).toMatchObject([{ id, kind: 'deletion', startAt: FAR_ISO, requests: 1 }]);
  expect(answerOf(await rig.here(['planned', '--offline'])).items).toHaveLength(1);
  const text = await rig.textHere(['planned']);
  expect(text.stdout).toMatch(
    /^id +kind +what +starts +requests +waits\n[0-9a-f-]{36} {2}deletion {2}.+ {2}2099-01-01 02:00 {2}1 +–$/m,
  );
  expect(rig.sent('events.delete')).toBe(0);
});

test('Ctrl-C while the records of a planned change are read plans nothing', async () => {
  const change = rig.change(await rig.datasetIds());
  rig.raw.service.setFaults([
    { match: { operation: 'datasets.get' }, action: { type: 'delay', delayMs: 300 } },
  ]);
  const stopped = await rig.here([...change, ...FAR], (command) => {
    void expect
      .poll(() => rig.faults, { interval: 5 })
      .toBeGreaterThan(0)
      .then(() => command.kill('SIGINT'));
  });
  expect(stopped.stderr).toMatch(/^Plan: 2 to .+, 2 to .+/m);
  expect(stopped.stderr).not.toContain('Stays planned');
  expect(stopped.code).not.toBe(0);
  expect(await listed()).toEqual([]);
});
