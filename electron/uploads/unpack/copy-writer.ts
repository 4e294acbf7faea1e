/** Writes the readable copy of a packed file in chunks, and never fills the disk completely. */
import { type FileHandle, open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import type { Heartbeat } from '../heartbeat.ts';

/** Disk space in bytes that must stay free. */
const KEPT_FREE_BYTES = 500_000_000;
/** The free space is checked again after this many bytes. */
const LOOK_EVERY_BYTES = 64_000_000;
const FLUSH_CHARS = 256 * 1024;

export class CopyWriter {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #heartbeat: Heartbeat;
  readonly #release: () => void;
  #text = '';
  #untilLook = 0;

  private constructor(path: string, handle: FileHandle, heartbeat: Heartbeat) {
    this.#path = path;
    this.#handle = handle;
    this.#heartbeat = heartbeat;
    this.#release = heartbeat.hold(handle);
  }

  static async open(path: string, heartbeat: Heartbeat): Promise<CopyWriter> {
    return new CopyWriter(path, await open(path, 'w', 0o600), heartbeat);
  }

  /** Text that is collected until it is long enough to be written. */
  async text(text: string): Promise<void> {
    this.#text += text;
    this.#heartbeat.beat();
    if (this.#text.length >= FLUSH_CHARS) await this.#flush();
  }

  /** Throws DISK_FULL. */
  async bytes(bytes: Uint8Array): Promise<void> {
    if (this.#untilLook <= 0) await this.#lookAtDisk();
    this.#untilLook -= bytes.length;
    this.#heartbeat.beat();
    try {
      await this.#handle.writeFile(bytes);
    } catch (problem) {
      throw isFull(problem) ? diskFull(problem) : problem;
    }
  }

  async close(): Promise<void> {
    try {
      await this.#flush();
    } finally {
      this.#release();
      await this.#handle.close();
    }
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (text !== '') await this.bytes(Buffer.from(text));
  }

  async #lookAtDisk(): Promise<void> {
    const { bavail, bsize } = await statfs(dirname(this.#path));
    if (bavail * bsize < KEPT_FREE_BYTES) throw diskFull();
    this.#untilLook = LOOK_EVERY_BYTES;
  }
}

const isFull = (problem: unknown): boolean =>
  problem instanceof Error && 'code' in problem && (problem.code === 'ENOSPC' || problem.code === 'EDQUOT');

function diskFull(cause?: unknown): AppError {
  return new AppError(
    'DISK_FULL',
    'The disk has no room to unpack this file. Free some space, then try again; or unpack it on another disk and choose what comes out.',
    {},
    cause,
  );
}
