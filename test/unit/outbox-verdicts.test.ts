/** The verdict on a pending change of each kind, and its reason. */
import { expect, test } from 'vitest';
import { afterBulkFailure, suspensionOf } from '../../electron/core/jobs/bulk-act.ts';
import { idOf, judge } from '../../electron/core/jobs/outbox.ts';
import { AppError } from '../../electron/shared/errors.ts';

type Judged = Parameters<typeof judge>[0];

const CHANGE: Judged = {
  change: 'update',
  base: { id: 'a', name: 'Old', size: 1 },
  body: { name: 'New' },
  target: { kind: 'none' },
  wasSent: false,
  isRepeatSafe: true,
  known: [],
};
const verdict = (given: Partial<Judged>) => judge({ ...CHANGE, ...given });
const record = (fields: Record<string, string | number>): Judged['target'] => ({
  kind: 'record',
  record: { id: 'a', ...fields },
});
const list = (...names: string[]): Judged['target'] => ({
  kind: 'list',
  records: names.map((name) => ({ id: name, name })),
});

test.each<[string, Partial<Judged>, object]>([
  ['nothing to read, first time', {}, { kind: 'send' }],
  ['nothing to read, its answer lost, safe to repeat', { wasSent: true }, { kind: 'send' }],
  [
    'nothing to read, its answer lost, not safe to repeat',
    { wasSent: true, isRepeatSafe: false },
    { kind: 'ask', reason: 'no-answer' },
  ],
  [
    'a deletion of a record that is gone',
    { change: 'delete', target: { kind: 'gone' } },
    { kind: 'done', how: 'same' },
  ],
  [
    'a deletion whose answer was lost',
    { change: 'delete', target: { kind: 'gone' }, wasSent: true },
    { kind: 'done', how: 'found' },
  ],
  ['an update of a record that is gone', { target: { kind: 'gone' } }, { kind: 'ask', reason: 'gone' }],
  [
    'a first value for a record without one',
    { target: { kind: 'gone' }, isRepeatSafe: false },
    { kind: 'send' },
  ],
  [
    'a deletion of a record that the person has not seen',
    { change: 'delete', base: null, target: record({ name: 'Old' }) },
    { kind: 'ask', reason: 'unseen' },
  ],
  [
    'a deletion of a record that others changed',
    { change: 'delete', target: record({ name: 'Other', size: 1 }) },
    { kind: 'ask', reason: 'changed' },
  ],
  [
    'a deletion of a record as it was seen',
    { change: 'delete', target: record({ name: 'Old', size: 1 }) },
    { kind: 'send' },
  ],
  ['an update of a record as it was seen', { target: record({ name: 'Old', size: 9 }) }, { kind: 'send' }],
  [
    'an update of a field that others changed',
    { target: record({ name: 'Other', size: 1 }) },
    { kind: 'ask', reason: 'changed' },
  ],
  [
    'an update of an unseen record',
    { base: null, target: record({ name: 'Other' }) },
    { kind: 'ask', reason: 'unseen' },
  ],
  ['an update that others made', { target: record({ name: 'New' }) }, { kind: 'done', how: 'same' }],
  [
    'an update whose answer was lost',
    { target: record({ name: 'New' }), wasSent: true },
    { kind: 'done', how: 'found' },
  ],
  [
    'a lost update of a field that the record never shows',
    { base: null, body: { secret: 'x' }, target: record({}), wasSent: true },
    { kind: 'ask', reason: 'no-answer' },
  ],
  ['an update of no field', { body: null, target: record({}) }, { kind: 'send' }],
  [
    'a new record beside known ones',
    { change: 'create', target: list('New'), known: ['New'] },
    { kind: 'send' },
  ],
  [
    'a new record of a name that exists',
    { change: 'create', target: list('New') },
    { kind: 'ask', reason: 'exists', theirs: { id: 'New' } },
  ],
  [
    'a new record whose answer was lost, there once',
    { change: 'create', target: list('New'), wasSent: true },
    { kind: 'done', how: 'found' },
  ],
  [
    'a new record whose answer was lost, there twice',
    { change: 'create', body: null, target: list('New', 'Newer'), wasSent: true },
    { kind: 'ask', reason: 'no-answer', theirs: { id: 'New' } },
  ],
  [
    'a new record whose answer was lost, and that is not there',
    { change: 'create', target: list(), wasSent: true },
    { kind: 'ask', reason: 'no-answer', theirs: null },
  ],
])('%s', (_name, given, expected) => {
  expect(verdict(given)).toMatchObject(expected);
});

test('the id of a record may be its uuid, and is empty if it has none', () => {
  expect([{ id: 'a', uuid: 'b' }, { uuid: 'b' }, { id: 7 }, {}].map(idOf)).toEqual(['a', 'b', '', '']);
});

const PLAIN = { isSentAgain: false, done: 1, failuresInARow: 0 };
const answered = (code: 'NOT_FOUND' | 'FORBIDDEN' | 'CONFLICT', status: number) =>
  new AppError(code, 'No.', { outcome: 'answered', status });
const lost = new AppError('CONNECTION_LOST', 'Lost.', { outcome: 'unknown' });
const away = new AppError('CONNECTION_REFUSED', 'Away.', { outcome: 'unsent' });

test.each<[string, AppError, Partial<typeof PLAIN>, object]>([
  [
    'a repeated deletion finds nothing',
    answered('NOT_FOUND', 404),
    { isSentAgain: true },
    { to: 'done', suspension: null },
  ],
  ['a deletion finds nothing', answered('NOT_FOUND', 404), {}, { to: 'failed', suspension: null }],
  ['one record is forbidden', answered('FORBIDDEN', 403), {}, { to: 'failed', suspension: null }],
  [
    'the first record is forbidden',
    answered('FORBIDDEN', 403),
    { done: 0 },
    { to: 'failed', suspension: 'pause' },
  ],
  [
    'the fifth in a row is forbidden',
    answered('FORBIDDEN', 403),
    { failuresInARow: 4 },
    { to: 'failed', suspension: 'pause' },
  ],
  [
    'the service refuses one record',
    answered('CONFLICT', 409),
    { failuresInARow: 9 },
    { to: 'failed', suspension: null },
  ],
  ['the service is away', away, {}, { to: 'waiting', suspension: 'wait' }],
  ['an answer is lost', lost, {}, { to: 'unknown', suspension: null }],
  ['the fifth answer in a row is lost', lost, { failuresInARow: 4 }, { to: 'unknown', suspension: 'pause' }],
])('a change of many records: %s', (_name, error, how, expected) => {
  expect(afterBulkFailure(error, { ...PLAIN, ...how })).toEqual(expected);
});

test('a failure that concerns no record: the change waits for the service, and pauses for anything else', () => {
  expect(
    [away, lost, answered('CONFLICT', 409), new AppError('DISK_FULL', 'Full.')].map(suspensionOf),
  ).toEqual([...['wait', 'wait', 'pause', 'pause']]);
});
