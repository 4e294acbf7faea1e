/** Scores items of a dataset with an evaluator. The scores are stored here, and can be read without the service. */
import { readFileSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { JobKinds } from '../../electron/engine/job-kinds.ts';
import type { FaultRule } from '../../electron/sample-service/faults.ts';
import { EVALUATIONS } from '../../electron/sample-service/scores.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { ScorePlan } from '../../electron/shared/score-model.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { DatasetRig, type DatasetRigOptions } from '../helpers/dataset-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { relevancePlan } from '../helpers/score-plan.ts';

const cleanUp = cleanUpAfterEach();

async function open(
  options: Partial<DatasetRigOptions> = {},
): Promise<{ raw: RawService; rig: DatasetRig; items: Record<string, unknown>[]; plan: ScorePlan }> {
  const raw = await RawService.start();
  const rig = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN, ...options });
  cleanUp(async () => {
    await rig[Symbol.asyncDispose]();
    expect(raw.service.report()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
    await raw.service.stop();
  });
  return { raw, rig, ...(await relevancePlan(raw)) };
}

const score = (action: FaultRule['action'], more: Partial<FaultRule> = {}): FaultRule => ({
  match: { operation: 'evaluators.score' },
  ...more,
  action,
});
const asked = (raw: RawService) => raw.service.report().operations['evaluators.score']?.requests ?? 0;
const bucket = z.record(z.string(), z.unknown());

/** Items with the same texts can share a request in flight. */
function expectAskedOnce(raw: RawService, items: readonly Record<string, unknown>[]): void {
  const texts = items.map((item) => {
    const { inputs, expected_outputs: outputs } = z
      .object({ inputs: bucket, expected_outputs: bucket })
      .parse(item);
    return JSON.stringify([inputs['question'], outputs['answer']]);
  });
  expect(asked(raw)).toBeLessThanOrEqual(items.length);
  expect(asked(raw)).toBeGreaterThanOrEqual(new Set(texts).size);
}
const ids = (items: readonly Record<string, unknown>[]) => items.map(({ id }) => String(id));

