/**
 * The address of a connection was changed, and records are known only from the former one. Nothing changes them at the
 * new one before they were read there, whether the window or a command asks.
 */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BASELINES } from '../helpers/bulk-rig.ts';
import { applicationAnswers, draft, type EngineRig, engineRig } from '../helpers/engine-rig.ts';
import { type Script, ScriptedServer, sendJson, sendPage } from '../helpers/scripted-server.ts';

const currentRig = engineRig();
const NEW_TOKEN = 'new-token-for-the-other-service-123456';
const WORDS = { title: 'Delete', going: 'Deleting', done: 'deleted', noun: 'baseline', nouns: 'baselines' };
const BASELINE = 'b1111111-1111-4111-8111-111111111111';
const APPLICATION = 'a1111111-1111-4111-8111-111111111111';
const BASELINE_LIST = { operation: 'baselines.list', path: {}, query: {} };
const RANGE = { start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-02T00:00:00Z' };
const SPANS = {
  ...{ operation: 'spans.query', path: {}, query: {} },
  body: { application_id: APPLICATION, ...RANGE },
};
const span = { trace_id: 't1', span_id: 's1', name: 'one', start_time: '2026-01-01T01:00:00Z' };
const done = { api_version: '3.0', kind: 'NORMAL', data: {} };

const answers: Script = (request, response) => {
  if (request.method === 'DELETE' || request.method === 'PATCH') sendJson(response, 200, done);
  else if (request.url.startsWith('/v3/baselines/'))
    sendJson(response, 200, { ...done, data: { id: BASELINE, name: 'Last month' } });
  else if (request.url.startsWith('/v3/baselines'))
    sendPage(response, [{ id: BASELINE, name: 'Last month' }], request);
  else if (request.url.startsWith('/v3/spans')) sendPage(response, [span], request);
  else applicationAnswers(request, response);
};

async function readList(rig: EngineRig, id: string, query: typeof BASELINE_LIST) {
  const { library } = await rig.engine.session(id);
  await library.openList({ viewId: 'list', query, refresh: 'always' });
  const state = () => library.openList({ viewId: 'list', query, refresh: 'never' });
  await expect.poll(async () => (await state()).freshness).toMatchObject({ isStale: false, storedRows: 1 });
}

/** A connection that has read at the first address, and leads to `elsewhere` since. */
async function moved(rig: EngineRig, elsewhere: ScriptedServer, ...lists: (typeof BASELINE_LIST)[]) {
  rig.server.answer(answers);
  const { id } = await rig.engine.connections.save(draft(rig.server.baseUrl), NEW_TOKEN);
  for (const query of lists) await readList(rig, id, query);
  // Both may happen within a millisecond.
  rig.aheadMs += 10;
  await rig.engine.saveConnection(draft(elsewhere.baseUrl, id), NEW_TOKEN);
  return id;
}

const changesAt = ({ received }: ScriptedServer) =>
  received.filter(({ method }) => method === 'DELETE' || method === 'PATCH').length;
const refusal = (rig: EngineRig) => ({
  ...{ code: 'CONFLICT', details: { outcome: 'unsent' } },
  message: expect.stringContaining(`was read at ${rig.server.baseUrl}, the former address`),
});
const removal = (baseline: string) => ({
  ...{ operation: 'baselines.delete', path: { baseline_id: baseline }, query: {}, body: null },
});

test('a single change is withheld until its record was read at the new address', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(answers);
  const id = await moved(rig, elsewhere, BASELINE_LIST);
  const { resources } = await rig.engine.session(id);
  await expect(resources.act(removal(BASELINE))).rejects.toMatchObject(refusal(rig));
  expect(changesAt(elsewhere)).toBe(0);
  // A record of which nothing is stored was named by a person.
  await resources.act(removal('c1111111-1111-4111-8111-111111111111'));
  await readList(rig, id, BASELINE_LIST);
  await resources.act(removal(BASELINE));
  expect(changesAt(elsewhere)).toBe(2);
});

test('a record that was read by itself can be changed once it was read again', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(answers);
  rig.server.answer(answers);
  const { id } = await rig.engine.connections.save(draft(rig.server.baseUrl), NEW_TOKEN);
  const query = { operation: 'baselines.get', path: { baseline_id: BASELINE }, query: {} };
  const read = async () => {
    const { library } = await rig.engine.session(id);
    await library.openRecord({ viewId: 'record', query, refresh: 'always' });
    const state = async () =>
      (await library.openRecord({ viewId: 'record', query, refresh: 'never' })).freshness;
    await expect.poll(state).toMatchObject({ storedRows: 1, isStale: false });
  };
  await read();
  rig.aheadMs += 10;
  await rig.engine.saveConnection(draft(elsewhere.baseUrl, id), NEW_TOKEN);
  const { resources } = await rig.engine.session(id);
  await expect(resources.act(removal(BASELINE))).rejects.toMatchObject(refusal(rig));
  await read();
  await resources.act(removal(BASELINE));
  expect(changesAt(elsewhere)).toBe(1);
});

test('an address that was changed while the clock was ahead blocks nothing after it was set back', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(answers);
  rig.aheadMs = 3_600_000;
  const id = await moved(rig, elsewhere, BASELINE_LIST);
  const { resources } = await rig.engine.session(id);
  await expect(resources.act(removal(BASELINE))).rejects.toMatchObject(refusal(rig));
  rig.aheadMs = 0;
  await readList(rig, id, BASELINE_LIST);
  await resources.act(removal(BASELINE));
  expect(changesAt(elsewhere)).toBe(1);
});

