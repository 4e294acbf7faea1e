/** Records that are too long for one message: the window reads them in parts, as one answer. */
import { expect, test } from 'vitest';
import type { ListQuery } from '../../electron/shared/model.ts';
import { joinParts, parseRecord } from '../../electron/shared/record-parts.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { ScriptedServer, sendJson } from '../helpers/scripted-server.ts';

const MESSAGE_BYTES = 100_000;
const query: ListQuery = { operation: 'models.get', path: { model_id: 'm' }, query: {} };
const model = (version: number) => ({
  id: 'm',
  name: `Model ${version}`,
  schema: {
    columns: Array.from({ length: 10_000 }, (_, at) => ({ id: `c${at}`, name: `Größe 尺寸 ${at}` })),
  },
});

async function told(rig: LibraryRig, refresh: 'if-stale' | 'always') {
  const heard = rig.records.length;
  const opened = await rig.library.openRecord({ viewId: 'v', query, refresh }, 'message');
  await rig.until(() => rig.records.length > heard);
  const state = rig.records.at(-1) ?? opened;
  if (state.parts === null) throw new Error('It came whole.');
  return { ...state, parts: state.parts };
}

test('no message of a long record is over 100 KB, and its parts are the answer', async () => {
  let version = 1;
  await using server = await ScriptedServer.start((_request, response) => {
    sendJson(response, 200, { data: model(version), api_version: '3.0', kind: 'NORMAL' });
  });
  await using rig = new LibraryRig(server.baseUrl);
  const { library } = rig;

  const state = await told(rig, 'if-stale');
  expect(state.record).toBe(null);
  const { parts } = state;
  const sizes: number[] = [];
  const json = await joinParts(parts.characters, async (from) => {
    const part = library.readRecord({ textId: parts.textId, from });
    sizes.push(Buffer.byteLength(part ?? ''));
    return part;
  });
  expect(sizes.length).toBeGreaterThan(10);
  expect(Math.max(...sizes)).toBeLessThan(MESSAGE_BYTES);
  for (const each of rig.records) expect(JSON.stringify(each).length).toBeLessThan(MESSAGE_BYTES);
  expect(parseRecord(json ?? '')).toEqual(model(1));

  // A caller in the same process gets the complete record.
  const whole = await library.openRecord({ viewId: 'w', query, refresh: 'never' });
  expect([whole.parts, whole.record]).toEqual([null, model(1)]);

  version = 2;
  const newer = await told(rig, 'always');
  expect(newer.parts.textId).not.toBe(parts.textId);
  expect(library.readRecord({ textId: parts.textId, from: 0 })).toBe(null);
  expect(library.readRecord({ textId: newer.parts.textId, from: 0 })).toContain('Model 2');
  expect(library.readRecord({ textId: 9_999, from: 0 })).toBe(null);
});
