/** A new token is saved in the window: the jobs of every kind that the old one stopped continue. */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Session } from '../../electron/engine/session.ts';
import type { JobKindId } from '../../electron/shared/job-contract.ts';
import { draft, engineRig } from '../helpers/engine-rig.ts';
import { exportOf } from '../helpers/export-rig.ts';
import { planFor } from '../helpers/keep-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const currentRig = engineRig();
const NEW = 'new-token-9876543210';

let raw: RawService;
beforeEach(async () => {
  raw = await RawService.start({ token: TOKEN, tokens: [{ token: NEW, role: 'read-write' }] });
});
afterEach(() => raw.service.stop());

function stateOf({ jobs }: Session, kind: JobKindId): string {
  const { jobs: found } = jobs.list({ kinds: [kind], states: null, search: null, offset: 0, limit: 10 });
  return found.map(({ state, error }) => `${state} ${error?.code ?? ''}`.trim()).join(', ');
}

async function itemsOf(session: Session, datasetId: string) {
  const { engine, folder } = currentRig();
  const path = folder.file('questions.csv');
  writeFileSync(path, 'question\na\nb\n');
  const [offered] = await engine.files.offer([path]);
  const fileId = offered?.fileId ?? '';
  return session.datasets.items.create(
    {
      ...{ datasetId, datasetName: 'Questions', fileId, fileName: 'questions.csv', itemsPerRequest: 10 },
      dialect: {
        ...{ format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
      },
      columns: [{ source: 'question', place: 'inputs', field: 'question', type: 'str' }],
      ...{ flattens: false, onBadRow: 'stop' },
    },
    true,
    null,
    [],
  );
}

async function fileOf(session: Session): Promise<void> {
  const { engine, folder } = currentRig();
  const path = folder.file('questions.csv');
  writeFileSync(path, 'question\na\n');
  const [offered] = await engine.files.offer([path]);
  const target = { modelId: null, envType: '', envName: null, publishes: false };
  await session.uploads.wholeFiles.send(offered?.fileId ?? '', target);
}

const STARTS: Partial<Record<JobKindId, (session: Session, datasetId: string) => unknown>> = {
  items: itemsOf,
  file: fileOf,
  deletion: async ({ uploads }) => {
    const [model] = (await raw.page(raw.path('models.list', {}, '?limit=1'))).items;
    const request = {
      modelId: String(model?.['id']),
      eventIds: ['a'],
      timeRange: null,
      updateMetrics: false,
    };
    await uploads.deleteEvents(request);
  },
  'keep-offline': ({ keep }, datasetId) => keep.start(planFor({ kind: 'dataset', id: datasetId }), null),
  export: ({ exports }) =>
    exports.create(exportOf({ query: { operation: 'datasets.list', path: {}, query: {} } }), {
      ...{ file: currentRig().folder.file('datasets.csv'), startAtMs: null, notBeforeMs: 0 },
    }),
};

test.each(['items', 'file', 'deletion', 'keep-offline', 'export'] as const)(
  'a job of kind %s that was paused because the token was refused continues with a new token',
  async (kind) => {
    const { engine } = currentRig();
    const { id } = await engine.connections.save(draft(raw.service.baseUrl), TOKEN);
    const before = await engine.session(id);
    const [dataset] = (await raw.page(raw.path('datasets.list', {}, '?limit=1'))).items;
    raw.service.setFaults(
      (
        ['datasets.add-items', 'files.upload', 'datasets.items', 'datasets.list', 'events.delete'] as const
      ).map((operation) => ({
        ...{ match: { operation }, times: 1_000, action: { type: 'status' as const, status: 401 } },
      })),
    );
    await STARTS[kind]?.(before, String(dataset?.['id']));
    await expect.poll(() => stateOf(before, kind)).toBe('paused UNAUTHORIZED');

    raw.service.setFaults([]);
    await engine.saveConnection(draft(raw.service.baseUrl, id), NEW);
    const after = await engine.session(id);
    await expect.poll(() => stateOf(after, kind)).toBe('done');
  },
);
