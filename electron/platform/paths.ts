import { homedir } from 'node:os';
import { join } from 'node:path';

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
    layoutFile: (connectionId) => join(connectionDir(connectionId), 'layout.json'),
  };
}

/** The profile folder where none is named: the same for the window and the command line. */
export function defaultDataDir(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Spandeck');
  if (platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'Spandeck');
  return join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'Spandeck');
}
