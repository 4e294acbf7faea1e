/** Spools of the checks of this process: the latest ones, until their upload has ended. */
import { closeSync, openSync, rmSync } from 'node:fs';
import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger, Random } from '../../core/ports.ts';
import { toAppError } from '../../shared/errors.ts';
import type { Spool, SpoolRoom } from './spool-file.ts';

/** What is longer is cut from the file again from there on. */
const MOST_BYTES = 1_000_000_000;
/** A spool leaves the rest of a full disk to others. */
const SHARE_OF_FREE = 0.25;
const MOST_KEPT = 2;
const OWNER_ONLY = 0o600;

interface Kept {
  spool: Spool;
  isInUse: boolean;
  isDropped: boolean;
}

interface SpoolDeps {
  folder: string;
  random: Random;
  logger: Logger;
}

export class Spools {
  readonly #deps: SpoolDeps;
  /** By check, oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(deps: SpoolDeps) {
    this.#deps = deps;
  }

  /** A new file for a check; null where there is no room for one: the check is the same without. */
  async open(): Promise<SpoolRoom | null> {
    const { folder, random, logger } = this.#deps;
    const path = join(folder, `${random.uuid()}.part`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { bavail, bsize } = await statfs(folder);
      const mostBytes = Math.min(MOST_BYTES, bavail * bsize * SHARE_OF_FREE);
      const fd = openSync(path, 'wx+', OWNER_ONLY);
      // At once: who lists the folder does not find it, and a killed process leaves none.
      rmSync(path);
      return { fd, mostBytes };
    } catch (problem) {
      logger.warn('no spool for a check', { reason: toAppError(problem).message });
      return null;
    }
  }

  /** The check came to nothing. */
  discard(room: SpoolRoom | null): void {
    if (room !== null) closeSync(room.fd);
  }

  /** The check is done: its spool is there for an upload. */
  keep(scanId: string, spool: Spool): void {
    this.#kept.set(scanId, { spool, isInUse: false, isDropped: false });
    const unused = [...this.#kept].filter(([, { isInUse }]) => !isInUse);
    for (const [id] of unused.slice(0, Math.max(unused.length - MOST_KEPT, 0))) this.drop(id);
  }

  /** That of a check, which stays open until `giveBack`; null where there is none, or an upload has it. */
  borrow(scanId: string | null): Spool | null {
    const kept = scanId === null ? undefined : this.#kept.get(scanId);
    if (kept === undefined || kept.isInUse) return null;
    kept.isInUse = true;
    return kept.spool;
  }

  /** No thread reads it any more. */
  giveBack(scanId: string): void {
    const kept = this.#kept.get(scanId);
    if (kept === undefined) return;
    kept.isInUse = false;
    if (kept.isDropped) this.drop(scanId);
  }

  /** Nobody needs it any more. */
  drop(scanId: string): void {
    const kept = this.#kept.get(scanId);
    if (kept === undefined) return;
    kept.isDropped = true;
    if (kept.isInUse) return;
    this.#kept.delete(scanId);
    closeSync(kept.spool.fd);
  }

  dropAll(): void {
    for (const scanId of [...this.#kept.keys()]) this.drop(scanId);
  }
}
