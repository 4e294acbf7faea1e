/**
 * Readable copies of packed files. Whatever is not text (gzip, Parquet, Excel, a file in an archive) is written once as
 * text into the data folder, and everything else reads that copy as it reads any text file: exact resuming, checking
 * and receipts have one way. The copy of a file is found again as long as the file is the same. Beside each copy stands
 * for which connections it was made or used: it goes with the last of them.
 */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import type { Clock, Logger, Random } from '../../core/ports.ts';
import { type StallLimits, stalledError } from '../../core/stall-watch.ts';
import { WHOLE_FOLDER, whenFreeLater } from '../../shared/busy-files.ts';
import { counted } from '../../shared/count-text.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { checkSameState, type FileState, readFileState } from '../file-state.ts';
import { openRaw, readAt } from '../readers/raw-file.ts';
import { runInWorker, type StallWatch } from '../worker/worker-client.ts';
import { type CopyChange, type CopyFacts, copyFacts, FACTS_FILE, TEXT_FOLDER } from './copy-facts.ts';
import { PACKED_HEAD_BYTES, type PackedFormat, packedFormat, unpackedName } from './packed-format.ts';
import type { ZipMember } from './unpack-stream.ts';

const DAY_MS = 86_400_000;
/** A file in an archive may be compressed itself, and an archive in an archive is not followed. */
const MOST_STEPS = 3;
/** Has an empty file for each connection, so that two processes do not write into each other's. */
const OWNERS_FOLDER = 'for';
const OWNER = /^[\w-]{1,100}$/;
/** What a killed program left unfinished; no making takes so long. */
const UNFINISHED_MS = 86_400_000;
/** End of the name of what is being removed: nobody finds it any more. */
const GONE = '.gone';

/** A file as it was dropped. */
export interface PackedFile {
  path: string;
  /** Inside the archive `path`, or null. */
  member: string | null;
  name: string;
  state: FileState;
  format: PackedFormat;
}

export interface ReadableCopy extends CopyFacts {
  path: string;
}

/** Id of the connection that a copy is for; null: for none, as where a person looks at a file alone. */
type Owner = string | null;

export interface UnpackedCopies {
  /** The copy as text, made where it is not there. Rejects with FILE_* errors, DISK_FULL, INVALID_ARGUMENT. */
  of(file: PackedFile, sheet: string | null, owner: Owner): Promise<ReadableCopy>;
  /** The copy if it is there. */
  find(file: PackedFile, sheet: string | null, owner: Owner): Promise<ReadableCopy | null>;
  /** The files in an archive, at most `most` of them. Rejects with FILE_* errors. */
  members(path: string, most: number): Promise<{ members: ZipMember[]; total: number }>;
  /** It is still needed: by a job that has not ended. Any path may be given. */
  touch(path: string, owner: Owner): Promise<void>;
  /** The connection was forgotten: what was made for it alone goes. */
  forget(connectionId: string): Promise<void>;
  /**
   * Removes what nothing has read for so many days (it is made again from its file), what is for connections that were
   * forgotten, and what a killed program left unfinished.
   */
  sweep(unusedDays: number): Promise<void>;
}

interface CopiesDeps {
  folder: string;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Is there a connection with this id, as far as it is stored? */
  isKnown: (connectionId: string) => boolean;
  /** When a thread that gets no further is ended; the other files have threads of their own. */
  stallLimits: StallLimits;
  /** Writes the rows of a Parquet file as JSON lines. */
  parquetToJsonLines: (
    source: string,
    target: string,
  ) => Promise<{ bytes: readonly BytesColumn[]; changes: readonly CopyChange[] }>;
}

