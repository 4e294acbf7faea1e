/**
 * Numbers beyond the precision of JavaScript: no digit is lost between an answer and the place where it is stored or
 * shown.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toItemRow } from '../../electron/api/item-row.ts';
import { parseExact, withPlainNumbers, writeExact } from '../../electron/shared/exact-json.ts';
import { parseRecord } from '../../electron/shared/record-parts.ts';
import { type ClientRig, openClient } from '../helpers/client-rig.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { ScriptedServer } from '../helpers/scripted-server.ts';

const NUMBERS = [
  '9007199254740993',
  '-12345678901234567890123',
  '1e999',
  '-1E+400',
  '1e-999',
  '1.234567890123456789',
  '-12345678.9012345678901',
];
const ITEM = `{"id":"a","name":"b","numbers":[${NUMBERS.join()}],"row_count":9007199254740993,"plain":[1,0.1,1e5,0e0]}`;
const page = (items: string) =>
  `{"api_version":"3.0","kind":"PAGINATED","data":{"total":1,"offset":0,"item_count":1,"items":[${items}]}}`;

let server: ScriptedServer;
let rig: ClientRig;
let text = '';
beforeEach(async () => {
  server = await ScriptedServer.start((_request, response) => response.writeHead(200).end(text));
  rig = openClient({ baseUrl: server.baseUrl });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test.each([
  ['a small answer', ''],
  ['one that is read in a thread', 'x'.repeat(200_000)],
])('%s keeps every digit in storage, and is a number in calculations', async (_name, filler) => {
  const item = ITEM.replace('"b"', `"${filler}"`);
  text = page(item);
  const exact = await rig.client.list('applications.list', {}, { priority: 'view', isExact: true });
  expect(writeExact(exact.value.items[0])).toBe(item.replace('1e5', '100000').replace('0e0', '0'));
  const plain = await rig.client.list('applications.list', {}, { priority: 'view' });
  expect(plain.value.items[0]).toMatchObject({
    row_count: 9007199254740992,
    numbers: expect.arrayContaining([Infinity]),
  });
  const raw = await rig.client.request({ method: 'GET', path: '/v3/x' }, { priority: 'view' });
  expect(writeExact(raw.body)).toContain(`[${NUMBERS.join()}]`);
});

test('stored and shown values have all digits, and two that are one double stay distinct', () => {
  const rowOf = (id: string) => {
    const value = parseExact(`{"value":${id}}`);
    return toItemRow(typeof value === 'object' && value !== null ? { ...value } : {}, 'value');
  };
  const [one, other] = [rowOf('9007199254740993'), rowOf('9007199254740992')];
  expect(one.identity).not.toBe(other.identity);
  expect(one.shownText).toBe('9007199254740993');
  expect(writeExact(parseRecord(one.record))).toBe('{"value":9007199254740993}');
  expect(parseRecord('{"value":9007199254740991}')).toEqual({ value: 9007199254740991 });
});

test('a value without such numbers is the same value', () => {
  const value = parseExact(
    '{"a":[1,{"b":1234567890123456}],"c":1.5,"d":0.10000000000000001,"e":1.50000000000000000000}',
  );
  expect(withPlainNumbers(value)).toBe(value);
});

test('the command line writes the digits', async () => {
  const folder = new DataFolder();
  text = page(ITEM);
  const options = { dataDir: folder.file('data'), token: 'token-0123456789' };
  const at = ['--base-url', server.baseUrl, '--json'];
  const raw = await runCli(['request', 'GET', '/v3/applications', ...at], options);
  expect(raw.stdout).toContain('"row_count":9007199254740993');
  const list = await runCli(['applications', ...at], options);
  expect(list.stdout).toContain(`[${NUMBERS.join()}]`);
  folder[Symbol.dispose]();
});

test('the command line sends the given digits, for one record and for several', async () => {
  const folder = new DataFolder();
  const options = { dataDir: folder.file('data'), token: 'token-0123456789' };
  const at = ['--base-url', server.baseUrl, '--json'];
  const body = `{"description":"x","metadata":{"numbers":[${NUMBERS.join()}]}}`;
  text = '{"api_version":"3.0","kind":"NORMAL","data":{"id":"a","name":"b"}}';
  const bodies: string[] = [];
  for (const command of [
    ['request', 'POST', '/v3/anything', '--body', body],
    ['update', 'datasets', '00000000-0000-4000-8000-000000000001', '--body', body],
    [
      'update',
      'datasets',
      ...['2', '3'].map((id) => `00000000-0000-4000-8000-00000000000${id}`),
      '--body',
      body,
    ],
  ]) {
    const { code, stderr } = await runHere([...command, ...at], options);
    expect(code, stderr).toBe(0);
    bodies.push(
      ...server.received.splice(0).flatMap(({ method, body: sent }) => (method === 'GET' ? [] : [sent])),
    );
  }
  expect(bodies).toEqual([body, body, body, body]);
  folder[Symbol.dispose]();
});
