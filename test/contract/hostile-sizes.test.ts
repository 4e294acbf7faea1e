/**
 * Answers below 64 MB that are expensive to parse: the main thread continues, memory is bounded, and every failure is
 * named.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { largeAnswers } from '../../electron/api/large-answers.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { type ClientRig, openClient, RIG_TOKEN } from '../helpers/client-rig.ts';
import { ScriptedServer } from '../helpers/scripted-server.ts';
import { turnsOf } from '../helpers/turn-cost.ts';

let server: ScriptedServer;
let rig: ClientRig;
let body: Buffer;
beforeEach(async () => {
  server = await ScriptedServer.start((_request, response) => response.writeHead(200).end(body));
  rig = openClient({ baseUrl: server.baseUrl, maxAttempts: 3 });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  // After an answer, its memory is free again, whatever the outcome.
  expect(largeAnswers.bytes).toBe(0);
});

const MEGABYTE = 1_048_576;
/** Just below the limit. `PROPERTY_RUNS` selects the long form. */
const LARGE = (process.env['PROPERTY_RUNS'] === undefined ? 8 : 60) * MEGABYTE;
const envelope = (data: string) => Buffer.from(`{"api_version":"3.0","kind":"NORMAL","data":${data}}`);
const pageOf = (items: string) =>
  Buffer.from(`{"api_version":"3.0","kind":"PAGINATED","data":{"total":1,"offset":0,"items":[${items}]}}`);
/** A text of this size, made of repeated parts. */
const filled = (part: (index: number) => string, bytes: number): string => {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < bytes; index++) {
    const each = part(index);
    parts.push(each);
    length += each.length + 1;
  }
  return parts.join(',');
};

interface Found {
  value: unknown;
  error: AppError | null;
}

async function read(kind: 'list' | 'call' | 'raw', answer: Buffer): Promise<Found> {
  body = answer;
  const options = { priority: 'view' } as const;
  const found: Found = { value: null, error: null };
  // The thread is started and the bodies are created before the measurement.
  const turns = await turnsOf(10, async () => {
    try {
      if (kind === 'raw')
        found.value = (await rig.client.request({ method: 'GET', path: '/v3/x' }, options)).body;
      else if (kind === 'list') found.value = (await rig.client.list('applications.list', {}, options)).value;
      else found.value = (await rig.client.call('server-info.get', {}, options)).value;
    } catch (problem) {
      if (!(problem instanceof AppError)) throw problem;
      found.error = problem;
    }
  });
  if (process.env['PROPERTY_RUNS'] !== undefined) console.log(expect.getState().currentTestName, turns);
  // The limit is high because the server of the test writes 60 MB in this thread. Reading in it took 7 to 40 seconds.
  expect(turns.longestMs).toBeLessThan(1_000);
  return found;
}

test.each([
  [
    'one record of very many keys',
    'call',
    () => envelope(`{${filled((index) => `"key ${index}":${index}`, LARGE)}}`),
  ],
  ['very many tiny items', 'list', () => pageOf(filled(() => '{}', LARGE))],
  ['very many numbers', 'raw', () => envelope(`[${filled(() => '1', LARGE)}]`)],
  ['lists in lists', 'raw', () => envelope('['.repeat(MEGABYTE) + ']'.repeat(MEGABYTE))],
  ['a text of 17 MB', 'call', () => envelope(`{"server_version":"${'x'.repeat(17 * MEGABYTE)}"}`)],
  ['a number of millions of digits', 'raw', () => envelope('1'.repeat(LARGE))],
] as const)('%s: too large, reported once and not retried', async (_name, kind, make) => {
  const { error } = await read(kind, make());
  expect(error).toMatchObject({ code: 'ANSWER_TOO_LARGE', details: { status: 200 } });
  expect(error?.message).toMatch(/contains (more than|an object of|a text|a number)/);
  expect(server.received).toHaveLength(1);
  // Memory of this process, including the thread.
  expect(process.memoryUsage().rss / MEGABYTE).toBeLessThan(1_500);
});

test('many MB of long texts are read in the thread, unchanged', async () => {
  const text = 'Grüße, 你好 "\\u0041\\n" '.repeat(2_000);
  const item = (index: number) =>
    JSON.stringify({ id: `${index}`, name: text, nested: { __proto__x: [index, null] } });
  const items = filled(item, LARGE / 2);
  const { value, error } = await read('list', pageOf(items));
  expect(error).toBe(null);
  expect(value).toMatchObject({ total: 1, offset: 0 });
  expect(JSON.stringify(value)).toContain(`"items":[${items}]`);
});

