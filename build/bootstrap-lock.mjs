/**
 * One setup at a time in a checkout. The lock is a symbolic link whose target is text, "host pid [pid]": it is
 * made together with its text or not at all, and a killed owner leaves one that the next setup knows for stale.
 */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const LOCK = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '.bootstrap-lock');
const STALE_LOCK_MS = 15 * 60_000;

const isAlive = (pid) => {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Stale: its processes died here, or (on another host or in a container) it is older than any setup takes. */
function isStale(text) {
  const [host, ...pids] = text.split(' ');
  if (host === os.hostname()) return !pids.some(isAlive);
  return Date.now() - fs.lstatSync(LOCK).mtimeMs > STALE_LOCK_MS;
}

/** Tries the lock once: true when it is ours, false when another holds it. */
function tryLock(own) {
  try {
    fs.symlinkSync(own, LOCK);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    const text = fs.readlinkSync(LOCK);
    if (!isStale(text)) return false;
    const aside = `${LOCK}.${process.pid}`;
    fs.renameSync(LOCK, aside);
    // Another process may have replaced the stale lock by its own just before: give it back.
    if (fs.readlinkSync(aside) !== text) fs.renameSync(aside, LOCK);
    else fs.unlinkSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return false;
}

/** Runs `work` while holding the checkout's setup lock; waits for another setup to end first. */
export async function withLock(say, work) {
  const own = `${os.hostname()} ${process.pid}`;
  for (let tries = 0; !tryLock(own); tries += 1) {
    if (tries === 4) say('another setup is at work here; waiting for it');
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  try {
    await work();
  } finally {
    fs.unlinkSync(LOCK);
  }
}

/** A child outlives a killed setup: while it writes, the lock is not stale. */
export function shareLock(pid) {
  fs.symlinkSync(`${os.hostname()} ${process.pid} ${pid}`, `${LOCK}.${process.pid}`);
  fs.renameSync(`${LOCK}.${process.pid}`, LOCK);
}
