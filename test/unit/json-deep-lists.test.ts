/** Rows below the names of a query of GraphQL are found, and change nothing in documents with a list above them. */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DocumentFields, JsonDocument } from '../../electron/uploads/unpack/json-document.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { runs } from '../helpers/runs.ts';
import { setUpFilesOfEachTest } from '../helpers/set-up-files.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFilesOfEachTest((made) => {
  ({ folder, files } = made);
});

const rows = [{ id: 'a' }, { id: 'b' }];

async function inspected(content: object) {
  const path = folder.file('deep.json');
  writeFileSync(path, JSON.stringify(content));
  const [offered] = await files.offer([path]);
  return files.inspect(offered?.fileId ?? '', null);
}

test('a document with further lists deep below data is read as before', async () => {
  const report = { rows, meta: { info: { tags: [{ t: 1 }] } } };
  const { dialect, notes } = await inspected({ data: { report } });
  expect(dialect.sheet).toBe('data.report.rows');
  expect(notes.join('\n')).toContain('Keys beside it are skipped: data.report.meta.');
});

test('rows below the names of a query and errors are asked for', async () => {
  const answer = { data: { a: { b: { c: { nodes: rows } } } }, errors: [{ message: 'm' }] };
  await expect(inspected(answer)).rejects.toThrow('data.a.b.c.nodes (2 objects), errors (1 object)');
});

test('lists deep below data change nothing in a document with a list above', () => {
  const depthOf = ({ fields }: DocumentFields): number =>
    Math.max(
      0,
      ...fields.map(({ inner, list }) => (inner === null ? Number(list !== null) : 1 + depthOf(inner))),
    );
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const scan = new JsonDocument('a');
      scan.push(Buffer.from(JSON.stringify({ data: { value, rows: [{ a: 1 }] } })));
      const { lists, root } = scan.outline;
      expect(lists.filter(({ path }) => path.replaceAll('\\.', '').split('.').length > 3)).toEqual([]);
      expect(depthOf(root)).toBeLessThanOrEqual(3);
    }),
    { numRuns: runs(300) },
  );
});
