/**
 * Readable copies of packed files. A file that is not text (gzip, Parquet, Excel, a file in an archive) is written once
 * as text into the data folder, and everything else reads that copy like any text file, so exact resuming, checking and
 * receipts work the same way. The copy is reused as long as the file is unchanged. Next to each copy are the
 * connections it was made or used for: it is removed with the last of them.
 */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import type { Clock, Logger, Random } from '../../core/ports.ts';
import { type StallLimits, stalledError } from '../../core/stall-watch.ts';
import { WITH_RETRIES, whenFreeLater } from '../../shared/busy-files.ts';
import { counted } from '../../shared/count-text.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { checkSameState, type FileState, readFileState } from '../file-state.ts';
import { openRaw } from '../readers/raw-file.ts';
import { readingVersion } from '../reading-version.ts';
import { runInWorker, type StallWatch } from '../worker/worker-client.ts';
import { type CopyChange, type CopyFacts, copyFacts, FACTS_FILE, TEXT_FOLDER } from './copy-facts.ts';
import { formatOf } from './file-format.ts';
import { type PackedFormat, unpackedName } from './packed-format.ts';
import type { ZipMember } from './unpack-stream.ts';

const DAY_MS = 86_400_000;
/** A file in an archive may be compressed itself; archives in archives are not opened. */
const MAX_STEPS = 3;
/** Subfolder with an empty file for each connection, so that two processes do not write the same file. */
const OWNERS_FOLDER = 'for';
const OWNER = /^[\w-]{1,100}$/;
/** Age after which an unfinished copy was certainly left by a killed program. No copy takes that long. */
const UNFINISHED_MS = 86_400_000;
/**
 * A thread or process that takes longer than this to end is waiting for an unresponsive disk. Stopping must take no
 * more than two seconds.
 */
const ENDING_MS = 1_500;
/** Suffix of a copy that is being removed, so that it is no longer found. */
const GONE = '.gone';

/** A dropped file. */
export interface PackedFile {
  path: string;
  /** Path of a file inside the archive `path`; null if `path` is not an archive. */
  member: string | null;
  name: string;
  state: FileState;
  format: PackedFormat;
}

export interface ReadableCopy extends CopyFacts {
  path: string;
}

/** Id of the connection that a copy is made for; null if there is none, e.g. when a person only previews a file. */
type Owner = string | null;

export interface UnpackedCopies {
  /**
   * The path of the copy as text, which is made if it is missing. Rejects with FILE_* errors, DISK_FULL,
   * INVALID_ARGUMENT.
   */
  of(file: PackedFile, sheet: string | null, owner: Owner): Promise<ReadableCopy>;
  /** The existing copy made with the current version of the conversion; null if there is none. */
  find(file: PackedFile, sheet: string | null, owner: Owner): Promise<ReadableCopy | null>;
  /** The first `most` files in an archive. Rejects with FILE_* errors. */
  members(path: string, most: number): Promise<{ members: ZipMember[]; total: number }>;
  /** Marks the copy as needed by an unfinished job. Any path may be passed. */
  touch(path: string, owner: Owner): Promise<void>;
  /** Called when the connection was removed. Deletes the copies that were made only for it. */
  forget(connectionId: string): Promise<void>;
  /**
   * Deletes copies that were not read for this many days and that no unfinished job needs, copies of removed
   * connections, and unfinished copies of killed programs. If the jobs of a connection cannot be read, its copies stay,
   * and so do copies that may be of any connection.
   */
  sweep(unusedDays: number): Promise<void>;
  /** Ends copying in progress and all later requests with CANCELLED, and removes unfinished copies. */
  stop(): Promise<void>;
}

/** The files that unfinished jobs read. */
export interface NeededCopies {
  paths: readonly string[];
  /** Connections whose jobs could not be read. */
  unreadOwners: readonly string[];
}

interface CopiesDeps {
  folder: string;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** True if a connection with this id is stored. */
  isKnown: (connectionId: string) => boolean;
  /** The files of the unfinished jobs of all connections. Called only if copies are to be deleted. */
  needed: () => Promise<NeededCopies>;
  /** Version of the conversion to text. Copies made with another version are made again. */
  reading?: string;
  /** Replaces the thread that reads a packed file; for tests. */
  runInWorker?: typeof runInWorker;
  /** Limits after which a thread without progress is ended. Other files have threads of their own. */
  stallLimits: StallLimits;
  /** Writes the rows of a Parquet file as JSON lines. Rejects with CANCELLED when `signal` is aborted. */
  parquetToJsonLines: (
    source: string,
    target: string,
    signal: AbortSignal,
  ) => Promise<{
    bytes: readonly BytesColumn[];
    coarse: readonly string[];
    folders: readonly { name: string; value: string | null }[];
    renamed: readonly { from: string; to: string }[];
    changes: readonly CopyChange[];
  }>;
}

