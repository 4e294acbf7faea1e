import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { makeFolders } from './make-folders.ts';

/** The paths of all files in a profile folder. */
export interface DataPaths {
  dataDir: string;
  appDb: string;
  budgetDb: string;
  /** Folder with the connections that agents may read. */
  agentsDir: string;
  /** Log of agents' reads. */
  agentsLog: string;
  logsDir: string;
  windowState: string;
  /** File with a key derived from the passphrase of the window's lock; exists only if a passphrase is set. */
  lockFile: string;
  /** File that exists while the application is running. */
  runNote: string;
  /** Folder with the browser engine's own files. */
  engineDir: string;
  /** Folder with minidumps of crashed window processes, which stay on this computer. */
  minidumpsDir: string;
  sampleDir: string;
  /** Folder with unpacked copies of compressed files. */
  copiesDir: string;
  /** Folder with files that were written for dragging them out of the window; they are deleted at the next drag. */
  draggedDir: string;
  /** Folder with lock files for the connections that processes have open. */
  inUseDir: string;
  connectionsDir: string;
  connectionDir(connectionId: string): string;
  libraryDb(connectionId: string): string;
  /** Search index of the library, which can be rebuilt. */
  searchDb(connectionId: string): string;
  /** Columns of lists, prepared for profiles, and columns of compared runs; both can be rebuilt. */
  analysisDir(connectionId: string): string;
  uploadsDb(connectionId: string): string;
  datasetsDb(connectionId: string): string;
  /** Snapshots of datasets. */
  snapshotsDb(connectionId: string): string;
  layoutFile(connectionId: string): string;
  /**
   * File with the address to assume for stores of earlier versions, which record none; exists only after the address
   * was changed.
   */
  formerAddressFile(connectionId: string): string;
  /** A copy of the connection's settings. */
  connectionFile(connectionId: string): string;
}

export function dataPaths(dataDir: string): DataPaths {
  const connectionDir = (connectionId: string) => join(dataDir, 'connections', connectionId);
  return {
    dataDir,
    appDb: join(dataDir, 'spandeck.db'),
    budgetDb: join(dataDir, 'budget.db'),
    agentsDir: join(dataDir, 'agents'),
    agentsLog: join(dataDir, 'logs', 'agents.jsonl'),
    logsDir: join(dataDir, 'logs'),
    windowState: join(dataDir, 'window.json'),
    lockFile: join(dataDir, 'lock.json'),
    runNote: join(dataDir, 'running.json'),
    engineDir: join(dataDir, 'engine'),
    minidumpsDir: join(dataDir, 'logs', 'minidumps'),
    sampleDir: join(dataDir, 'sample'),
    copiesDir: join(dataDir, 'copies'),
    draggedDir: join(dataDir, 'dragged'),
    inUseDir: join(dataDir, 'in-use'),
    connectionsDir: join(dataDir, 'connections'),
    connectionDir,
    libraryDb: (connectionId) => join(connectionDir(connectionId), 'library.db'),
    searchDb: (connectionId) => join(connectionDir(connectionId), 'search.db'),
    analysisDir: (connectionId) => join(connectionDir(connectionId), 'analysis'),
    uploadsDb: (connectionId) => join(connectionDir(connectionId), 'uploads.db'),
    datasetsDb: (connectionId) => join(connectionDir(connectionId), 'datasets.db'),
    snapshotsDb: (connectionId) => join(connectionDir(connectionId), 'snapshots.db'),
    layoutFile: (connectionId) => join(connectionDir(connectionId), 'layout.json'),
    formerAddressFile: (connectionId) => join(connectionDir(connectionId), 'former-address.txt'),
    connectionFile: (connectionId) => join(connectionDir(connectionId), 'connection.json'),
  };
}

/**
 * Creates the profile folder, accessible only to its owner; for an existing one, removes the access of others to it and
 * its files. Throws STORE_FAILED if it cannot be created.
 */
export function makeDataDir(paths: DataPaths): void {
  const { dataDir } = paths;
  try {
    makeFolders(dataDir, PRIVATE_FOLDER);
    if (process.platform !== 'win32') makePrivate(paths);
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown reason';
    throw new AppError(
      'STORE_FAILED',
      `The data folder ${dataDir} could not be made (${code}). Check that it is a folder that can be written, or name another one with --data-dir.`,
      {},
      thrown,
    );
  }
}

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Mode bit of shared folders such as /tmp, whose modes must not be changed. */
const STICKY = 0o1000;

/** Restricts only Spandeck's own files, because any folder may be chosen as the profile folder. */
function makePrivate(paths: DataPaths): void {
  restrict(paths.dataDir);
  const own = [paths.appDb, paths.budgetDb, paths.windowState, paths.lockFile];
  for (const path of namesIn(paths.dataDir).map((name) => join(paths.dataDir, name))) {
    if (own.some((file) => path.startsWith(file))) restrict(path);
  }
  // The engine manages the files in its folder, and the mode of the folder is enough to keep others out.
  restrict(paths.engineDir);
  restrict(paths.copiesDir);
  restrict(paths.draggedDir);
  for (const folder of [paths.logsDir, paths.sampleDir, paths.inUseDir, ...connectionFolders(paths)]) {
    restrict(folder);
    for (const name of namesIn(folder)) restrict(join(folder, name));
  }
}

function connectionFolders({ connectionsDir }: DataPaths): string[] {
  restrict(connectionsDir);
  return namesIn(connectionsDir).map((name) => join(connectionsDir, name));
}

function namesIn(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  try {
    return readdirSync(folder);
  } catch (thrown) {
    // Another process may have just removed the folder together with a removed connection.
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return [];
    throw thrown;
  }
}

/** Restricts a file or folder. Links are skipped, because their targets may belong to anybody. */
function restrict(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & 0o077) === 0) return;
  if (!(found.isFile() || found.isDirectory()) || (found.mode & STICKY) !== 0) return;
  try {
    chmodSync(path, found.isFile() ? PRIVATE_FILE : PRIVATE_FOLDER);
  } catch (thrown) {
    // Another process may have just removed it. Files of another owner, or on a disk without modes, stay unchanged.
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
    if (!['ENOENT', 'EPERM', 'EROFS', 'ENOTSUP'].includes(String(code))) throw thrown;
  }
}

const localAppData = (env: NodeJS.ProcessEnv): string =>
  env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');

/** The default profile folder, which is the same for the window and the command line. */
export function defaultDataDir(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Spandeck');
  // Not the roaming profile, because gigabytes of stored lists would be transferred at every log-on.
  if (platform === 'win32') return join(localAppData(env), 'Spandeck');
  return join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'Spandeck');
}

/**
 * Folder for compiled code of the command line; it is in the person's own folder, because its contents are executed.
 */
export function compileCacheDir(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'Spandeck', 'compiled');
  if (platform === 'win32') return join(localAppData(env), 'Spandeck', 'Cache', 'compiled');
  return join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'spandeck', 'compiled');
}
