/** Column profiles of a file on disk, over all of its rows. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../db/temporary-folder.ts';
import type { ColumnProfile } from '../shared/analysis-model.ts';
import { WITH_RETRIES } from '../shared/busy-files.ts';
import { counted } from '../shared/count-text.ts';
import type { Dialect } from '../shared/dialect.ts';
import type { FileProfile } from '../shared/file-profile.ts';
import type { OfferedFile, PreviewColumn } from '../shared/upload-model.ts';
import type { ValueReading } from '../shared/value-readings.ts';
import type { FileRegistry } from '../uploads/types.ts';
import { runInWorker } from '../uploads/worker/worker-client.ts';

/** The readings that the preview proposes for columns. */
const asProposed = (columns: readonly PreviewColumn[]): ValueReading[] =>
  columns.map(({ name, type, reading = {} }) => ({ source: name, type, reading }));

/**
 * Reads a file for its profiles. `given`: the readings of its columns; null: those that the preview proposes. Throws
 * FILE_* errors, DISK_FULL, and CANCELLED when the signal aborts.
 */
export async function profileFile(
  files: FileRegistry,
  profileLines: (file: string, signal: AbortSignal) => Promise<ColumnProfile[]>,
  { fileId }: Pick<OfferedFile, 'fileId'>,
  override: Partial<Dialect> | null,
  given: ValueReading[] | null,
  signal: AbortSignal,
): Promise<FileProfile> {
  const preview = await files.inspect(fileId, override);
  const { dialect } = preview;
  const readings = given ?? asProposed(preview.columns);
  const { path } = await files.readable(fileId, dialect);
  const folder = await temporaryFolder();
  try {
    const lines = join(folder, 'rows.jsonl');
    const input = { path, dialect, readings, target: lines };
    const { misfits, ...counts } = await runInWorker('as-json-lines', input, { signal });
    const columns = await profileLines(lines, signal);
    const known = new Set(preview.columns.map(({ name }) => name));
    // A last column without a name is left out if it has no value in any row.
    const isShown = (name: string, isEmpty: boolean) =>
      dialect.format !== 'csv' || known.has(name) || !isEmpty;
    return {
      ...counts,
      notes: misfits.map(
        ({ column, count, line, value }) =>
          `${counted(count, 'value')} of “${column}” cannot be read as its flags say and ${count === 1 ? 'stays unchanged' : 'stay unchanged'}, first “${value}” in line ${line}.`,
      ),
      types: counts.types.filter(({ name, type }) => isShown(name, type === 'empty')),
      columns: columns.filter(({ field, empty }) => isShown(field, empty.total >= counts.rows)),
    };
  } finally {
    await rm(folder, WITH_RETRIES);
  }
}
