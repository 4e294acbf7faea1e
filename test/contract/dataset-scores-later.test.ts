/** Score runs that are planned for later are stored, and start exactly once at their time, even after a restart. */
import { describe, expect, test } from 'vitest';
import type { ScorePlan } from '../../electron/shared/score-model.ts';
import { HOUR_MS, planned, rigs } from '../helpers/datasets-later.ts';
import type { RawService } from '../helpers/sample-service.ts';

describe('a score run', () => {
  const scored = (raw: RawService) => raw.service.report().operations['evaluators.score']?.requests ?? 0;
  async function plan(raw: RawService, itemIds: string[] | null = null): Promise<ScorePlan> {
    const datasetName = 'Claims triage, edge cases';
    return {
      datasetId: await raw.idOf('datasets.list', datasetName),
      datasetName,
      evaluator: 'answer_relevance',
      parameters: { model: 'm', credential: 'c' },
      inputs: [
        { input: 'prompt', from: { kind: 'field', bucket: 'inputs', field: 'question' } },
        { input: 'response', from: { kind: 'field', bucket: 'expected_outputs', field: 'answer' } },
      ],
      itemIds,
    };
  }

  test('waits for its time, is listed with its dataset, and starts; nothing is read before', async () => {
    const { raw, rig, time, now } = await rigs();
    const { scores } = rig.datasets;
    rig.datasets.recover({ continues: true });
    const startAtMs = now() + HOUR_MS;
    const before = raw.service.report().requests;
    const asked = await plan(raw);
    const run = scores.start(asked, { startAtMs, expectedItems: 40 });
    expect(run).toMatchObject({ state: 'paused', startAtMs, expectedItems: 40, counts: { items: 0 } });
    expect(planned(rig)).toMatchObject([
      {
        kind: 'scores',
        id: run.runId,
        title: 'answer_relevance · answer',
        startAtMs,
        error: null,
        requests: [{ operation: 'evaluators.score', count: 40 }],
        of: { id: asked.datasetId, name: asked.datasetName },
      },
    ]);
    expect(raw.service.report().requests).toBe(before + 1);
    time.aheadMs = HOUR_MS;
    const done = await scores.whenIdle(run.runId);
    expect(done).toMatchObject({ state: 'done', startAtMs: null, lateStart: null });
    expect(done.counts.scored).toBeGreaterThan(0);
    expect(scored(raw)).toBeGreaterThan(0);
  });

  test('can be rescheduled, cancelled, started now, and planned while it is paused', async () => {
    const { raw, rig, time, now } = await rigs();
    const { scores } = rig.datasets;
    rig.datasets.recover({ continues: true });
    const asked = await plan(raw);
    expect(() => scores.start(asked, { startAtMs: now() - 1, expectedItems: null })).toThrow('in the future');
    expect(scores.list(null)).toEqual([]);
    const { runId } = scores.start(asked, { startAtMs: now() + HOUR_MS, expectedItems: null });
    const later = now() + 9 * HOUR_MS;
    scores.control(runId, 'schedule', later);
    time.aheadMs = 2 * HOUR_MS;
    rig.datasets.wake();
    expect(scores.get(runId)).toMatchObject({ state: 'paused', startAtMs: later });
    expect(scores.control(runId, 'unschedule')).toMatchObject({ state: 'paused', reason: 'Cancelled.' });
    scores.control(runId, 'schedule', now() + HOUR_MS);
    raw.service.setFaults([
      { match: { operation: 'evaluators.score' }, action: { type: 'delay', delayMs: 50 } },
    ]);
    scores.control(runId, 'resume');
    await rig.until(() => rig.runs.find(({ state }) => state === 'running'));
    scores.control(runId, 'pause');
    await scores.whenIdle(runId);
    raw.service.setFaults([]);
    scores.control(runId, 'schedule', now() + HOUR_MS);
    time.aheadMs = 5 * HOUR_MS;
    const done = await scores.whenIdle(runId);
    expect(done).toMatchObject({ state: 'done', lateStart: { plannedAtMs: expect.any(Number) } });
    expect(() => scores.control(runId, 'schedule', now() + HOUR_MS)).toThrow(
      'Cannot start later: this score run is',
    );
  });

  test('whose time came while the application was closed starts at the next start, once, and reports it', async () => {
    const { raw, rig, again, time, now } = await rigs();
    const plannedAtMs = now() + HOUR_MS;
    const { runId } = rig.datasets.scores.start(await plan(raw), {
      startAtMs: plannedAtMs,
      expectedItems: null,
    });
    await rig.datasets.stop(0);
    time.aheadMs = 8 * HOUR_MS;
    const [one, other] = [again(), again({ processId: process.pid + 1 })];
    one.datasets.recover({ continues: true });
    other.datasets.recover({ continues: true });
    const done = await one.datasets.scores.whenIdle(runId);
    await other.datasets.scores.whenIdle(runId);
    expect(done).toMatchObject({ state: 'done', lateStart: { plannedAtMs } });
    expect(scored(raw)).toBeLessThanOrEqual(done.counts.items);
  });

  test('without a connection to the service waits at its time and says why', async () => {
    const { raw, rig, time, now } = await rigs();
    const { scores } = rig.datasets;
    rig.datasets.recover({ continues: true });
    const { runId } = scores.start(await plan(raw), { startAtMs: now() + HOUR_MS, expectedItems: null });
    rig.library.clientRig.switches.isOffline = true;
    time.aheadMs = HOUR_MS;
    const waiting = await rig.until(() => rig.runs.find(({ state }) => state === 'waiting'));
    expect(waiting).toMatchObject({ error: { code: 'OFFLINE' } });
    rig.library.clientRig.switches.isOffline = false;
    rig.datasets.wake();
    expect(await scores.whenIdle(runId)).toMatchObject({ state: 'done' });
  });
});
