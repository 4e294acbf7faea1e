/**
 * Large request bodies: their bytes arrive unchanged, and their memory is freed only when nothing reads it any more.
 */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { openClient } from '../helpers/client-rig.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { ScriptedServer } from '../helpers/scripted-server.ts';
import { publishFault, UploadRig } from '../helpers/upload-rig.ts';

const ANSWER = JSON.stringify({ api_version: '3.0', kind: 'NORMAL', data: { event_ids: ['a'] } });
const OPTIONS = { priority: 'upload' } as const;
const MORE_THAN_A_SOCKET_HOLDS = 64_000_000;

function bodyOf(bytes: number): Uint8Array {
  const next = seededNumbers(bytes);
  return Uint8Array.from({ length: bytes }, () => 32 + Math.floor(next() * 90));
}

test.each([
  ['small', 100_000, 0],
  ['large', 131_072, 1],
  ['larger', 1_500_000, 1],
])(
  'a %s body arrives as it is, and is reported as taken only if it is large',
  async (_what, bytes, times) => {
    await using server = await ScriptedServer.start((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER),
    );
    await using rig = openClient({ baseUrl: server.baseUrl });
    const body = bodyOf(bytes);
    const steps: string[] = [];
    const onSend = () => steps.push('sent');
    const onBodyTaken = () => steps.push('taken');
    const input = { bodyText: body };
    await rig.client.call('events.publish', input, { ...OPTIONS, onSend, onBodyTaken });
    expect(steps).toEqual(['sent', ...Array.from({ length: times }, () => 'taken')]);
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.bytes.equals(body)).toBe(true);
    expect(server.received[0]?.headers).toMatchObject({
      'content-length': String(bytes),
      'content-type': 'application/json',
    });
  },
);

test('an answer before the service has read the body does not report it as taken', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${ANSWER.length}\r\n\r\n`;
      socket.write(head + ANSWER);
    });
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  try {
    await using rig = openClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    let isTaken = false;
    const onBodyTaken = () => {
      isTaken = true;
    };
    const input = { bodyText: new Uint8Array(MORE_THAN_A_SOCKET_HOLDS).fill(32) };
    const { value } = await rig.client.call('events.publish', input, { ...OPTIONS, onBodyTaken });
    expect(value).toMatchObject({ event_ids: ['a'] });
    expect(isTaken).toBe(false);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

test('of large batches that are rejected, late or dropped, each acknowledged one is stored once', async () => {
  const raw = await RawService.start();
  raw.service.setFaults([
    publishFault({ type: 'status', status: 429, retryAfterS: 0 }),
    publishFault({ type: 'drop' }, { after: 2 }),
    publishFault({ type: 'status', status: 429, retryAfterS: 0 }, { after: 5 }),
    publishFault({ type: 'delay', delayMs: 10 }, { times: 1_000 }),
  ]);
  {
    await using rig = new UploadRig({
      ...{ baseUrl: raw.service.baseUrl, token: TOKEN, haste: 50, schedulerHaste: 50 },
      options: { maxInFlight: 4 },
    });
    const before = raw.service.events(await rig.modelId('Bank churn')).count;
    const rows = 8_000;
    const job = await rig.send(rig.write('churn.csv', churnCsv(rows)), 'Bank churn', { batchRows: 1_000 });
    expect(job.counts).toMatchObject({ rows, acknowledged: rows - 1_000, unknown: 1_000 });
    expect(raw.service.events(await rig.modelId('Bank churn')).count).toBe(before + rows - 1_000);
  }
  expect(raw.service.report().violations).toBe(0);
  await raw.service.stop();
});
