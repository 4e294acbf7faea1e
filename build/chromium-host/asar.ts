/**
 * Unpacks a packaged app once and runs it from there, because Node cannot read inside an asar archive as Electron does.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

interface Entry {
  readonly files?: Readonly<Record<string, Entry>>;
  readonly size?: number;
  readonly offset?: string;
  readonly unpacked?: boolean;
  readonly link?: string;
}

interface Archive {
  readonly file: string;
  readonly handle: number;
  readonly dataStart: number;
}

function readAt(handle: number, position: number, size: number): Buffer {
  const buffer = Buffer.alloc(size);
  const got = fs.readSync(handle, buffer, 0, size, position);
  if (got !== size)
    throw new Error(`Expected ${size} bytes at ${position} of the archive, got ${got}: it is cut off.`);
  return buffer;
}

/** Uses hard links if possible, because the unpacked files are large. */
function linkOrCopy(source: string, target: string): void {
  try {
    fs.linkSync(source, target);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    fs.copyFileSync(source, target);
  }
}

function layOut(archive: Archive, entry: Entry, name: string, target: string): void {
  // The Node that is running is already next to the archive.
  if (/^node_modules\/node-linux-/.test(name)) return;
  const destination = path.join(target, name);
  if (entry.files !== undefined) {
    fs.mkdirSync(destination, { recursive: true });
    for (const [child, item] of Object.entries(entry.files))
      layOut(archive, item, path.posix.join(name, child), target);
  } else if (entry.link !== undefined) fs.symlinkSync(path.join(target, entry.link), destination);
  else if (entry.unpacked === true) linkOrCopy(path.join(`${archive.file}.unpacked`, name), destination);
  else {
    const start = archive.dataStart + Number(entry.offset ?? 0);
    fs.writeFileSync(destination, readAt(archive.handle, start, entry.size ?? 0));
  }
}

/** Unpacks the archive to the cache folder, once for each version, and returns the folder. */
export function unpackAsar(file: string): string {
  const { size, mtimeMs } = fs.statSync(file);
  const key = createHash('sha256').update(`${file} ${size} ${mtimeMs}`).digest('hex').slice(0, 16);
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache');
  const target = path.join(cache, 'chromium-host', key);
  if (fs.existsSync(target)) return target;
  const temporary = `${target}.${process.pid}`;
  const handle = fs.openSync(file, 'r');
  try {
    // The file begins with two Chromium pickles: the size of the header, then the header as a length and JSON text.
    const headerSize = readAt(handle, 4, 4).readUInt32LE();
    const header = readAt(handle, 8, headerSize);
    const json = header.subarray(8, 8 + header.readUInt32LE(4)).toString('utf8');
    layOut({ file, handle, dataStart: 8 + headerSize }, JSON.parse(json) as Entry, '', temporary);
  } finally {
    fs.closeSync(handle);
  }
  try {
    fs.renameSync(temporary, target);
  } catch (error) {
    // Another start of the same app was faster; its copy is identical.
    if (!fs.existsSync(target)) throw error;
    fs.rmSync(temporary, { recursive: true, force: true });
  }
  return target;
}
