/** Files that the client sends: complete, in order, with constant memory, and never twice by mistake. */
import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FilePart } from '../../electron/api/multipart.ts';
import { clientBench, failure, UPLOAD } from '../helpers/client-bench.ts';
import { RIG_TOKEN } from '../helpers/client-rig.ts';
import {
  dataFolder,
  FILE_RECORD,
  fileOnDisk,
  generatedFile,
  partsOf,
  textFile,
} from '../helpers/multipart.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { sendJson } from '../helpers/scripted-server.ts';

const MB = 1_048_576;
const { serve, connect, later, tcp } = clientBench();
const folder = () => dataFolder(later);

const accepting = () => serve((_request, response) => sendJson(response, 200, FILE_RECORD));

describe('files sent to the sample service', () => {
  async function rig() {
    const service = await RawService.start({ settings: { jobPendingMs: 0, jobRunMs: 0 } });
    later(() => service.service.stop());
    return { service, ...connect({ baseUrl: service.service.baseUrl, token: TOKEN }) };
  }

  test('a file from memory, from a stream and from the disk', async () => {
    const { client, log } = await rig();
    const files = [
      textFile('a.csv', 'Age\n33\n'),
      generatedFile('b.parquet', 3).part,
      fileOnDisk(folder(), 1_000).part,
    ];
    const answers = [];
    for (const file of files) answers.push(await client.call('files.upload', { parts: { file } }, UPLOAD));
    expect(answers.map(({ status, value }) => [status, value.filename, value.type, value.status])).toEqual([
      [200, 'a.csv', 'CSV', 'SUCCESSFUL'],
      [200, 'b.parquet', 'PARQUET', 'SUCCESSFUL'],
      [200, 'events.csv', 'CSV', 'SUCCESSFUL'],
    ]);
    expect(log.map(({ operation, errorCode, attempts }) => [operation, errorCode, attempts])).toEqual(
      files.map(() => ['POST /v3/files/upload', null, 1]),
    );
  });

  test('a file of 30 MB in two parts', async () => {
    const { client } = await rig();
    const start = await client.call('files.multipart-init', { body: { filename: 'big.csv' } }, UPLOAD);
    const file_id = start.value.id;
    const parts = [];
    for (const number of [1, 2]) {
      const file = generatedFile('part', 240);
      const sent = { file: file.part, file_id, part_number: number };
      const { value } = await client.call('files.multipart-upload', { parts: sent }, UPLOAD);
      expect(file.pulledBytes).toBe(15 * MB);
      parts.push({ number, id: value.part_id });
    }
    const whole = await client.call('files.multipart-complete', { body: { file_id, parts } }, UPLOAD);
    expect(whole.value).toMatchObject({ id: file_id, status: 'SUCCESSFUL' });
  });

  test('parts of a file on disk, split anywhere, add up to that file', async () => {
    const { client, service } = await rig();
    const modelId = await service.idOf('models.list', 'Card fraud');
    const rows = Array.from({ length: 2_000 }, (_, n) => `cut-${n},2025-10-01 08:00:00,true`);
    const text = ['transaction_id,processed_at,is_fraud', ...rows, ''].join('\n');
    const { path } = fileOnDisk(folder(), text);
    const start = await client.call('files.multipart-init', { body: { filename: 'events.csv' } }, UPLOAD);
    const file_id = start.value.id;
    const cuts = [0, 4_321, 50_000, text.length];
    const parts = [];
    for (const number of [1, 2, 3]) {
      const startByte = cuts[number - 1] ?? 0;
      const sizeBytes = (cuts[number] ?? 0) - startByte;
      const file: FilePart = { name: 'part', source: { kind: 'file', path, startByte, sizeBytes } };
      const sent = { file, file_id, part_number: number };
      const { value } = await client.call('files.multipart-upload', { parts: sent }, UPLOAD);
      parts.push({ number, id: value.part_id });
    }
    await client.call('files.multipart-complete', { body: { file_id, parts } }, UPLOAD);
    const before = service.service.events(modelId).count;
    const body = { model_id: modelId, env_type: 'PRODUCTION', source: { type: 'FILE', file_id } };
    await client.call('events.publish', { body }, UPLOAD);
    expect(service.service.events(modelId).count - before).toBe(2_000);
  });

  test('a file that is too large is rejected with the status of the service', async () => {
    const service = await RawService.start({ settings: { maxFileBytes: MB } });
    later(() => service.service.stop());
    const { client } = connect({ baseUrl: service.service.baseUrl, token: TOKEN });
    const call = client.call('files.upload', { parts: { file: generatedFile('a.csv', 40).part } }, UPLOAD);
    expect(await failure(call)).toMatchObject({ code: 'BAD_REQUEST', details: { status: 413 } });
  });
});