export function createUnpackedCopies(deps: CopiesDeps): UnpackedCopies {
  const { folder, clock, random, logger } = deps;
  const run = deps.runInWorker ?? runInWorker;
  const keyOf = (file: PackedFile, sheet: string | null): string =>
    copyKey(file, sheet, deps.reading ?? readingVersion());
  const closing = new AbortController();
  /** Copies in progress, so that concurrent requests for a copy share one. */
  const making = new Map<string, Promise<ReadableCopy>>();

  const watched = async (path: string, name: string): Promise<{ stall: StallWatch; signal: AbortSignal }> => {
    const { sizeBytes } = await readFileState(path);
    const asError = (byte: number, cause?: unknown) => stalledError(name, { byte, sizeBytes }, cause);
    return { stall: { clock, limits: deps.stallLimits, asError }, signal: closing.signal };
  };

  const own = async (home: string, owner: Owner): Promise<void> => {
    if (owner === null || !OWNER.test(owner)) return;
    // Not recursive, because a folder that was removed meanwhile must not be created again.
    await mkdir(join(home, OWNERS_FOLDER), { mode: 0o700 }).catch((problem: NodeJS.ErrnoException) => {
      if (problem.code !== 'EEXIST') throw problem;
    });
    await writeFile(join(home, OWNERS_FOLDER, owner), '', { mode: 0o600 });
  };
  const ownersOf = (home: string): Promise<string[]> => readdir(join(home, OWNERS_FOLDER)).catch(() => []);

  /** Deletes the copy if none of its owners exists any more. Returns whether it did. */
  const release = async (home: string, isOver: (owner: string) => boolean): Promise<boolean> => {
    const owners = await ownersOf(home);
    const over = owners.filter(isOver);
    if (over.length === 0) return false;
    if (over.length < owners.length) {
      await Promise.all(
        over.map((owner) => whenFreeLater(() => rm(join(home, OWNERS_FOLDER, owner), { force: true }))),
      );
      return false;
    }
    // Renames the copy first, so that nothing finds it partly deleted.
    const gone = `${home}.${random.uuid()}${GONE}`;
    // Another process deleted it, or the process that made it gave it its final name.
    if (!(await isThere(whenFreeLater(() => rename(home, gone))))) return true;
    if (!(await ownersOf(gone)).every(isOver)) {
      // Another connection started to use it a moment ago.
      await isThere(whenFreeLater(() => rename(gone, home)));
      return release(home, isOver);
    }
    await rm(gone, WITH_RETRIES);
    return true;
  };

  /** Work in progress on the copies of each connection. It must end before the connection can be removed. */
  const working = new Map<string, Set<Promise<unknown>>>();
  const noted = <T>(owner: Owner, work: Promise<T>): Promise<T> => {
    if (owner === null) return work;
    const all = working.get(owner) ?? new Set();
    working.set(owner, all.add(work));
    const end = (): void => {
      all.delete(work);
      if (all.size === 0 && working.get(owner) === all) working.delete(owner);
    };
    work.then(end, end);
    return work;
  };

  const findIn = async (home: string, file: PackedFile, owner: Owner): Promise<ReadableCopy | null> => {
    try {
      const found = copyFacts.parse(JSON.parse(await readFile(join(home, FACTS_FILE), 'utf8')));
      const path = join(home, TEXT_FOLDER, basename(file.name));
      await stat(path);
      await own(home, owner);
      await touchFolder(home);
      return { ...found, path };
    } catch {
      // The copy is missing or incomplete, so it is made again.
      return null;
    }
  };

  const make = async (file: PackedFile, sheet: string | null, owner: Owner): Promise<ReadableCopy> => {
    const home = join(folder, keyOf(file, sheet));
    const draft = `${home}.${random.uuid()}.part`;
    await mkdir(join(draft, TEXT_FOLDER), { recursive: true, mode: 0o700 });
    try {
      const target = join(draft, TEXT_FOLDER, basename(file.name));
      const found = await unpackAll(file, sheet, target);
      await checkSameState(file.path, file.state);
      await writeFile(join(draft, FACTS_FILE), JSON.stringify(found), { mode: 0o600 });
      // The owner is stored before the copy gets its final name, because a copy without an owner would outlive its
      // connection.
      await own(draft, owner);
      await rm(home, WITH_RETRIES);
      await whenFreeLater(() => rename(draft, home));
      return { ...found, path: join(home, TEXT_FOLDER, basename(file.name)) };
    } catch (problem) {
      await rm(draft, WITH_RETRIES);
      throw toAppError(problem);
    }
  };

  async function unpackAll(file: PackedFile, sheet: string | null, target: string): Promise<CopyFacts> {
    const all: CopyFacts = { notes: [], sheet: null, sheets: [], layout: null, changes: [], leftOut: [] };
    let source = file.path;
    let { name } = file;
    let format: PackedFormat | null = file.format;
    for (let step = 1; format !== null; step += 1) {
      if (step > MAX_STEPS || (step > 1 && format === 'zip')) {
        throw new AppError('FILE_BINARY', `${file.name} contains another archive. Unpack it first.`, {
          file: file.name,
        });
      }
      const next = `${target}.${step}`;
      if (format === 'parquet') {
        const { bytes, coarse, folders, renamed, changes } = await deps.parquetToJsonLines(
          source,
          next,
          closing.signal,
        );
        all.changes.push(...changes);
        all.notes.push('Parquet: the file states the names and types of its columns.', ...bytesNotes(bytes));
        if (coarse.length > 0)
          all.notes.push(
            `Times read to the microsecond, further digits are left away: ${firstColumns(coarse)}.`,
          );
        if (folders.length > 0)
          all.notes.push(
            `Values of all rows read from the names of the folders around the file: ${firstColumns(folders.map(({ name, value }) => `${name} = ${value === null ? 'no value' : `“${value}”`}`))}.`,
          );
        if (renamed.length > 0)
          all.notes.push(
            `Columns renamed, because their names are empty, or differ from others in case at most: ${firstColumns(renamed.map(({ from, to }) => `“${from}” is “${to}”`))}.`,
          );
        all.layout = 'typed-rows';
      } else {
        const { member } = file;
        const input = { path: source, name, format, member, sheet, target: next };
        const found = await run('unpack', input, await watched(source, name));
        all.notes.push(...found.notes);
        all.changes.push(...found.changes);
        all.leftOut.push(...found.leftOut);
        all.sheet ??= found.sheet;
        all.layout = found.layout;
        if (found.sheets.length > 0) all.sheets = found.sheets;
      }
      if (source !== file.path) await whenFreeLater(() => rm(source, { force: true }));
      source = next;
      name = format === 'zip' ? (file.member ?? name) : unpackedName(name);
      // Only a compressed file may contain any format; the conversion of other formats yields text.
      const isPacked = ['gzip', 'zstd', 'brotli', 'zip'].includes(format);
      if (isPacked && (await stat(next)).size === 0)
        throw new AppError(
          'FILE_EMPTY',
          `${file.name} is empty: nothing is packed in it. Check that it was written completely.`,
          { file: file.name },
        );
      format = isPacked ? await formatAt(next, name) : null;
    }
    // A table with typed rows has no header line, so an empty file means that it has no rows.
    if (all.layout === 'typed-rows' && (await stat(source)).size === 0)
      throw new AppError('FILE_EMPTY', `${file.name} has no rows.`, { file: file.name });
    await whenFreeLater(() => rename(source, target));
    return all;
  }

  const copyOf: UnpackedCopies['of'] = async (file, sheet, owner) => {
    const key = keyOf(file, sheet);
    const home = join(folder, key);
    if (!making.has(key)) {
      const found = await findIn(home, file, owner);
      if (found !== null) return found;
    }
    if (closing.signal.aborted) throw ended();
    const made = making.get(key) ?? make(file, sheet, owner).finally(() => making.delete(key));
    making.set(key, made);
    const copy = await made;
    await own(home, owner);
    if (owner !== null && !deps.isKnown(owner)) await release(home, (each) => each === owner);
    return copy;
  };

  return {
    find: (file, sheet, owner) => findIn(join(folder, keyOf(file, sheet)), file, owner),
    of: (file, sheet, owner) => noted(owner, copyOf(file, sheet, owner)),
    members: async (path, most) => {
      const name = basename(path);
      return run('list-members', { path, name, most }, await watched(path, name));
    },
    stop: async () => {
      closing.abort();
      const late = Promise.withResolvers<void>();
      const cancel = clock.setTimer(late.resolve, ENDING_MS, 'the end of the copying of files');
      await Promise.race([Promise.allSettled(making.values()), late.promise]);
      cancel();
    },
    touch: async (path, owner) => {
      const name = nameOf(path);
      if (name === null) return;
      const home = join(folder, name);
      await stat(home)
        .then(() => own(home, owner))
        .then(() => touchFolder(home))
        .catch(() => undefined);
    },
    forget: async (connectionId) => {
      await Promise.allSettled(working.get(connectionId) ?? []);
      for (const name of await readdir(folder).catch(() => []))
        await release(join(folder, name), (owner) => owner === connectionId);
    },
    sweep: async (unusedDays) => {
      const unused: string[] = [];
      const unusedMs = unusedDays * DAY_MS;
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name);
        if (name.endsWith(GONE)) await rm(path, WITH_RETRIES);
        else if (await release(path, (owner) => !deps.isKnown(owner)))
          logger.info('readable copy removed: its connection was forgotten', { copy: name });
        else if (name.endsWith('.part')) await removeOlder(name, UNFINISHED_MS);
        else if (await isOlder(name, unusedMs)) unused.push(name);
      }
      if (unused.length === 0) return;
      // A job may rest for longer than that, and its file may be the only one with the person's changes.
      const { paths, unreadOwners } = await deps.needed();
      const needed = new Set(paths.map(nameOf));
      for (const name of unused)
        if (!needed.has(name) && !(await mayBeOf(name, unreadOwners))) await removeOlder(name, unusedMs);
    },
  };

  /** A copy without an owner may be of any connection. */
  async function mayBeOf(name: string, owners: readonly string[]): Promise<boolean> {
    if (owners.length === 0) return false;
    const own = await ownersOf(join(folder, name));
    return own.length === 0 || own.some((owner) => owners.includes(owner));
  }

  async function isOlder(name: string, mostMs: number): Promise<boolean> {
    // Null if another process deleted it, or gave it its final name.
    const found = await stat(join(folder, name)).catch(() => null);
    return found !== null && clock.nowMs() - found.mtimeMs >= mostMs;
  }

  async function removeOlder(name: string, mostMs: number): Promise<void> {
    if (!(await isOlder(name, mostMs))) return;
    await rm(join(folder, name), WITH_RETRIES);
    logger.info('readable copy removed: not used for long', { copy: name });
  }

  /** Name of the copy that contains this path; null if the path is outside the folder of the copies. */
  function nameOf(path: string): string | null {
    const within = relative(folder, path);
    const [name = ''] = within.split(sep);
    return name === '' || name === '..' || isAbsolute(within) ? null : name;
  }

  async function touchFolder(home: string): Promise<void> {
    const now = clock.nowMs() / 1_000;
    await utimes(home, now, now);
  }
}

