import { describe, expect, test } from 'vitest';
import type { FilePreview, UploadPlan } from '../../electron/shared/upload-model.ts';
import { findPreset, withPreset } from '../../renderer/state/uploads-presets.ts';

const dialect = {
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  quote: '"',
  hasHeader: true,
  nullWords: [],
} as const;

function preview(names: string[]): FilePreview {
  return {
    fileId: 'f',
    name: 'a.csv',
    sizeBytes: 10,
    dialect: { ...dialect, nullWords: [] },
    notes: [],
    sheets: [],
    isTyped: false,
    columns: names.map((name) => ({ name, type: 'int', emptyCount: 0, samples: [] })),
    head: [],
    sample: [],
    estimatedRows: 1,
    problems: [],
  };
}

function plan(modelName: string): UploadPlan {
  return {
    fileId: 'f',
    dialect: { ...dialect, nullWords: [] },
    columns: [],
    modelId: '4f0e9a53-0d8f-4f3f-9c11-6a1f0d3e2b64',
    modelName,
    envType: 'PRODUCTION',
    envName: null,
    mode: 'publish',
    batchRows: 1_000,
    maxBatchBytes: 8_000_000,
    onBadRow: 'skip',
  };
}

describe('upload presets', () => {
  test('bring back the choices for a file with the same columns, through JSON', () => {
    const edits = { a: { target: null }, b: { type: 'str' as const } };
    const kept: unknown = JSON.parse(
      JSON.stringify(withPreset(null, { preview: preview(['a', 'b']), plan: plan('Churn'), edits })),
    );
    expect(findPreset(kept, preview(['a', 'b']))).toMatchObject({
      modelName: 'Churn',
      onBadRow: 'skip',
      envName: '',
      edits,
    });
    expect(findPreset(kept, preview(['b', 'a']))).toBeNull();
    expect(findPreset(kept, preview(['a', 'b', 'c']))).toBeNull();
  });
  test('keep the latest choices of a layout, and no more layouts than thirty', () => {
    let kept: unknown = null;
    for (let index = 0; index < 40; index += 1) {
      kept = withPreset(kept, { preview: preview([`c${index}`]), plan: plan(`m${index}`), edits: {} });
    }
    kept = withPreset(kept, { preview: preview(['c39']), plan: plan('again'), edits: {} });
    expect(kept).toHaveLength(30);
    expect(findPreset(kept, preview(['c39']))?.modelName).toBe('again');
    expect(findPreset(kept, preview(['c0']))).toBeNull();
  });
  test('hold no value of the file', () => {
    const kept = withPreset(null, {
      preview: {
        ...preview(['a']),
        columns: [{ name: 'a', type: 'str', emptyCount: 0, samples: ['secret'] }],
        head: [{ line: 2, cells: ['secret'] }],
      },
      plan: plan('Churn'),
      edits: {},
    });
    expect(JSON.stringify(kept)).not.toContain('secret');
  });
  test('that are damaged are as good as none', () => {
    for (const kept of [null, 'x', [{ layout: 1 }], { a: 1 }]) {
      expect(findPreset(kept, preview(['a']))).toBeNull();
    }
  });
});
