/**
 * Installs the deb, starts it by its menu entry, asks its command line, removes it, and looks at what is left. All of it
 * happens in a root of its own: this system below, read only, and a folder on top that takes whatever is written.
 */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { collect } from '../collect.ts';
import { ROOT, type Runtime } from '../runtime.ts';
import { startVirtualDisplay } from '../virtual-display.ts';

const LIMIT_MS = 300_000;

/** What may be left: the person's data and the records of the package manager. */
const MAY_STAY = [
  /^root\/\.(config\/Spandeck|cache)\//,
  /^var\/(lib|log|cache)\/(dpkg|apt|man|fontconfig|dbus|systemd)/,
  /^(etc\/ld\.so\.cache$|var\/cache\/ldconfig)/,
  // Chromium's own: the host runs the one of the system.
  /^root\/\.config\/chromium\//,
  // Sockets and locks of the display and of the session.
  /^(run|tmp|dev)\//,
];

/** Indexes that the package manager makes anew; they may be left where nothing of the package is in them. */
const INDEXES = [
  /^usr\/share\/(mime|icons\/hicolor\/icon-theme\.cache|applications\/mimeinfo\.cache)/,
  /^etc\/mailcap$/,
];

/** Of the files that were written, those that removing should have taken away. `namesUs`: the package stands in it. */
export function traces(written: readonly string[], namesUs: (file: string) => boolean): string[] {
  const isOf = (patterns: readonly RegExp[], file: string) => patterns.some((pattern) => pattern.test(file));
  return written.filter((file) => !isOf(MAY_STAY, file) && (!isOf(INDEXES, file) || namesUs(file)));
}

/** Rejects with what the package did not do; says each step. Skipped, and said so, where no such root can be made. */
export async function checkDeb(deb: string, runtime: Runtime, say: (line: string) => void): Promise<void> {
  if (process.getuid?.() !== 0) {
    say('package: the deb was not tried: only root can make a root of its own for it');
    return;
  }
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'spandeck-deb-'));
  const display = await startVirtualDisplay();
  try {
    for (const name of ['root', 'upper', 'work']) fs.mkdirSync(path.join(work, name));
    const script = path.join(import.meta.dirname, 'check-deb.sh');
    // Chromium refuses its sandbox to root; the Chromium host knows by itself.
    const flags = runtime.name === 'Electron' ? ['--no-sandbox'] : [];
    const args = ['--mount', '--propagation', 'private', 'sh', script, work, deb, ROOT, ...flags];
    const { code, text } = await collect('unshare', args, {
      env: { ...process.env, DISPLAY: display.name },
      limitMs: LIMIT_MS,
    });
    const isSmoke = text.split('\n').some((line) => line.startsWith('{"ready":true'));
    if (code !== 0 || !isSmoke || !text.endsWith('== removed\n')) {
      throw new Error(`Expected the deb to install, start and go; it ended with code ${code}:\n${text}`);
    }
    say(text.trimEnd());
    const upper = path.join(work, 'upper');
    const namesUs = (file: string) => /spandeck/i.test(fs.readFileSync(path.join(upper, file), 'latin1'));
    const left = traces(filesBelow(upper), namesUs);
    if (left.length > 0) throw new Error(`Expected nothing to stay behind, found: ${left.join(', ')}.`);
    say('package: the deb was installed, started, asked and removed; nothing but data is left');
  } finally {
    display.stop();
    fs.rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Relative to the folder; what was there and is gone is a device in an overlay, and no trace. */
function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}
