/** The form fields of a check describe the check, or name the part that is missing. */
import { expect, test } from 'vitest';
import { NO_RULES, readCheckFields, readRules } from '../../renderer/lib/score-check-fields.ts';

const of = (kind: Parameters<typeof readCheckFields>[0], fields: Partial<typeof NO_RULES> = {}) =>
  readCheckFields(kind, { ...NO_RULES, ...fields });

test('complete fields give a check', () => {
  expect(of('equals', { ignoresCase: true })).toEqual({ kind: 'equals', ignoresCase: true });
  expect(of('regex', { pattern: 'a+' })).toEqual({ kind: 'regex', pattern: 'a+', ignoresCase: false });
  expect(of('json-schema', { schema: '{"type": "object"}' })).toEqual({
    ...{ kind: 'json-schema', schema: { type: 'object' } },
  });
  expect(of('number', { least: '-0.5' })).toEqual({ kind: 'number', least: -0.5, most: null });
  expect(of('length', { most: '40' })).toEqual({ kind: 'length', unit: 'words', least: null, most: 40 });
});

test('incomplete fields name the missing part', () => {
  expect(of('regex')).toBe('Enter a regular expression.');
  expect(of('json-schema')).toBe('Enter a JSON schema.');
  expect(of('json-schema', { schema: '[1]' })).toEqual(expect.any(String));
  expect(of('number')).toBe('Enter the least or the most that passes.');
  expect(of('number', { most: 'ten' })).toBe('Minimum and maximum must be numbers.');
  expect(of('number', { most: '1e400' })).toBe('Minimum and maximum must be between -1.8e308 and 1.8e308.');
  expect(of('number', { least: '9007199254740993' })).toBe(
    'Minimum and maximum must be exact in at most 15 to 17 digits.',
  );
  expect(of('length', { most: '1.5' })).toMatch(/^The check cannot be read: /);
});

test('fields of a kept draft are read back, and anything else is empty', () => {
  const fields = { ...NO_RULES, pattern: 'a', unit: 'characters', ignoresCase: true } as const;
  expect(readRules(fields)).toEqual(fields);
  expect(readRules({ least: 3 })).toEqual({ ...NO_RULES, least: '3' });
  expect(readRules(null)).toEqual(NO_RULES);
});
