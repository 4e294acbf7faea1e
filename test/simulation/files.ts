/**
 * File operations as steps: the work is done synchronously when its step is chosen, so that the thread pool decides no
 * order. Times of files are virtual too.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve as absolute } from 'node:path';
import { openDatabasesOf } from './databases.ts';
import { type Draw, drawOf } from './draw.ts';
import { type Life, START_MS, type World } from './world.ts';

type Work = () => unknown;
type Path = fs.PathLike;
type Any = (...given: never[]) => unknown;

/** Maximum duration of one operation, in ms. */
const MAX_OPERATION_MS = 2;

/** Whether write operations fail now because of a full disk. */
export interface Disk {
  isFull: boolean;
}

export function replaceFiles(world: World, disk: Disk): void {
  new Replacement(world, disk).install();
}

/** Open files of each life, which are closed when it is killed. */
const openOf = new Map<Life, Set<number>>();

export function closeFilesOf(life: Life): void {
  for (const [owner, open] of openOf) {
    if (!owner.isOf(life)) continue;
    for (const fd of open) fs.closeSync(fd);
    openOf.delete(owner);
  }
}

/** Lists the open descriptors of the real process, which all simulated processes share. */
const DESCRIPTORS = '/dev/fd';

/** The open descriptors of one simulated process, for its files and the files of its stores. */
function descriptorsOf<T>(life: Life, names: T): T {
  if (!Array.isArray(names)) return names;
  const own = new Set([...openOf].flatMap(([owner, open]) => (owner.isOf(life.process) ? [...open] : [])));
  const stores = new Set(
    openDatabasesOf(life.process).flatMap((file) =>
      STORE_FILES.flatMap((end) => fs.statSync(`${file}${end}`, { throwIfNoEntry: false })?.ino ?? []),
    ),
  );
  const isOwn = (name: unknown): boolean => {
    const descriptor = Number(name);
    return own.has(descriptor) || stores.has(inodeOf(descriptor) ?? -1);
  };
  return names.filter(isOwn) as T;
}

const STORE_FILES = ['', '-wal', '-shm'] as const;

/** Returns null for a descriptor that was closed in the meantime. */
function inodeOf(descriptor: number): number | null {
  try {
    return fs.fstatSync(descriptor).ino;
  } catch (problem) {
    if (problem instanceof Error) return null;
    throw problem;
  }
}

class Replacement {
  readonly #world: World;
  readonly #disk: Disk;
  readonly #draw: Draw;
  /** Virtual modification times by path. */
  readonly #changed = new Map<string, number>();
  readonly #pathOf = new Map<number, string>();

  constructor(world: World, disk: Disk) {
    this.#world = world;
    this.#disk = disk;
    this.#draw = drawOf(world.seed, 'duration of file operations');
  }

  install(): void {
    this.#replaceSync();
    this.#replaceCallbacks();
    this.#replacePromises();
    syncBuiltinESMExports();
  }

