/** Files of mappings that users exchange. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BUCKETS, type Mapping } from '../../electron/shared/dataset-model.ts';
import type { UploadPreset } from '../../electron/shared/upload-preset.ts';
import {
  describeMapping,
  isMappingText,
  mappingText,
  readSharedMapping,
} from '../../renderer/lib/mapping-file.ts';
import { isViewText } from '../../renderer/lib/view-link.ts';

const entry = fc.record({
  bucket: fc.constantFrom(...BUCKETS),
  field: fc.string({ unit: 'binary', maxLength: 50 }),
  key: fc.string({ unit: 'binary', maxLength: 50 }),
});
const named = (mapping: Mapping) => ({ name: 'Refunds', mapping });
const problemOf = (text: string) => {
  const read = readSharedMapping(text);
  return read.isOk ? null : read.problem;
};

test('a mapping is read back completely, with any texts', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 20 }), (mapping) => {
      const text = mappingText(named(mapping));
      expect(isMappingText(text)).toBe(true);
      expect(isViewText(text)).toBe(false);
      expect(readSharedMapping(text)).toEqual({ isOk: true, shared: named(mapping) });
    }),
  );
});

test('a damaged, newer, foreign or extended file says why it cannot be used', () => {
  const text = mappingText(named([{ bucket: 'inputs', field: 'question', key: 'llm.input' }]));
  expect(isMappingText(text.slice(0, -20))).toBe(true);
  expect(problemOf(text.slice(0, -20))).toBe(
    'The file is damaged or cut off. Save it again, then drop it again.',
  );
  expect(problemOf(text.replace('"version": 1', '"version": 2'))).toMatch(/newer Spandeck/);
  expect(problemOf(text.replace('"inputs"', '"elsewhere"'))).toMatch(/cannot be used: mapping/);
  expect(problemOf(text.replace('"name"', '"run": "x", "name"'))).toBe('The mapping has an unknown part.');
  expect(problemOf('{"format":"spandeck-view"}')).toBe('This is not a mapping of Spandeck.');
  fc.assert(fc.property(fc.string(), (other) => problemOf(other) !== null));
});

test('a mapping of files is described by everything that it changes', () => {
  const content: UploadPreset = {
    layout: [{ name: 'mail', type: 'str' }],
    dialect: {},
    columns: [{ source: 'mail', target: 'customer', type: 'str' }],
    constants: [{ target: 'region', type: 'str', value: 'EU' }],
    repairs: [],
    replacements: [{ source: 'mail', value: 'ann@example.test', with: null }],
    model: { id: '3d0f3b8e-0b5c-4c39-9b8e-6d2a5a0f7c11', name: 'Churn' },
    ...{ envType: 'PRODUCTION', envName: '', mode: 'update', batchRows: 1_000, onBadRow: 'skip' },
    isAutomatic: false,
  };
  const said = describeMapping(content).map(({ name, value }) => `${name}: ${value}`);
  expect(said).toContain('Model: Churn');
  expect(said).toContain('Added: region = EU');
  expect(said).toContain('Replaced: ann@example.test in mail is left out');
  expect(said.join()).toMatch(/Updates of events in production/);
});

test('a long name is cut, so that its file can be read back', () => {
  expect(readSharedMapping(mappingText({ name: 'x'.repeat(101), mapping: [] }))).toMatchObject({
    shared: { name: 'x'.repeat(100) },
  });
});

test('a long mapping is described by its first fields and the number of the others', () => {
  const mapping = Array.from({ length: 15 }, (_, at): Mapping[number] => ({
    bucket: 'inputs',
    field: `f${at}`,
    key: `key.${at}`,
  }));
  const [, fields] = describeMapping(mapping);
  expect(fields?.value).toMatch(/^inputs\.f0 from key\.0, .*inputs\.f11 from key\.11 and 3 more$/);
});

test('the part that cannot be used is named, not only the whole mapping', () => {
  const mapping = [{ bucket: 'inputs', field: 'question', key: 7 }];
  const text = JSON.stringify({ format: 'spandeck-mapping', version: 1, name: 'Mine', mapping });
  expect(readSharedMapping(text)).toEqual({
    isOk: false,
    problem: 'The mapping has a part that cannot be used: mapping.0.key.',
  });
});
