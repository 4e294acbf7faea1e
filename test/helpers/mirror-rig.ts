/** Mirrors with a real store and the real engine, but without a service: lists are written as if they had been read. */
import { createMirrorWriter } from '../../electron/analysis/mirror-client.ts';
import type { Clock } from '../../electron/core/ports.ts';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { systemIdentity } from '../../electron/db/process-identity.ts';
import { mirrorTables } from '../../electron/engine/mirror-tables.ts';
import { createMirrors } from '../../electron/mirror/mirrors.ts';
import { type MirrorStore, mirrorShape } from '../../electron/mirror/stored-mirror.ts';
import type { MirrorDeps, Mirrors } from '../../electron/mirror/types.ts';
import { type StartChild, startNodeChild } from '../../electron/platform/child-process.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import type { MirrorJob } from '../../electron/shared/mirror-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { DataFolder } from './data-folder.ts';
import { silentLogger } from './virtual-world.ts';

const PAGE = 1_000;
export const MIRRORED = {
  id: '3d0f3b8e-0b5c-4c39-9b8e-6d2a5a0f7c11',
  name: 'Production',
  baseUrl: 'https://x.test',
};

/** A row of a list: its identity and its record. */
type Row = readonly [identity: string | null, record: object];

export class MirrorRig implements AsyncDisposable {
  readonly store: LibraryStore;
  readonly rows: MirrorStore;
  readonly mirrors: Mirrors;
  /** When data for offline use was last read. */
  lastSyncMs: number | null = null;
  readonly heard: MirrorJob[] = [];
  /** Ids of jobs that were replaced by later ones. */
  readonly replaced: string[] = [];
  privateFields: string[] = [];
  /** Names of applications and datasets, by id. */
  names = new Map<string, string>();
  /** Called before each table is written. */
  onTable: () => void = () => undefined;
  /** Called when the files of a table are complete. */
  onParts: () => void = () => undefined;

  /** `clock`: the clock of the jobs. `startChild`: starts the processes that read and write tables. */
  constructor(
    folder: DataFolder,
    connection: MirrorDeps['connection'] = MIRRORED,
    clock: Clock = systemClock,
    startChild: StartChild = startNodeChild,
  ) {
    const file = folder.file('library.db');
    this.store = openLibraryStore({ file, clock: systemClock, logger: silentLogger });
    this.rows = this.store.jobsOf(mirrorShape);
    const writeTable = createMirrorWriter({ startChild, clock: systemClock });
    this.mirrors = createMirrors({
      heldBy: () => null,
      connection,
      store: this.rows,
      tables: async () => {
        const lists = this.store.lists.shownLists().filter(({ shown }) => shown.newestMs !== null);
        return mirrorTables(lists, this.names, [], file);
      },
      writeTable: (table, signal, progress) => {
        this.onTable();
        const onParts: typeof progress.onParts = (parts) => {
          progress.onParts(parts);
          this.onParts();
        };
        return writeTable(table, signal, { ...progress, onParts });
      },
      privateFields: () => this.privateFields,
      ...{ clock, random: systemRandom, logger: silentLogger, process: systemIdentity() },
      lastSyncMs: () => this.lastSyncMs,
      onChanged: (job) => this.heard.push(job),
      onReplaced: (mirrorId) => this.replaced.push(mirrorId),
    });
  }

  /** Stores the rows of a complete read of a list, which replace earlier ones. */
  read(query: ListQuery, rows: readonly Row[], { total = rows.length, atMs = 1 } = {}): void {
    const { lists } = this.store;
    const { id, shown } = lists.open(JSON.stringify(query), JSON.stringify(query));
    const generation = lists.begin(id, shown === null);
    for (let offset = 0; offset < Math.max(1, rows.length); offset += PAGE) {
      const page = rows.slice(offset, offset + PAGE).map(([identity, record]) => ({
        ...{ identity, shownText: null, textId: null },
        record: JSON.stringify(record),
      }));
      const answer = { offset, rows: page, total, receivedAtMs: atMs, requestId: 'r' };
      lists.append(generation.id, answer, offset + PAGE >= rows.length, () => rows.length === total);
    }
    lists.show(generation.id);
  }

  /** Writes a mirror, and waits until it is finished or suspended. */
  async write(folder: string, tables: string[] | null = null): Promise<MirrorJob> {
    const { mirrorId } = await this.mirrors.create({ tables }, { folder, startAtMs: null });
    return this.mirrors.whenIdle(mirrorId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mirrors.stop();
    this.store.close();
  }
}
