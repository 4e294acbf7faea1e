/** Replaced values and edited cells: exactly these change, in every format of a file. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Dialect } from '../../electron/shared/dialect.ts';
import {
  type CellEdit,
  type Replacement,
  type UploadPlan,
  uploadPlan,
} from '../../electron/shared/upload-model.ts';
import { openSource } from '../../electron/uploads/readers/open-source.ts';
import { checkRows } from '../../electron/uploads/validate/check-rows.ts';
import { EventReader } from '../../electron/uploads/validate/event-reader.ts';
import { scanFile } from '../../electron/uploads/validate/scan-file.ts';
import { runs } from '../helpers/runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'spandeck-replacements-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SOURCES = ['country', 'note'] as const;
const MODEL = {
  columns: [
    {
      name: 'country',
      type: 'category',
      categories: ['France', 'Spain'],
      min: null,
      max: null,
      dimensions: null,
    },
  ],
  ...{ eventIdColumn: null, eventTsColumn: null, eventTsFormat: null },
} as const;
const value = fc.constantFrom(
  'France',
  'Spain',
  'Frankreich',
  'frankreich',
  'Frankreich ',
  'a"b',
  'ä,b',
  'x\ny',
);

function planOf(format: Dialect['format'], changes: Partial<UploadPlan>): UploadPlan {
  return {
    ...{ fileId: 'f', modelId: '', modelName: 'm', envType: 'PRODUCTION', envName: null, mode: 'publish' },
    dialect: {
      ...{ format, encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
    },
    columns: [
      { source: 'country', target: 'country', type: 'category' },
      { source: 'note', target: 'note', type: 'str' },
    ],
    ...{ batchRows: 10, maxBatchBytes: 1_000_000, onBadRow: 'skip' },
    ...changes,
  };
}

const WRITERS = {
  csv: (rows: readonly (readonly string[])[]) =>
    [
      'country,note',
      ...rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')),
    ].join('\n'),
  jsonl: (rows: readonly (readonly string[])[]) =>
    rows.map(([country, note]) => JSON.stringify({ country, note })).join('\n'),
  json: (rows: readonly (readonly string[])[]) =>
    JSON.stringify(rows.map(([country, note]) => ({ country, note }))),
} as const;

async function eventsOf(path: string, plan: UploadPlan): Promise<{ events: unknown[]; starts: number[] }> {
  const source = await openSource(path, plan.dialect);
  try {
    const reader = new EventReader(source, {
      ...{
        path,
        plan,
        model: {
          ...MODEL,
          columns: [...MODEL.columns].map((each) => ({ ...each, categories: [...each.categories] })),
        },
      },
      ...{ start: source.dataStart, onBytes: () => undefined },
    });
    const [events, starts]: [unknown[], number[]] = [[], []];
    while ((await reader.next()) !== null)
      for (let at = 0; at < reader.events.count; at += 1) {
        events.push(JSON.parse(reader.events.jsonOf(at, at + 1).toString()));
        starts.push(reader.events.byteStarts.at(at));
      }
    return { events, starts };
  } finally {
    await source.close();
  }
}

test.each(['csv', 'jsonl', 'json'] as const)(
  'exactly the rows of a replaced value change, and exactly the edited cells: %s',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 12 }),
        fc.uniqueArray(
          fc.record({ source: fc.constantFrom(...SOURCES), value, with: fc.constantFrom('France', 'Spain') }),
          { maxLength: 3, selector: ({ source, value: text }) => `${source} ${text}` },
        ),
        fc.uniqueArray(
          fc.record({
            ...{ source: fc.constantFrom(...SOURCES), row: fc.nat({ max: 11 }), with: fc.constant('Spain') },
          }),
          { maxLength: 2, selector: ({ source, row }) => `${source} ${row}` },
        ),
        async (rows, replacements: Replacement[], edited) => {
          const path = join(folder, `rows.${format}`);
          writeFileSync(path, WRITERS[format](rows));
          const before = await eventsOf(path, planOf(format, {}));
          const cells = edited
            .filter(({ row }) => row < rows.length)
            .map(
              ({ row, ...edit }): CellEdit => ({
                ...{ ...edit, line: 1, value: null, byteOffset: before.starts[row] ?? -1 },
              }),
            );
          const cellEdits = cells.length === 0 ? {} : { cellEdits: { sha256: '0'.repeat(64), cells } };
          const plan = planOf(format, { replacements, ...cellEdits });
          const after = await eventsOf(path, plan);
          const expected = rows.map((texts, row) =>
            Object.fromEntries(
              SOURCES.map((source, at) => {
                const edit = edited.find((each) => each.source === source && each.row === row);
                const same = replacements.find((each) => each.source === source && each.value === texts[at]);
                return [source, edit?.with ?? same?.with ?? texts[at]];
              }),
            ),
          );
          const isChanged = expected.map(
            (event, row) => JSON.stringify(event) !== JSON.stringify(before.events[row]),
          );
          expect(after.events.filter((_, row) => isChanged[row])).toEqual(
            expected.filter((_, row) => isChanged[row]),
          );
          expect(after.events.filter((_, row) => !isChanged[row])).toEqual(
            before.events.filter((_, row) => !isChanged[row]),
          );
        },
      ),
      { numRuns: runs(60, 500) },
    );
  },
);

test('rows are good, unusual or bad; a replacement makes them good and is counted, one without rows is reported', async () => {
  const rows = ['Frankreich', 'Frankreich', 'Spain', 'Poland'].map((country) => [country, 'n']);
  const path = join(folder, 'unusual.csv');
  writeFileSync(path, WRITERS.csv(rows));
  const model = {
    ...MODEL,
    columns: [...MODEL.columns].map((each) => ({ ...each, categories: [...each.categories] })),
  };
  const scan = (changes: Partial<UploadPlan>) =>
    scanFile({ path, plan: planOf('csv', changes), model }, () => Promise.resolve());
  const plain = await scan({});
  expect(plain).toMatchObject({ rows: 4, badRows: 0, unusualRows: 3, repairedRows: 0 });
  expect(plain.problems[0]).toMatchObject({ problem: 'other', rows: 3, otherRows: 0 });
  expect(plain.problems[0]?.examples.map(({ before, rows: of, isWhole }) => [before, of, isWhole])).toEqual([
    ['Frankreich', 2, true],
    ['Poland', 1, true],
  ]);
  const replacements = [
    { source: 'country', value: 'Frankreich', with: 'France' },
    { source: 'country', value: 'Polen', with: 'France' },
  ];
  const mended = await scan({ replacements });
  expect(mended).toMatchObject({ rows: 4, badRows: 0, unusualRows: 1, repairedRows: 2 });
  expect(mended.problems[0]).toMatchObject({ rows: 3, repaired: 2 });
  const examples = [2, 3].map((line) => ({ line, before: 'Frankreich', after: 'France' }));
  expect(mended.ledger.changes).toEqual([{ rule: 'replaced', source: 'country', count: 2, examples }]);
  expect(mended.notes).toContain('country: no row has “Polen”, so nothing was replaced there.');
  const { sizeBytes, mtimeMs } = { sizeBytes: statSync(path).size, mtimeMs: statSync(path).mtimeMs };
  const seen = await checkRows({
    ...{ path, plan: planOf('csv', { replacements }), model, state: { sizeBytes, mtimeMs } },
    places: mended.problems[0]?.places ?? [],
  });
  expect(seen.map(({ marks }) => marks.map(({ after, by, isUnusual }) => [after, by, isUnusual]))).toEqual([
    [['France', 'replacement', false]],
    [['France', 'replacement', false]],
    [[null, undefined, true]],
  ]);
});

test('a replacement that does not fit its column leaves the row bad, with the reason', async () => {
  const path = join(folder, 'unfit.csv');
  writeFileSync(path, WRITERS.csv([['Frankreich', 'n']]));
  const model = {
    ...MODEL,
    columns: [...MODEL.columns].map((each) => ({ ...each, categories: [...each.categories] })),
  };
  const replacements = [{ source: 'country', value: 'Frankreich', with: 'Franken' }];
  const { badRows } = await scanFile(
    { path, plan: planOf('csv', { replacements }), model },
    ({ newBadRows }) => {
      for (const { reason } of newBadRows)
        expect(reason).toBe('The replacement “Franken” cannot be sent. Not one of the model’s categories.');
      return Promise.resolve();
    },
  );
  expect(badRows).toBe(1);
});

test('a plan of an earlier version has no replacements and is still valid; one with too many is rejected', () => {
  const { modelId: _none, ...others } = planOf('csv', {});
  const plan = { ...others, modelId: '0b8de2ba-8b6f-4f0e-8a54-5b3c53a4b7a1' };
  expect(uploadPlan.safeParse(plan).success).toBe(true);
  const replacements = Array.from({ length: 501 }, (_, at) => ({
    source: 'note',
    value: `${at}`,
    with: null,
  }));
  expect(uploadPlan.safeParse({ ...plan, replacements }).success).toBe(false);
});
