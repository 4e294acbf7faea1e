/** Failures while the client sends files: whether the outcome is known, and which files stay open. */
import { appendFileSync, existsSync, readdirSync, readlinkSync, rmSync, utimesSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { FilePart } from '../../electron/api/multipart.ts';
import { clientBench, failure, UPLOAD } from '../helpers/client-bench.ts';
import type { ClientRigOptions } from '../helpers/client-rig.ts';
import { dataFolder, FILE_RECORD, fileOnDisk, generatedFile, partsOf } from '../helpers/multipart.ts';
import { type Script, sendError, sendJson } from '../helpers/scripted-server.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const MB = 1_048_576;
const { serve, connect, later, tcp } = clientBench();
const folder = () => dataFolder(later);

/** File descriptors of this process for the file; none if the system does not list them. */
function openOn(path: string): string[] {
  if (!existsSync('/proc/self/fd')) return [];
  return readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === path;
    } catch {
      // The descriptor that was used to read the folder is closed by now.
      return false;
    }
  });
}

/** Answers the first request with 429, and later ones with success. */
function refusingOnce(onFirst: () => void = () => undefined): Script {
  let isFirst = true;
  return (_request, response) => {
    if (!isFirst) return sendJson(response, 200, FILE_RECORD);
    isFirst = false;
    onFirst();
    response.setHeader('Retry-After', '0');
    sendError(response, 429, 'Not now');
  };
}

const upload = (address: string, file: FilePart, options = {}, rig: Partial<ClientRigOptions> = {}) =>
  connect({ baseUrl: address, ...rig }).client.call(
    'files.upload',
    { parts: { file } },
    { ...UPLOAD, ...options },
  );

