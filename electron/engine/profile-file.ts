/** The shape of the columns of a file on disk, over all of its rows. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../db/temporary-folder.ts';
import type { ColumnProfile } from '../shared/analysis-model.ts';
import { WHOLE_FOLDER } from '../shared/busy-files.ts';
import type { Dialect } from '../shared/dialect.ts';
import type { FileProfile } from '../shared/file-profile.ts';
import type { OfferedFile } from '../shared/upload-model.ts';
import type { FileRegistry } from '../uploads/types.ts';
import { runInWorker } from '../uploads/worker/worker-client.ts';

/** Throws FILE_* errors, DISK_FULL. */
export async function profileFile(
  files: FileRegistry,
  profileLines: (file: string) => Promise<ColumnProfile[]>,
  { fileId }: Pick<OfferedFile, 'fileId'>,
  override: Partial<Dialect> | null,
): Promise<FileProfile> {
  const preview = await files.inspect(fileId, override);
  const { dialect, notes } = preview;
  const nulls = Object.fromEntries(preview.columns.map(({ name, reading }) => [name, reading?.nulls ?? []]));
  const { path } = await files.readable(fileId, dialect);
  const folder = await temporaryFolder();
  try {
    const lines = join(folder, 'rows.jsonl');
    const counts = await runInWorker('as-json-lines', { path, dialect, nulls, target: lines });
    const columns = await profileLines(lines);
    const known = new Set(preview.columns.map(({ name }) => name));
    // A last column without a name is passed over, where no row of the file has a value in it.
    const isShown = (name: string, isEmpty: boolean) =>
      dialect.format !== 'csv' || known.has(name) || !isEmpty;
    return {
      ...counts,
      notes,
      types: counts.types.filter(({ name, type }) => isShown(name, type === 'empty')),
      columns: columns.filter(({ field, empty }) => isShown(field, empty.total >= counts.rows)),
    };
  } finally {
    await rm(folder, WHOLE_FOLDER);
  }
}