test('a change of many records is not created with one that was read only at the former address', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(answers);
  const id = await moved(rig, elsewhere, BASELINE_LIST);
  const { bulk } = await rig.engine.session(id);
  const others = Array.from({ length: 300 }, (_, at) => ({ id: `other-${at}`, name: `o${at}` }));
  const plan = { request: BASELINES, words: WORDS, records: [...others, { id: BASELINE, name: 'b' }] };
  await expect(bulk.create({ ...plan, startAtMs: null })).rejects.toMatchObject(refusal(rig));
  await expect(bulk.create({ ...plan, startAtMs: Date.now() + 3_600_000 })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  expect(bulk.list()).toEqual([]);
  await readList(rig, id, BASELINE_LIST);
  await bulk.create({ ...plan, records: plan.records.slice(-1), startAtMs: null });
  await expect.poll(() => bulk.list()[0]?.state).toBe('done');
  expect(changesAt(elsewhere)).toBe(1);
});

test('a draft of a dataset is not sent with spans that were read only at the former address', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(answers);
  const id = await moved(rig, elsewhere, SPANS);
  const { datasets } = await rig.engine.session(id);
  const { builds } = datasets;
  const given = { applicationId: APPLICATION, applicationName: 'Assistant', name: 'Answers' };
  const { buildId } = builds.create(given);
  expect(await builds.pickRows(buildId, SPANS, [{ ...span, position: 0 }])).toMatchObject({ added: 1 });
  await expect(builds.control(buildId, 'commit')).rejects.toMatchObject(refusal(rig));
  await expect(builds.control(buildId, 'schedule', Date.now() + 3_600_000)).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  await readList(rig, id, SPANS);
  // Now the draft only lacks a mapping and a dataset.
  await expect(builds.control(buildId, 'commit')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

test('a change of a former record is neither put into the outbox nor sent from it', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(answers);
  const id = await moved(rig, elsewhere, BASELINE_LIST);
  const session = await rig.engine.session(id);
  const plan = { request: removal(BASELINE), base: { id: BASELINE, name: 'Last month' } };
  await expect(session.jobs.create('outbox', plan, null)).rejects.toMatchObject(refusal(rig));
  await expect(session.jobs.create('outbox', plan, Date.now() + 3_600_000)).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  expect(session.outbox.list()).toEqual([]);
  // Put there by an earlier version, which did not look.
  const { entryId } = session.outbox.put(plan, null);
  session.outbox.sendAll();
  await session.outbox.whenSent();
  expect(session.outbox.get(entryId)).toMatchObject({
    state: 'paused',
    reason: expect.stringContaining(`was read at ${rig.server.baseUrl}, the former address`),
  });
  expect(changesAt(elsewhere)).toBe(0);
  await readList(rig, id, BASELINE_LIST);
  session.outbox.send(entryId);
  expect(await session.outbox.whenIdle(entryId)).toMatchObject({ state: 'done' });
  expect(changesAt(elsewhere)).toBe(1);
});

test('a change that was put into the outbox before the move is sent if a person resumes it', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(answers);
  rig.server.answer(answers);
  const { id } = await rig.engine.connections.save(draft(rig.server.baseUrl), NEW_TOKEN);
  await readList(rig, id, BASELINE_LIST);
  const before = await rig.engine.session(id);
  const { entryId } = before.outbox.put(
    { request: removal(BASELINE), base: { id: BASELINE, name: 'Last month' } },
    null,
  );
  rig.aheadMs += 10;
  await rig.engine.saveConnection(draft(elsewhere.baseUrl, id), NEW_TOKEN);
  const { outbox } = await rig.engine.session(id);
  expect(outbox.get(entryId)).toMatchObject({ state: 'paused' });
  expect(changesAt(elsewhere)).toBe(0);
  outbox.send(entryId);
  expect(await outbox.whenIdle(entryId)).toMatchObject({ state: 'done' });
  expect(changesAt(elsewhere)).toBe(1);
});

const CSV = 'transaction_id,processed_at,amount\na,2025-01-01 00:00:00,1\n';
const MODEL = 'd1111111-1111-4111-8111-111111111111';
const MODELS = { operation: 'models.list', path: {}, query: {} };
const modelAnswers: Script = (request, response) => {
  if (request.url.startsWith('/v3/models')) sendPage(response, [{ id: MODEL, name: 'Churn' }], request);
  else answers(request, response);
};
const posted = ({ received }: ScriptedServer) =>
  received.filter(({ method, url }) => method !== 'GET' && !url.includes('query')).length;

test('events of a model that is known only from the former address are neither deleted nor sent', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(modelAnswers);
  rig.server.answer(modelAnswers);
  const { id } = await rig.engine.connections.save(draft(rig.server.baseUrl), NEW_TOKEN);
  await readList(rig, id, MODELS);
  rig.aheadMs += 10;
  await rig.engine.saveConnection(draft(elsewhere.baseUrl, id), NEW_TOKEN);
  const { uploads } = await rig.engine.session(id);
  const request = { modelId: MODEL, eventIds: ['e1'], timeRange: null, updateMetrics: false };
  await expect(uploads.deleteEvents(request)).rejects.toMatchObject(refusal(rig));
  await expect(uploads.deleteEvents(request, Date.now() + 3_600_000)).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  const whole = { modelId: MODEL, envType: 'PRODUCTION', envName: null, publishes: true };
  const file = { path: rig.folder.file('rows.csv'), name: 'rows.csv' };
  writeFileSync(file.path, CSV);
  await expect(uploads.wholeFiles.sendPath(file, whole)).rejects.toMatchObject(refusal(rig));
  expect(uploads.listDeletions().deletions).toEqual([]);
  expect(posted(elsewhere)).toBe(0);
});
