/** Readable copies of files that are not text are deleted together with the connection for which they were made. */
import { cpSync, existsSync, mkdirSync, readdirSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { planColumns } from '../../electron/shared/column-plan.ts';
import type { FileRegistry } from '../../electron/uploads/types.ts';
import { draft, ENGINE_TOKEN, engineRig } from '../helpers/engine-rig.ts';
import { Lives } from '../helpers/lives.ts';

const currentRig = engineRig();
const lives = new Lives('forget-child.ts');
afterEach(() => lives.killAll());

const saved = async () => {
  const { engine, server } = currentRig();
  const { id } = await engine.connections.save(
    { ...draft(server.baseUrl), tokenStorage: 'memory' },
    ENGINE_TOKEN,
  );
  return id;
};
const copies = () => readdirSync(currentRig().paths.copiesDir);

/** A file that is not text. */
function packed(name: string): string {
  const path = currentRig().folder.file(`${name}.csv.gz`);
  writeFileSync(path, gzipSync(`id,name\n1,${name}\n`));
  return path;
}

/** The path of the text that is read instead of the file. */
async function copyOf(path: string, files: FileRegistry): Promise<string> {
  const [offered] = await files.offer([path]);
  return (await files.readable(offered?.fileId ?? '', null)).path;
}

test('copies of a removed connection are deleted; a copy used by another one stays until that is removed', async () => {
  const { engine, paths } = currentRig();
  const [one, other] = [await saved(), await saved()];
  const filesOf = (id: string) => engine.files.ownedBy(id);
  const both = packed('shared');
  const shared = await copyOf(both, filesOf(one));
  const alone = await copyOf(packed('alone'), filesOf(one));
  // Files that were previewed but never sent.
  const [seen] = await filesOf(one).offer([packed('seen')]);
  await filesOf(one).inspect(seen?.fileId ?? '', null);
  expect(await copyOf(both, filesOf(other))).toBe(shared);
  expect(copies()).toHaveLength(3);

  const { removed } = await engine.connections.forget(one);
  expect(removed).toContain('readable copies of its files');
  expect(existsSync(alone)).toBe(false);
  expect(copies()).toEqual([dirname(dirname(shared)).slice(paths.copiesDir.length + 1)]);
  expect(existsSync(shared)).toBe(true);

  await engine.connections.forget(other);
  expect(copies()).toEqual([]);
});

test('the copies of the files of uploads, and datasets recreated from a version, are recorded for the connection', async () => {
  const { engine, paths } = currentRig();
  const id = await saved();
  const { uploads } = await engine.session(id);
  const [offered] = await engine.files.offer([packed('upload')]);
  const preview = await engine.files.inspect(offered?.fileId ?? '', null);
  await uploads.startDryRun({
    ...{ fileId: offered?.fileId ?? '', dialect: preview.dialect, columns: planColumns(preview.columns, []) },
    ...{
      modelId: '11111111-1111-4111-8111-111111111111',
      modelName: 'M',
      envType: 'PRODUCTION',
      envName: null,
    },
    ...{ mode: 'publish', batchRows: 20, maxBatchBytes: 8_000_000, onBadRow: 'stop' },
  });
  // A job reads a file of the project in the same way.
  const version = join(paths.copiesDir, 'version-1');
  mkdirSync(version);
  writeFileSync(join(version, 'version 1.jsonl'), '{}\n');
  await engine.files.ownedBy(id).keep(join(version, 'version 1.jsonl'));
  expect(copies()).toHaveLength(2);
  await engine.connections.forget(id);
  expect(copies()).toEqual([]);
});

test('killed at once, the next start removes the connection completely', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await copyOf(packed('one'), rig.engine.files.ownedBy(id));
  await rig.engine.stop();
  expect(existsSync(rig.paths.libraryDb(id))).toBe(true);
  const life = lives.start({ folder: rig.folder.path, connection: id });
  const stopWatching = watch(rig.paths.connectionsDir, () => life.kill());
  await life.ended;
  stopWatching.close();
  rig.start();
  const left = () => [
    ...rig.engine.connections.list().connections,
    ...copies(),
    ...readdirSync(rig.paths.connectionsDir),
  ];
  await expect.poll(left).toEqual([]);
});

test('killed while they are removed, the next start removes the others', async () => {
  const rig = currentRig();
  const [id, other] = [await saved(), await saved()];
  const [copy, kept] = [
    await copyOf(packed('many'), rig.engine.files.ownedBy(id)),
    await copyOf(packed('kept'), rig.engine.files.ownedBy(other)),
  ];
  const home = dirname(dirname(copy));
  for (let at = 0; at < 600; at += 1) cpSync(home, `${home}-${at}`, { recursive: true });
  await rig.engine.stop();
  const life = lives.start({ folder: rig.folder.path, connection: id });
  const stopWatching = watch(rig.paths.copiesDir, () => life.kill());
  await life.ended;
  stopWatching.close();
  expect(copies().length).toBeGreaterThan(1);
  rig.start();
  expect(rig.engine.connections.list().connections.map((each) => each.id)).toEqual([other]);
  await expect.poll(copies).toEqual([dirname(dirname(kept)).slice(rig.paths.copiesDir.length + 1)]);
});
