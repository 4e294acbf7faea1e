/** Exports of lists, for the suite of durable jobs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { createExports } from '../../electron/export/exports.ts';
import { exportShape } from '../../electron/export/stored-export.ts';
import { createLibrary } from '../../electron/library/library.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import type { ExportPlan } from '../../electron/shared/export-model.ts';
import { hasNoDecision, ID, type Kind, MAX_STATES } from './jobs-kind.ts';
import { Life, PAGE_ROWS } from './jobs-world.ts';
import { notAsked } from './made-up-client.ts';
import { silentLogger } from './virtual-world.ts';

const nothing = () => undefined;

const PLAN: ExportPlan = {
  name: 'Datasets',
  query: { operation: 'datasets.list', path: {}, query: {} },
  reads: 'whole',
  ...{ narrow: null, filters: [], sort: null, ranges: null, seen: null, columns: null },
  format: 'csv',
  isExact: false,
  partitionBy: null,
};

export const listExport: Kind = {
  name: 'export of a list',
  // Offsets of the pages. Each page after the first starts with the last available row.
  parts: ['0', '1', '3'],
  atOnce: 1,
  isRepeated: true,
  lacks: {
    unknown: { reason: 'A page whose answer was lost is asked for again.', holds: hasNoDecision('export') },
    decide: { reason: 'Nothing of it is unknown.', holds: hasNoDecision('export') },
  },
  states: {
    ...MAX_STATES,
    lost: 'done',
  },
  whenLimited: 'waits',
  open: (world, pid) => {
    const life = new Life(world, pid);
    const { clock, client } = life;
    const all = openLibraryStore({ file: join(world.folder, 'library.db'), clock, logger: silentLogger });
    const store = life.onDisk(all.jobsOf(exportShape));
    const settings = { pageRows: PAGE_ROWS, staleAfterMs: 300_000, prefetchRows: 100, mostListBytes: 2e9 };
    const library = createLibrary({
      ...{ connectionId: ID, store: all, client, clock, logger: silentLogger },
      settings: () => settings,
      openTabIds: () => [],
      sidecars: { profile: notAsked, positions: notAsked },
      onListChanged: nothing,
      onRecordChanged: nothing,
    });
    const exports = createExports({
      heldBy: () => null,
      ...{ connectionId: ID, store, library, client, clock, logger: silentLogger },
      baseUrl: 'https://service.invalid',
      write: async ({ rows, part }) => {
        writeFileSync(part, `${rows.count} rows`);
        return {
          rows: rows.count,
          columns: [],
          times: [],
          sizeBytes: 6,
          sha256: '',
          partitionedBy: null,
          files: null,
          skipped: null,
        };
      },
      writeTable: () => Promise.reject(new Error('No table is written here.')),
      lastSyncMs: () => null,
      readTable: () => Promise.reject(new Error('No table is read here.')),
      random: systemRandom,
      process: { pid, isRunning: life.isAlive },
      onChanged: life.note,
      onReplaced: nothing,
    });
    const end = async () => {
      await exports.stop();
      await library.stop();
    };
    life.onEnd(end, all);
    const view = () => exports.list().map(({ exportId: id, ...job }) => ({ id, ...job }))[0];
    const id = () => view()?.id ?? '';
    return {
      life,
      leases: store.jobs.leases,
      begin: (startAtMs) =>
        exports.create(PLAN, { file: join(world.folder, 'datasets.csv'), startAtMs, notBeforeMs: 0 }),
      recover: async (continues) => exports.recover(continues),
      view,
      stored: () => store.jobs.get(id()),
      control: async (action, startAtMs = 0) =>
        exports.control(id(), action === 'call-off' ? 'unschedule' : action, startAtMs),
      decide: () => Promise.reject(new Error('This kind has no such act.')),
      wake: () => exports.wake(),
    };
  },
};
