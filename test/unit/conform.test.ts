/** Records whose fields have a form that differs from the table of endpoints. */
import { describe, expect, test } from 'vitest';
import { conform } from '../../electron/api/conform.ts';
import { endpoint, type OperationId } from '../../electron/api/endpoints.ts';
import type { HttpAnswer } from '../../electron/api/http-client.ts';
import { exactPage, exactRows, exactValue } from '../../electron/api/read-answer.ts';
import { AnswerDifferences, type Difference } from '../../electron/shared/answer-differences.ts';

const answered = (body: unknown): HttpAnswer => {
  const text = JSON.stringify(body);
  return {
    kind: 'answered',
    status: 200,
    headers: {},
    text,
    isUtf8: true,
    large: null,
    sizeBytes: text.length,
  };
};

function read(operation: OperationId, isExact = false) {
  const seen: Difference[] = [];
  const row = endpoint(operation);
  return {
    form: { row, isExact, onDifferences: (some: readonly Difference[]) => void seen.push(...some) },
    seen,
  };
}

const RULE = { id: 'r', name: 'Drops', critical_threshold: 3, feature_names: ['a'], model: { id: 'm' } };
const conformed = (changes: object) => conform(endpoint('alert-rules.get').item, { ...RULE, ...changes });

describe('a field in another form', () => {
  test('a record as known is the same object, without differences', () => {
    expect(conform(endpoint('alert-rules.get').item, RULE)).toEqual({ value: RULE, differences: [] });
    expect(conform(endpoint('alert-rules.get').item, RULE).value).toBe(RULE);
  });

  test.each([
    [
      'a number as text',
      { critical_threshold: '3.5' },
      { critical_threshold: 3.5 },
      'critical_threshold',
      'a text',
    ],
    [
      'another text for a number',
      { critical_threshold: 'high' },
      { critical_threshold: null },
      'critical_threshold',
      'a text',
    ],
    [
      'digits that overflow',
      { critical_threshold: '1e999' },
      { critical_threshold: null },
      'critical_threshold',
      'a text',
    ],
    [
      'a number that overflows',
      JSON.parse('{ "critical_threshold": 1e999 }'),
      { critical_threshold: null },
      'critical_threshold',
      'a number too large to calculate with',
    ],
    ['a number for a text', { name: 7 }, { name: '7' }, 'name', 'a number'],
    ['an object for a text', { priority: { level: 1 } }, { priority: null }, 'priority', 'an object'],
    [
      'an entry of a list',
      { feature_names: ['a', {}] },
      { feature_names: null },
      'feature_names',
      'an object',
    ],
    ['a field of a part', { model: { id: ['m'] } }, { model: { id: null } }, 'model.id', 'a list'],
    ['a part', { model: 'm' }, { model: null }, 'model', 'a text'],
  ])('%s', (_name, changes, read_, place, got) => {
    const { value, differences } = conformed(changes);
    expect(value).toEqual({ ...RULE, ...read_ });
    expect(differences).toEqual([expect.objectContaining({ place, got })]);
  });

  test.each([
    ['is missing', { name: undefined }],
    ['is an object', { name: {} }],
  ])('a record whose required text %s is left out', (_name, changes) => {
    expect(conformed(changes)).toMatchObject({ value: undefined, differences: [{ place: 'name' }] });
  });
});

describe('answers that differ from the contract', () => {
  const page = (...items: unknown[]) => answered({ kind: 'PAGINATED', data: { items, total: '2' } });

  test('rows are stored as they came, even without their identity, and each difference is reported', () => {
    const { form, seen } = read('models.list', true);
    const found = exactRows('rows', form, 0, page({ id: 4, name: 'A' }, { label: 'B' }));
    expect([...found.rows].map(({ record }) => JSON.parse(record))).toEqual([
      { id: 4, name: 'A' },
      { label: 'B' },
    ]);
    expect(found.total).toBe(2);
    expect(seen.map(({ place, got }) => `${place} ${got}`)).toEqual([
      'total a text',
      'id a number',
      'id nothing',
      'name nothing',
    ]);
  });

  test('items that are calculated with have the form of the table', () => {
    const { form } = read('models.list');
    expect(exactPage(form, 0, page({ id: 4, name: 'A', task: ['x'] })).items).toEqual([
      { id: '4', name: 'A', task: null },
    ]);
    expect(() => exactPage(form, 0, page({ id: 4 }))).toThrow(
      'item 1 in another form at id (expected a text, got a number)',
    );
    expect(() => exactPage(form, 0, page({}))).toThrow(
      'item 1 in another form at id (expected a text, got nothing)',
    );
  });

  test('a bare record is read if it has a known field, and is otherwise no answer of the service', () => {
    const { form } = read('models.get');
    expect(exactValue(form, answered({ id: 'm', name: 'A', new: 1 }))).toEqual({
      id: 'm',
      name: 'A',
      new: 1,
    });
    expect(() => exactValue(form, answered({ status: 'ok' }))).toThrow(/without the envelope/);
    expect(() => exactPage(read('models.list').form, 0, answered({ id: 'm' }))).toThrow(
      /without the envelope/,
    );
  });
});

test('each difference of a connection is reported once, and at most 200 are kept', () => {
  const told: string[] = [];
  const differences = new AnswerDifferences((text) => told.push(text));
  const one = { place: 'row_count', expected: 'a number', got: 'a text' };
  differences.add('GET /v3/models', [one, one]);
  differences.add('GET /v3/models', [one]);
  expect(told).toEqual([
    'GET /v3/models: the field row_count is a text, and a number was expected. Records are shown and stored as they came; views that need this field leave it out.',
  ]);
  for (let index = 0; index < 300; index += 1)
    differences.add('GET /v3/models', [{ ...one, place: `field_${index}` }]);
  expect(differences.texts).toHaveLength(200);
  expect(told).toEqual(differences.texts);
  const long = new AnswerDifferences(() => undefined);
  long.add('GET /v3/models', [{ ...one, place: 'x'.repeat(50_000) }]);
  expect(long.texts[0]?.length).toBeLessThan(400);
});
