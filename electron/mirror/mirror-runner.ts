/** Writes the stored tables to the folder of a mirror. They become visible when all are complete. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createRedactor } from '../core/masking/redact.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { AppError } from '../shared/errors.ts';
import { mirrorFolderError } from '../shared/mirror-errors.ts';
import {
  type CatalogTable,
  MIRROR_FORMAT,
  MIRROR_VERSION,
  type MirrorCatalog,
  type MirrorTable,
} from '../shared/mirror-model.ts';
import { checkFolder, noteParts, openFolder, publish, type WrittenMirror } from './folder.ts';
import type { MirrorLedger } from './mirror-ledger.ts';
import type { MirrorableTable, MirrorDeps } from './types.ts';

const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** Includes ENOENT, because that is the error for creating a folder below /proc. */
const UNWRITABLE: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT']);

function folderError(thrown: unknown): unknown {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
  if (NO_ROOM.has(code)) return mirrorFolderError('full', thrown);
  return UNWRITABLE.has(code) ? mirrorFolderError('unwritable', thrown) : thrown;
}

interface Counts {
  rowsWritten: number;
  filesWritten: number;
}

export class MirrorRunner extends LedgerRunner<MirrorLedger> {
  readonly #deps: MirrorDeps;
  #stretch = new AbortController();

  constructor(deps: MirrorDeps, ledger: MirrorLedger) {
    super(deps, ledger);
    this.#deps = deps;
  }

  handleFailure(error: AppError): void {
    if (this.phase() !== 'running') return;
    // Waiting does not help after an error while writing files.
    this.ledger.applyAnyhow([{ type: 'pause', reason: error.message, error: error.toWire() }]);
    this.#stretch.abort();
  }

  /** Called when a person halted the job. */
  recall(): void {
    this.#stretch.abort();
    this.loop.wake();
  }

  async run(ending: AbortSignal): Promise<void> {
    const halt = new AbortController();
    this.#stretch = halt;
    try {
      await this.#write(AbortSignal.any([ending, halt.signal]));
    } catch (thrown) {
      // The work was halted. If a person has resumed the job in the meantime, it begins again.
      if (!halt.signal.aborted) throw folderError(thrown);
    }
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { connection, privateFields } = this.#deps;
    const { folder } = this.ledger.stored;
    if (folder === null) throw new AppError('INVALID_ARGUMENT', 'Expected a folder to write to.');
    await checkFolder(folder, connection);
    const stored = chosenTables(await this.#deps.tables(), this.ledger.stored.plan.tables);
    const before = await openFolder(folder, connection.id);
    const maskedFields = privateFields().toSorted();
    const progress = new MirrorProgress(stored, (rows, total) => this.ledger.showSeen(rows, total));
    const counts: Counts = { rowsWritten: 0, filesWritten: 0 };
    const tables = new Map<string, MirrorTable>();
    for (const table of stored) {
      if (!this.shouldContinue) return;
      const of = { folder, before, maskedFields, progress, counts };
      tables.set(table.name, await this.#writeTable(table, of, signal));
      progress.end(table.name);
    }
    if (!this.shouldContinue) return;
    const catalog = this.#catalogOf(stored, tables, maskedFields);
    await publish(folder, catalog, tables);
    const entries = Object.values(catalog.tables);
    const files = entries.flatMap((entry) => entry.files);
    this.ledger.end({
      ...counts,
      tables: entries.length,
      incompleteTables: entries.filter(({ complete }) => !complete).length,
      rows: entries.reduce((sum, { rows }) => sum + rows, 0),
      files: files.length,
      sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    });
  }

  /** A table whose stored rows have not changed is not read. */
  async #writeTable(
    { name, source, state }: MirrorableTable,
    {
      folder,
      before,
      maskedFields,
      progress,
      counts,
    }: {
      folder: string;
      before: WrittenMirror;
      maskedFields: readonly string[];
      progress: MirrorProgress;
      counts: Counts;
    },
    signal: AbortSignal,
  ): Promise<MirrorTable> {
    const key = createHash('sha256')
      .update(JSON.stringify([state, maskedFields]))
      .digest('hex');
    const known = before.tables.get(name) ?? null;
    const parts = before.parts.get(name) ?? [];
    if (known?.key === key && known.parts.every(({ file }) => parts.some((part) => part.file === file)))
      return known;
    const noted: Promise<void>[] = [];
    const write = this.#deps.writeTable(
      { source, maskedFields, folder: join(folder, name), parts, before: known },
      signal,
      {
        onPlanned: (rows) => progress.plan(name, rows),
        onRows: (rows) => progress.add(name, rows),
        onParts: (some) => {
          counts.filesWritten += some.length;
          counts.rowsWritten += some.reduce((sum, { rows }) => sum + rows, 0);
          const noting = noteParts(folder, name, some);
          // The error is thrown below, once the table is written.
          noting.catch(() => undefined);
          noted.push(noting);
        },
      },
    );
    try {
      const written = await write;
      await Promise.all(noted);
      return { key, ...written };
    } finally {
      // Later work must not find parts that are still being noted.
      await Promise.allSettled(noted);
    }
  }

