import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../shared/errors.ts';

/** Every file of a profile folder, in one place. */
export interface DataPaths {
  dataDir: string;
  appDb: string;
  budgetDb: string;
  logsDir: string;
  windowState: string;
  /** Where the browser engine keeps its own files. */
  engineDir: string;
  sampleDir: string;
  connectionsDir: string;
  connectionDir(connectionId: string): string;
  libraryDb(connectionId: string): string;
  uploadsDb(connectionId: string): string;
  datasetsDb(connectionId: string): string;
  layoutFile(connectionId: string): string;
}

export function dataPaths(dataDir: string): DataPaths {
  const connectionDir = (connectionId: string) => join(dataDir, 'connections', connectionId);
  return {
    dataDir,
    appDb: join(dataDir, 'spandeck.db'),
    budgetDb: join(dataDir, 'budget.db'),
    logsDir: join(dataDir, 'logs'),
    windowState: join(dataDir, 'window.json'),
    engineDir: join(dataDir, 'engine'),
    sampleDir: join(dataDir, 'sample'),
    connectionsDir: join(dataDir, 'connections'),
    connectionDir,
    libraryDb: (connectionId) => join(connectionDir(connectionId), 'library.db'),
    uploadsDb: (connectionId) => join(connectionDir(connectionId), 'uploads.db'),
    datasetsDb: (connectionId) => join(connectionDir(connectionId), 'datasets.db'),
    layoutFile: (connectionId) => join(connectionDir(connectionId), 'layout.json'),
  };
}

/** Makes the profile folder, for its owner only. Throws STORE_FAILED where it cannot be made. */
export function makeDataDir({ dataDir }: DataPaths): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
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

/** The profile folder where none is named: the same for the window and the command line. */
export function defaultDataDir(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Spandeck');
  if (platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'Spandeck');
  return join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'Spandeck');
}
