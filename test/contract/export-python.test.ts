/**
 * Runs the code of every "Copy as Python", if there is a Python with the needed packages, and checks that it reads the
 * written rows.
 */
import { execFile, execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseExact } from '../../electron/shared/exact-json.ts';
import { EXPORT_FORMATS } from '../../electron/shared/export-model.ts';
import { fileSnippet, serviceSnippet } from '../../renderer/lib/python-snippet.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { ExportRig, exportOf, valuesOf } from '../helpers/export-rig.ts';
import { pythonWith } from '../helpers/pythons.ts';
import { ScriptedServer, sendPage } from '../helpers/scripted-server.ts';

const ITEMS = [
  '{"value":"a","big":9007199254740993,"dec":12345678901234567.123456789,"at":"2026-01-01T00:00:00.123456+02:00","yes":true}',
  '{"value":"ü \\"q\\"","big":null,"dec":2.5,"at":"2026-01-03T12:00:00Z","yes":null}',
].map((text) => parseExact(text) as Record<string, unknown>);

const PANDAS = pythonWith('pandas');
/** Parquet and Arrow need pyarrow, which Debian does not have. */
const WITH_ARROW = pythonWith('pandas', 'pyarrow');
const POLARS = pythonWith('polars');
/** The packages that the code for a format needs. */
const pandasFor = (format: (typeof EXPORT_FORMATS)[number]): string | null =>
  format === 'parquet' || format === 'arrow' ? WITH_ARROW : PANDAS;

let server: ScriptedServer;
let rig: ExportRig;
const authorized: unknown[] = [];
beforeAll(async () => {
  server = await ScriptedServer.start((request, response) => {
    authorized.push(request.headers['authorization']);
    sendPage(response, ITEMS, request, { cap: 1 });
  });
  rig = new ExportRig(server.baseUrl, { folder: new DataFolder() });
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function run(python: string | null, snippet: string | null, prints: string): unknown {
  if (python === null) throw new Error('No Python has the library.');
  const code = `${snippet}\nimport json\nprint(json.dumps(${prints}, default=str))\n`;
  const env = { ...process.env, SERVICE_TOKEN: 'secret', PYTHONIOENCODING: 'utf-8' };
  return JSON.parse(execFileSync(python, ['-c', code], { encoding: 'utf8', env }));
}

let written = 0;
function exported(format: (typeof EXPORT_FORMATS)[number], partitionBy: string | null = null) {
  written += 1;
  const plan = exportOf({ query: valuesOf('one'), format, partitionBy });
  return rig.exported(plan, rig.library.folder.file(`ü ${written}.${format}`));
}

describe.each(EXPORT_FORMATS)('%s', (format) => {
  test.skipIf(pandasFor(format) === null)('is read by pandas: the same rows, integers exact', async () => {
    const rows = run(
      pandasFor(format),
      fileSnippet(await exported(format), 'pandas'),
      '[[str(v) for v in frame["value"]], str(frame["big"][0]), bool(pd.isna(frame["big"][1])), str(frame["dec"][0])]',
    );
    expect(rows).toEqual([['a', 'ü "q"'], '9007199254740993', true, '12345678901234567.123456789']);
  });

  test.skipIf(POLARS === null)('is read by Polars: the same rows', async () => {
    const rows = run(
      POLARS,
      fileSnippet(await exported(format), 'polars'),
      '[frame["value"].to_list(), [str(v) for v in frame["big"].to_list()]]',
    );
    expect(rows).toEqual([
      ['a', 'ü "q"'],
      ['9007199254740993', 'None'],
    ]);
  });
});

test.skipIf(WITH_ARROW === null)('all folders of Parquet are read by pandas', async () => {
  const { file, plan } = await exported('parquet', 'at');
  const days = run(
    WITH_ARROW,
    fileSnippet({ file, plan }, 'pandas'),
    'sorted(str(v) for v in frame["at_day"])',
  );
  expect(days).toEqual(['2025-12-31', '2026-01-03']);
});

test.skipIf(POLARS === null)('all folders of Parquet are read by Polars', async () => {
  const { file, plan } = await exported('parquet', 'at');
  expect(run(POLARS, fileSnippet({ file, plan }, 'polars'), 'sorted(frame["value"].to_list())')).toEqual([
    'a',
    'ü "q"',
  ]);
});

test.skipIf(PANDAS === null)(
  'the service is queried page by page, with a token from the environment',
  async () => {
    const job = await exported('csv');
    const snippet = serviceSnippet(job);
    expect(snippet).not.toContain('secret');
    authorized.length = 0;
    // Runs beside this process, which has to answer its requests.
    const printed = await new Promise<string>((resolve, reject) => {
      const code = `${snippet}\nprint(json.dumps([list(frame["value"]), str(frame["big"][0])]))\n`;
      const env = { ...process.env, SERVICE_TOKEN: 'secret' };
      execFile(PANDAS ?? '', ['-c', code], { env }, (problem, stdout) =>
        problem === null ? resolve(stdout) : reject(problem),
      );
    });
    expect(JSON.parse(printed)).toEqual([['a', 'ü "q"'], '9007199254740993']);
    expect(authorized).toEqual(['Bearer secret', 'Bearer secret']);
  },
);
