import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planColumns } from '../../electron/shared/column-plan.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';
import {
  dialectAgain,
  dialectOfPreset,
  isSameAsBefore,
  isSameLayout,
  MAX_PRESET_COLUMNS,
  presetDiff,
  presetOf,
  uploadPreset,
  withPreset,
} from '../../electron/shared/upload-preset.ts';

const columns = (...names: string[]) =>
  names.map((name) => ({ name, type: 'int' as const, emptyCount: 0, samples: ['secret'] }));
const plan: UploadPlan = {
  fileId: 'f',
  dialect: { format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
  columns: [
    { source: 'a', target: 'age', type: 'float' },
    { source: 'b', target: null, type: 'int' },
  ],
  constants: [{ target: 'region', type: 'str', value: 'EU' }],
  repairs: [{ source: 'a', problem: 'decimal-comma', kind: 'decimal-comma' }],
  modelId: '4f0e9a53-0d8f-4f3f-9c11-6a1f0d3e2b64',
  modelName: 'Churn',
  envType: 'PRODUCTION',
  envName: null,
  mode: 'publish',
  batchRows: 1_000,
  maxBatchBytes: 8_000_000,
  onBadRow: 'after=5%',
};
function preset(...names: string[]) {
  const made = presetOf(plan, { columns: columns(...names) }, { delimiter: ';' });
  if (made === null) throw new Error('no preset');
  return made;
}

describe('a preset of uploads', () => {
  test('reads the values of an object as columns if its file was read so, and not otherwise', () => {
    const read = { ...plan, dialect: { ...plan.dialect, format: 'json', wrapper: 'attributes' } } as const;
    const made = presetOf(read, { columns: columns('_id', 'attributes') }, {});
    expect(made === null ? null : dialectOfPreset(made)).toEqual({ wrapper: 'attributes' });
    expect(dialectOfPreset(preset('id', 'attributes'))).toEqual({ delimiter: ';', wrapper: null });
    expect(dialectOfPreset(preset('id', 'x'))).toEqual({ delimiter: ';' });
  });

  test('a repeated upload reads the values of an object as the first one did', () => {
    const { dialect } = plan;
    expect(dialectAgain({ ...plan, dialect: { ...dialect, format: 'json' } })).toEqual({
      nullWords: [],
      wrapper: null,
    });
    expect(dialectAgain({ ...plan, dialect: { ...dialect, format: 'json', wrapper: 'node' } })).toEqual({
      ...{ nullWords: [], wrapper: 'node' },
    });
    expect(dialectAgain(plan)).toEqual({ nullWords: [] });
  });

  test('fits a file with the same columns in any order, and no other', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 12 }), fc.nat(), (names, seed) => {
        const made = preset(...names);
        const mixed = names.toSorted((a, b) => ((a.length * 7 + seed) % 5) - ((b.length * 3 + seed) % 5));
        expect(isSameLayout(made, columns(...mixed))).toBe(true);
        expect(isSameAsBefore(presetDiff(made, columns(...mixed)))).toBe(true);
        expect(isSameLayout(made, columns(...names.slice(1)))).toBe(false);
        expect(isSameLayout(made, columns(...names, 'one more column'))).toBe(false);
      }),
    );
  });

  test('keeps dialect, casts, renames, constants, repairs and policy through JSON, and no value of a row', () => {
    const back = uploadPreset.parse(JSON.parse(JSON.stringify(preset('a', 'b'))));
    expect(back).toMatchObject({
      dialect: { delimiter: ';' },
      columns: plan.columns,
      constants: plan.constants,
      repairs: plan.repairs,
      onBadRow: 'after=5%',
      envName: '',
    });
    expect(JSON.stringify(back)).not.toContain('secret');
    expect(
      presetOf(plan, { columns: columns(...Array.from({ length: MAX_PRESET_COLUMNS + 1 }, String)) }, {}),
    ).toBeNull();
  });

  test('reports missing, new and changed columns of a file; known columns keep their targets', () => {
    const made = preset('a', 'b');
    const file = [
      { name: 'age', type: 'int' as const },
      { name: 'a', type: 'str' as const },
    ];
    expect(presetDiff(made, file)).toEqual({
      missing: [{ name: 'b', target: null }],
      added: ['age'],
      changed: [{ name: 'a', before: 'int', now: 'str' }],
    });
    const proposed = planColumns(file, [{ name: 'age', data_type: 'int' }]);
    expect(withPreset(proposed, made)).toEqual([
      { source: 'age', target: null, type: 'int' },
      { source: 'a', target: 'age', type: 'float' },
    ]);
  });
});
