/** Masked fields: no masked text is left in a record, and everything else in it is unchanged. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor, MASKED } from '../../electron/core/masking/redact.ts';
import { parseExact, writeExact } from '../../electron/shared/exact-json.ts';
import { runs } from '../helpers/runs.ts';

const NONE = new Set<string>();
/** Minimum length of values that are searched for in other fields. */
const MIN_TOLD = 4;
const secret = fc
  .string({ minLength: MIN_TOLD, maxLength: 12 })
  .map((text) => `~${text.replaceAll(/["\\]/g, '')}~`)
  .filter(({ length }) => length >= MIN_TOLD);
const name = fc.constantFrom('a', 'b', 'attributes', 'user.id', 'id');

test('no masked value is left anywhere, in any field that repeats it', () => {
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 4 }),
      fc.array(name, { maxLength: 3 }),
      (secrets, path) => {
        const record = {
          ...Object.fromEntries(
            secrets.flatMap((text, at) => [
              [`k${at}`, text],
              [text, 1],
            ]),
          ),
          list: secrets,
          input: secrets,
          deep: { output: { text: secrets[0] } },
        };
        const placed = path.reduce<unknown>((inner, each) => ({ [each]: inner }), record);
        const redactor = createRedactor(['input'], NONE);
        redactor.learn(placed);
        const text = writeExact(redactor.mask(placed));
        for (const each of secrets) expect(text).not.toContain(JSON.stringify(each).slice(1, -1));
      },
    ),
    { numRuns: runs(200) },
  );
});

test('a record without masked fields is returned unchanged; other fields keep every digit', () => {
  const record = {
    id: 'x',
    n: parseExact('12345678901234567890'),
    input: 'hello there',
    nested: { keep: [1, true, null] },
  };
  expect(createRedactor(['output'], NONE).mask(record)).toBe(record);
  const masked = createRedactor(['input'], NONE).mask(record);
  expect(writeExact(masked)).toBe(
    `{"id":"x","n":12345678901234567890,"input":"${MASKED}","nested":{"keep":[1,true,null]}}`,
  );
});

test.each([
  [
    'input',
    { input: 1, inputs: 2, attributes: { input: 3, 'llm.input': 4 } },
    { input: MASKED, inputs: 2, attributes: { input: MASKED, 'llm.input': MASKED } },
  ],
  [
    'attributes.user.*',
    { attributes: { 'user.id': 'u', 'user.mail': 'm', users: 'n' }, user: { id: 'u' } },
    { attributes: { 'user.id': MASKED, 'user.mail': MASKED, users: 'n' }, user: { id: 'u' } },
  ],
  [
    'user',
    { user: { name: 'n', tags: ['t', null] }, other: 1 },
    { user: { name: MASKED, tags: [MASKED, null] }, other: 1 },
  ],
  ['INPUT', { input: 'any case' }, { input: MASKED }],
  ['a(b', { 'a(b': 'odd', a: 'b' }, { 'a(b': MASKED, a: 'b' }],
])('%s', (pattern, record, expected) => {
  expect(createRedactor([pattern], NONE).mask(record)).toEqual(expected);
});

test('an id that was not chosen is masked in every text that names it', () => {
  const id = '0f5c2b1e-7d34-4a6b-9c8d-1e2f3a4b5c6d';
  const redactor = createRedactor([], new Set([id, 'app-2']));
  expect(redactor.mask({ a: id, b: `see ${id.toUpperCase()}.`, c: 'app-2', d: 'app-20' })).toEqual({
    a: MASKED,
    b: `see ${MASKED}.`,
    c: MASKED,
    d: 'app-20',
  });
});
