/**
 * Changes this process so that the product can be simulated in it. This is done once, before any module of the product
 * is loaded.
 */
import { watchDatabases } from './databases.ts';
import { type Disk, replaceFiles } from './files.ts';
import { replaceGlobals } from './globals.ts';
import { replaceImports } from './hooks.ts';
import { type Life, World } from './world.ts';

export interface Prepared {
  world: World;
  disk: Disk;
  running: Map<number, Life>;
}

/** `planted` is a folder with changed files of the product. */
export function prepareProcess(seed: number, planted: string | null): Prepared {
  const world = new World(seed);
  const disk: Disk = { isFull: false };
  const running = new Map<number, Life>();
  replaceImports(planted);
  replaceGlobals(world, running);
  // Modules bind the functions of `node:fs` when they are loaded.
  replaceFiles(world, disk);
  watchDatabases(world);
  process.on('unhandledRejection', (reason) => world.rejected(reason));
  return { world, disk, running };
}
