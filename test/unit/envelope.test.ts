import { describe, expect, test } from 'vitest';
import { asPage, asRecord, issueOf, parseAnswer } from '../../electron/api/envelope.ts';
import { AppError } from '../../electron/shared/errors.ts';

const CONTEXT = { operation: 'GET /v3/applications', status: 200 };
const parse = (value: unknown) =>
  parseAnswer(typeof value === 'string' ? value : JSON.stringify(value), CONTEXT);
const refused = (code: string) => expect.objectContaining({ code });

describe('answers of the documented form', () => {
  test('a page', () => {
    const data = {
      items: [{ id: 'a' }],
      item_count: 1,
      total: 7,
      page_size: 1,
      page_count: 7,
      page_index: 3,
      offset: 2,
    };
    const answer = parse({ api_version: '3.0', kind: 'PAGINATED', data });
    expect(asPage(answer, 0, CONTEXT)).toMatchObject({
      items: [{ id: 'a' }],
      total: 7,
      pageSize: 1,
      offset: 2,
    });
  });

  test('a record', () => {
    expect(asRecord(parse({ api_version: '3.0', kind: 'NORMAL', data: { id: 'a' } }), CONTEXT)).toEqual({
      id: 'a',
    });
  });

  test('an error, cut to a readable size', () => {
    const issue = { reason: 'ResourceNotFound', message: 'm'.repeat(2_000), help: '' };
    const error = { code: 404, message: 'No such thing', errors: Array.from({ length: 500 }, () => issue) };
    const answer = parse({ api_version: '3.0', kind: 'ERROR', error });
    if (answer.shape !== 'error') throw new Error(answer.shape);
    expect(answer.code).toBe(404);
    expect(answer.issue.issues).toHaveLength(200);
    expect(answer.issue.issues[0]?.message.length).toBeLessThan(600);
    const { issues } = new AppError('NOT_FOUND', 'gone', { issues: answer.issue.issues }).toWire().details;
    expect(issues).toHaveLength(20);
  });

  test('no body', () => {
    expect(parse('')).toEqual({ shape: 'empty' });
  });
});

describe('answers of undocumented forms (SERVICE.md F12)', () => {
  test.each([
    ['a bare array of identifiers', ['a', 'b'], ['a', 'b']],
    [
      'identifiers in data.ids',
      { kind: 'NORMAL', api_version: '3.0', data: { ids: ['a', 'b'] } },
      ['a', 'b'],
    ],
    ['bare items', { items: [1, 2], total: 2 }, [1, 2]],
    ['a page without kind', { data: { items: [1], total: 1, offset: 0 } }, [1]],
    ['a page of version 2.0', { api_version: '2.0', kind: 'PAGINATED', data: { items: [1] } }, [1]],
    ['items of a NORMAL answer', { api_version: '3.0', kind: 'NORMAL', data: { items: [1] } }, [1]],
    ['data that is the array', { api_version: '3.0', data: [1] }, [1]],
  ])('%s is a list', (_name, body, items) => {
    expect(asPage(parse(body), 40, CONTEXT).items).toEqual(items);
  });

  const history = { items: [{ alert_count: 1 }], total: 4, alert_rule_id: 'a', next: null };
  test.each([
    ['in an envelope', { api_version: '3.0', kind: 'NORMAL', data: history }],
    ['in an envelope without kind', { api_version: '3.0', data: history }],
    ['in nothing but data', { data: history }],
    ['without an envelope', history],
  ])('a record with items of its own keeps its other fields, %s', (_name, body) => {
    expect(asRecord(parse(body), CONTEXT)).toEqual(history);
  });

  test('a missing offset is the requested offset', () => {
    expect(asPage(parse({ items: [1] }), 40, CONTEXT).offset).toBe(40);
  });

  test.each([
    [{ error: 'text' }],
    [{ error: { message: 'text' } }],
    [{ api_version: '2.0', error: { code: 400, message: 'text' } }],
  ])('%j is an error', (body) => {
    expect(parse(body)).toMatchObject({ shape: 'error', issue: { message: 'text' } });
  });

  test('invalid numbers are unknown', () => {
    const data = { items: [], total: '7 rows', offset: -1, page_size: 1.5 };
    expect(asPage(parse({ kind: 'PAGINATED', data }), 3, CONTEXT)).toMatchObject({
      total: null,
      pageSize: null,
      offset: 3,
    });
  });

  test('counts written as texts are read, and reported', () => {
    const data = { items: [], total: '7', offset: '2', page_size: 5 };
    expect(asPage(parse({ kind: 'PAGINATED', data }), 3, CONTEXT)).toMatchObject({
      ...{ total: 7, pageSize: 5, offset: 2 },
      differences: [{ place: 'total' }, { place: 'offset' }],
    });
  });
});

describe('answers in other forms', () => {
  test.each([
    ['a web page', '<!doctype html><title>Sign in</title>', /a web page/],
    ['a web page after a byte order mark', '\uFEFF<html>', /a web page/],
    ['text', 'upstream connect error', /text that is not JSON/],
    ['a number', '42', /bare JSON number/],
    ['null', 'null', /bare JSON null/],
    ['another JSON', '{"status":"ok"}', /without the envelope/],
  ])('%s is not this service', (_name, body, message) => {
    for (const read of [() => asRecord(parse(body), CONTEXT), () => asPage(parse(body), 0, CONTEXT)]) {
      expect(read).toThrow(refused('NOT_THIS_SERVICE'));
      expect(read).toThrow(message);
    }
  });

  test('truncated JSON is an invalid answer, and the message contains no part of it', () => {
    const body = '{"api_version":"3.0","kind":"NORMAL","data":{"secret-field":"secret-val';
    expect(() => parse(body)).toThrow(refused('ANSWER_INVALID'));
    expect(() => parse(body)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });

  test('a record instead of a list is refused, and a list instead of a record', () => {
    expect(() => asPage(parse({ kind: 'NORMAL', data: { id: 1 } }), 0, CONTEXT)).toThrow(
      refused('ANSWER_INVALID'),
    );
    expect(() => asPage(parse(''), 0, CONTEXT)).toThrow(refused('ANSWER_INVALID'));
    expect(() => asRecord(parse(''), CONTEXT)).toThrow(refused('ANSWER_INVALID'));
  });
});

test('the error text is found in any body, or there is none', () => {
  expect(issueOf('{"error":{"message":"No"}}')?.message).toBe('No');
  expect(issueOf('{"message":"No"}')?.message).toBe('No');
  expect(issueOf('<html>')).toBeNull();
  expect(issueOf('[]')).toBeNull();
});
