/** Sample workspaces that the processes of one run share, because creating one takes longer than most tests. */
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openFilledStore } from '../../electron/sample-service/generate/filled-store.ts';

/** For one run only. Each run creates them again, so that a change of the generator takes effect. */
export const WORKSPACES = resolve(import.meta.dirname, '../../node_modules/.cache/spandeck/workspaces');

/** The workspace of the window's own sample service, with a name that no image has. */
const FILLED = join(WORKSPACES, 'service.db');

/**
 * For services of tests with the clock of the computer: the traffic of the generated models ends here, because the rows
 * of another hour would arrive while a test counts those that it sends.
 */
export const STILL_TRAFFIC = { trafficUntilMs: Date.now() };

export const clearWorkspaces = (): void => rmSync(WORKSPACES, { recursive: true, force: true });

/** Creates the file that the sample service of a launched app would create. */
export function makeFilledFile(): void {
  clearWorkspaces();
  mkdirSync(WORKSPACES, { recursive: true });
  const { db } = openFilledStore(FILLED, { nowMs: Date.now() });
  db.close();
}

/** Copies the file into a data folder that has no sample service yet, as if the user had used one there before. */
export function giveFilledFile(dataDir: string): void {
  const folder = join(dataDir, 'sample');
  const file = join(folder, 'service.db');
  if (!existsSync(FILLED) || existsSync(file)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyFileSync(FILLED, file);
}

/** The same for the engine of a test, from the copy that the processes of this run share. */
export function giveSample(dataDir: string): void {
  const folder = join(dataDir, 'sample');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const options = { nowMs: Date.now(), imageFolder: WORKSPACES };
  openFilledStore(join(folder, 'service.db'), options).db.close();
}