describe('a score run', () => {
  test('scores every item once and stores the scores, readable without the service', async () => {
    const { raw, rig, items, plan } = await open();
    const { scores } = rig.datasets;
    const run = scores.start(plan);
    expect(run).toMatchObject({ state: 'reading', counts: { items: 0 } });
    const done = await scores.whenIdle(run.runId);
    expect(done).toMatchObject({
      state: 'done',
      counts: { items: items.length, scored: items.length, failed: 0, unscored: 0 },
      scoreNames: ['is_answer_relevant'],
    });
    expectAskedOnce(raw, items);
    rig.library.clientRig.switches.isOffline = true;
    const { results, total } = scores.listResults(run.runId, { show: 'all', offset: 0, limit: 200 });
    expect(total).toBe(items.length);
    expect(results.map(({ itemId }) => itemId)).toEqual(ids(items).slice(0, 200));
    expect(results[0]?.scores).toMatchObject([{ name: 'is_answer_relevant', reasoning: expect.any(String) }]);
    const some = ids(items).slice(3, 6);
    const beside = scores.ofItems(plan.datasetId, some);
    expect(beside.map(({ itemId }) => itemId).sort()).toEqual(some.toSorted());
    expect(await scores.writeFile(run.runId, rig.path('scores.csv'))).toEqual({ rows: items.length });
    const [head, first] = readFileSync(rig.path('scores.csv'), 'utf8').split('\n');
    expect(head).toBe(
      'item_id,state,is_answer_relevant,is_answer_relevant label,is_answer_relevant reasoning,error',
    );
    expect(first?.startsWith(`${ids(items)[0]},scored,`)).toBe(true);
  });

  test('is found in the list of jobs by the name that the list shows', async () => {
    const { rig, plan } = await open();
    const { scores, sources } = rig.datasets;
    const runs = [scores.start(plan), scores.start({ ...plan, name: 'Before the change' })];
    const jobs = new JobKinds(sources, () => undefined);
    const find = (search: string) =>
      jobs.list({ kinds: null, states: null, search, offset: 0, limit: 9 }).jobs.map(({ id }) => id);
    for (const { runId, name } of runs) expect(find(name)).toEqual([runId]);
    await Promise.all(runs.map(({ runId }) => scores.whenIdle(runId)));
    for (const { runId, name } of runs) expect(find(name)).toEqual([runId]);
  });

  test('of chosen items scores those, in order; the latest scores of each evaluator are shown beside them', async () => {
    const folder = new DataFolder();
    cleanUp(() => folder[Symbol.dispose]());
    const { raw, rig, items, plan } = await open({ keptFolder: folder });
    const { scores } = rig.datasets;
    const chosen = [items[9], items[2], items[5]].map((item) => String(item?.['id']));
    const gone = crypto.randomUUID();
    const first = await scores.whenIdle(scores.start({ ...plan, itemIds: [...chosen, gone] }).runId);
    expect(first).toMatchObject({ state: 'done', counts: { items: 4, scored: 3, failed: 1 } });
    expect(asked(raw)).toBe(3);
    const { results } = scores.listResults(first.runId, { show: 'all', offset: 0, limit: 10 });
    expect(results.map(({ itemId }) => itemId)).toEqual([...chosen, gone]);
    expect(results[3]?.error).toMatchObject({ code: 'NOT_FOUND' });
    const toxicity = { ...plan, evaluator: 'toxicity', inputs: plan.inputs.slice(1), itemIds: chosen };
    const second = await scores.whenIdle(scores.start(toxicity).runId);
    const again = await scores.whenIdle(scores.start(toxicity).runId);
    const beside = scores.ofItems(plan.datasetId, chosen.slice(0, 1));
    expect(beside.map(({ evaluator, runId }) => [evaluator, runId])).toEqual([
      ['answer_relevance', first.runId],
      ['toxicity', again.runId],
    ]);
    expect(scores.list(plan.datasetId).map(({ runId }) => runId)).toEqual([
      again.runId,
      second.runId,
      first.runId,
    ]);
    // A run with a damaged plan does not hide scores of other runs.
    const db = new BetterSqlite(folder.file('datasets.db'));
    db.prepare("UPDATE job SET plan_json = '{' WHERE job_id = ?").run(again.runId);
    db.close();
    expect(scores.ofItems(plan.datasetId, chosen.slice(0, 1)).map(({ runId }) => runId)).toContain(
      first.runId,
    );
    scores.forget(again.runId);
    expect(scores.ofItems(plan.datasetId, chosen.slice(0, 1)).map(({ runId }) => runId)).toContain(
      second.runId,
    );
  });

  test.each(Object.entries(EVALUATIONS))(
    'sends the inputs and returns the scores of the evaluator: %s',
    async (name, { inputs, outputs }) => {
      const { rig, items, plan } = await open();
      const run = rig.datasets.scores.start({
        ...plan,
        evaluator: name,
        inputs: inputs.map((input) => ({ input, from: { kind: 'text', text: 'Where is my parcel?' } })),
        itemIds: ids(items).slice(0, 1),
      });
      expect(await rig.datasets.scores.whenIdle(run.runId)).toMatchObject({
        state: 'done',
        scoreNames: outputs.toSorted(),
      });
    },
  );

  test('an item that lacks a field is not sent; only failed ones are sent again', async () => {
    const { raw, rig, items, plan } = await open();
    const { scores } = rig.datasets;
    raw.service.setFaults([score({ type: 'status', status: 400 }, { after: 3, times: 2 })]);
    const run = scores.start({ ...plan, itemIds: ids(items).slice(0, 10) });
    expect(await scores.whenIdle(run.runId)).toMatchObject({
      state: 'done',
      counts: { scored: 8, failed: 2 },
    });
    const { results } = scores.listResults(run.runId, { show: 'failed', offset: 0, limit: 10 });
    expect(results.map(({ error }) => error?.code)).toEqual(['BAD_REQUEST', 'BAD_REQUEST']);
    raw.service.clearReport();
    scores.control(run.runId, 'retry');
    expect(await scores.whenIdle(run.runId)).toMatchObject({
      state: 'done',
      counts: { scored: 10, failed: 0 },
    });
    expect(asked(raw)).toBe(2);

    const lacking = {
      input: 'context',
      from: { kind: 'field' as const, bucket: 'extras' as const, field: 'none' },
    };
    const other = scores.start({ ...plan, inputs: [lacking], itemIds: ids(items).slice(0, 3) });
    expect(await scores.whenIdle(other.runId)).toMatchObject({
      state: 'done',
      counts: { items: 3, scored: 0, skipped: 3, failed: 0 },
    });
    expect(asked(raw)).toBe(2);
    const { results: refused } = scores.listResults(other.runId, { show: 'skipped', offset: 0, limit: 1 });
    expect(refused[0]?.error?.message).toBe('The item lacks the field extras.none that the evaluator needs.');
  });

  test('a missing evaluator stops the run after a few requests, not after all', async () => {
    const { raw, rig, plan, items } = await open();
    const run = rig.datasets.scores.start({ ...plan, evaluator: 'no_such_thing' });
    const stopped = await rig.datasets.scores.whenIdle(run.runId);
    expect(stopped.state).toBe('stopped');
    expect(stopped.reason).toContain('items in a row failed');
    expect(asked(raw)).toBeLessThan(12);
    expect(items.length).toBeGreaterThan(20);
  });

  test('waits for the service and is woken; paused and resumed, every item is requested once', async () => {
    const { raw, rig, plan, items } = await open();
    const { scores } = rig.datasets;
    rig.library.clientRig.switches.isOffline = true;
    const run = scores.start(plan);
    await rig.until(() => rig.runs.find(({ state }) => state === 'waiting'));
    rig.library.clientRig.switches.isOffline = false;
    raw.service.setFaults([score({ type: 'delay', delayMs: 40 })]);
    rig.datasets.wake();
    await rig.until(() => rig.runs.find(({ counts }) => counts.scored > 0));
    expect(scores.control(run.runId, 'pause')).toMatchObject({ state: 'paused' });
    const paused = await scores.whenIdle(run.runId);
    expect(paused.counts.unscored).toBeGreaterThan(0);
    raw.service.setFaults([]);
    scores.control(run.runId, 'resume');
    expect(await scores.whenIdle(run.runId)).toMatchObject({
      state: 'done',
      counts: { scored: items.length, unscored: 0 },
    });
    expectAskedOnce(raw, items);
  });

  test('resumed while requests are in flight: a withdrawn item is requested again, the others are not', async () => {
    const held: { withdraw: (error: AppError) => void; send: () => void }[] = [];
    let calls = 0;
    const { rig, plan, items } = await open({
      wrapClient: (client) => ({
        ...client,
        call: (operation, input, options) => {
          const send = () => client.call(operation, input, options);
          if (operation !== 'evaluators.score') return send();
          calls += 1;
          if (calls > 4) return send();
          const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof send>>>();
          held.push({ withdraw: reject, send: () => resolve(send()) });
          return promise;
        },
      }),
    });
    const { scores } = rig.datasets;
    const chosen = ids(items).slice(0, 8);
    const { runId } = scores.start({ ...plan, itemIds: chosen });
    await expect.poll(() => held.length).toBe(4);
    scores.control(runId, 'pause');
    held[0]?.withdraw(new AppError('CANCELLED', 'Withdrawn.', { outcome: 'unsent' }));
    scores.control(runId, 'resume');
    await expect.poll(() => scores.get(runId).counts.scored).toBeGreaterThanOrEqual(5);
    for (const { send } of held.slice(1)) send();
    expect(await scores.whenIdle(runId)).toMatchObject({
      state: 'done',
      counts: { items: 8, scored: 8, unscored: 0 },
    });
    expect(calls).toBe(chosen.length + 1);
  });

  test('continues after a restart', async () => {
    const folder = new DataFolder();
    cleanUp(() => folder[Symbol.dispose]());
    const { raw, rig, plan, items } = await open({ keptFolder: folder });
    raw.service.setFaults([score({ type: 'hang' }, { after: 6 })]);
    const run = rig.datasets.scores.start(plan);
    await rig.until(() => rig.runs.find(({ counts }) => counts.scored >= 5));
    await rig.datasets.stop(0);
    raw.service.setFaults([]);
    const later = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN, keptFolder: folder });
    cleanUp(() => later[Symbol.asyncDispose]());
    later.datasets.recover({ continues: true });
    expect(await later.datasets.scores.whenIdle(run.runId)).toMatchObject({
      state: 'done',
      counts: { scored: items.length },
    });
  });

  test('is allowed on a read-only connection: it changes nothing', async () => {
    const { rig, plan, items } = await open();
    rig.library.clientRig.switches.isReadOnly = true;
    const run = rig.datasets.scores.start({ ...plan, itemIds: ids(items).slice(0, 2) });
    expect(await rig.datasets.scores.whenIdle(run.runId)).toMatchObject({
      state: 'done',
      counts: { scored: 2 },
    });
  });
});
