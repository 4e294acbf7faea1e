/**
 * Records which connections this process has open, for other processes that use the data folder. An open read
 * transaction on a small separate file holds a lock, which the system releases whenever the process ends, even in a
 * container.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import type { Clock, Logger } from '../core/ports.ts';
import { whenFree } from '../shared/busy-files.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { momentText } from '../shared/local-time.ts';
import * as z from '../shared/zod.ts';
import { onlyReads } from './only-reads.ts';
import type { ProcessIdentity } from './process-identity.ts';

interface InUseDeps {
  folder: string;
  /** Identifies this object among those of all processes. */
  owner: string;
  process: Pick<ProcessIdentity, 'pid' | 'space' | 'isRunning'>;
  clock: Clock;
  logger: Logger;
}

/** Maximum wait for another process that is changing a connection. */
const MAX_WAIT_MS = 5_000;
const TRY_EVERY_MS = 100;

const holder = z.object({ pid: z.int(), space: z.string(), sinceMs: z.number() });
type Holder = z.infer<typeof holder>;

export class InUse {
  readonly #deps: InUseDeps;
  readonly #held = new Map<string, BetterSqlite.Database>();

  constructor(deps: InUseDeps) {
    this.#deps = deps;
  }

  /**
   * Marks a connection as in use; call it before the connection is opened. Throws CONFLICT while another process
   * changes or removes it.
   */
  async enter(id: string): Promise<void> {
    for (let waitedMs = 0; !this.#lock(id, 'shared'); waitedMs += TRY_EVERY_MS) {
      if (waitedMs >= MAX_WAIT_MS)
        throw this.#conflict(id, 'changes this connection. Wait until that has ended, then open it again.');
      await new Promise<void>((resolve) => {
        this.#deps.clock.setTimer(resolve, TRY_EVERY_MS);
      });
    }
    if (!onlyReads()) this.#write(id);
  }

  /** Ends the use; call it after the connection was closed in this process. */
  leave(id: string): void {
    this.#unlock(id);
    if (onlyReads()) return;
    whenFree(() => rmSync(this.#noteOf(id), { force: true }));
  }

  /**
   * Ensures that no other process has the connection open, until `leave` or `share`. If another process has, throws
   * CONFLICT and changes nothing. `message`: the rest of the error's sentence after the name of the other process.
   */
  beAlone(
    id: string,
    message = 'works with this connection. Close the connection there or wait until the work has ended, then try again. Nothing was changed.',
  ): void {
    const wasOpen = this.#held.has(id);
    this.#unlock(id);
    if (this.#lock(id, 'exclusive')) {
      // Removes the notes of killed processes.
      this.#removeNotes(id);
      return;
    }
    if (wasOpen) this.#lock(id, 'shared');
    throw this.#conflict(id, message);
  }

  /** Lets other processes open the connection again; call it after `beAlone`. Throws as `enter` does. */
  async share(id: string): Promise<void> {
    this.#unlock(id);
    await this.enter(id);
  }

  /** Deletes the file; call it after the connection was removed. */
  remove(id: string): void {
    this.leave(id);
    whenFree(() => rmSync(this.#fileOf(id), { force: true }));
    this.#removeNotes(id);
  }

  /**
   * Whether the lock was taken. Also true if locking is impossible, as in an unwritable folder; the connection is then
   * not protected.
   */
  #lock(id: string, how: 'shared' | 'exclusive'): boolean {
    const { logger } = this.#deps;
    let db: BetterSqlite.Database | null = null;
    try {
      if (!onlyReads()) this.#make(id);
      // A process that only reads changes nothing, so it needs no protection if the file does not exist.
      else if (!existsSync(this.#fileOf(id))) return true;
      db = new BetterSqlite(this.#fileOf(id), { timeout: 0, readonly: onlyReads() });
      // Reading takes the shared lock, which stays until the transaction ends.
      db.exec(how === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN');
      db.prepare('SELECT count(*) FROM sqlite_master').get();
      this.#held.set(id, db);
      return true;
    } catch (problem) {
      db?.close();
      if (isBusy(problem)) return false;
      logger.warn('use of a connection not noted', { reason: toAppError(problem).message });
      return true;
    }
  }

  /**
   * Creates the file, readable only by its owner. An existing file is not opened, because closing it would release the
   * locks of this process.
   */
  #make(id: string): void {
    const file = this.#fileOf(id);
    mkdirSync(this.#deps.folder, { recursive: true, mode: 0o700 });
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  }

  #unlock(id: string): void {
    this.#held.get(id)?.close();
    this.#held.delete(id);
  }

  #fileOf = (id: string): string => join(this.#deps.folder, `${id}.db`);
  #noteOf = (id: string): string => join(this.#deps.folder, `${id}.${this.#deps.owner}.json`);

  #notes(id: string): string[] {
    const isNote = (name: string) => name.startsWith(`${id}.`) && name.endsWith('.json');
    const { folder } = this.#deps;
    return existsSync(folder) ? readdirSync(folder).filter(isNote) : [];
  }

  #removeNotes(id: string): void {
    for (const name of this.#notes(id))
      whenFree(() => rmSync(join(this.#deps.folder, name), { force: true }));
  }

  /** Notes which process has the connection open, for messages. */
  #write(id: string): void {
    const { process, clock, logger } = this.#deps;
    const note: Holder = { pid: process.pid, space: process.space, sinceMs: clock.nowMs() };
    try {
      writeFileSync(this.#noteOf(id), JSON.stringify(note), { mode: 0o600 });
    } catch (problem) {
      logger.warn('use of a connection not described', { reason: toAppError(problem).message });
    }
  }

  #conflict(id: string, what: string): AppError {
    const [other] = this.#others(id);
    const named = other === undefined ? '' : `, process ${other.pid}, since ${momentText(other.sinceMs)}`;
    return new AppError('CONFLICT', `Another Spandeck (a window or a command line${named}) ${what}`, {
      outcome: 'unsent',
    });
  }

  /** Other processes that have the connection open, without killed ones as far as that can be determined. */
  #others(id: string): Holder[] {
    const { folder, owner, process } = this.#deps;
    return this.#notes(id)
      .filter((name) => name !== `${id}.${owner}.json`)
      .flatMap((name) => {
        try {
          return [holder.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))];
        } catch (problem) {
          this.#deps.logger.warn('note of a process not read', { reason: toAppError(problem).message });
          return [];
        }
      })
      .filter(({ pid, space }) => space !== process.space || process.isRunning(pid));
  }
}

const isBusy = (problem: unknown): boolean =>
  problem instanceof BetterSqlite.SqliteError && problem.code.startsWith('SQLITE_BUSY');
