/** The file with problems of the sample workspace: its name, and the start of its content. */
import { SAMPLE_FILE } from '../../../electron/shared/sample-file.ts';
import type { FilePreview, OfferedFile } from '../../../electron/shared/upload-model.ts';
import { UNREACHABLE } from './lists.ts';
import { scenario } from './scenario.ts';

export const SAMPLE_FILE_ID = 'sample-file';
const sizeBytes = 182_000;

export function offer(): OfferedFile[] {
  if (scenario.sampleFile === 'failed') throw UNREACHABLE;
  return [{ fileId: SAMPLE_FILE_ID, name: SAMPLE_FILE.name, sizeBytes, packed: null, error: null }];
}

const COUNTRIES = ['France', 'Spain', 'Germany'];
const row = (at: number): string[] => [
  String(520 + at),
  at === 3 ? 'Frankreich' : (COUNTRIES[at % 3] ?? ''),
  at === 1 ? 'forty' : String(39 + (at % 20)),
  at === 2 ? '1200.50 EUR' : `${80_000 + at}.25`,
  at % 2 === 0 ? 'Churned' : 'Not Churned',
];

export function preview(): FilePreview {
  const names = ['CreditScore', 'Geography', 'Age', 'Balance', 'Churned'];
  const head = Array.from({ length: 40 }, (_, at) => ({
    line: at + 2,
    byteOffset: 100 + at * 60,
    cells: row(at),
  }));
  return {
    ...{ fileId: SAMPLE_FILE_ID, name: SAMPLE_FILE.name, sizeBytes, notes: [], sheets: [], isTyped: false },
    dialect: {
      ...{ format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
    },
    columns: names.map((name) => ({ name, type: 'str', emptyCount: 0, samples: [] })),
    ...{ head, sample: [], estimatedRows: SAMPLE_FILE.rows, problems: [] },
  };
}
