/** Closing a view, or showing another list in it, ends its reads, from the library to the socket. */
import { describe, expect, test } from 'vitest';
import type { ListQuery } from '../../electron/shared/model.ts';
import { CATALOG, catalogBench, entities, offsetOf } from '../helpers/catalog-lists.ts';
import type { Received, Script } from '../helpers/scripted-server.ts';
import { sendPage } from '../helpers/scripted-server.ts';

const { serve, rigOf } = catalogBench();

const OTHER: ListQuery = { ...CATALOG, query: { entity_type: 'metric' } };
const isOther = (request: Received) => request.url.includes('metric');

/** A service that answers first pages. All other requests hang, and their outcome is recorded. */
function hanging() {
  const hung: string[] = [];
  const closed: string[] = [];
  const waiting = new Set<() => void>();
  const script: Script = (request, response) => {
    if (offsetOf(request) === 0) {
      sendPage(response, entities(5_000), request);
      return;
    }
    const note = (list: string[]) => {
      list.push(request.url);
      for (const look of [...waiting]) look();
    };
    note(hung);
    response.on('close', () => note(closed));
  };
  const until = (list: string[], count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (list.length < count) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { script, hung, closed, until };
}

describe('a view', () => {
  test('that closes ends its requests in flight at the service, and its waiting requests', async () => {
    const { script, hung, closed, until } = hanging();
    const server = await serve(script);
    const rig = rigOf(server);
    await rig.library.openList({ viewId: 'a', query: CATALOG, refresh: 'if-stale' });
    await until(hung, 1);
    rig.library.release('a');
    await until(closed, 1);
    expect(rig.clientRig.scheduler.status().map(({ queued }) => queued)).toEqual([0]);
    expect(rig.clientRig.log.at(-1)).toMatchObject({ errorCode: 'CANCELLED' });
    expect((await rig.rows(CATALOG)).rows).toHaveLength(100);
  });

  test('that shows another list ends the reads of the previous one', async () => {
    const { script, hung, closed, until } = hanging();
    const server = await serve(script);
    const rig = rigOf(server);
    await rig.library.openList({ viewId: 'a', query: CATALOG, refresh: 'if-stale' });
    await until(hung, 1);
    await rig.library.openList({ viewId: 'a', query: OTHER, refresh: 'if-stale' });
    await until(closed, 1);
    expect(closed.filter((url) => !url.includes('metric'))).toHaveLength(1);
    await rig.until(() => rig.clientRig.log.length > 0 && server.received.some(isOther));
  });

  test('that shows another list keeps the previous one for other views', async () => {
    let isHeld = true;
    const held: (() => void)[] = [];
    const server = await serve((request, response) => {
      const send = () => sendPage(response, entities(200), request);
      if (offsetOf(request) === 0 || isOther(request) || !isHeld) send();
      else held.push(send);
    });
    const rig = rigOf(server);
    await rig.library.openList({ viewId: 'a', query: CATALOG, refresh: 'if-stale' });
    const kept = await rig.library.openList({ viewId: 'b', query: CATALOG, refresh: 'if-stale' });
    await rig.library.openList({ viewId: 'a', query: OTHER, refresh: 'if-stale' });
    isHeld = false;
    for (const send of held) send();
    expect(await rig.settle(kept)).toMatchObject({ isComplete: true, storedRows: 200 });
  });
});