export function createUnpackedCopies(deps: CopiesDeps): UnpackedCopies {
  const { folder, clock, random, logger } = deps;
  /** One making at a time of each. */
  const making = new Map<string, Promise<ReadableCopy>>();

  const watched = async (path: string, name: string): Promise<{ stall: StallWatch }> => {
    const { sizeBytes } = await readFileState(path);
    const asError = (byte: number, cause?: unknown) => stalledError(name, { byte, sizeBytes }, cause);
    return { stall: { clock, limits: deps.stallLimits, asError } };
  };

  const own = async (home: string, owner: Owner): Promise<void> => {
    if (owner === null || !OWNER.test(owner)) return;
    // Not the folder above it: what was removed meanwhile must not come back empty.
    await mkdir(join(home, OWNERS_FOLDER), { mode: 0o700 }).catch((problem: NodeJS.ErrnoException) => {
      if (problem.code !== 'EEXIST') throw problem;
    });
    await writeFile(join(home, OWNERS_FOLDER, owner), '', { mode: 0o600 });
  };
  const ownersOf = (home: string): Promise<string[]> => readdir(join(home, OWNERS_FOLDER)).catch(() => []);

  /** Removes the copy where it was for these alone; answers whether it did. */
  const release = async (home: string, isOver: (owner: string) => boolean): Promise<boolean> => {
    const owners = await ownersOf(home);
    const over = owners.filter(isOver);
    if (over.length === 0) return false;
    if (over.length < owners.length) {
      await Promise.all(over.map((owner) => rm(join(home, OWNERS_FOLDER, owner), { force: true })));
      return false;
    }
    // Away at once, so that nobody finds half of it.
    const gone = `${home}.${random.uuid()}${GONE}`;
    // Another process removed it, or its making gave it its final name.
    if (!(await isThere(whenFreeLater(() => rename(home, gone))))) return true;
    if (!(await ownersOf(gone)).every(isOver)) {
      // Another connection began to use it just now.
      await isThere(whenFreeLater(() => rename(gone, home)));
      return release(home, isOver);
    }
    await rm(gone, WHOLE_FOLDER);
    return true;
  };

  /** Work on copies of each connection, which ends before the connection is forgotten whole. */
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

  const find = async (file: PackedFile, sheet: string | null, owner: Owner): Promise<ReadableCopy | null> => {
    const home = join(folder, keyOf(file, sheet));
    try {
      const found = copyFacts.parse(JSON.parse(await readFile(join(home, FACTS_FILE), 'utf8')));
      const path = join(home, TEXT_FOLDER, basename(file.name));
      await stat(path);
      await own(home, owner);
      await touchFolder(home);
      return { ...found, path };
    } catch {
      // Not there, or half there: it is made again.
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
      // Before it has its name: a copy that nobody is said to own would outlive its connection.
      await own(draft, owner);
      await rm(home, WHOLE_FOLDER);
      await whenFreeLater(() => rename(draft, home));
      return { ...found, path: join(home, TEXT_FOLDER, basename(file.name)) };
    } catch (problem) {
      await rm(draft, WHOLE_FOLDER);
      throw toAppError(problem);
    }
  };

  async function unpackAll(file: PackedFile, sheet: string | null, target: string): Promise<CopyFacts> {
    const all: CopyFacts = { notes: [], sheet: null, sheets: [], layout: null, changes: [] };
    let source = file.path;
    let { name } = file;
    let format: PackedFormat | null = file.format;
    for (let step = 1; format !== null; step += 1) {
      if (step > MOST_STEPS || (step > 1 && format === 'zip')) {
        throw new AppError('FILE_BINARY', `${file.name} contains another archive. Unpack it first.`, {
          file: file.name,
        });
      }
      const next = `${target}.${step}`;
      if (format === 'parquet') {
        const { bytes, changes } = await deps.parquetToJsonLines(source, next);
        all.changes.push(...changes);
        all.notes.push('Parquet: the file states the names and types of its columns.', ...bytesNotes(bytes));
        all.layout = 'typed-rows';
      } else {
        const { member } = file;
        const input = { path: source, name, format, member, sheet, target: next };
        const found = await runInWorker('unpack', input, await watched(source, name));
        all.notes.push(...found.notes);
        all.changes.push(...found.changes);
        all.sheet ??= found.sheet;
        all.layout = found.layout;
        if (found.sheets.length > 0) all.sheets = found.sheets;
      }
      if (source !== file.path) await rm(source);
      source = next;
      name = format === 'zip' ? (file.member ?? name) : unpackedName(name);
      // What these made is text; only what was compressed may be anything.
      format = ['gzip', 'zstd', 'brotli', 'zip'].includes(format) ? await formatOf(next, name) : null;
    }
    // Such a table has columns, and bytes of its own: only what is read of it is empty.
    if (all.layout === 'typed-rows' && (await stat(source)).size === 0)
      throw new AppError('FILE_EMPTY', `${file.name} has no rows.`, { file: file.name });
    await whenFreeLater(() => rename(source, target));
    return all;
  }

  const copyOf: UnpackedCopies['of'] = async (file, sheet, owner) => {
    const key = keyOf(file, sheet);
    const home = join(folder, key);
    if (!making.has(key)) {
      const found = await find(file, sheet, owner);
      if (found !== null) return found;
    }
    const made = making.get(key) ?? make(file, sheet, owner).finally(() => making.delete(key));
    making.set(key, made);
    const copy = await made;
    await own(home, owner);
    if (owner !== null && !deps.isKnown(owner)) await release(home, (each) => each === owner);
    return copy;
  };

  return {
    find,
    of: (file, sheet, owner) => noted(owner, copyOf(file, sheet, owner)),
    members: async (path, most) => {
      const name = basename(path);
      return runInWorker('list-members', { path, name, most }, await watched(path, name));
    },
    touch: async (path, owner) => {
      const within = relative(folder, path);
      const [key = ''] = within.split(sep);
      if (key === '' || key === '..' || isAbsolute(within)) return;
      const home = join(folder, key);
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
      const names = await readdir(folder).catch(() => []);
      for (const name of names) {
        const path = join(folder, name);
        if (name.endsWith(GONE)) {
          await rm(path, WHOLE_FOLDER);
          continue;
        }
        if (await release(path, (owner) => !deps.isKnown(owner))) {
          logger.info('readable copy removed: its connection was forgotten', { copy: name });
          continue;
        }
        const found = await stat(path).catch(() => null);
        // Another process removed it, or gave it its name.
        if (found === null) continue;
        const mostMs = name.endsWith('.part') ? UNFINISHED_MS : unusedDays * DAY_MS;
        if (clock.nowMs() - found.mtimeMs < mostMs) continue;
        await rm(path, WHOLE_FOLDER);
        logger.info('readable copy removed: not used for long', { copy: name });
      }
    },
  };

  async function touchFolder(home: string): Promise<void> {
    const now = clock.nowMs() / 1_000;
    await utimes(home, now, now);
  }
}

