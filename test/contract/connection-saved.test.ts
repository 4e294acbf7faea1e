/**
 * A connection is edited while it is in use: the old address never receives the new token, and the saved settings take
 * effect.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BASELINES } from '../helpers/bulk-rig.ts';
import { applicationAnswers, draft, type EngineRig, engineRig } from '../helpers/engine-rig.ts';
import { ScriptedServer, sendJson } from '../helpers/scripted-server.ts';

const currentRig = engineRig();
const NEW_TOKEN = 'new-token-for-the-other-service-123456';
const RECORD = { id: '11111111-1111-4111-8111-111111111111', name: 'b' };

const tokensAt = (server: ScriptedServer, from = 0) =>
  server.received.slice(from).map(({ headers }) => String(headers.authorization));

/** A long list that a view reads on, and deletions whose answers are delayed until `answer` is called. */
async function busySession(rig: EngineRig): Promise<{ id: string; answer: () => void }> {
  const { id } = await rig.readOnce();
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  rig.server.answer((request, response) => {
    if (request.url.startsWith('/v3/server-info')) return applicationAnswers(request, response);
    if (request.method === 'DELETE') {
      asked.resolve();
      return void held.promise.then(() => response.writeHead(204).end());
    }
    const offset = Number(new URL(request.url, rig.server.baseUrl).searchParams.get('offset') ?? 0);
    const items = Array.from({ length: 20 }, (_value, at) => ({
      id: `i${offset + at}`,
      name: `n${offset + at}`,
    }));
    const page = {
      page_size: 20,
      total: 5_000,
      offset,
      page_index: 1,
      page_count: 250,
      item_count: 20,
      items,
    };
    return sendJson(response, 200, { api_version: '3.0', kind: 'PAGINATED', data: page });
  });
  const { library, bulk } = await rig.engine.session(id);
  const query = { operation: 'datasets.list', path: {}, query: {} };
  await library.openList({ viewId: 'view', query, refresh: 'always' });
  const words = { title: 'Delete', going: 'Deleting', done: 'deleted', noun: 'baseline', nouns: 'baselines' };
  await bulk.create({ request: BASELINES, words, records: [RECORD], startAtMs: null });
  await asked.promise;
  return { id, answer: held.resolve };
}

test('a new address and token are saved with a deletion in flight: no request pairs the new token with the old address', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(applicationAnswers);
  const { id, answer } = await busySession(rig);
  const before = rig.server.received.length;
  const saving = rig.engine.connections.save(
    { ...draft(elsewhere.baseUrl, id), isReadOnly: true },
    NEW_TOKEN,
  );
  // Meanwhile the window stores drafts and reads rows. Each of these would open a session.
  const asked = Array.from({ length: 20 }, async (_value, at) => {
    const { layout } = await rig.engine.session(id);
    await layout.write('draft.one', at);
  });
  answer();
  await Promise.all([saving, ...asked]);

  expect(tokensAt(rig.server, before)).not.toContain(`Bearer ${NEW_TOKEN}`);
  const { connection, client } = await rig.engine.session(id);
  expect(connection).toMatchObject({ baseUrl: elsewhere.baseUrl, isReadOnly: true });
  const after = rig.server.received.length;
  await client.call('server-info.get', {}, { priority: 'click' });
  expect(rig.server.received).toHaveLength(after);
  expect(new Set(tokensAt(elsewhere))).toEqual(new Set([`Bearer ${NEW_TOKEN}`]));
});

test('a save that the keychain rejects leaves address, token and session unchanged', async () => {
  const rig = currentRig();
  const saved = await rig.readOnce();
  await using elsewhere = await ScriptedServer.start(applicationAnswers);
  rig.isLocked = true;
  await expect(rig.engine.connections.save(draft(elsewhere.baseUrl, saved.id), NEW_TOKEN)).rejects.toThrow(
    /locked/,
  );
  rig.isLocked = false;
  expect(rig.engine.connections.get(saved.id)).toEqual(saved);
  const before = rig.server.received.length;
  const { client } = await rig.engine.session(saved.id);
  await client.call('server-info.get', {}, { priority: 'click' });
  expect(tokensAt(rig.server, before)).toEqual(['Bearer engine-token-0123456789']);
  expect(elsewhere.received).toEqual([]);
});

test('a client with another address than that of the current token sends nothing', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const { client } = await rig.engine.session(id);
  await using elsewhere = await ScriptedServer.start(applicationAnswers);
  // Another process wrote the row, and this process still works with the previous settings.
  rig.engine.connections.addPack({ ...rig.engine.connections.get(id), baseUrl: elsewhere.baseUrl });
  rig.engine.holdToken(id, NEW_TOKEN);
  const before = rig.server.received.length;
  await expect(client.call('server-info.get', {}, { priority: 'click' })).rejects.toMatchObject({
    code: 'NO_TOKEN',
  });
  expect(rig.server.received).toHaveLength(before);
});

test('a new name and colour are saved with a deletion in flight: it ends acknowledged, and the session has the name', async () => {
  const rig = currentRig();
  const { id, answer } = await busySession(rig);
  const label = { name: 'Renamed', colour: 'rose' as const };
  await rig.engine.saveConnection({ ...draft(rig.server.baseUrl, id), ...label }, null);
  answer();
  const { bulk, connection, requestLog } = await rig.engine.session(id);
  await expect.poll(() => bulk.list()).toMatchObject([{ state: 'done', counts: { done: 1, unknown: 0 } }]);
  expect(rig.server.received.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  expect(connection).toMatchObject(label);
  expect(rig.engine.connections.get(id)).toMatchObject(label);
  const file = rig.folder.file('requests.har');
  await requestLog.writeHar(file, {});
  expect(readFileSync(file, 'utf8')).toContain('Request log of Renamed.');
  await rig.engine.stop();
  expect(JSON.parse(readFileSync(rig.paths.connectionFile(id), 'utf8'))).toMatchObject(label);
});
