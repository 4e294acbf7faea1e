/** The spools of the latest checks of this process, kept until their uploads have ended. */
import { closeSync, openSync, rmSync } from 'node:fs';
import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger, Random } from '../../core/ports.ts';
import { whenFree } from '../../shared/busy-files.ts';
import { toAppError } from '../../shared/errors.ts';
import type { Spool, SpoolRoom } from './spool-file.ts';

/** Size limit of a spool; the rest is read from the file again. */
const MAX_BYTES = 1_000_000_000;
/** Maximum share of the free disk space for a spool. */
const SHARE_OF_FREE = 0.25;
const MAX_KEPT = 2;
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
  /** By scan id, oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(deps: SpoolDeps) {
    this.#deps = deps;
  }

  /** Creates the spool file for a check. Null if there is no space for one; the check works without it. */
  async open(): Promise<SpoolRoom | null> {
    const { folder, random, logger } = this.#deps;
    const path = join(folder, `${random.uuid()}.part`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { bavail, bsize } = await statfs(folder);
      const mostBytes = Math.min(MAX_BYTES, bavail * bsize * SHARE_OF_FREE);
      const fd = openSync(path, 'wx+', OWNER_ONLY);
      // The file is unlinked at once, so that the folder does not list it and a killed process leaves no file behind.
      whenFree(() => rmSync(path, { force: true }));
      return { fd, mostBytes };
    } catch (problem) {
      logger.warn('no spool for a check', { reason: toAppError(problem).message });
      return null;
    }
  }

  /** Called if the check failed. */
  discard(room: SpoolRoom | null): void {
    if (room !== null) closeSync(room.fd);
  }

  /** Called when the check has ended: keeps its spool for an upload. */
  keep(scanId: string, spool: Spool): void {
    this.#kept.set(scanId, { spool, isInUse: false, isDropped: false });
    const unused = [...this.#kept].filter(([, { isInUse }]) => !isInUse);
    for (const [id] of unused.slice(0, Math.max(unused.length - MAX_KEPT, 0))) this.drop(id);
  }

  /** The spool of a check, which stays open until `giveBack`. Null if there is none, or if an upload is using it. */
  borrow(scanId: string | null): Spool | null {
    const kept = scanId === null ? undefined : this.#kept.get(scanId);
    if (kept === undefined || kept.isInUse) return null;
    kept.isInUse = true;
    return kept.spool;
  }

  /** Called when no thread reads the spool any more. */
  giveBack(scanId: string): void {
    const kept = this.#kept.get(scanId);
    if (kept === undefined) return;
    kept.isInUse = false;
    if (kept.isDropped) this.drop(scanId);
  }

  /** Called when nothing needs the spool any more. */
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
