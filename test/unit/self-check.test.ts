/**
 * Diagnostics: each part is described in a sentence, a part that fails is reported, and the report contains no personal
 * names.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSelfCheck } from '../../electron/engine/self-check.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { Connection } from '../../electron/shared/model.ts';
import { DEFAULT_SETTINGS } from '../../electron/shared/settings.ts';

const NOW = Date.parse('2026-03-12T10:00:00Z');
const connection: Connection = {
  ...{ id: '11111111-1111-4111-8111-111111111111', name: 'Acme production', kind: 'service' },
  ...{ baseUrl: 'https://eval.acme.example/api', proxyUrl: 'http://proxy.acme.example:3128' },
  ...{ colour: 'teal', isReadOnly: false, allowsPlainHttp: false, extraCaFile: null },
  ...{ tokenStorage: 'keychain', createdAtMs: 0, tokenHint: null },
};
const okTest = {
  ...{ isOk: true, code: null, title: 'Connected', message: '', nextStep: '', serverVersion: null },
  ...{ apiVersion: null, organization: null, reach: 'No proxy.', elapsedMs: 84 },
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spandeck-self-'));
});
afterEach(() => rm(folder, { recursive: true }));

type Deps = Parameters<typeof createSelfCheck>[0];
const make = (deps: Partial<Deps> = {}) =>
  createSelfCheck({
    clock: { nowMs: () => NOW, monotonicMs: () => 0, setTimer: () => () => undefined },
    logFile: join(folder, 'spandeck.log'),
    keychain: async () => ({ isAvailable: true, backend: 'Secret Service', reason: '' }),
    storage: async () => ({
      ...{ atMs: NOW, dataDir: folder, disk: { freeBytes: 90e9, totalBytes: 512e9 }, aside: [] },
      connections: [
        { connectionId: connection.id, name: connection.name, sizeBytes: 5, kinds: { lists: 5 } },
      ],
      shared: { sizeBytes: 1, kinds: {} },
    }),
    check: async () => [],
    connections: () => [connection],
    test: async () => okTest,
    differences: async () => [],
    serviceTime: () => ({ origin: '', dateMs: NOW, sentAtMs: 0, receivedAtMs: 0, wallMs: NOW + 400 }),
    settings: () => DEFAULT_SETTINGS,
    ...deps,
  });
const states = async (deps: Partial<Deps>) =>
  Object.fromEntries((await make(deps).run(connection.id)).map(({ part, state }) => [part, state]));

test('reports success if every check passes', async () => {
  expect(await states({})).toEqual({
    ...{ keychain: 'ok', stores: 'ok', disk: 'ok', service: 'ok', network: 'ok', clock: 'ok' },
  });
  expect((await make().run(null)).map(({ part }) => part)).toEqual(['keychain', 'stores', 'disk']);
});

test('a problem shows what to do; a failing part does not affect the others', async () => {
  const lines = await make({
    keychain: async () => {
      throw new AppError('INTERNAL', 'The keychain did not answer.');
    },
    check: async () => [
      {
        ...{ connectionId: connection.id, store: 'uploads', sizeBytes: 1, note: null },
        error: new AppError('STORE_FAILED', 'broken').toWire(),
      },
    ],
    test: async () => ({
      ...okTest,
      isOk: false,
      title: 'No answer',
      message: 'Refused.',
      nextStep: 'Check it.',
    }),
    serviceTime: () => ({ origin: '', dateMs: NOW, sentAtMs: 0, receivedAtMs: 0, wallMs: NOW + 600_000 }),
  }).run(connection.id);
  const said = Object.fromEntries(lines.map(({ part, state, text }) => [part, `${state} ${text}`]));
  expect(said).toMatchObject({
    keychain: 'bad The keychain did not answer.',
    stores: 'bad Damaged: uploads.db of Acme production. Check all stores, then repair them.',
    service: 'bad No answer Refused. Check it.',
    clock: expect.stringMatching(/^warn 600 seconds ahead of the clock of the service\./),
  });
});

test.each([
  [null, 'unknown'],
  [{ freeBytes: 1e9, totalBytes: 512e9 }, 'warn'],
  [{ freeBytes: 1e8, totalBytes: 512e9 }, 'bad'],
])('a disk with %o is %s', async (disk, state) => {
  const storage = async () => ({
    ...{ atMs: NOW, dataDir: folder, disk, aside: [], connections: [] },
    shared: { sizeBytes: 1, kinds: {} },
  });
  expect(await states({ storage })).toMatchObject({ disk: state });
});

test('the report names no connection, host, proxy or folder of the user', async () => {
  const line = `{"message":"opened","url":"https://eval.acme.example/api","file":"${homedir()}/x.csv","of":"Acme production"}`;
  await writeFile(join(folder, 'spandeck.log'), line);
  const settings = () => ({ ...DEFAULT_SETTINGS, density: 'compact', privateFields: 'patient' }) as const;
  const text = await make({
    settings,
    test: async () => ({ ...okTest, reach: 'Through proxy.acme.example:3128.' }),
  }).report(connection.id, ['Spandeck 0.1.0 on linux']);
  for (const secret of ['acme', 'Acme', homedir(), 'patient']) expect(text).not.toContain(secret);
  expect(text).toContain('"url":"https://host-1/api","file":"~/x.csv","of":"connection-1"');
  expect(text).toContain('ok      network: Through proxy-1.');
  expect(text).toContain('{"density":"compact"}');
  expect(text).toContain('made 2026-03-12T10:00:00.000Z\nSpandeck 0.1.0 on linux');
});