  #catalogOf(
    stored: readonly MirrorableTable[],
    tables: ReadonlyMap<string, MirrorTable>,
    maskedFields: readonly string[],
  ): MirrorCatalog {
    const { connection, clock } = this.#deps;
    const entryOf = (table: MirrorableTable): CatalogTable => {
      const { columns, parts } = tables.get(table.name) ?? { columns: [], parts: [] };
      return {
        title: table.title,
        rows: parts.reduce((sum, { rows }) => sum + rows, 0),
        complete: table.missing === null,
        missing: table.missing,
        oldestReadAt: isoTime(table.oldestMs),
        newestReadAt: isoTime(table.newestMs),
        columns,
        files: parts.map(({ file, rows, sizeBytes }) => ({ path: `${table.name}/${file}`, rows, sizeBytes })),
      };
    };
    return {
      format: MIRROR_FORMAT,
      version: MIRROR_VERSION,
      connection,
      writtenAt: new Date(clock.nowMs()).toISOString(),
      privacy: { maskedFields },
      names: namesOf(stored, maskedFields),
      tables: Object.fromEntries(
        stored
          .toSorted((one, other) => (one.name < other.name ? -1 : 1))
          .map((table) => [table.name, entryOf(table)]),
      ),
    };
  }
}

/** Names of records, except for those whose column is masked. */
function namesOf(
  stored: readonly MirrorableTable[],
  maskedFields: readonly string[],
): Record<string, string> {
  const redactor = createRedactor(maskedFields, new Set());
  const owners = stored
    .flatMap((table) => table.owners)
    .filter(({ column }) => !redactor.isMaskedPath(column));
  return Object.fromEntries(
    owners.toSorted((one, other) => (one.id < other.id ? -1 : 1)).map(({ id, name }) => [id, name]),
  );
}

const isoTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** Throws INVALID_ARGUMENT if a name is not that of a stored table. */
export function chosenTables(
  stored: readonly MirrorableTable[],
  names: readonly string[] | null,
): readonly MirrorableTable[] {
  if (names === null) return stored;
  const known = new Set(stored.map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return stored.filter(({ name }) => names.includes(name));
  const there = known.size === 0 ? 'Nothing is stored yet' : `Stored are ${[...known].join(', ')}`;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected names of stored tables, got ${unknown.join(', ')}. ${there}.`,
  );
}

/** Number of rows of all tables together. */
class MirrorProgress {
  readonly #totals: Map<string, number>;
  readonly #seen = new Map<string, number>();
  readonly #show: (rows: number, totalRows: number) => void;

  constructor(tables: readonly MirrorableTable[], show: (rows: number, totalRows: number) => void) {
    this.#totals = new Map(tables.map(({ name, mostRows }) => [name, mostRows]));
    this.#show = show;
  }

  plan(table: string, rows: number): void {
    this.#totals.set(table, rows);
    this.#seen.delete(table);
    this.#tell();
  }

  add(table: string, rows: number): void {
    const total = this.#totals.get(table) ?? 0;
    // Limited to the total, because some files may be written twice.
    this.#seen.set(table, Math.min(total, (this.#seen.get(table) ?? 0) + rows));
    this.#tell();
  }

  end(table: string): void {
    this.#seen.set(table, this.#totals.get(table) ?? 0);
    this.#tell();
  }

  #tell(): void {
    const sum = (counts: Iterable<number>) => [...counts].reduce((all, count) => all + count, 0);
    this.#show(sum(this.#seen.values()), sum(this.#totals.values()));
  }
}
