/**
 * Sets up what the next script needs and is missing: npm packages, Electron's binary, system packages.
 *
 *   node build/bootstrap.mjs start|test|service|cli|bench|package [--smoke] [--electron]
 *
 * Runs on any Node >= 18 without dependencies, because it runs before there are any. Safe to kill at any
 * point and to run twice at once. Says nothing and touches no network when there is nothing to do.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { connect } from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const MODULES = path.join(ROOT, 'node_modules');
const CACHE = path.join(MODULES, '.cache', 'spandeck');
const PACKAGES_STAMP = path.join(CACHE, 'packages.sha256');
const ELECTRON_STAMP = path.join(CACHE, 'electron-unavailable.json');
const LOCK = path.join(ROOT, '.bootstrap-lock');
const HEARTBEAT_MS = 2_000;
const STALE_LOCK_MS = 30_000;
const PROBE_TIMEOUT_MS = 6_000;

const command = process.argv[2] ?? '';
const flags = new Set(process.argv.slice(3));
const COMMANDS = ['start', 'test', 'service', 'cli', 'bench', 'package'];

// `npm run cli -- --json | …` must carry the command's own lines and nothing else.
const output = command === 'cli' || command === 'service' ? process.stderr : process.stdout;
const say = (text) => output.write(`setup: ${text}\n`);

/** A reason to stop that the person can act on; printed without a stack. */
class SetupError extends Error {}

const readText = (file) => {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
};

/** Writes so that a reader sees the old content or the new, never half of it. */
function writeAtomically(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, text);
  fs.renameSync(temporary, file);
}

/** Runs a program to its end, keeps what it printed, and resolves with both. */
function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    const finish = (code, extra) => resolve({ code, text: Buffer.concat(chunks).toString('utf8') + extra });
    child.on('error', (error) => finish(-1, error.message));
    child.on('close', (code) => finish(code ?? -1, ''));
  });
}

/** Says what begins, does it, says how long it took. */
async function step(title, work) {
  say(`${title} …`);
  const startedAt = Date.now();
  const result = await work();
  say(`${title}: ${result ?? 'done'} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
}

const lastLines = (text, count) => text.trimEnd().split('\n').slice(-count).join('\n');

// ---------------------------------------------------------------------------------------------- lock

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** A lock is stale when its owner died here, or (owner on another host or container) stopped its heartbeat. */
function isStale(text) {
  const [pid, host] = text.split(' ');
  if (host === os.hostname()) return !isAlive(Number(pid));
  const info = fs.statSync(LOCK, { throwIfNoEntry: false });
  return info !== undefined && Date.now() - info.mtimeMs > STALE_LOCK_MS;
}

/** Takes the stale lock away, unless another process replaced it by its own in the meantime. */
function removeStaleLock(staleText) {
  const aside = `${LOCK}.${process.pid}`;
  try {
    fs.renameSync(LOCK, aside);
    if (fs.readFileSync(aside, 'utf8') !== staleText) fs.linkSync(aside, LOCK);
    fs.unlinkSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
}

function tryLock(own) {
  const mine = `${LOCK}.${process.pid}.new`;
  fs.writeFileSync(mine, own);
  try {
    // link() creates the lock together with its content or not at all; open(wx) leaves it empty for a moment.
    fs.linkSync(mine, LOCK);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    fs.unlinkSync(mine);
  }
}

/** Runs `work` while holding the checkout's setup lock; waits for another setup to end first. */
async function withLock(work) {
  const own = `${process.pid} ${os.hostname()} ${Date.now()}`;
  let hasSaid = false;
  while (!tryLock(own)) {
    const holder = readText(LOCK);
    if (holder !== undefined && isStale(holder)) {
      removeStaleLock(holder);
      continue;
    }
    if (!hasSaid)
      say(`another setup (process ${holder?.split(' ')[0] ?? '?'}) is at work here; waiting for it`);
    hasSaid = true;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  const release = () => {
    if (readText(LOCK) === own) fs.unlinkSync(LOCK);
  };
  const heartbeat = setInterval(() => fs.utimesSync(LOCK, new Date(), new Date()), HEARTBEAT_MS);
  const onSignal = (signal) => {
    release();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    release();
  }
}

// -------------------------------------------------------------------------------------- npm packages

const lockText = () => {
  const text = readText(path.join(ROOT, 'package-lock.json'));
  if (text === undefined)
    throw new SetupError('package-lock.json is missing; restore it from the repository.');
  return text;
};
const lockHash = () => createHash('sha256').update(lockText()).digest('hex');
const arePackagesReady = () => readText(PACKAGES_STAMP)?.trim() === lockHash();

/** npm writes node_modules/.package-lock.json last: when it agrees with ours, someone's own `npm ci` was whole. */
function wasInstalledByHand() {
  const hidden = readText(path.join(MODULES, '.package-lock.json'));
  if (hidden === undefined) return false;
  const installed = JSON.parse(hidden).packages;
  const wanted = Object.entries(JSON.parse(lockText()).packages).filter(([name]) => name !== '');
  const isSame = ([name, entry]) => {
    const found = installed[name];
    if (found === undefined) return entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  };
  return wanted.every(isSame) && Object.keys(installed).length <= wanted.length;
}

/** npm's own Node: never the one inside node_modules, which `npm ci` deletes under its feet. */
function outerNode() {
  const isOutside = (file) => !path.resolve(file).startsWith(MODULES + path.sep);
  const candidates = [process.env.npm_node_execpath, process.execPath].filter(Boolean);
  for (const folder of (process.env.PATH ?? '').split(path.delimiter))
    candidates.push(path.join(folder, 'node'));
  return candidates.find((file) =>
    isOutside(fs.existsSync(file) ? fs.realpathSync(file) : MODULES + path.sep),
  );
}

/** The npm that started us, else the one in PATH, as [program, ...first arguments]. */
function npmProgram() {
  const script = process.env.npm_execpath;
  const node = outerNode();
  if (script?.endsWith('.js') && fs.existsSync(script) && node !== undefined) return [node, script];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

async function ensurePackages() {
  if (arePackagesReady()) return;
  if (readText(PACKAGES_STAMP) === undefined && wasInstalledByHand()) {
    writeAtomically(PACKAGES_STAMP, lockHash());
    return;
  }
  const hash = lockHash();
  const reason = fs.existsSync(PACKAGES_STAMP) ? 'package-lock.json changed' : 'not installed yet';
  await step(`npm packages (${reason}): npm ci --ignore-scripts`, async () => {
    const [program, ...first] = npmProgram();
    const args = [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const result = await run(program, args, { shell: process.platform === 'win32' });
    if (result.code !== 0) {
      throw new SetupError(
        `npm ci failed with code ${result.code}:\n${lastLines(result.text, 20)}\n` +
          'Expected the npm registry to answer (npm config get registry). Repair that and run the same command again.',
      );
    }
    writeAtomically(PACKAGES_STAMP, hash);
  });
}

/** Node of node_modules/.bin runs the scripts on Linux; elsewhere the person's own must be new enough. */
function checkNode() {
  if (fs.existsSync(path.join(MODULES, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node'))) return;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return;
  throw new SetupError(
    `Expected Node 22.18 or later on ${process.platform}-${process.arch}, got ${process.version}. Install a newer Node from https://nodejs.org and run the same command again.`,
  );
}

