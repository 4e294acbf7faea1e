/** Sample workspaces shared by the processes of one run: creating one takes longer than most tests. */
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openFilledStore } from '../../electron/sample-service/generate/filled-store.ts';

/** For this run alone: recreated by each, so that a change of the generator takes effect. */
export const WORKSPACES = resolve(import.meta.dirname, '../../node_modules/.cache/spandeck/workspaces');

/** For the window's own sample service, with a name that no image has. */
const FILLED = join(WORKSPACES, 'service.db');

export const clearWorkspaces = (): void => rmSync(WORKSPACES, { recursive: true, force: true });

/** For launched apps: creates the file that their sample service would create. */
export function makeFilledFile(): void {
  clearWorkspaces();
  mkdirSync(WORKSPACES, { recursive: true });
  const { db } = openFilledStore(FILLED, { nowMs: Date.now() });
  db.close();
}

/** Copies it into a data folder without a sample service, as if a person had used it there before. */
export function giveFilledFile(dataDir: string): void {
  const folder = join(dataDir, 'sample');
  const file = join(folder, 'service.db');
  if (!existsSync(FILLED) || existsSync(file)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyFileSync(FILLED, file);
}

/** The same for an engine of a test, from the copy shared by the processes of this run. */
export function giveSample(dataDir: string): void {
  const folder = join(dataDir, 'sample');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const options = { nowMs: Date.now(), imageFolder: WORKSPACES };
  openFilledStore(join(folder, 'service.db'), options).db.close();
}