describe('a connection that breaks', () => {
  test('in the middle of the file: unknown, sent once, and the file is closed', async () => {
    let requests = 0;
    let receivedBytes = 0;
    const address = await tcp((socket) => {
      requests += 1;
      socket.on('data', (part) => {
        receivedBytes += part.length;
        if (receivedBytes > MB) socket.destroy();
      });
    });
    const { path, part } = fileOnDisk(folder(), 30 * MB);
    const rig = connect({ baseUrl: address, maxAttempts: 4 });
    const error = await failure(rig.client.call('files.upload', { parts: { file: part } }, UPLOAD));
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', details: { outcome: 'unknown' } });
    expect(requests).toBe(1);
    expect(openOn(path)).toEqual([]);
    expect(rig.log).toEqual([expect.objectContaining({ attempts: 1, errorCode: 'CONNECTION_LOST' })]);
  });

  test('before the answer: unknown', async () => {
    const server = await serve((_request, response) => response.destroy());
    const error = await failure(upload(server.baseUrl, generatedFile('a.csv', 20).part));
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', details: { outcome: 'unknown' } });
    expect(server.received).toHaveLength(1);
  });

  test('if nothing listens: certainly not sent, and nothing stays open', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
    await new Promise((resolve) => {
      server.close(resolve);
    });
    const address = `http://127.0.0.1:${port}`;
    const { path, part } = fileOnDisk(folder(), MB);
    const file = generatedFile('a.csv', 20);
    for (const each of [part, file.part])
      expect(await failure(upload(address, each))).toMatchObject({
        code: 'CONNECTION_REFUSED',
        details: { outcome: 'unsent' },
      });
    expect(openOn(path)).toEqual([]);
    expect(file.pulledBytes).toBe(0);
  });

  test('while the service answers early: the answer counts', async () => {
    const address = await tcp((socket) => {
      socket.once('data', () => {
        const body = JSON.stringify({ kind: 'ERROR', error: { code: 401, message: 'Who is it' } });
        socket.write(`HTTP/1.1 401 No\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      });
    });
    const { path, part } = fileOnDisk(folder(), 30 * MB);
    const error = await failure(upload(address, part));
    expect(error).toMatchObject({ code: 'UNAUTHORIZED', details: { status: 401, outcome: 'answered' } });
    expect(openOn(path)).toEqual([]);
  });
});

describe('retries of a file', () => {
  test('after a 429 the file is read from its start again', async () => {
    const server = await serve(refusingOnce());
    const file = generatedFile('a.csv', 20);
    const answer = await upload(server.baseUrl, file.part);
    expect(answer.status).toBe(200);
    expect(server.received).toHaveLength(2);
    for (const request of server.received)
      expect(await partsOf(request)).toMatchObject({ file: { sha256: file.sha256 } });
    expect([file.opened, file.closed]).toEqual([2, 2]);
  });

  test('do not follow a 500 or a lost answer', async () => {
    const server = await serve((_request, response) => sendError(response, 500, 'Broken'));
    const rig = connect({ baseUrl: server.baseUrl, maxAttempts: 4 });
    const { part } = generatedFile('a.csv', 2);
    const error = await failure(rig.client.call('files.upload', { parts: { file: part } }, UPLOAD));
    expect(error).toMatchObject({ code: 'SERVICE_FAILED', details: { outcome: 'answered' } });
    server.answer((_request, response) => response.destroy());
    await failure(rig.client.call('files.upload', { parts: { file: part } }, UPLOAD));
    expect(server.received).toHaveLength(2);
  });
});

describe('a file that changes', () => {
  test('before it is sent again: it is not sent', async () => {
    const afterChange = async (change: (path: string) => void) => {
      const { path, part } = fileOnDisk(folder(), 1_000);
      const server = await serve(refusingOnce(() => change(path)));
      const error = await failure(upload(server.baseUrl, part));
      expect(error).toMatchObject({ code: 'FILE_CHANGED', details: { file: 'events.csv' } });
      expect(server.received).toHaveLength(1);
      expect(openOn(path)).toEqual([]);
      return error.details.outcome;
    };
    const outcomes = await Promise.all([
      afterChange((path) => rmSync(path)),
      // The change is detected when the last bytes are due. All others are in flight by then.
      afterChange((path) => appendFileSync(path, 'more')),
      afterChange((path) => utimesSync(path, 1, 1)),
    ]);
    expect(outcomes).toEqual(['unsent', 'unknown', 'unknown']);
  });

  test('while it is sent: the service never receives a complete request', async () => {
    const { path, part } = fileOnDisk(folder(), 20 * MB);
    const ends: string[] = [];
    const address = await tcp((socket) => {
      let tail = '';
      socket.once('data', () => appendFileSync(path, 'more'));
      socket.on('data', (bytes) => {
        tail = (tail + bytes.toString('latin1')).slice(-200);
      });
      socket.on('close', () => ends.push(tail));
    });
    const error = await failure(upload(address, part));
    expect(error).toMatchObject({ code: 'FILE_CHANGED', details: { outcome: 'unknown' } });
    expect(ends.join('')).not.toContain('--spandeck');
    expect(openOn(path)).toEqual([]);
  });

  test.each([
    ['shorter', 3],
    ['longer', -3],
  ])('a stream that is %s than announced', async (_what, missing) => {
    const server = await serve((_request, response) => sendJson(response, 200, FILE_RECORD));
    const bytes = new Uint8Array(1_000);
    const open = async function* () {
      yield bytes;
    };
    const part: FilePart = { name: 'a.csv', source: { kind: 'stream', sizeBytes: 1_000 + missing, open } };
    expect(await failure(upload(server.baseUrl, part))).toMatchObject({ code: 'FILE_CHANGED' });
    expect(server.received).toEqual([]);
  });

  test('a stream that fails reports why, and is not mistaken for a service that is down', async () => {
    const server = await serve((_request, response) => sendJson(response, 200, FILE_RECORD));
    const open = async function* () {
      yield new Uint8Array(10);
      throw new Error('The drive is gone.');
    };
    const part: FilePart = { name: 'a.csv', source: { kind: 'stream', sizeBytes: 1_000, open } };
    const rig = connect({ baseUrl: server.baseUrl });
    for (let round = 0; round < 6; round += 1) {
      const error = await failure(rig.client.call('files.upload', { parts: { file: part } }, UPLOAD));
      expect(error).toMatchObject({ code: 'FILE_UNREADABLE', details: { outcome: 'unknown' } });
    }
    const { part: whole } = generatedFile('a.csv', 1);
    expect((await rig.client.call('files.upload', { parts: { file: whole } }, UPLOAD)).status).toBe(200);
    expect(server.received).toHaveLength(1);
  });
});

describe('a cancelled file request', () => {
  test('in flight: unknown, and the file is closed', async () => {
    const stop = new AbortController();
    const address = await tcp((socket) => {
      socket.once('data', () => stop.abort());
    });
    const { path, part } = fileOnDisk(folder(), 30 * MB);
    const rig = connect({ baseUrl: address });
    const options = { ...UPLOAD, signal: stop.signal };
    const error = await failure(rig.client.call('files.upload', { parts: { file: part } }, options));
    expect(error).toMatchObject({ code: 'CANCELLED', details: { outcome: 'unknown' } });
    // The caller is notified at once, and the attempt ends a moment later.
    await rig.scheduler.stop();
    expect(openOn(path)).toEqual([]);
  });

  test('a stream that hangs does not block the cancelled call', async () => {
    const stop = new AbortController();
    const address = await tcp((socket) => {
      socket.once('data', () => stop.abort());
    });
    const open = async function* () {
      yield new Uint8Array(100_000);
      await new Promise(() => undefined);
    };
    const part: FilePart = { name: 'a.csv', source: { kind: 'stream', sizeBytes: MB, open } };
    const error = await failure(upload(address, part, { signal: stop.signal }));
    expect(error).toMatchObject({ code: 'CANCELLED', details: { outcome: 'unknown' } });
  });

  test('before it was sent: certainly not sent, and nothing was opened', async () => {
    const server = await serve((_request, response) => sendJson(response, 200, FILE_RECORD));
    const file = generatedFile('a.csv', 2);
    const error = await failure(upload(server.baseUrl, file.part, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'CANCELLED', details: { outcome: 'unsent' } });
    expect(file.opened).toBe(0);
    expect(server.received).toEqual([]);
  });
});

describe('timeouts of a file request', () => {
  test('a service that stops reading ends in a timeout, unknown', async () => {
    const httpClock = new VirtualClock();
    const address = await tcp((socket) => {
      socket.once('data', () => {
        socket.pause();
        httpClock.advance(20_000);
      });
    });
    const { path, part } = fileOnDisk(folder(), 30 * MB);
    const error = await failure(upload(address, part, { timeoutMs: 20_000 }, { httpClock }));
    expect(error).toMatchObject({ code: 'TIMEOUT', details: { outcome: 'unknown' } });
    expect(openOn(path)).toEqual([]);
  });

  test('a file that takes longer than the timeout is sent as long as it makes progress', async () => {
    const server = await serve((_request, response) => sendJson(response, 200, FILE_RECORD));
    const httpClock = new VirtualClock();
    const open = async function* () {
      for (let round = 0; round < 8; round += 1) {
        httpClock.advance(15_000);
        yield new Uint8Array(10);
      }
    };
    const part: FilePart = { name: 'a.csv', source: { kind: 'stream', sizeBytes: 80, open } };
    const answer = await upload(server.baseUrl, part, { timeoutMs: 20_000 }, { httpClock });
    expect(answer.status).toBe(200);
  });
});
