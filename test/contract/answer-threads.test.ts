/** The threads that read large answers end if there was none for a minute, and start again with the next one. */
import { expect, test } from 'vitest';
import { openClient, RIG_TOKEN } from '../helpers/client-rig.ts';
import { runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { ScriptedServer, sendPage } from '../helpers/scripted-server.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const ROWS = Array.from({ length: 400 }, (_, at) => ({ id: `a-${at}`, name: 'Application '.repeat(80) }));

test('a large answer that is cut off does not keep a command from ending', async () => {
  await using server = await ScriptedServer.start((_request, response) => {
    const body = JSON.stringify({ kind: 'PAGINATED', data: { items: ROWS.slice(0, 150), total: 150 } });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length + 100 });
    response.write(body, () => response.destroy());
  });
  const folder = temporaryFolder('cut-off');
  const args = ['ls', 'applications', '--base-url', server.baseUrl];
  const ended = await runCli(args, { token: RIG_TOKEN, dataDir: folder.path });
  folder.remove();
  expect(ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ended before the answer was complete'),
  });
});

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
