import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import { keptHeaders } from '../../electron/api/call-trace.ts';
import { harEntries } from '../../electron/core/text/har.ts';
import { LIBRARY_MIGRATIONS } from '../../electron/db/migrations/library/index.ts';
import { createRequestLogStore, type LogFilter } from '../../electron/db/request-log-store.ts';
import { createRequestLog } from '../../electron/engine/request-log.ts';
import type { RequestAttempt } from '../../electron/shared/traffic-model.ts';
import { har } from '../helpers/har-schema.ts';
import { aRequest } from '../helpers/traffic.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const START_MS = Date.UTC(2026, 4, 1, 12);
const answered: RequestAttempt = {
  sentAtMs: START_MS + 150,
  networkMs: 40,
  status: 200,
  errorCode: null,
  outcome: 'answered',
  sentBytes: 0,
  receivedBytes: 1_000,
  contentType: 'application/json',
  rate: { limit: '30 per 1 second', remaining: '29', reset: '1777636800', retryAfter: null, date: null },
  headers: {},
  retriedFor: null,
};
const times = { startedAtMs: START_MS, atMs: START_MS + 190 };
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function open() {
  const db = new BetterSqlite(':memory:');
  for (const { sql } of LIBRARY_MIGRATIONS) db.exec(sql);
  const store = createRequestLogStore(db, silentLogger);
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-har-'));
  folders.push(folder);
  const log = createRequestLog(store, { version: '0.1.0', connection: { name: 'Monitor "A"' } });
  const write = async (filter: LogFilter = {}) => {
    const path = join(folder, 'log.har');
    const { entries } = await log.writeHar(path, filter);
    const archive = har.parse(JSON.parse(readFileSync(path, 'utf8')));
    expect(archive.log.entries).toHaveLength(entries);
    expect(readdirSync(folder)).toEqual(['log.har']);
    return archive.log.entries;
  };
  return { store, log, write };
}

test('an archive of an empty log is valid', async () => {
  expect(await open().write()).toEqual([]);
});

test('each attempt is an entry with its wait, its status and the rate headers as received', async () => {
  const { store, write } = open();
  const refused: RequestAttempt = {
    ...answered,
    status: 429,
    rate: { ...answered.rate, retryAfter: '2' },
    retriedFor: 'Refused with 429: asked to wait.',
  };
  const again = { ...answered, sentAtMs: START_MS + 2_190 };
  store.add(aRequest({ ...times, url: '/v3/models?filter=a%20b&x&broken=%E0', tries: [refused, again] }));
  const [first, second] = await write();
  expect(first).toMatchObject({
    startedDateTime: '2026-05-01T12:00:00.000Z',
    time: 190,
    timings: { blocked: 150, wait: 40 },
    request: {
      method: 'GET',
      queryString: [
        { name: 'filter', value: 'a b' },
        { name: 'x', value: '' },
        { name: 'broken', value: '%E0' },
      ],
    },
    response: { status: 429, statusText: 'Too Many Requests' },
    comment: 'Refused with 429: asked to wait.',
  });
  expect(first?.response.headers).toContainEqual({ name: 'retry-after', value: '2' });
  expect(second).toMatchObject({
    timings: { blocked: 2_000, wait: 40 },
    response: { status: 200 },
    _attempt: 2,
  });
});

test('bodies are included as far as they were stored; the token is masked', async () => {
  const { store, write } = open();
  const sent = { ...answered, sentBytes: 15 };
  const post = { ...times, operation: 'POST /v3/projects', url: '/v3/projects', sentBytes: 15 };
  store.add(aRequest({ ...post, body: '{"name":"café"}', bodyKept: 'whole', tries: [sent] }));
  store.add(aRequest({ ...post, operation: 'POST /v3/events', bodyKept: 'events', tries: [sent] }));
  store.add(aRequest({ ...post, operation: 'POST /v3/upload', bodyKept: 'file', tries: [sent] }));
  const [whole, events, file] = await write();
  expect(file?.request.postData).toMatchObject({
    mimeType: 'multipart/form-data',
    comment: 'Not kept: file.',
  });
  expect(whole?.request.postData).toEqual({ mimeType: 'application/json', text: '{"name":"café"}' });
  expect(events?.request.postData).toEqual({
    mimeType: 'application/json',
    text: '',
    comment: 'Not kept: events.',
  });
  expect(whole?.request.headers).toContainEqual({ name: 'authorization', value: 'Bearer [token]' });
});

test('a request without an answer has status 0; one never sent or served by a shared answer is not an entry', async () => {
  const { store, write } = open();
  const lost: RequestAttempt = {
    ...answered,
    status: null,
    errorCode: 'CONNECTION_LOST',
    outcome: 'unknown',
  };
  store.add(aRequest({ ...times, status: null, errorCode: 'CONNECTION_LOST', tries: [lost] }));
  store.add(aRequest({ ...times, status: null, errorCode: 'OFFLINE', attempts: 0 }));
  store.add(aRequest({ ...times, isShared: true }));
  store.add(aRequest({ ...times, id: 'older version' }));
  const entries = await write();
  expect(entries.map(({ response }) => response.status)).toEqual([0, 200]);
  expect(entries[0]).toMatchObject({ _error: 'CONNECTION_LOST' });
});

test('a status of no known name has no text', () => {
  const [entry] = harEntries({ ...aRequest({ tries: [{ ...answered, status: 299 }] }), seq: 1 });
  expect(entry?.response).toMatchObject({ status: 299, statusText: '' });
});

test('a long log is written in steps, and only the filtered part on demand', async () => {
  const { store, write } = open();
  for (let n = 0; n < 1_000; n += 1) {
    const status = n % 10 === 0 ? 404 : 200;
    store.add(aRequest({ ...times, id: `r${n}`, status, tries: [{ ...answered, status }] }));
  }
  const all = await write();
  expect(all.map((entry) => entry['_requestId'])).toEqual(Array.from({ length: 1_000 }, (_, n) => `r${n}`));
  expect(await write({ statusClass: 'client-error' })).toHaveLength(100);
});

test('a missing folder is reported, and no file is left behind', async () => {
  const { log } = open();
  await expect(log.writeHar('/no/such/folder/log.har', {})).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: expect.stringContaining('log.har'),
  });
});

test('a request missing from the log is reported', () => {
  const { log } = open();
  expect(() => log.curl('6f2c2f4e-8a0c-4a55-9a55-1e6c1d1f0001', 'posix')).toThrow(/only the newest/);
});

test('the archive has all stored headers of an answer, and no secret header is stored', () => {
  const headers = keptHeaders({
    'content-type': 'application/json',
    'x-request-id': 'r-1',
    'set-cookie': 'session=abc',
    'x-api-key': 'abc',
    'www-authenticate': 'Bearer abc',
    link: 'x'.repeat(5_000),
  });
  expect(Object.keys(headers)).toEqual(['content-type', 'x-request-id', 'link']);
  expect(headers['link']).toHaveLength(1_000);
  const [entry] = harEntries({ ...aRequest({ tries: [{ ...answered, headers }] }), seq: 1 });
  expect(entry?.response.headers).toContainEqual({ name: 'x-request-id', value: 'r-1' });
});

test('a page of the log names every kind of request, also of those that only another process sent', () => {
  const { log } = open();
  const page = { operation: null, method: null, priority: null, statusClass: null, text: '', sort: null };
  const { titles } = log.list({ ...page, limit: 10, beforeSeq: null });
  expect(titles['POST /v3/spans/query']).toBe('Spans');
});
