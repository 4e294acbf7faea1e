/** A registry of files as the engine creates it. It puts copies of packed files into a folder of the caller. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnalysis } from '../../electron/analysis/analysis-client.ts';
import { STALL_LIMITS, type StallLimits } from '../../electron/core/stall-watch.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import type { OfferedFile } from '../../electron/shared/upload-model.ts';
import { createFileRegistry } from '../../electron/uploads/file-registry.ts';
import { createUnpackedCopies } from '../../electron/uploads/unpack/copies.ts';
import { silentLogger } from './virtual-world.ts';

/** The files of a test, which must stop them at its end. */
export type OpenFiles = ReturnType<typeof createFileRegistry>;

export function openFiles(
  folder: string = mkdtempSync(join(tmpdir(), 'spandeck-copies-')),
  stallLimits: StallLimits = STALL_LIMITS,
): OpenFiles {
  const copies = createUnpackedCopies({
    folder: join(folder, 'copies'),
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    isKnown: () => true,
    needed: () => Promise.resolve({ paths: [], unreadOwners: [] }),
    stallLimits,
    parquetToJsonLines: createAnalysis(startNodeChild, systemClock).parquetToJsonLines,
  });
  return createFileRegistry({ random: systemRandom, clock: systemClock, copies });
}

/** Offers a file, and returns it in the form that the window shows. */
export async function offerOne(files: OpenFiles, path: string): Promise<OfferedFile> {
  const [offered] = await files.offer([path]);
  if (offered === undefined) throw new Error(`Expected ${path} to be offered, got nothing.`);
  return offered;
}

/** The text that rows of a file are read from. For a packed file, or a table with types, it is that of the copy. */
export async function readableText(
  files: OpenFiles,
  path: string,
  sheet: string | null = null,
): Promise<string> {
  const { fileId, error } = await offerOne(files, path);
  if (error !== null) throw new Error(`Expected ${path} to be readable, got ${error.code}.`);
  const copy = await files.readable(fileId, { sheet });
  return readFileSync(copy.path, 'utf8');
}
