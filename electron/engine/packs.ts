/** The packs of this process: creates them, opens them as connections, and cancels both. A thread does the work. */

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createLayoutFile } from '../connections/layout-file.ts';
import { wireError } from '../core/jobs/job-record.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import { systemIdentity } from '../db/process-identity.ts';
import { targetOf } from '../export/files.ts';
import { partName } from '../pack/pack-file.ts';
import type { DataPaths } from '../platform/paths.ts';
import { WITH_RETRIES, whenFreeLater } from '../shared/busy-files.ts';
import { cutText } from '../shared/cut-text.ts';
import { detached } from '../shared/detached.ts';
import { AppError, fromWire, toAppError } from '../shared/errors.ts';
import { type Connection, PACK_URL } from '../shared/model.ts';
import {
  MIN_PASSPHRASE,
  type PackChoice,
  type PackMade,
  type PackManifest,
  type PackPlan,
  packManifest,
} from '../shared/pack-model.ts';
import { scriptPath } from '../shared/script-path.ts';
import * as z from '../shared/zod.ts';
import type { PackTask } from './pack-task.ts';

export interface Packs {
  /** The available choices, and the size of the present choice. Sends no requests. */
  plan(connectionId: string, choice: PackChoice): Promise<PackPlan>;
  /**
   * Writes a pack. Throws INVALID_ARGUMENT, CONFLICT if a pack is being written to this file, DISK_FULL,
   * FILE_UNREADABLE, CANCELLED; then there is no file, or still the earlier one.
   */
  create(connectionId: string, choice: PackChoice, path: string, passphrase: string): Promise<PackMade>;
  /** Reads the manifest of a pack. */
  show(path: string, passphrase: string): Promise<PackManifest>;
  /**
   * Opens a pack as a read-only connection. Throws PASSPHRASE_WRONG, FILE_MALFORMED, FILE_NEWER, DISK_FULL, CANCELLED;
   * then there is no connection.
   */
  open(path: string, passphrase: string): Promise<Connection>;
  /** Cancels the running task. */
  cancel(): Promise<void>;
}

interface PacksDeps {
  paths: DataPaths;
  clock: Clock;
  random: Random;
  logger: Logger;
  connections: () => readonly Connection[];
  add: (connection: Connection) => void;
  onShare: (share: number) => void;
  /** Throws FORBIDDEN if the list of private fields was lost. */
  checkPrivateFields: () => void;
}

/** File that marks the folder of a connection that is not yet in the list of connections. */
const MARKER = 'opening';
/**
 * Name of a note in the data folder while a pack is being created. It contains the name of the partial file that a kill
 * would leave.
 */
const UNFINISHED = /^pack-(\d+)-.+\.unfinished$/;
const reply = z.union([
  z.object({ share: z.number() }),
  z.object({ error: wireError }),
  z.object({ value: z.unknown() }),
]);

