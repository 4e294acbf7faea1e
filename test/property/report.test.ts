/** Reports: every changed digit is detected, nothing is included that was not chosen, and no text breaks the file. */
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReportSource } from '../../electron/core/report/choose.ts';
import { verifyReport } from '../../electron/reports/report-file.ts';
import { newPrivateKey, signingKey } from '../../electron/reports/seal.ts';
import { runs } from '../helpers/runs.ts';
import { comparisonSource, fileOf, reportOf } from '../helpers/sample-report.ts';

const ANY = { ownKey: null, wanted: null };
const key = signingKey(newPrivateKey());

/** Whether verification rejects the file, or finds that a check failed. */
async function isFound(text: string): Promise<boolean> {
  try {
    return (await verifyReport(text, ANY)).checks.some(({ result }) => result === 'failed');
  } catch {
    return true;
  }
}

test('every changed digit is found, in a signed report and in one that is not', async () => {
  const texts = [
    await fileOf(reportOf(comparisonSource(12)), key),
    await fileOf(reportOf(comparisonSource(12))),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.integer({ min: 1, max: 9 }),
      async (text, place, by) => {
        const digits = [...text.matchAll(/\d/g)].map(({ index }) => index);
        const at = digits[place % digits.length] ?? 0;
        const changed = `${text.slice(0, at)}${(Number(text[at]) + by) % 10}${text.slice(at + 1)}`;
        expect(await isFound(changed)).toBe(true);
      },
    ),
    { numRuns: runs(200) },
  );
  for (const text of texts) expect(await isFound(text)).toBe(false);
});

/** All texts in a file, including the unpacked rows. */
function contentOf(text: string): string {
  const rows = /"rows":"([^"]+)"\}</.exec(text)?.[1] ?? '';
  return text + inflateRawSync(Buffer.from(rows, 'base64')).toString('utf8');
}

test('no value of a field that was not chosen, or is masked, is inside', async () => {
  const { tables } = comparisonSource(6);
  const names = tables.flatMap(({ columns }) => columns.map(({ name }) => name));
  const source: ReportSource = {
    ...comparisonSource(6),
    tables: tables.map((table) => ({
      ...table,
      columns: table.columns.map((column) =>
        column.type === 'text'
          ? { ...column, values: column.values.map((_, at) => `${column.name}-secret-${at}`) }
          : {
              ...column,
              values: column.values.map((_, at) => 1_000 + 100 * names.indexOf(column.name) + at + 0.5),
            },
      ),
    })),
  };
  await fc.assert(
    fc.asyncProperty(fc.subarray(names, { minLength: 1 }), fc.subarray(names), async (fields, masked) => {
      const content = contentOf(await fileOf(reportOf(source, { fields, masked })));
      for (const column of source.tables.flatMap(({ columns }) => columns)) {
        if (fields.includes(column.name) && !masked.includes(column.name)) continue;
        const told = column.values.filter((value) => content.includes(String(value)));
        expect(told, column.name).toEqual([]);
      }
    }),
    { numRuns: runs(100) },
  );
});

test('reports with any texts and numbers are verified unchanged', async () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '</script>',
      '<!--',
      ']]>',
      '\u2028',
      '\ud800',
      '<script type="application/json" id="seal">',
    ),
    fc.double(),
    fc.constant(null),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { maxLength: 8 }),
      fc.string({ unit: 'binary' }),
      async (rows, title) => {
        const columns = [0, 1].map((place) => ({
          ...{ name: `c${place}`, title, type: 'text' as const, isUsual: true },
          values: rows.map((row) => row[place]),
        }));
        const source: ReportSource = {
          ...{ kind: 'version', title, facts: [{ label: title, text: title }], rules: {} },
          tables: [{ name: 'items', title, rows: rows.length, columns }],
        };
        const text = await fileOf(reportOf(source), key);
        const { checks } = await verifyReport(text, ANY);
        expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
        expect(text.match(/<\/script/gi)).toHaveLength(3);
      },
    ),
    { numRuns: runs(200) },
  );
});
