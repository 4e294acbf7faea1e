/**
 * Installs what the next script needs and is missing: npm packages, Electron's binary, system packages.
 *
 *   node build/bootstrap.mjs start|test|check|service|cli|bench|package [--smoke] [--electron]
 *
 * Runs on any Node >= 18 without dependencies, because it runs before there are any. It may be killed at any point and
 * run twice at once. If nothing is missing, it prints nothing and does not use the network.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { connect } from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAbsenceKnown, isNodeNewEnough, needsShell, npmProgram, OLDEST_NODE } from './setup-rules.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/**
 * Ensures that only one setup runs at a time in a checkout. The lock is a file that only one process can create, with
 * the text "host pid [pid]"; the next setup recognizes the file of a killed owner as stale. It is not a symbolic link,
 * because Windows refuses those to ordinary users.
 */
const LOCK = path.join(ROOT, '.bootstrap-lock');
const STALE_LOCK_MS = 15 * 60_000;
const UNWRITTEN_LOCK_MS = 5_000;
const MODULES = path.join(ROOT, 'node_modules');
const CACHE = path.join(MODULES, '.cache', 'spandeck');
const PACKAGES_STAMP = path.join(CACHE, 'packages.sha256');
const ELECTRON_STAMP = path.join(CACHE, 'electron-unavailable.json');
const WISHES_STAMP = path.join(CACHE, 'wishes');
const PROBE_TIMEOUT_MS = 6_000;
const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'ELECTRON_GET_USE_PROXY'];

