/**
 * Two processes do the same on one data folder at the same time: it is done once, and the other process says why it did
 * not do it.
 */
import type { ChildProcess } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { answerOf, LaterRig } from '../helpers/later-rig.ts';
import { churnCsv } from '../helpers/make-files.ts';
import type { CliResult } from '../helpers/run-cli.ts';

let rig: LaterRig;
beforeEach(async () => {
  rig = await LaterRig.start({ settings: { jobPendingMs: 0, jobRunMs: 0 } });
});
afterEach(async () => {
  expect(await rig.end()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

/** Delays the answers to this operation, so that both processes are at the same step. */
function slow(operation: OperationId): void {
  rig.raw.service.setFaults([{ match: { operation }, action: { type: 'delay', delayMs: 2_000 } }]);
}

/** Runs both commands. Returns the one that succeeded first. */
async function both(first: string[], second = first): Promise<{ done: CliResult; other: CliResult }> {
  const [one, two] = await Promise.all([rig.text(first), rig.text(second)]);
  return one.code === 0 ? { done: one, other: two } : { done: two, other: one };
}

test('two undos of one upload delete its events once', async () => {
  await rig.here(rig.upload());
  // The rows are counted between the plan and the deletion.
  slow('models.environments');
  const { done, other } = await both(['uploads', 'undo', '--yes']);
  expect(done.code).toBe(0);
  expect(other.code).not.toBe(0);
  expect(other.stderr).toMatch(
    /^error \w+: (Another deletion of events of this upload began meanwhile\. Nothing more was deleted|All events of this upload are deleted, or will be)/m,
  );
  expect(rig.sent('events.delete')).toBe(1);
  expect(answerOf(await rig.here(['uploads']))).toMatchObject({ items: [{ deleted: 30, maybeDeleted: 0 }] });
});

test('two sends of one change of the outbox send it once', async () => {
  const [id = ''] = await rig.datasetIds();
  await rig.here(['update', 'datasets', id, '--body', '{"description": "once"}', '--outbox']);
  const [entry] = answerOf(await rig.here(['outbox'])).items;
  slow('datasets.update');
  const { done, other } = await both(['outbox', 'send', entry.entryId]);
  expect(done.code).toBe(0);
  expect(other.stderr).toMatch(
    /^error \w+: (Another Spandeck \(a window or a command line\) is working on this change|.+ is done)/m,
  );
  expect(rig.sent('datasets.update')).toBe(1);
  expect(answerOf(await rig.here(['outbox']))).toMatchObject({ items: [{ state: 'done' }] });
});

test('two reruns of one upload with the same file send its rows once', async () => {
  const { jobId } = answerOf(await rig.here(rig.upload()));
  const file = rig.write('next.csv', churnCsv(30, 2));
  slow('events.publish');
  const { done, other } = await both(['uploads', 'rerun', jobId, file]);
  expect(done.code).toBe(0);
  expect(other.code).toBe(5);
  expect(other.stderr).toMatch(/^error NEEDS_DECISION: These 30 rows .+ Nothing was sent(?: now)?\./m);
  expect(rig.sent('events.publish')).toBe(2);
});

test('four commands that query one list before it was prepared all answer', async () => {
  const { items } = answerOf(await rig.here(['ls', 'datasets', '--all']));
  const query = ['sql', 'SELECT count(*) AS n FROM datasets'];
  const answers = await Promise.all(Array.from({ length: 4 }, () => rig.cli(query)));
  for (const answer of answers) expect(answerOf(answer)).toMatchObject({ items: [{ n: items.length }] });
});

test('two commands that keep one dataset keep it once; the second gets a conflict, and nothing is lost', async () => {
  const [id = ''] = await rig.datasetIds();
  // Delays the pages for the estimate and for the download.
  slow('datasets.items');
  const [one, two] = await Promise.all([
    rig.text(['keep', 'dataset', id]),
    rig.text(['keep', 'dataset', id]),
  ]);
  const [first, second] = one.code === 0 ? [one, two] : [two, one];
  expect(first.code).toBe(0);
  if (second.code !== 0)
    expect(second.stderr).toMatch(
      /^error CONFLICT: Another Spandeck \(a window or a command line\) is working on this kept entry\./m,
    );
  const { items } = answerOf(await rig.here(['kept']));
  expect(items).toHaveLength(1);
  expect(items).toMatchObject([{ kind: 'dataset', state: 'done', failed: 0 }]);
  const all = answerOf(await rig.here(['items', id, '--all', '--offline']));
  expect(all).toMatchObject({ complete: true });
  expect(all.items.length).toBe(all.total);
  expect((await rig.here(['kept', 'test'])).code).toBe(0);
});

test('a change of records that another process is changing is refused before anything is sent', async () => {
  const ids = await rig.datasetIds();
  rig.raw.service.setFaults([{ match: { operation: 'datasets.update' }, action: { type: 'hang' } }]);
  const change = (description: string) => [
    ...['update', 'datasets', ...ids, '--body', JSON.stringify({ description })],
  ];
  const started = Promise.withResolvers<ChildProcess>();
  const first = rig.cli(change('one'), started.resolve);
  const child = await started.promise;
  await expect.poll(() => rig.faults, { timeout: 60_000 }).toBeGreaterThan(0);
  const sent = rig.sent('datasets.update');
  const second = await rig.text(change('two'));
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(
    /^error CONFLICT: “Change 2 datasets” is under way and still has 2 of these 2 records to change\. Nothing was sent\. Wait until it ends/m,
  );
  expect(rig.sent('datasets.update')).toBeLessThanOrEqual(Math.max(sent, ids.length));
  child.kill('SIGKILL');
  await first;
  rig.raw.service.setFaults([]);
  // The rejected change leaves nothing behind, and the one that was killed continues.
  const changes = answerOf(await rig.here(['changes'])).items;
  expect(changes).toMatchObject([{ what: 'Change 2 datasets' }]);
  expect((await rig.here(['changes', 'resume', changes[0].id])).code).toBe(0);
  const { items } = await rig.raw.page(rig.raw.path('datasets.list'));
  const made = items.filter(({ id }) => ids.includes(String(id))).map(({ description }) => description);
  expect(made).toEqual(['one', 'one']);
});