describe('a multipart request as received', () => {
  test('30 MB are received unchanged, with their length stated, and the token in the header only', async () => {
    const server = await accepting();
    const { client } = connect({ baseUrl: server.baseUrl });
    const file = generatedFile('events.csv', 480);
    expect(file.sizeBytes).toBe(30 * MB);
    await client.call('files.upload', { parts: { file: file.part } }, UPLOAD);
    const [request] = server.received;
    if (request === undefined) throw new Error('Nothing was received.');
    expect(request.headers).toMatchObject({
      authorization: `Bearer ${RIG_TOKEN}`,
      'content-type': expect.stringMatching(/^multipart\/form-data; boundary=spandeck-[0-9a-f-]{36}$/),
      'content-length': String(request.bytes.length),
    });
    expect(request.headers['transfer-encoding']).toBeUndefined();
    expect(request.bytes.includes(RIG_TOKEN)).toBe(false);
    expect(await partsOf(request)).toEqual({
      file: { name: 'events.csv', sizeBytes: file.sizeBytes, sha256: file.sha256 },
    });
    expect([file.opened, file.closed]).toEqual([1, 1]);
  });

  test('no more is read than the service accepts, however large the file is', async () => {
    let receivedBytes = 0;
    let mostAheadBytes = 0;
    const file = generatedFile('events.csv', 1_600);
    const address = await tcp((socket) => {
      socket.on('data', (part) => {
        receivedBytes += part.length;
        mostAheadBytes = Math.max(mostAheadBytes, file.pulledBytes - receivedBytes);
        if (receivedBytes < file.sizeBytes) return;
        socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${JSON.stringify(FILE_RECORD)}`);
      });
    });
    const { client } = connect({ baseUrl: address });
    await client.call('files.upload', { parts: { file: file.part } }, UPLOAD);
    expect(file.pulledBytes).toBe(100 * MB);
    // Limit: the socket buffers of the system on both sides, and a few chunks.
    expect(mostAheadBytes).toBeLessThan(20 * MB);
  });

  test.each(['plain.csv', 'Größe 7".csv', 'two\r\nlines.csv', '日本 語.csv'])(
    'the file name %j',
    async (name) => {
      const server = await accepting();
      const { client } = connect({ baseUrl: server.baseUrl });
      const parts = { file: textFile(name, 'a'), file_id: 'ünï"\r\n', part_number: 7 };
      await failure(client.call('files.multipart-upload', { parts }, UPLOAD));
      const [request] = server.received;
      if (request === undefined) throw new Error('Nothing was received.');
      const got = await partsOf(request);
      expect(got).toMatchObject({ file_id: 'ünï"\r\n', part_number: '7' });
      // Readers differ in whether they decode names as browsers encode them.
      const { name: file } = got['file'] as { name: string };
      expect(file.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')).toBe(name);
      expect(request.body.indexOf('name="file_id"')).toBeLessThan(request.body.indexOf('name="file"'));
    },
  );

  test('an empty file', async () => {
    const server = await accepting();
    const { client } = connect({ baseUrl: server.baseUrl });
    for (const file of [textFile('a.csv', ''), fileOnDisk(folder(), 0).part])
      await client.call('files.upload', { parts: { file } }, UPLOAD);
    for (const request of server.received)
      expect(await partsOf(request)).toMatchObject({ file: { sizeBytes: 0 } });
  });
});

describe('input that is never sent', () => {
  const file = textFile('a.csv', 'a');
  const half = textFile('\ud800.csv', 'a');
  const rejected: [string, Parameters<ReturnType<typeof connect>['client']['call']>[1], RegExp][] = [
    ['no parts', {}, /the part file is missing/],
    ['a body', { body: { file } }, /the part file is missing/],
    ['a text for a file', { parts: { file: 'a.csv' } }, /the part file is not a file/],
    ['a part too many', { parts: { file, extra: '1' } }, /no part "extra"/],
    ['no name', { parts: { file: { ...file, name: '' } } }, /no file name/],
    ['a long name', { parts: { file: { ...file, name: 'a'.repeat(256) } } }, /no file name/],
    ['half a character', { parts: { file: half } }, /no file name/],
  ];
  test.each(rejected)('%s', async (_name, input, message) => {
    const server = await accepting();
    const { client } = connect({ baseUrl: server.baseUrl });
    const error = await failure(client.call('files.upload', input, UPLOAD));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { outcome: 'unsent' } });
    expect(error.message).toMatch(message);
    expect(server.received).toEqual([]);
  });

  test('numbers and texts of another kind, parts of an operation that has none', async () => {
    const server = await accepting();
    const { client } = connect({ baseUrl: server.baseUrl });
    for (const parts of [
      { file, file_id: 7, part_number: 1 },
      { file, file_id: 'x', part_number: '1' },
      { file, file_id: 'x', part_number: 1.5 },
      { file, file_id: '\udc00', part_number: 1 },
    ]) {
      const error = await failure(client.call('files.multipart-upload', { parts }, UPLOAD));
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { outcome: 'unsent' } });
    }
    const elsewhere = client.call(
      'files.multipart-init',
      { body: { filename: 'a' }, parts: { file } },
      UPLOAD,
    );
    expect(await failure(elsewhere)).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(server.received).toEqual([]);
  });

  test('a file that is missing, is a folder, or lacks the part; and any on a read-only connection', async () => {
    const server = await accepting();
    const { client, switches } = connect({ baseUrl: server.baseUrl });
    const at = folder();
    mkdirSync(at.file('folder'));
    const { path } = fileOnDisk(at, 100);
    const codeOf = async (source: FilePart['source']) =>
      (await failure(client.call('files.upload', { parts: { file: { name: 'x.csv', source } } }, UPLOAD)))
        .code;
    expect(await codeOf({ kind: 'file', path: at.file('none.csv') })).toBe('FILE_NOT_FOUND');
    expect(await codeOf({ kind: 'file', path: at.file('folder') })).toBe('FILE_UNREADABLE');
    for (const range of [{ startByte: 101 }, { startByte: -1 }, { startByte: 50, sizeBytes: 51 }])
      expect(await codeOf({ kind: 'file', path, ...range })).toBe('INVALID_ARGUMENT');
    switches.isReadOnly = true;
    expect(await codeOf({ kind: 'file', path })).toBe('READ_ONLY');
    switches.isReadOnly = false;
    switches.isOffline = true;
    expect(await codeOf({ kind: 'file', path })).toBe('OFFLINE');
    expect(server.received).toEqual([]);
  });
});