const ended = () => new AppError('CANCELLED', 'The file is not read: its connection was closed.');

/** A column that the file declares as bytes instead of text. */
interface BytesColumn {
  column: string;
  values: number;
  /** True if all values of the column are valid text and were read as text. */
  isText: boolean;
}

const MAX_NAMED_COLUMNS = 5;

function firstColumns(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED_COLUMNS;
  const more = rest > 0 ? ` and ${counted(rest, 'more column', 'more columns')}` : '';
  return `${names.slice(0, MAX_NAMED_COLUMNS).join(', ')}${more}`;
}

function bytesNotes(bytes: readonly BytesColumn[]): string[] {
  const named = (isText: boolean): string => {
    const columns = bytes.filter((each) => each.isText === isText);
    return firstColumns(columns.map(({ column, values }) => `${column} (${counted(values, 'value')})`));
  };
  const [text, binary] = [named(true), named(false)];
  return [
    ...(text === '' ? [] : [`Bytes that are text in UTF-8, read as text: ${text}.`]),
    ...(binary === '' ? [] : [`Bytes that are not text, written as base64: ${binary}.`]),
  ];
}

/**
 * Copies of each version of the conversion are separate, because unfinished jobs continue to read those of an earlier
 * one.
 */
function copyKey({ path, member, state }: PackedFile, sheet: string | null, reading: string): string {
  const text = JSON.stringify([path, member, state.sizeBytes, state.mtimeMs, sheet, reading]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Returns whether the folder still existed when it was renamed. */
async function isThere(renaming: Promise<void>): Promise<boolean> {
  try {
    await renaming;
    return true;
  } catch (problem) {
    if (problem instanceof Error && 'code' in problem && problem.code === 'ENOENT') return false;
    throw problem;
  }
}

async function formatAt(path: string, name: string): Promise<PackedFormat | null> {
  const file = await openRaw(path);
  try {
    return (await formatOf(file.handle, path, name)).format;
  } finally {
    await file.close();
  }
}