test('a large record is read unchanged, with any field names and any depth', async () => {
  const deep = (level: number): unknown =>
    level === 0
      ? 'x'.repeat(70_000)
      : { 7: level, name: `${level}`, list: [1, deep(level - 1), 2], last: null };
  const text = `{"__proto__":{"a":1},"server_version":"1","many":[${filled((index) => `{"i":${index}}`, 1_500_000)}],"deep":${JSON.stringify(deep(40))}}`;
  const { value, error } = await read('call', envelope(text));
  expect(error).toBe(null);
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
});

test.each([
  [
    'a record of 90,000 fields',
    'call',
    () => envelope(`{${Array.from({ length: 90_000 }, (_, index) => `"key ${index}":${index}`).join()}}`),
  ],
  [
    'a list of 150,000 items',
    'list',
    () => pageOf(Array.from({ length: 150_000 }, (_, index) => `{"id":"${index}","name":"x"}`).join()),
  ],
] as const)(
  '%s, just below the bounds, is read without blocking the main thread',
  async (_name, kind, make) => {
    const { error } = await read(kind, make());
    expect(error).toBe(null);
  },
);

test('errors of a large answer are those of a small one', async () => {
  const wrong = pageOf(`${filled((index) => `{"id":"${index}","name":"x"}`, 2 * MEGABYTE)},{"id":7}`);
  expect((await read('list', wrong)).error).toMatchObject({
    code: 'ANSWER_INVALID',
    message: expect.stringContaining('in another form'),
  });
  const cut = wrong.subarray(0, 200_000);
  expect((await read('list', cut)).error).toMatchObject({
    code: 'ANSWER_INVALID',
    message: expect.stringContaining('breaks off'),
  });
  const page = Buffer.from(`<html>${'x'.repeat(200_000)}`);
  expect((await read('list', page)).error).toMatchObject({ code: 'NOT_THIS_SERVICE' });
});

test('a token in a large answer is masked, also if split between pieces and escaped', async () => {
  const escaped = [...RIG_TOKEN]
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
  const text = `{"a":"${'x'.repeat(65_530)}${RIG_TOKEN}","b":"${filled(() => `${RIG_TOKEN} ${escaped}`, 400_000)}"}`;
  const { value } = await read('raw', Buffer.from(text));
  expect(JSON.stringify(value)).not.toContain('rig-token');
  expect(JSON.stringify(value)).toContain('[token]');
});

test.each([
  ['record', 'call', envelope],
  ['item of a list', 'list', pageOf],
] as const)('one %s of 5 MB is read, one of 9 MB is rejected by name', async (_name, kind, around) => {
  const record = (size: number) =>
    around(
      `{"id":"a","name":"b","server_version":"1","input":["${'x'.repeat(size / 2)}","${'y'.repeat(size / 2)}"]}`,
    );
  expect((await read(kind, record(5 * MEGABYTE))).error).toBe(null);
  const { error } = await read(kind, record(9 * MEGABYTE));
  expect(error).toMatchObject({
    code: 'ANSWER_TOO_LARGE',
    message: expect.stringContaining('larger than 8 MB'),
  });
  expect(server.received).toHaveLength(2);
});

test('a large answer without callers releases its memory, even if it was shared', async () => {
  body = pageOf(filled((index) => `{"id":"${index}","name":"x"}`, 2 * MEGABYTE));
  const controllers = [new AbortController(), new AbortController(), new AbortController()];
  const asked = controllers.map(({ signal }) =>
    rig.client.list('applications.list', {}, { priority: 'view', signal }),
  );
  const first = asked[0]?.then(
    () => 'read',
    () => 'left',
  );
  controllers[0]?.abort();
  expect(await first).toBe('left');
  for (const each of asked.slice(1)) expect((await each).value.itemCount).toBeGreaterThan(1_000);
  expect(server.received).toHaveLength(1);
});

test('a large answer whose first caller leaves while it is in flight is read completely by the others', async () => {
  body = pageOf(filled((index) => `{"id":"${index}","name":"x"}`, 2 * MEGABYTE));
  const leaves = new AbortController();
  server.answer((_request, response) => {
    leaves.abort();
    response.writeHead(200).end(body);
  });
  const [first, ...others] = [leaves.signal, undefined, undefined].map((signal) =>
    rig.client.list(
      'applications.list',
      {},
      { priority: 'view', ...(signal === undefined ? {} : { signal }) },
    ),
  );
  await expect(first).rejects.toMatchObject({ code: 'CANCELLED' });
  const read = await Promise.all(others);
  expect(read.map(({ value }) => value.itemCount)).toEqual([
    read[0]?.value.items.length,
    read[1]?.value.items.length,
  ]);
  expect(read[0]?.value.itemCount).toBeGreaterThan(1_000);
  expect(server.received).toHaveLength(1);
  // The bytes are released once the readers have the answer.
  await new Promise((resolve) => setImmediate(resolve));
});