export function createPacks(deps: PacksDeps): Packs {
  const { paths, clock, random, logger } = deps;
  const threads = new Set<Worker>();
  /** Files that are being written, in lower case, because a disk may ignore case. */
  const targets = new Set<string>();
  let cancellations = 0;
  removeHalfDone(deps).catch((thrown: unknown) =>
    logger.warn('half made or opened packs not removed', { reason: toAppError(thrown).message }),
  );

  const run = (task: PackTask): Promise<unknown> => {
    const script = new URL(scriptPath('./pack-worker.ts', import.meta.url), import.meta.url);
    const thread = new Worker(script, { name: `${task.kind} a pack` });
    threads.add(thread);
    const answer = answerOf(thread, deps.onShare).finally(() => {
      threads.delete(thread);
      detached('ending the thread of a pack', thread.terminate());
    });
    thread.postMessage(task);
    return answer;
  };
  const sourceOf = (connectionId: string, choice: PackChoice) => ({
    libraryFile: paths.libraryDb(connectionId),
    layout: createLayoutFile(paths.layoutFile(connectionId), logger).read(),
    choice,
  });
  const named = (connectionId: string) => {
    const found = deps.connections().find(({ id }) => id === connectionId);
    if (found === undefined)
      throw new AppError('NOT_FOUND', 'This connection no longer exists. Choose another one.');
    if (!existsSync(paths.libraryDb(connectionId))) {
      throw new AppError('NOT_STORED', `Nothing of ${found.name} is stored on this computer yet.`);
    }
    return found;
  };

  return {
    plan: async (connectionId, choice) => {
      named(connectionId);
      // Safe cast: the answer comes from this application's thread, which used these types.
      return (await run({ kind: 'plan', ...sourceOf(connectionId, choice) })) as PackPlan;
    },
    create: async (connectionId, choice, path, passphrase) => {
      const { name } = named(connectionId);
      deps.checkPrivateFields();
      if (passphrase.length < MIN_PASSPHRASE) {
        throw new AppError(
          'INVALID_ARGUMENT',
          `Expected a passphrase of at least ${MIN_PASSPHRASE} characters, got ${passphrase.length}.`,
        );
      }
      const { applications, datasets, experiments, charts } = choice;
      if ([...applications, ...datasets, ...experiments, ...charts].length === 0) {
        throw new AppError(
          'INVALID_ARGUMENT',
          'Expected an application, dataset, experiment or chart to pack; none was chosen.',
        );
      }
      const before = cancellations;
      const target = await targetOf(resolve(path));
      // Cancelled before there was a thread that could be ended.
      if (cancellations !== before) throw cancelled();
      // Both would write to the same partial file.
      if (targets.has(target.toLowerCase())) throw busy(target);
      const source = sourceOf(connectionId, choice);
      const task = { ...source, path: target, passphrase, name, nowMs: clock.nowMs() };
      const note = join(paths.dataDir, `pack-${process.pid}-${random.uuid()}.unfinished`);
      writeFileSync(note, partName(target, process.pid), { mode: 0o600 });
      targets.add(target.toLowerCase());
      try {
        return (await run({ kind: 'create', ...task })) as PackMade;
      } finally {
        // The thread may have been ended while it was writing.
        await removeUnfinished(note);
        targets.delete(target.toLowerCase());
      }
    },
    show: async (path, passphrase) => packManifest.parse(await run({ kind: 'show', path, passphrase })),
    open: async (path, passphrase) => {
      const id = random.uuid();
      // The folder has a temporary name with the number of this process, so that the next start can recognize and
      // remove it after a kill.
      const folder = join(paths.connectionsDir, `${id}.${process.pid}.${MARKER}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        const manifest = packManifest.parse(
          await run({ kind: 'open', path, passphrase, connectionId: id, folder }),
        );
        await writeFile(join(folder, MARKER), '', { mode: 0o600 });
        await whenFreeLater(() => rename(folder, paths.connectionDir(id)));
        const connection = connectionOf(id, manifest, basename(path), clock.nowMs());
        deps.add(connection);
        await whenFreeLater(() => rm(join(paths.connectionDir(id), MARKER), { force: true }));
        logger.info('pack opened', { rows: manifest.rows, lists: manifest.lists });
        return connection;
      } catch (problem) {
        await rm(folder, WITH_RETRIES);
        throw problem;
      }
    },
    cancel: async () => {
      cancellations += 1;
      await Promise.all([...threads].map((thread) => thread.terminate()));
    },
  };
}

function connectionOf(id: string, manifest: PackManifest, fileName: string, nowMs: number): Connection {
  const { name, madeAtMs, oldestMs, newestMs, redact } = manifest;
  return {
    id,
    kind: 'pack',
    name: `${cutText(name, 73)} (pack)`,
    baseUrl: PACK_URL,
    colour: 'slate',
    isReadOnly: true,
    allowsPlainHttp: false,
    proxyUrl: null,
    extraCaFile: null,
    tokenStorage: 'memory',
    tokenHint: null,
    createdAtMs: nowMs,
    pack: { fileName: cutText(fileName, 200), madeAtMs, oldestMs, newestMs, redact },
  };
}

/** Removes the file named in a note, then the note. */
async function removeUnfinished(note: string): Promise<void> {
  const part = await readFile(note, 'utf8').catch(() => '');
  // Removes only files with such a generated name.
  if (/^\..+\.\d+\.part$/.test(basename(part))) await whenFreeLater(() => rm(part, { force: true }));
  await whenFreeLater(() => rm(note, { force: true }));
}

/** Removes the remains of packs that a killed process was creating or opening. */
async function removeHalfDone({ paths, connections }: PacksDeps): Promise<void> {
  const { isRunning } = systemIdentity();
  for (const name of readdirSync(paths.dataDir)) {
    const [, pid] = UNFINISHED.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) await removeUnfinished(join(paths.dataDir, name));
  }
  if (!existsSync(paths.connectionsDir)) return;
  const known = new Set(connections().map(({ id }) => id));
  for (const name of readdirSync(paths.connectionsDir)) {
    const folder = join(paths.connectionsDir, name);
    const pid = name.endsWith(`.${MARKER}`) ? Number(name.split('.')[1]) : null;
    if (pid !== null && !isRunning(pid)) await rm(folder, WITH_RETRIES);
    if (pid !== null || (await stat(join(folder, MARKER)).catch(() => null)) === null) continue;
    if (known.has(name)) await whenFreeLater(() => rm(join(folder, MARKER), { force: true }));
    else await rm(folder, WITH_RETRIES);
  }
}

function answerOf(thread: Worker, onShare: (share: number) => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    thread.on('message', (message: unknown) => {
      const parsed = reply.parse(message);
      if ('share' in parsed) onShare(parsed.share);
      else if ('error' in parsed) reject(fromWire(parsed.error));
      else resolve(parsed.value);
    });
    thread.once('error', (problem) => reject(toAppError(problem)));
    thread.once('exit', () => reject(cancelled()));
  });
}

const busy = (path: string) =>
  new AppError(
    'CONFLICT',
    `${basename(path)} is already being written. Wait until it is finished, or choose another file.`,
  );

const cancelled = () => new AppError('CANCELLED', 'Cancelled. Nothing was written or opened.');