  #later(life: Life, label: string, run: () => void): void {
    const delayMs = this.#draw.next() * MAX_OPERATION_MS;
    this.#world.add({ life, kind: 'file', label, delayMs, run });
  }

  #touch(path: unknown): void {
    if (typeof path === 'string') this.#changed.set(absolute(path), this.#world.wallMs(this.#world.life()));
  }

  /** Write operations fail in a life that has ended, and on a full disk. */
  #checkWritable(): void {
    const life = this.#world.life();
    if (life === undefined) return;
    if (life.isGone) throw failure('EIO', 'The process has ended.');
    if (this.#disk.isFull && life.isOnComputer) throw failure('ENOSPC', 'no space left on device');
  }

  #withTimes<S>(stats: S, path: string | undefined): S {
    if (stats === undefined || stats === null || this.#world.life() === undefined) return stats;
    const changedMs = (path === undefined ? undefined : this.#changed.get(absolute(path))) ?? START_MS;
    const at = new Date(changedMs);
    const isBig = typeof (stats as { mtimeMs?: unknown }).mtimeMs === 'bigint';
    const ms = isBig ? BigInt(changedMs) : changedMs;
    const ns = BigInt(changedMs) * 1_000_000n;
    return Object.assign(stats as object, {
      ...{ mtimeMs: ms, ctimeMs: ms, atimeMs: ms, birthtimeMs: ms },
      ...{ mtime: at, ctime: at, atime: at, birthtime: at },
      ...(isBig ? { mtimeNs: ns, ctimeNs: ns, atimeNs: ns, birthtimeNs: ns } : {}),
    }) as S;
  }

  #replaceSync(): void {
    const real = { ...fs };
    const writing = (name: 'writeFileSync' | 'appendFileSync' | 'utimesSync' | 'mkdirSync' | 'writeSync') => {
      const original = real[name] as Any;
      Object.assign(fs, {
        [name]: (...given: never[]) => {
          if (name !== 'utimesSync') this.#checkWritable();
          const first: unknown = given[0];
          this.#touch(typeof first === 'number' ? this.#pathOf.get(first) : first);
          return original(...given);
        },
      });
    };
    for (const name of ['writeFileSync', 'appendFileSync', 'utimesSync', 'mkdirSync', 'writeSync'] as const)
      writing(name);
    const moving = (name: 'renameSync' | 'copyFileSync' | 'linkSync') => {
      const original = real[name] as Any;
      Object.assign(fs, {
        [name]: (from: string, to: string, ...rest: never[]) => {
          this.#checkWritable();
          const result = original(from as never, to as never, ...rest);
          const known = this.#changed.get(absolute(from));
          if (known === undefined || name === 'copyFileSync') this.#touch(to);
          else this.#changed.set(absolute(to), known);
          return result;
        },
      });
    };
    for (const name of ['renameSync', 'copyFileSync', 'linkSync'] as const) moving(name);
    const writesWith = (flags: unknown) =>
      typeof flags === 'string' ? /[wa+]/.test(flags) : typeof flags === 'number' && (flags & 3) !== 0;
    Object.assign(fs, {
      openSync: (path: Path, flags: fs.OpenMode = 'r', mode?: fs.Mode) => {
        const life = this.#world.life();
        if (writesWith(flags)) this.#checkWritable();
        const isNew = writesWith(flags) && !real.existsSync(path);
        const fd = real.openSync(path, flags, mode);
        if (isNew || (typeof flags === 'string' && flags.startsWith('w'))) this.#touch(String(path));
        this.#pathOf.set(fd, String(path));
        if (life !== undefined) {
          const open = openOf.get(life) ?? new Set();
          openOf.set(life, open.add(fd));
        }
        return fd;
      },
      closeSync: (fd: number) => {
        this.#pathOf.delete(fd);
        for (const open of openOf.values()) open.delete(fd);
        real.closeSync(fd);
      },
      statSync: (path: string, options?: fs.StatSyncOptions) =>
        this.#withTimes(real.statSync(path, options), path),
      lstatSync: (path: string, options?: fs.StatSyncOptions) =>
        this.#withTimes(real.lstatSync(path, options), path),
      fstatSync: (fd: number, options?: fs.StatOptions) =>
        this.#withTimes(real.fstatSync(fd, options), this.#pathOf.get(fd)),
      readdirSync: (...given: Parameters<typeof real.readdirSync>) => {
        const life = this.#world.life();
        const names = sorted(real.readdirSync(...given));
        return life === undefined || given[0] !== DESCRIPTORS ? names : descriptorsOf(life, names);
      },
      mkdtempSync: (prefix: string) => {
        const life = this.#world.life();
        if (life === undefined) return real.mkdtempSync(prefix);
        const path = `${prefix}${this.#draw.hex(6)}`;
        fs.mkdirSync(path, { mode: 0o700 });
        return path;
      },
      fsyncSync: (fd: number) => (this.#world.life() === undefined ? real.fsyncSync(fd) : undefined),
      fdatasyncSync: (fd: number) => (this.#world.life() === undefined ? real.fdatasyncSync(fd) : undefined),
      readFileSync: (...given: Parameters<typeof real.readFileSync>) =>
        this.#world.life() !== undefined && given[0] === '/proc/sys/kernel/random/boot_id'
          ? 'simulated-start'
          : real.readFileSync(...given),
      statfsSync: (...given: Parameters<typeof real.statfsSync>) =>
        this.#world.life() === undefined ? real.statfsSync(...given) : freeSpace(this.#disk),
    });
  }

  #replaceCallbacks(): void {
    const real = { ...fs };
    const replace = (
      name: string,
      work: (given: unknown[]) => unknown,
      extra: (result: unknown) => unknown[],
    ) => {
      const original = (real as unknown as Record<string, Any>)[name];
      Object.assign(fs, {
        [name]: (...given: unknown[]) => {
          const callback = given.at(-1) as (...answer: unknown[]) => void;
          const life = this.#world.life();
          if (life === undefined) return original?.(...(given as never[]));
          this.#later(life, name, () => {
            let answer: unknown[];
            try {
              const result = work(given.slice(0, -1));
              answer = [null, ...extra(result)];
            } catch (problem) {
              answer = [problem];
            }
            callback(...answer);
          });
          return undefined;
        },
      });
    };
    const one = (result: unknown) => [result];
    const none = () => [];
    replace(
      'open',
      ([path, flags, mode]) => fs.openSync(path as Path, (flags ?? 'r') as string, mode as number),
      one,
    );
    replace('close', ([fd]) => fs.closeSync(fd as number), none);
    replace('fsync', none, none);
    replace('fdatasync', none, none);
    replace('fstat', ([fd]) => fs.fstatSync(fd as number), one);
    replace('stat', ([path]) => fs.statSync(path as Path), one);
    replace(
      'read',
      ([fd, buffer, offset, length, position]) =>
        fs.readSync(
          fd as number,
          buffer as Buffer,
          offset as number,
          length as number,
          position as number | null,
        ),
      one,
    );
    replace(
      'write',
      ([fd, buffer, ...rest]) =>
        fs.writeSync(fd as number, buffer as Buffer, ...(rest as [number, number, number])),
      one,
    );
    replace('writev', ([fd, buffers, position]) => this.#writeAll(fd, buffers, position), one);
  }

  #writeAll(fd: unknown, buffers: unknown, position: unknown): number {
    this.#checkWritable();
    this.#touch(this.#pathOf.get(fd as number));
    return fs.writevSync(fd as number, buffers as NodeJS.ArrayBufferView[], position as number | undefined);
  }

  #replacePromises(): void {
    const { promises } = fs;
    const real = { ...promises } as unknown as Record<string, Any>;
    const replace = (name: string, work: (given: unknown[]) => unknown) => {
      const original = real[name];
      Object.assign(promises, {
        [name]: (...given: unknown[]) => {
          const life = this.#world.life();
          if (life === undefined) return original?.(...(given as never[]));
          return this.#promised(life, name, () => work(given));
        },
      });
    };
    const direct = (name: string) => {
      const sync = `${name}Sync`;
      replace(name, (given) => (fs as unknown as Record<string, Any>)[sync]?.(...(given as never[])));
    };
    for (const name of ['stat', 'lstat', 'readdir', 'mkdir', 'rename', 'utimes', 'access', 'chmod'])
      direct(name);
    for (const name of ['readlink', 'mkdtemp', 'statfs', 'copyFile', 'unlink', 'realpath', 'link'])
      direct(name);
    replace('rm', ([path, options]) => {
      if (this.#world.life()?.isGone === true) throw failure('EIO', 'The process has ended.');
      fs.rmSync(path as Path, options as fs.RmOptions);
    });
    replace('readFile', ([file, options]) =>
      file instanceof VirtualHandle
        ? fs.readFileSync(file.fd, options as null)
        : fs.readFileSync(file as Path, options as null),
    );
    replace('writeFile', ([file, data, options]) => {
      fs.writeFileSync(file as Path, data as string, options as fs.WriteFileOptions);
    });
    replace('appendFile', ([file, data, options]) => {
      fs.appendFileSync(file as Path, data as string, options as fs.WriteFileOptions);
    });
    replace('opendir', ([path]) => entriesOf(fs.readdirSync(path as Path, { withFileTypes: true })));
    replace('open', ([path, flags, mode]) => {
      const fd = fs.openSync(path as Path, (flags ?? 'r') as string, mode as number);
      return new VirtualHandle(fd, (label, work) => {
        const life = this.#world.life();
        return life === undefined ? Promise.resolve(work()) : this.#promised(life, label, work);
      });
    });
  }

  #promised(life: Life, label: string, work: Work): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#later(life, label, () => {
        try {
          resolve(work());
        } catch (problem) {
          reject(problem as Error);
        }
      });
    });
  }
}