// ------------------------------------------------------------------------------------------ Electron

const electronVersion = () =>
  JSON.parse(readText(path.join(MODULES, 'electron', 'package.json')) ?? '{}').version;
const isElectronThere = () =>
  readText(path.join(MODULES, 'electron', 'dist', 'version'))
    ?.trim()
    .replace(/^v/, '') === electronVersion();

/** One quick connection, because a network that drops packets would hold the real download for minutes. */
function probe(url) {
  if (
    ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'ELECTRON_GET_USE_PROXY'].some((name) => process.env[name])
  ) {
    return Promise.resolve(undefined);
  }
  return new Promise((resolve) => {
    const port = Number(url.port) || (url.protocol === 'http:' ? 80 : 443);
    const socket = connect({ host: url.hostname, port });
    const finish = (reason) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () =>
      finish(`${url.host} did not answer in ${PROBE_TIMEOUT_MS / 1000} s`),
    );
    socket.on('connect', () => finish(undefined));
    socket.on('error', (error) => finish(`${url.host} is out of reach (${error.code ?? error.message})`));
  });
}

async function fetchElectron() {
  const mirror = process.env.ELECTRON_MIRROR ?? process.env.npm_config_electron_mirror;
  const source = new URL(mirror ?? 'https://github.com/electron/electron/releases/download/');
  const unreachable = await probe(source);
  if (unreachable !== undefined) return unreachable;
  const result = await run(process.execPath, [path.join(MODULES, 'electron', 'install.js')]);
  if (result.code === 0 && isElectronThere()) return undefined;
  const line = result.text.split('\n').find((text) => /error|failed|cannot/i.test(text));
  return (line ?? `install.js ended with code ${result.code}`).trim().slice(0, 200);
}

/** Electron's binary where it is or can be fetched; a failure is remembered, so that the next start does not wait. */
async function ensureElectron() {
  const version = electronVersion();
  if (version === undefined || isElectronThere()) return;
  const remembered = JSON.parse(readText(ELECTRON_STAMP) ?? '{}');
  if (remembered.version === version && !flags.has('--electron')) return;
  let reason;
  await step(`Electron ${version}: fetching its binary`, async () => {
    reason = await fetchElectron();
    return reason === undefined ? 'done' : 'not to be had';
  });
  if (reason === undefined) {
    fs.rmSync(ELECTRON_STAMP, { force: true });
    return;
  }
  writeAtomically(ELECTRON_STAMP, `${JSON.stringify({ version, reason, at: new Date().toISOString() })}\n`);
  say(
    `Electron's binary could not be fetched: ${reason}. Going on with the Chromium host; ` +
      'to ask again: npm start -- --electron (a mirror goes into ELECTRON_MIRROR).',
  );
}

