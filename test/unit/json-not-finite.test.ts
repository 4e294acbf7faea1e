/**
 * NaN and Infinity in JSON written by Python: tables, lists and exports are still recognized, and each such value is
 * counted.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readFileState } from '../../electron/uploads/file-state.ts';
import { checkSpans } from '../../electron/uploads/spans/extract-spans.ts';
import { copyLedger } from '../helpers/copy-ledger.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { setUpFiles } from '../helpers/set-up-files.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFiles((made) => {
  ({ folder, files } = made);
});

test.each([
  ['names beside cells', '{"columns":["q","score"],"data":[["x",NaN],["y",1.50]],"ncols":2,"nrows":2}'],
  ['columns as lists', '{"q":["x","y"],"score":[NaN,1.50]}'],
  ['columns by row number', '{"q":{"0":"x","1":"y"},"score":{"0":NaN,"1":1.50}}'],
  ['rows by number', '{"0":{"q":"x","score":NaN},"1":{"q":"y","score":1.50}}'],
])('a table, %s, has its rows', async (name, content) => {
  const path = folder.file(`${name}.json`);
  expect(await copyLedger(files, path, Buffer.from(content))).toMatchObject([
    { rule: 'not-finite', source: 'score', count: 1, examples: [{ line: 1, before: 'NaN', after: null }] },
  ]);
  const [offered] = await files.offer([path]);
  const preview = await files.inspect(offered?.fileId ?? '', null);
  expect(preview.head.map(({ cells }) => cells)).toEqual([
    ['x', null],
    ['y', '1.5'],
  ]);
});

test('values without names keep their rows, also if the first is not finite', async () => {
  const path = folder.file('values.json');
  expect(await copyLedger(files, path, Buffer.from('[-Infinity, 2, NaN]'))).toMatchObject([
    { rule: 'not-finite', source: 'value', count: 2 },
  ]);
});

test('the spans of an export over several lines are read, and its value that is not finite is counted', async () => {
  const span = `{"traceId":"${'a'.repeat(32)}","spanId":"${'b'.repeat(16)}","name":"x","startTimeUnixNano":"1767225600000000001","attributes":[{"key":"score","value":{"doubleValue":NaN}},{"key":"n","value":{"doubleValue":0.5}}]}`;
  const path = folder.file('export.json');
  writeFileSync(path, `{\n"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]\n}`);
  const [offered] = await files.offer([path]);
  const { dialect } = await files.inspect(offered?.fileId ?? '', null);
  const copy = await files.readable(offered?.fileId ?? '', dialect);
  const { spans, badRows, ledger } = await checkSpans({
    ...{ path: copy.path, dialect, state: await readFileState(copy.path) },
  });
  expect({ spans, badRows }).toEqual({ spans: 1, badRows: 0 });
  expect(readFileSync(copy.path, 'utf8').split('\n')).toHaveLength(2);
  expect(ledger.changes).toContainEqual(expect.objectContaining({ rule: 'not-finite', count: 1 }));
});