type Promised = (label: string, work: Work) => Promise<unknown>;

/** The result of `open` of `node:fs/promises`. */
class VirtualHandle {
  readonly fd: number;
  readonly #promised: Promised;
  #isClosed = false;

  constructor(fd: number, promised: Promised) {
    this.fd = fd;
    this.#promised = promised;
  }

  read(first: unknown, ...rest: unknown[]): Promise<unknown> {
    const isView = ArrayBuffer.isView(first);
    const options = (isView ? (typeof rest[0] === 'object' ? rest[0] : null) : first) as {
      buffer?: Buffer;
      offset?: number;
      length?: number;
      position?: number | null;
    } | null;
    const buffer = isView ? (first as Buffer) : (options?.buffer ?? Buffer.alloc(16_384));
    const offset = options?.offset ?? (typeof rest[0] === 'number' ? rest[0] : 0);
    const length = options?.length ?? (typeof rest[1] === 'number' ? rest[1] : buffer.byteLength - offset);
    const position = options === null ? ((rest[2] ?? null) as number | null) : (options.position ?? null);
    return this.#promised('read', () => ({
      bytesRead: fs.readSync(this.fd, buffer, offset, length, position),
      buffer,
    }));
  }

  write(data: Buffer | string, ...rest: unknown[]): Promise<unknown> {
    return this.#promised('write', () => ({
      bytesWritten: fs.writeSync(this.fd, data as Buffer, ...(rest as [number, number, number])),
      buffer: data,
    }));
  }

  readFile(options?: unknown): Promise<unknown> {
    return this.#promised('readFile', () => fs.readFileSync(this.fd, options as null));
  }

  writeFile(data: string, options?: unknown): Promise<unknown> {
    return this.#promised('writeFile', () => fs.writeFileSync(this.fd, data, options as fs.WriteFileOptions));
  }

  stat(options?: unknown): Promise<unknown> {
    return this.#promised('stat', () => fs.fstatSync(this.fd, options as fs.StatOptions));
  }

  sync(): Promise<unknown> {
    return this.#promised('sync', () => undefined);
  }

  datasync(): Promise<unknown> {
    return this.sync();
  }

  truncate(length?: number): Promise<unknown> {
    return this.#promised('truncate', () => fs.ftruncateSync(this.fd, length));
  }

  close(): Promise<unknown> {
    return this.#promised('close', () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      fs.closeSync(this.fd);
    });
  }

  [Symbol.asyncDispose](): Promise<unknown> {
    return this.close();
  }
}

async function* entriesOf(entries: readonly fs.Dirent[]): AsyncGenerator<fs.Dirent> {
  yield* entries;
}

function sorted<T>(names: T): T {
  if (Array.isArray(names))
    names.sort((first: unknown, second: unknown) => (nameOf(first) < nameOf(second) ? -1 : 1));
  return names;
}

function nameOf(entry: unknown): string {
  return typeof entry === 'object' && entry !== null && 'name' in entry ? String(entry.name) : String(entry);
}

const freeSpace = (disk: Disk) => ({
  ...{ type: 0, bsize: 4_096, blocks: 50_000_000, files: 1_000_000, ffree: 900_000 },
  ...{ bfree: disk.isFull ? 0 : 25_000_000, bavail: disk.isFull ? 0 : 25_000_000 },
});

function failure(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code, errno: -1, syscall: 'write' });
}
