/** The threads of large answers end when there was none for a minute, and start again with the next one. */
import { expect, test } from 'vitest';
import { openClient } from '../helpers/client-rig.ts';
import { ScriptedServer, sendPage } from '../helpers/scripted-server.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const ROWS = Array.from({ length: 400 }, (_, at) => ({ id: `a-${at}`, name: 'Application '.repeat(80) }));

test('starts two threads for the first large answer, none for the next one, and two after an idle minute', async () => {
  await using server = await ScriptedServer.start((request, response) => sendPage(response, ROWS, request));
  const clock = new VirtualClock();
  let started = 0;
  const count = () => {
    started += 1;
  };
  process.on('worker', count);
  try {
    await using rig = openClient({ baseUrl: server.baseUrl, httpClock: clock });
    const read = async () => {
      const { value } = await rig.client.list(
        'applications.list',
        { paging: { limit: 400, offset: 0 } },
        { priority: 'view' },
      );
      return JSON.stringify(value).length;
    };
    const length = await read();
    expect([length > 100_000, started]).toEqual([true, 2]);
    clock.advance(59_000);
    expect([await read(), started]).toEqual([length, 2]);
    clock.advance(60_000);
    expect([await read(), started]).toEqual([length, 4]);
    await rig.http.close();
    expect(clock.pending).toBe(0);
  } finally {
    process.off('worker', count);
  }
});
