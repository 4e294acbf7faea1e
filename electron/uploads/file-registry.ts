/** Maps the file ids that the window holds to paths; the window never sees a path. */

import { opendir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Clock, Random } from '../core/ports.ts';
import { numberText } from '../shared/count-text.ts';
import type { Dialect } from '../shared/dialect.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { OfferedFile } from '../shared/upload-model.ts';
import type { FileState } from './file-state.ts';
import { isMarkerFile, refuseVersionedTable } from './folder-files.ts';
import { openRaw, readAt } from './readers/raw-file.ts';
import type { FileRegistry } from './types.ts';
import type { PackedFile, ReadableCopy, UnpackedCopies } from './unpack/copies.ts';
import { formatOf } from './unpack/file-format.ts';
import { LAYOUTS, PACKED_FORMATS, PACKED_HEAD_BYTES, packedFormat } from './unpack/packed-format.ts';
import { lookAtWhole } from './whole-file-sending.ts';
import { createFileReader } from './worker/file-reader.ts';
import { endSpareWorker, startUploadWorker } from './worker/worker-client.ts';

/** Maximum number of files taken from one folder or archive. */
const MAX_FILES = 1_000;

interface Known {
  /** The dropped path. For a file in an archive: the archive's path followed by the member's path. */
  path: string;
  name: string;
  /** Null if the file could not be read when it was offered. */
  state: FileState | null;
  packed: PackedFile | null;
}

interface Found {
  path: string;
  name: string;
}

const THREADS = { start: startUploadWorker, endSpare: endSpareWorker };

