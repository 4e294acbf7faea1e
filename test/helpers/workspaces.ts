/** Sample workspaces that the processes of one run share: to make one costs more than most tests. */
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openFilledStore } from '../../electron/sample-service/generate/filled-store.ts';

/** Of this run alone: made anew by each, so that a change of what is made is seen. */
export const WORKSPACES = resolve(import.meta.dirname, '../../node_modules/.cache/spandeck/workspaces');

/** Of the window's own sample service, with a name that no image has. */
const FILLED = join(WORKSPACES, 'service.db');

export const clearWorkspaces = (): void => rmSync(WORKSPACES, { recursive: true, force: true });

/** For apps that are launched: makes the file that their sample service would make. */
export function makeFilledFile(): void {
  clearWorkspaces();
  mkdirSync(WORKSPACES, { recursive: true });
  const { db } = openFilledStore(FILLED, { nowMs: Date.now() });
  db.close();
}

/** Puts it into a data folder that has no sample service yet, as if somebody had used it there before. */
export function giveFilledFile(dataDir: string): void {
  const folder = join(dataDir, 'sample');
  const file = join(folder, 'service.db');
  if (!existsSync(FILLED) || existsSync(file)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyFileSync(FILLED, file);
}

/** The same for an engine of a test, from the copy that the processes of this run share. */
export function giveSample(dataDir: string): void {
  const folder = join(dataDir, 'sample');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const options = { nowMs: Date.now(), imageFolder: WORKSPACES };
  openFilledStore(join(folder, 'service.db'), options).db.close();
}
