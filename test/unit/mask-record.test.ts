/** Private fields of records, also inside of JSON that a record holds as a text. */
import { expect, test } from 'vitest';
import { maskRecord } from '../../electron/core/pack/mask-record.ts';
import { createRedactor, MASKED } from '../../electron/core/pack/redact.ts';
import { RawNumber } from '../../electron/shared/exact-json.ts';

const masked = (record: unknown, ...patterns: string[]) =>
  maskRecord(record, createRedactor(patterns, new Set()));

test('a record without private fields is the same object', () => {
  const record = {
    ...{ id: 7, note: null, large: new RawNumber('12345678901234567890') },
    lists: [['a', '[1, 2]'], '{not JSON'],
    messages: '[{"role": "user"}]',
  };
  expect(masked(record, 'email')).toBe(record);
});

test('a private field is masked by its path inside of JSON texts, in lists and in JSON inside of JSON', () => {
  const inner = JSON.stringify({ email: 'ana@example.com', age: 3 });
  const record = {
    user: { email: 'ana@example.com' },
    messages: '[{"role": "user", "email": "bo@example.com"}]',
    calls: [{ arguments: inner }, { arguments: '{}' }],
    outer: JSON.stringify({ inner }),
  };
  const hidden = `{"email":"${MASKED}","age":3}`;
  expect(masked(record, 'email')).toEqual({
    user: { email: MASKED },
    messages: `[{"role":"user","email":"${MASKED}"}]`,
    calls: [{ arguments: hidden }, { arguments: '{}' }],
    outer: JSON.stringify({ inner: hidden }),
  });
});

test('a masked JSON text keeps the digits of its other numbers', () => {
  expect(masked({ body: '{"id": 12345678901234567890, "name": "Ana"}' }, 'body.name')).toEqual({
    body: `{"id":12345678901234567890,"name":"${MASKED}"}`,
  });
});