export function createFileRegistry({
  random,
  clock,
  copies,
  threads = THREADS,
}: {
  random: Random;
  clock: Clock;
  copies: UnpackedCopies;
  /** Overrides the reading threads in tests. */
  threads?: typeof THREADS;
}): FileRegistry & { stop(): Promise<void> } {
  // One thread for previews. It starts when files are offered, so that it is ready for the first preview.
  const reader = createFileReader(clock, threads.start);
  const known = new Map<string, Known>();
  const knownFile = (fileId: string): Known => {
    const found = known.get(fileId);
    if (found === undefined) {
      throw new AppError(
        'FILE_NOT_FOUND',
        'Expected a file that was dropped or chosen. Choose the file again.',
      );
    }
    return found;
  };
  const offerAs = async (fileId: string, { path, name }: Found): Promise<OfferedFile> => {
    try {
      const { state, packed } = await lookAt(path, name);
      known.set(fileId, { path, name, state, packed });
      const format = packed === null ? null : PACKED_FORMATS[packed.format];
      return { fileId, name, sizeBytes: state.sizeBytes, packed: format, error: null };
    } catch (problem) {
      known.set(fileId, { path, name, state: null, packed: null });
      return { fileId, name, sizeBytes: 0, packed: null, error: toAppError(problem).toWire() };
    }
  };
  const readable = async (
    fileId: string,
    dialect: Partial<Dialect> | null,
    owner: string | null,
  ): Promise<ReadableCopy> => {
    const { path, packed } = knownFile(fileId);
    if (packed === null)
      return { path, notes: [], sheet: null, sheets: [], layout: null, changes: [], leftOut: [] };
    return copies.of(packed, dialect?.sheet ?? null, owner);
  };
  /** The files that a dropped path stands for: the file itself, or the files in a folder or an archive. */
  const filesOf = async (path: string): Promise<Found[]> => {
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory() === true) return filesInFolder(path);
    if (found?.isFile() !== true || !(await isArchive(path))) return [{ path, name: basename(path) }];
    const name = basename(path);
    const { members, total } = await copies.members(path, MAX_FILES);
    if (total > MAX_FILES) throw tooManyFiles(name);
    for (const { member } of members) refuseVersionedTable(name, member);
    return members.map(({ member }) => ({ path: `${path}/${member}`, name: `${name}/${member}` }));
  };
  const offerAll = async (path: string): Promise<OfferedFile[]> => {
    const name = basename(path);
    const fileId = random.uuid();
    try {
      const found = await filesOf(path);
      if (found.length === 0) throw new AppError('FILE_EMPTY', `${name} contains no files.`, { file: name });
      return await Promise.all(found.map((file) => offerAs(random.uuid(), file)));
    } catch (problem) {
      known.set(fileId, { path, name, state: null, packed: null });
      return [{ fileId, name, sizeBytes: 0, packed: null, error: toAppError(problem).toWire() }];
    }
  };
  const registryFor = (owner: string | null): FileRegistry => ({
    ownedBy: (connectionId) => registryFor(connectionId),
    offer: async (list) => {
      reader.start();
      return (await Promise.all(list.map(offerAll))).flat();
    },
    offerAgain: async (fileId, path, dropped) => {
      if (dropped !== null) return offerAs(fileId, { path, name: dropped });
      const { archive, member } = await splitMember(path);
      const name = member === null ? basename(path) : `${basename(archive)}/${member}`;
      return offerAs(fileId, { path, name });
    },
    stateOf: (fileId) => known.get(fileId)?.state ?? null,
    resolve: (fileId) => {
      const { path, name } = knownFile(fileId);
      return { path, name };
    },
    readable: (fileId, dialect) => readable(fileId, dialect, owner),
    findReadable: async (fileId, dialect) => {
      const { path, packed } = knownFile(fileId);
      if (packed === null) return path;
      return (await copies.find(packed, dialect?.sheet ?? null, owner))?.path ?? null;
    },
    keep: (path) => copies.touch(path, owner),
    inspect: async (fileId, override) => {
      const { state, name } = knownFile(fileId);
      const copy = await readable(fileId, override, owner);
      const preview = await reader.call('inspect', {
        path: copy.path,
        fileId,
        override: copy.layout === null ? override : { ...override, ...LAYOUTS[copy.layout] },
        seed: random.next(),
        list: copy.sheet,
      });
      // Offers the opened reader to the check or upload that usually follows.
      await reader.handOn();
      return {
        ...preview,
        name,
        sizeBytes: state?.sizeBytes ?? preview.sizeBytes,
        dialect: copy.sheet === null ? preview.dialect : { ...preview.dialect, sheet: copy.sheet },
        notes: [...copy.notes, ...preview.notes, ...folderNotes(knownFile(fileId))],
        sheets: copy.sheets,
        isTyped: copy.layout !== null,
      };
    },
    lookAtWhole: async (fileId) => {
      const file = knownFile(fileId);
      if (file.packed === null || file.packed.member === null) return lookAtWhole(fileId, file);
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected a file by itself, got ${file.name} in an archive. Unpack it first, or send it row by row.`,
      );
    },
  });
  return {
    ...registryFor(null),
    stop: async () => {
      await Promise.all([reader.stop(), copies.stop(), threads.endSpare()]);
    },
  };
}

/** A note about folders such as `year=2026`, whose values only files of Parquet get as columns. */
function folderNotes({ path, packed }: Pick<Known, 'path' | 'packed'>): string[] {
  const folders = dirname(path).split(/[\\/]/);
  const names = folders.slice(folders.findLastIndex((name) => !/^[^=]+=/.test(name)) + 1);
  if (packed?.format === 'parquet' || names.length === 0) return [];
  return [
    `Values in the names of folders, ${names.join(', ')}, are not read for this file: write them as columns into it if its rows need them.`,
  ];
}

/**
 * Files in a folder and its subfolders, by name, without hidden files, markers and links. Throws INVALID_ARGUMENT for
 * too many, and for a table of several versions.
 */
async function filesInFolder(folder: string): Promise<Found[]> {
  const files: string[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    // Read one entry at a time, so that dropping a whole disk fails after a thousand files.
    for await (const entry of await opendir(next)) {
      const path = join(next, entry.name);
      const inFolder = relative(folder, path).split(sep).join('/');
      refuseVersionedTable(basename(folder), entry.isDirectory() ? `${inFolder}/` : inFolder);
      if (entry.name.startsWith('.') || isMarkerFile(inFolder)) continue;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push(path);
      if (files.length > MAX_FILES) throw tooManyFiles(basename(folder));
    }
  }
  return files.sort().map((path) => ({ path, name: relative(dirname(folder), path).split(sep).join('/') }));
}

function tooManyFiles(name: string): AppError {
  return new AppError(
    'INVALID_ARGUMENT',
    `${name} holds more than ${numberText(MAX_FILES)} files. Drop its folders one by one, or only the files you need.`,
  );
}

async function isArchive(path: string): Promise<boolean> {
  const file = await openRaw(path).catch(() => null);
  if (file === null) return false;
  try {
    return packedFormat(file.name, await readAt(file.handle, path, 0, PACKED_HEAD_BYTES)) === 'zip';
  } finally {
    await file.close();
  }
}

/**
 * Size and date of a file that is text or can be turned into text. A path that continues after an archive names a file
 * in it. Throws FILE_* errors.
 */
async function lookAt(path: string, name: string): Promise<{ state: FileState; packed: PackedFile | null }> {
  const { archive, member } = await splitMember(path);
  const file = await openRaw(archive);
  try {
    const { head, format } = await formatOf(file.handle, archive, file.name);
    const { state } = file;
    if (format === null) {
      const { guessEncoding } = await import('./sniff/sniff-bytes.ts');
      guessEncoding(file.name, head, [], head.length >= state.sizeBytes);
    }
    return { state, packed: format === null ? null : { path: archive, member, name, state, format } };
  } finally {
    await file.close();
  }
}

async function splitMember(path: string): Promise<{ archive: string; member: string | null }> {
  for (let archive = path; archive !== dirname(archive); archive = dirname(archive)) {
    const found = await stat(archive).catch(() => null);
    if (found === null) continue;
    const isInside = found.isFile() && archive !== path;
    return isInside ? { archive, member: path.slice(archive.length + 1) } : { archive: path, member: null };
  }
  return { archive: path, member: null };
}
