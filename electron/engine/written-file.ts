/** Files written by Spandeck as the contents of a durable job. They are offered like files that a person chose. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../core/ports.ts';
import { WITH_RETRIES } from '../shared/busy-files.ts';
import type { Dialect } from '../shared/dialect.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import type { FileRegistry } from '../uploads/types.ts';

export interface WrittenFileDeps {
  files: Pick<FileRegistry, 'offer'>;
  /** Folder whose files are deleted if they were not read for a long time. */
  copiesDir: string;
  random: Random;
}

interface WrittenFile {
  fileId: string;
  fileName: string;
  dialect: Dialect;
}

/** The dialect of the JSON Lines that Spandeck writes. */
const DIALECT: Dialect = {
  format: 'jsonl',
  encoding: 'utf-8',
  delimiter: ',',
  quote: '"',
  hasHeader: true,
  nullWords: [],
};

/** `write` writes JSON Lines to a path, and `use` uses the offered file. If either throws, the file is deleted. */
export async function withWrittenFile<T>(
  { files, copiesDir, random }: WrittenFileDeps,
  fileName: string,
  write: (path: string) => Promise<void>,
  use: (file: WrittenFile) => Promise<T>,
): Promise<T> {
  const folder = join(copiesDir, `version-${random.uuid()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const path = join(folder, fileName);
    await write(path);
    const [file] = await files.offer([path]);
    if (file === undefined) throw new AppError('FILE_NOT_FOUND', `Expected the file ${path}, got none.`);
    if (file.error !== null) throw fromWire(file.error);
    return await use({ fileId: file.fileId, fileName: file.name, dialect: DIALECT });
  } catch (problem) {
    await rm(folder, WITH_RETRIES);
    throw problem;
  }
}
