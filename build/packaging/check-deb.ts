/**
 * Installs the deb, starts the app by its menu entry, runs its command line, removes it, and checks what remains. All
 * of this happens in a separate root: this system as a read-only lower layer, and a writable folder on top.
 */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { collect } from '../collect.ts';
import { ROOT, type Runtime } from '../runtime.ts';
import { startVirtualDisplay } from '../virtual-display.ts';

const LIMIT_MS = 300_000;

/** Files that may remain: data of the person, and records of the package manager. */
const MAY_STAY = [
  /^root\/\.(config\/Spandeck|cache)\//,
  /^var\/(lib|log|cache)\/(dpkg|apt|man|fontconfig|dbus|systemd)/,
  /^(etc\/ld\.so\.cache$|var\/cache\/ldconfig)/,
  // Files of Chromium itself, because the host runs the system's Chromium.
  /^root\/\.config\/chromium\//,
  // Sockets and locks of the display and of the session.
  /^(run|tmp|dev)\//,
];

/** Indexes that the package manager rebuilds. They may remain if they contain nothing about the package. */
const INDEXES = [
  /^usr\/share\/(mime|icons\/hicolor\/icon-theme\.cache|applications\/mimeinfo\.cache)/,
  /^etc\/mailcap$/,
];

/** Written files that removal should have deleted. `namesUs`: whether a file mentions the package. */
export function traces(written: readonly string[], namesUs: (file: string) => boolean): string[] {
  const isOf = (patterns: readonly RegExp[], file: string) => patterns.some((pattern) => pattern.test(file));
  return written.filter((file) => !isOf(MAY_STAY, file) && (!isOf(INDEXES, file) || namesUs(file)));
}

/**
 * Reports each step to `say`; rejects with the failure of the package. Skipped with a message if a separate root cannot
 * be created.
 */
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
    // Chromium refuses to use its sandbox as root; the Chromium host handles that itself.
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

/** Paths relative to the folder. A deleted file of the lower layer is a device in an overlay, and is left out. */
function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}
