/** The shape of the columns of a file on disk, over all of its rows. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ColumnProfile } from '../shared/analysis-model.ts';
import type { Dialect } from '../shared/dialect.ts';
import type { OfferedFile } from '../shared/upload-model.ts';
import { writeJsonLines } from '../uploads/readers/as-json-lines.ts';
import type { FileRegistry } from '../uploads/types.ts';

export interface FileProfile {
  rows: number;
  /** Are no rows, and not counted. */
  badRows: number;
  /** How the file was read: what was guessed, and from what. */
  notes: string[];
  columns: ColumnProfile[];
}

/** Throws FILE_* errors, DISK_FULL. */
export async function profileFile(
  files: FileRegistry,
  profileLines: (file: string) => Promise<ColumnProfile[]>,
  { fileId }: Pick<OfferedFile, 'fileId'>,
  override: Partial<Dialect> | null,
): Promise<FileProfile> {
  const { dialect, notes } = await files.inspect(fileId, override);
  const { path } = await files.readable(fileId, dialect);
  const folder = await mkdtemp(join(tmpdir(), 'spandeck-profile-'));
  try {
    const lines = join(folder, 'rows.jsonl');
    const counts = await writeJsonLines(path, dialect, lines);
    return { ...counts, notes, columns: await profileLines(lines) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