const isAlive = (pid) => {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/**
 * A lock is stale if its processes have ended on this host, or, on another host or in a container, if it is older than
 * any setup takes.
 */
function isStale(text) {
  const [host, ...pids] = text.split(' ');
  // An empty file was created just now, or its owner was killed before it wrote.
  if (host === os.hostname() && pids.length > 0) return !pids.some(isAlive);
  if (text === '') return Date.now() - fs.lstatSync(LOCK).mtimeMs > UNWRITTEN_LOCK_MS;
  return Date.now() - fs.lstatSync(LOCK).mtimeMs > STALE_LOCK_MS;
}

/** Tries once to take the lock; false if another process holds it. */
function tryLock(own) {
  try {
    fs.writeFileSync(LOCK, own, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    const text = fs.readFileSync(LOCK, 'utf8');
    if (!isStale(text)) return false;
    const aside = `${LOCK}.${process.pid}`;
    fs.renameSync(LOCK, aside);
    // Another process may have just replaced the stale lock by its own, which is then put back.
    if (fs.readFileSync(aside, 'utf8') !== text) fs.renameSync(aside, LOCK);
    else fs.unlinkSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return false;
}

/** Runs `work` while holding the setup lock of the checkout; waits for another setup to end first. */
async function withLock(say, work) {
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

/** Adds a child process to the lock, because the child may outlive a killed setup and still write. */
function shareLock(pid) {
  fs.writeFileSync(`${LOCK}.${process.pid}`, `${os.hostname()} ${process.pid} ${pid}`);
  fs.renameSync(`${LOCK}.${process.pid}`, LOCK);
}

const COMMANDS = ['start', 'test', 'check', 'service', 'cli', 'bench', 'package'];
const command = process.argv[2] ?? '';
const flags = new Set(process.argv.slice(3));
const isTest = command === 'test';
/** Unit tests need a separate keyring, but no window. */
const needsKeyring = isTest || command === 'check';
const needsWindow = command !== 'check';
const isWindows = process.platform === 'win32';
/**
 * npm passes no script arguments to a pre-script, so `prestart` cannot know about --smoke or --electron. It only
 * installs packages, and start.ts runs this file again with its arguments.
 */
const isOnlyPackages = process.env.npm_lifecycle_event === 'prestart' || ['service', 'cli'].includes(command);

// Standard output is for the command itself: `npm run cli -- --json | …`, `npm start -- --smoke | …`.
const say = (text) => process.stderr.write(`setup: ${text}\n`);
const firstLines = (text, count) => text.split('\n').slice(0, count).join('\n');
const lastLines = (text, count) => text.trimEnd().split('\n').slice(-count).join('\n');

/** An error that the person can correct; it is printed without a stack. */
class SetupError extends Error {}

/** The text of a file, or undefined if there is none. */
function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Writes a file so that readers see either the complete old or the complete new contents. */
function writeAtomically(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.${process.pid}`, text);
  fs.renameSync(`${file}.${process.pid}`, file);
}

/** Runs a program to its end; resolves with its exit code and output. */
function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    child.on('spawn', () => options.onSpawn?.(child.pid));
    child.on('error', (error) => resolve({ code: -1, text: error.message }));
    child.on('close', (code) => resolve({ code: code ?? -1, text }));
  });
}

/** Prints a title, does the work, and prints how long it took. */
async function step(title, work) {
  say(`${title} …`);
  const startedAt = Date.now();
  const result = await work();
  say(`${title}: ${result ?? 'done'} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
}

// -------------------------------------------------------------------------------------- npm packages

function lockFileText() {
  const text = readText(path.join(ROOT, 'package-lock.json'));
  if (text !== undefined) return text;
  throw new SetupError('package-lock.json is missing; restore it from the repository.');
}
const lockFileHash = () => createHash('sha256').update(lockFileText()).digest('hex');
const arePackagesReady = () => readText(PACKAGES_STAMP) === lockFileHash();

/**
 * Whether a manual `npm ci` was complete: npm writes node_modules/.package-lock.json last, so it then matches the lock
 * file.
 */
function wasInstalledByHand() {
  const hidden = readText(path.join(MODULES, '.package-lock.json'));
  if (hidden === undefined) return false;
  const installed = JSON.parse(hidden).packages;
  const wanted = Object.entries(JSON.parse(lockFileText()).packages).filter(([name]) => name !== '');
  const isSame = ([name, { version, integrity, optional }]) =>
    installed[name] === undefined
      ? optional === true
      : installed[name].version === version && installed[name].integrity === integrity;
  return wanted.every(isSame) && Object.keys(installed).length <= wanted.length;
}

/** The npm program and its first arguments (see `npmProgram`). */
function npmHere() {
  const script = process.env.npm_execpath ?? '';
  const name = isWindows ? 'node.exe' : 'node';
  const fromPath = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, name));
  const nodes = [process.env.npm_node_execpath, process.execPath, ...fromPath]
    .filter((file) => file && fs.existsSync(file))
    .map((file) => fs.realpathSync(file));
  const hasScript = fs.existsSync(script);
  return npmProgram({
    platform: process.platform,
    script,
    hasScript,
    nodes,
    modules: MODULES,
    separator: path.sep,
  });
}

async function ensurePackages() {
  if (arePackagesReady()) return;
  if (wasInstalledByHand()) {
    writeAtomically(PACKAGES_STAMP, lockFileHash());
    return;
  }
  const hash = lockFileHash();
  const reason = fs.existsSync(PACKAGES_STAMP) ? 'package-lock.json changed' : 'not installed yet';
  await step(`npm packages (${reason}): npm ci --ignore-scripts`, async () => {
    const [program, ...first] = npmHere();
    const args = [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, text } = await run(program, args, {
      shell: needsShell(process.platform, program),
      onSpawn: shareLock,
    });
    if (code !== 0) {
      throw new SetupError(
        `npm ci failed with code ${code}:\n${firstLines(text, 20)}\n` +
          'Expected the npm registry to answer (npm config get registry). Repair that and run the same command again.',
      );
    }
    await completePackages(program, first);
    writeAtomically(PACKAGES_STAMP, hash);
  });
}

/**
 * Installs packages that npm left out, with the pinned Node, which is available now. npm leaves out optional packages
 * that need a newer Node than its own, including native parts of tools.
 */
async function completePackages(program, first) {
  if (isNodeNewEnough(process.versions.node) || !fs.existsSync(PINNED_NODE)) return;
  const [npm, ...before] = first.length > 0 ? [PINNED_NODE, ...first] : [program];
  const args = [
    ...before,
    'install',
    '--ignore-scripts',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const env = {
    ...process.env,
    PATH: `${path.dirname(PINNED_NODE)}${path.delimiter}${process.env.PATH ?? ''}`,
  };
  const { code, text } = await run(npm, args, { env, onSpawn: shareLock });
  if (code === 0) return;
  throw new SetupError(
    `npm install failed with code ${code}:\n${firstLines(text, 20)}\nExpected it to add what Node ${process.versions.node} had left out. Repair that and run the same command again.`,
  );
}

/** Scripts use this link if it exists, because npm looks in its folder first. */
const NODE_LINK = path.join(MODULES, '.bin', 'node');
const PINNED_NODE = path.join(MODULES, `node-${process.platform}-${process.arch}`, 'bin', 'node');
const isNodeLinked = () => fs.existsSync(NODE_LINK) || !fs.existsSync(PINNED_NODE);
const isNodeThere = () => fs.existsSync(NODE_LINK) || isNodeNewEnough(process.versions.node);

/**
 * Links the pinned Node under its own name. Two packages provide that name, one for each processor. npm 10, which comes
 * with Node 18 to 22, leaves out one of them and removes the name with it.
 */
function linkNode() {
  if (isNodeLinked()) return;
  fs.mkdirSync(path.dirname(NODE_LINK), { recursive: true });
  // Removes a broken link, which the check above does not detect and which prevents creating a new one.
  fs.rmSync(NODE_LINK, { force: true });
  fs.symlinkSync(path.relative(path.dirname(NODE_LINK), PINNED_NODE), NODE_LINK);
}

/** On Linux, scripts run on the Node in node_modules/.bin; elsewhere the person's own Node must be new enough. */
function checkNode() {
  if (isNodeThere()) return;
  throw new SetupError(
    `Expected Node ${OLDEST_NODE} or later on ${process.platform}-${process.arch}, got ${process.version}. Install a newer Node from https://nodejs.org and run the same command again.`,
  );
}

// ------------------------------------------------------------------------------------------ Electron

const electronVersion = () =>
  JSON.parse(readText(path.join(MODULES, 'electron', 'package.json')) ?? '{}').version;
function isElectronThere() {
  const text = readText(path.join(MODULES, 'electron', 'dist', 'version'));
  return text !== undefined && text.trim().replace(/^v/, '') === electronVersion();
}

/** Tries one quick connection, because in a network that drops packets the real download would hang for minutes. */
function probe(url) {
  if (PROXY_VARIABLES.some((name) => process.env[name])) return undefined;
  return new Promise((resolve) => {
    const socket = connect({
      host: url.hostname,
      port: Number(url.port) || (url.protocol === 'http:' ? 80 : 443),
    });
    const finish = (reason) => {
      socket.destroy();
      resolve(reason);
    };
    const late = `${url.host} did not answer in ${PROBE_TIMEOUT_MS / 1000} s`;
    socket.setTimeout(PROBE_TIMEOUT_MS, () => finish(late));
    socket.on('connect', () => finish(undefined));
    socket.on('error', (error) => finish(`${url.host} is out of reach (${error.code ?? error.message})`));
  });
}

/** Downloads Electron. Returns undefined if the binary exists afterwards, otherwise the reason why not. */
async function fetchElectron() {
  const mirror = process.env.ELECTRON_MIRROR ?? process.env.npm_config_electron_mirror;
  const unreachable = await probe(
    new URL(mirror ?? 'https://github.com/electron/electron/releases/download/'),
  );
  if (unreachable !== undefined) return unreachable;
  // Electron's installer needs a newer Node than this file, so it runs on the pinned one if there is one.
  const pinned = path.join(MODULES, '.bin', 'node');
  const node = fs.existsSync(pinned) ? pinned : process.execPath;
  const { code, text } = await run(node, [path.join(MODULES, 'electron', 'install.js')]);
  if (code === 0 && isElectronThere()) return undefined;
  const line = text.split('\n').find((item) => /error|failed|cannot/i.test(item));
  return (line ?? `install.js ended with code ${code}`).trim().slice(0, 200);
}

/**
 * Whether a failed download was noted. The note is valid for a day only, because a missing network or a refusing proxy
 * may be temporary.
 */
function isElectronAbsent() {
  const noted = JSON.parse(readText(ELECTRON_STAMP) ?? '{}');
  return isAbsenceKnown(noted, electronVersion(), Date.now()) && !flags.has('--electron');
}

/**
 * Downloads Electron's binary if it is missing and available. A failure is noted, so that the next start does not wait
 * for it.
 */
async function ensureElectron() {
  const version = electronVersion();
  if (isElectronThere()) return;
  if (isElectronAbsent()) return;
  let reason;
  await step(`Electron ${version}: fetching its binary`, async () => {
    reason = await fetchElectron();
    return reason === undefined ? 'done' : 'not to be had';
  });
  fs.rmSync(ELECTRON_STAMP, { force: true });
  if (reason === undefined) return;
  writeAtomically(ELECTRON_STAMP, `${JSON.stringify({ version, reason, at: new Date().toISOString() })}\n`);
  const next =
    process.platform === 'linux'
      ? 'Going on with the Chromium host; it is tried again in a day'
      : 'It is needed here';
  say(
    `Electron's binary could not be fetched: ${reason}. ${next}; ` +
      'to ask again at once: npm start -- --electron (a mirror goes into ELECTRON_MIRROR).',
  );
}

// ----------------------------------------------------------------------------------- system packages

const isProgram = (name) =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => fs.existsSync(path.join(folder || '.', name)));

/** Whether a shared library is in one of this computer's library folders, including folders for one architecture. */
function isLibrary(name) {
  const bases = ['/usr/lib', '/lib', '/usr/lib64', '/usr/local/lib'].filter((base) => fs.existsSync(base));
  const inside = (base) => fs.readdirSync(base).filter((entry) => entry.includes('-linux-'));
  const folders = bases.flatMap((base) => [base, ...inside(base).map((entry) => path.join(base, entry))]);
  return folders.some((folder) => fs.existsSync(path.join(folder, name)));
}

/**
 * Debian's name of each system package, with a test whether this command needs it, and a test whether it is installed.
 */
const SYSTEM_PACKAGES = [
  [
    'chromium',
    () => needsWindow && !isElectronThere(),
    () => Boolean(process.env.SPANDECK_CHROMIUM) || isProgram('chromium'),
  ],
  ['libsecret-1-0', () => needsKeyring, () => isLibrary('libsecret-1.so.0')],
  ['xvfb', () => isTest || flags.has('--smoke'), () => isProgram('Xvfb')],
  ['gnome-keyring', () => needsKeyring, () => isProgram('gnome-keyring-daemon')],
  ['dbus', () => needsKeyring, () => isProgram('dbus-run-session')],
];

/** Optional packages, with what does not work without them. They are suggested once and never required. */
const WISHED_PACKAGES = [
  [
    'libsecret-1-0',
    () => command !== 'package',
    () => isLibrary('libsecret-1.so.0'),
    'the token is asked for at each start',
  ],
  [
    'chromium-headless-shell',
    () => isTest,
    () => isProgram('chromium-headless-shell'),
    'the tests of views take a quarter longer',
  ],
  ['rpm', () => command === 'package', () => isProgram('rpmbuild'), 'no rpm is made'],
];

/** Missing optional packages that were not suggested yet. */
function unnamedWishes() {
  if (process.platform !== 'linux') return [];
  const named = (readText(WISHES_STAMP) ?? '').split('\n');
  return WISHED_PACKAGES.filter(
    ([name, isWanted, isThere]) => isWanted() && !isThere() && !named.includes(name),
  );
}

async function askForWishes() {
  const wishes = unnamedWishes();
  for (const [name, , isThere, without] of wishes) {
    if (isProgram('apt-get') && process.getuid() === 0) {
      const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
      const install = ['-q', 'install', '-y', '--no-install-recommends', name];
      await step(`system package ${name}`, async () => {
        await run('apt-get', install, options);
        return isThere() ? 'done' : `not to be had; without it ${without}`;
      });
    } else {
      say(
        `${name} (Debian's name) is not here: without it ${without}. To have it: sudo apt-get install ${name}`,
      );
    }
  }
  if (wishes.length === 0) return;
  const names = [readText(WISHES_STAMP) ?? '', ...wishes.map(([name]) => name)];
  writeAtomically(WISHES_STAMP, `${names.filter(Boolean).join('\n')}\n`);
}

function missingSystemPackages() {
  if (process.platform !== 'linux') return [];
  return SYSTEM_PACKAGES.filter(([, isWanted, isThere]) => isWanted() && !isThere()).map(([name]) => name);
}

async function ensureSystemPackages() {
  const missing = missingSystemPackages();
  if (missing.length === 0) return;
  const install = ['install', '-y', '--no-install-recommends', ...missing];
  const named = `Missing system packages: ${missing.join(', ')}`;
  if (!isProgram('apt-get')) {
    throw new SetupError(
      `${named} (Debian's names). Install them with this system's own tool and run the same command again.`,
    );
  }
  if (process.getuid() !== 0) {
    const line = `sudo sh -c "apt-get update && apt-get ${install.join(' ')}"`;
    throw new SetupError(`${named}. Run this one line, then the same command again:\n\n  ${line}\n`);
  }
  await step(`system packages: apt-get ${install.join(' ')}`, async () => {
    const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    // `apt-get update` fails if any third-party list does not answer, so only the result of the installation counts.
    const update = await run('apt-get', ['update', '-q'], options);
    const result = await run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...install], options);
    const still = missingSystemPackages();
    if (result.code === 0 && still.length === 0) return;
    throw new SetupError(
      `apt-get ended with code ${result.code}, still missing: ${still.join(', ')}.\n` +
        `${lastLines(update.text, 4)}\n${lastLines(result.text, 8)}\nRepair that, or install them by hand, and run the same command again.`,
    );
  });
}

// ---------------------------------------------------------------------------------------------- main

function isNothingToDo() {
  if (!arePackagesReady() || !isNodeLinked() || !isNodeThere()) return false;
  if (isOnlyPackages) return true;
  const isElectronKnown = !needsWindow || isElectronThere() || isElectronAbsent();
  return isElectronKnown && missingSystemPackages().length === 0 && unnamedWishes().length === 0;
}

async function main() {
  if (!COMMANDS.includes(command))
    throw new SetupError(`Expected one of ${COMMANDS.join(', ')}; got "${command}".`);
  if (isNothingToDo()) return;
  await withLock(say, async () => {
    await ensurePackages();
    linkNode();
    checkNode();
    if (isOnlyPackages) return;
    if (needsWindow) await ensureElectron();
    await ensureSystemPackages();
    await askForWishes();
  });
}

main().catch((error) => {
  process.stderr.write(`setup failed: ${error instanceof SetupError ? error.message : error.stack}\n`);
  process.exitCode = 1;
});