/** A column that the file marks as bytes, not as text. */
interface BytesColumn {
  column: string;
  values: number;
  /** All of its values are text, and were read so. */
  isText: boolean;
}

const MAX_NAMED_COLUMNS = 5;

function bytesNotes(bytes: readonly BytesColumn[]): string[] {
  const named = (isText: boolean): string => {
    const columns = bytes.filter((each) => each.isText === isText);
    const rest = columns.length - MAX_NAMED_COLUMNS;
    const first = columns.slice(0, MAX_NAMED_COLUMNS);
    return (
      first.map(({ column, values }) => `${column} (${counted(values, 'value')})`).join(', ') +
      (rest > 0 ? ` and ${counted(rest, 'more column', 'more columns')}` : '')
    );
  };
  const [text, binary] = [named(true), named(false)];
  return [
    ...(text === '' ? [] : [`Bytes that are text in UTF-8, read as text: ${text}.`]),
    ...(binary === '' ? [] : [`Bytes that are no text, written as base64: ${binary}.`]),
  ];
}

function keyOf({ path, member, state }: PackedFile, sheet: string | null): string {
  const text = JSON.stringify([path, member, state.sizeBytes, state.mtimeMs, sheet]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Answers whether the folder was still there to be renamed. */
async function isThere(renaming: Promise<void>): Promise<boolean> {
  try {
    await renaming;
    return true;
  } catch (problem) {
    if (problem instanceof Error && 'code' in problem && problem.code === 'ENOENT') return false;
    throw problem;
  }
}

async function formatOf(path: string, name: string): Promise<PackedFormat | null> {
  const file = await openRaw(path);
  try {
    return packedFormat(name, await readAt(file.handle, path, 0, PACKED_HEAD_BYTES));
  } finally {
    await file.close();
  }
}
