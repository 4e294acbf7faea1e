/** Exports with a real store, a real library, the real engine and a real service, but without a window. */
import { createRowWriter, createTableWriter } from '../../electron/analysis/export-client.ts';
import { createSql, type Sql } from '../../electron/analysis/sql.ts';
import { systemIdentity } from '../../electron/db/process-identity.ts';
import { createExports } from '../../electron/export/exports.ts';
import { exportShape } from '../../electron/export/stored-export.ts';
import type { Exports, ReadTable } from '../../electron/export/types.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import type {
  ExportJob,
  ExportPlan,
  ListExportPlan,
  StoredTable,
} from '../../electron/shared/export-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { DataFolder } from './data-folder.ts';
import { CONNECTION_ID, LibraryRig } from './library-rig.ts';
import { silentLogger } from './virtual-world.ts';

export const valuesOf = (name: string): ListQuery => ({
  operation: 'catalog.values',
  path: { application_id: 'app' },
  query: { entity_type: 'attribute', name },
});

export const exportOf = (plan: Partial<ListExportPlan> & Pick<ListExportPlan, 'query'>): ListExportPlan => ({
  name: 'Values',
  reads: 'whole',
  ...{ narrow: null, filters: [], sort: null, ranges: null, seen: null, columns: null, partitionBy: null },
  format: 'csv',
  isExact: false,
  ...plan,
});

export class ExportRig implements AsyncDisposable {
  readonly library: LibraryRig;
  readonly exports: Exports;
  readonly sql: Sql;
  /** When data for offline use was last read. */
  lastSyncMs: number | null = null;
  readonly heard: ExportJob[] = [];
  /** Ids of jobs that were replaced by later ones. */
  readonly replaced: string[] = [];
  /** Called when the export starts to write, so that a test can stop it there. */
  onWrite: (part: string) => void = () => undefined;
  /** Reads stored tables, as an engine does. */
  readTable: (table: StoredTable) => Promise<ReadTable> = () => Promise.reject(new Error('No tables here.'));

  constructor(baseUrl: string, { folder, pageRows = 1_000 }: { folder: DataFolder; pageRows?: number }) {
    this.library = new LibraryRig(baseUrl, { folder });
    this.library.settings.pageRows = pageRows;
    const write = createRowWriter({
      sidecars: this.library.sidecars,
      libraryFile: folder.file('library.db'),
      startChild: startNodeChild,
      clock: systemClock,
    });
    const writeTable = createTableWriter({ startChild: startNodeChild, clock: systemClock });
    this.sql = createSql({
      lists: () => this.library.library.storedLists(),
      names: async () => new Map(),
      sidecars: this.library.sidecars,
      ...{ startChild: startNodeChild, clock: systemClock },
    });
    this.exports = createExports({
      heldBy: () => null,
      ...{ connectionId: CONNECTION_ID, baseUrl, store: this.library.store.jobsOf(exportShape) },
      library: this.library.library,
      client: this.library.clientRig.client,
      write: (...work) => {
        this.onWrite(work[0].part);
        return write(...work);
      },
      writeTable: ({ source, plan, part }, ...rest) => {
        this.onWrite(part);
        return source.form === 'sql'
          ? this.sql.write(source.sql, plan, part, ...rest)
          : writeTable({ source, plan, part }, ...rest);
      },
      readTable: (table) => this.readTable(table),
      ...{ clock: systemClock, random: systemRandom, logger: silentLogger, process: systemIdentity() },
      lastSyncMs: () => this.lastSyncMs,
      onChanged: (job) => this.heard.push(job),
      onReplaced: (exportId) => this.replaced.push(exportId),
    });
  }

  /** Starts an export, and waits until it is finished or suspended. */
  async exported(plan: ExportPlan, file: string): Promise<ExportJob> {
    const { exportId } = await this.exports.create(plan, { file, startAtMs: null, notBeforeMs: 0 });
    return this.exports.whenIdle(exportId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.exports.stop();
    await this.sql.close();
    await this.library[Symbol.asyncDispose]();
  }
}
