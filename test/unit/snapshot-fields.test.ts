/** Compares two versions of an item field by field. */
import { expect, test } from 'vitest';
import { describeChange, schemaDrift, shapeOf } from '../../electron/core/snapshots/fields.ts';
import { parseExactObject } from '../../electron/shared/exact-json.ts';

const item = parseExactObject(
  '{"id":"1","inputs":{"question":"Where?","turns":2,"long":12345678901234567890,"deep":{"a":1},"list":[1],"none":null,"yes":true},"extras":{}}',
);

test('an item that is new, or gone, has only fields that were added, or removed', () => {
  const paths = ['question', 'turns', 'long', 'deep', 'list', 'none', 'yes'].map((key) => `inputs.${key}`);
  const added = describeChange(null, item);
  expect(added.changes.map(({ path, kind }) => [path, kind])).toEqual(paths.map((path) => [path, 'added']));
  const removed = describeChange(item, null);
  expect(removed.changes.map(({ path, kind }) => [path, kind])).toEqual(
    paths.map((path) => [path, 'removed']),
  );
  expect(removed.same).toEqual([]);
  expect(describeChange(item, item).changes).toEqual([]);
});

test('the type of each field; a number with many digits is a number', () => {
  expect(shapeOf(item ?? {})).toEqual({
    'inputs.question': 'string',
    'inputs.turns': 'number',
    'inputs.long': 'number',
    'inputs.deep': 'object',
    'inputs.list': 'array',
    'inputs.none': 'null',
    'inputs.yes': 'boolean',
  });
});

test('a field that is null everywhere has not changed its type', () => {
  expect(schemaDrift({ a: { string: 3 } }, { a: { null: 3 } })).toEqual([]);
  expect(schemaDrift({ a: { string: 3 } }, { a: { number: 2, null: 1 } })).toEqual([
    { path: 'a', kind: 'type', before: ['string'], after: ['number'], items: 3 },
  ]);
});