// ----------------------------------------------------------------------------------- system packages

const isProgram = (name) =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => fs.existsSync(path.join(folder || '.', name)));

const isLibrary = (name) => {
  const bases = ['/usr/lib', '/lib', '/usr/lib64', '/lib64', '/usr/local/lib'].filter((base) =>
    fs.existsSync(base),
  );
  const folders = bases.flatMap((base) => [
    base,
    ...fs
      .readdirSync(base)
      .filter((entry) => entry.includes('-linux-'))
      .map((entry) => path.join(base, entry)),
  ]);
  return folders.some((folder) => fs.existsSync(path.join(folder, name)));
};

/** What each command needs of the system: Debian's package name, how to see it is there, and when it is wanted. */
const SYSTEM_PACKAGES = [
  {
    name: 'chromium',
    isThere: () => process.env.SPANDECK_CHROMIUM !== undefined || isProgram('chromium'),
    isWanted: () => !isElectronThere(),
  },
  { name: 'libsecret-1-0', isThere: () => isLibrary('libsecret-1.so.0'), isWanted: () => true },
  {
    name: 'xvfb',
    isThere: () => isProgram('Xvfb') && isProgram('xvfb-run'),
    isWanted: () => command === 'test' || flags.has('--smoke'),
  },
  {
    name: 'xauth',
    isThere: () => isProgram('xauth'),
    isWanted: () => command === 'test' || flags.has('--smoke'),
  },
  {
    name: 'gnome-keyring',
    isThere: () => isProgram('gnome-keyring-daemon'),
    isWanted: () => command === 'test',
  },
  { name: 'dbus', isThere: () => isProgram('dbus-run-session'), isWanted: () => command === 'test' },
];

const missingSystemPackages = () =>
  SYSTEM_PACKAGES.filter((item) => item.isWanted() && !item.isThere()).map((item) => item.name);

async function ensureSystemPackages() {
  if (process.platform !== 'linux' || !['start', 'test', 'bench', 'package'].includes(command)) return;
  const missing = missingSystemPackages();
  if (missing.length === 0) return;
  const install = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (!isProgram('apt-get')) {
    throw new SetupError(
      `Missing system packages: ${missing.join(', ')} (Debian's names). Install them with this system's package manager and run the same command again.`,
    );
  }
  if (process.getuid?.() !== 0) {
    throw new SetupError(
      `Missing system packages: ${missing.join(', ')}. Run this one line, then the same command again:\n\n  sudo sh -c "apt-get update && ${install}"\n`,
    );
  }
  await step(`system packages: ${install}`, async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    // A third-party list that does not answer makes `update` fail; the install itself decides.
    const update = await run('apt-get', ['update', '-q'], { env });
    const [program, ...args] = install.split(' ');
    const result = await run(program, ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], { env });
    const still = missingSystemPackages();
    if (result.code === 0 && still.length === 0) return;
    throw new SetupError(
      `apt-get ended with code ${result.code}, still missing: ${still.join(', ')}.\n` +
        `${lastLines(update.text, 4)}\n${lastLines(result.text, 8)}\nRepair that, or install them by hand, and run the same command again.`,
    );
  });
}

// ---------------------------------------------------------------------------------------------- main

/**
 * npm gives a pre-script none of the script's arguments, so `prestart` cannot know of --smoke or --electron:
 * it only installs packages, and start.ts calls this file again with its arguments.
 */
const isOnlyPackages = process.env.npm_lifecycle_event === 'prestart' || ['service', 'cli'].includes(command);

const isNothingToDo = () =>
  arePackagesReady() &&
  (isOnlyPackages ||
    (!flags.has('--electron') &&
      (isElectronThere() || fs.existsSync(ELECTRON_STAMP)) &&
      (process.platform !== 'linux' || missingSystemPackages().length === 0)));

async function main() {
  if (!COMMANDS.includes(command)) {
    throw new SetupError(`Expected one of ${COMMANDS.join(', ')}, got "${command}".`);
  }
  if (isNothingToDo()) return;
  await withLock(async () => {
    await ensurePackages();
    checkNode();
    if (isOnlyPackages) return;
    await ensureElectron();
    await ensureSystemPackages();
  });
}

main().catch((error) => {
  process.stderr.write(`setup failed: ${error instanceof SetupError ? error.message : error.stack}\n`);
  process.exitCode = 1;
});
