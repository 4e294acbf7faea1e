/** Two packs for the same file at the same time would damage each other. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DataFolder } from '../helpers/data-folder.ts';
import { draft, ENGINE_TOKEN, EngineRig } from '../helpers/engine-rig.ts';

const CHOICE = { applications: ['a'], datasets: [], experiments: [], charts: [], views: [], redact: [] };

test('a second pack for a file is refused while the first is being written', async () => {
  const rig = await EngineRig.open();
  using files = new DataFolder();
  try {
    const { id } = await rig.engine.connections.save(draft(rig.server.baseUrl), ENGINE_TOKEN);
    mkdirSync(rig.paths.connectionDir(id), { recursive: true });
    // Not a store, so that the first one ends with another error.
    writeFileSync(rig.paths.libraryDb(id), 'no store');
    const create = () =>
      rig.engine.packs.create(id, CHOICE, files.file('a.pack'), 'correct horse battery staple').then(
        () => 'created',
        (problem: { code?: unknown }) => problem.code,
      );
    const both = await Promise.all([create(), create()]);
    expect(both.filter((code) => code === 'CONFLICT')).toHaveLength(1);
    expect(await create()).not.toBe('CONFLICT');
  } finally {
    await rig.close();
  }
});
