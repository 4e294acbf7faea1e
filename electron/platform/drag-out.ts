/** Files that a person drags out of the window, into a folder or another program: only those that Spandeck wrote. */
import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { WHOLE_FOLDER } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import { methodOf, partOf } from './runtime-parts.ts';

export interface DragOut {
  /** Can the runtime hand files to the system while the pointer is held down? */
  isThere: () => boolean;
  /** Where a file of this name may be written for one drag: in a folder of its own. */
  pathFor: (fileName: string) => Promise<string>;
  /** The pointer carries this file from now on. Throws NOT_FOUND where there is no such file, or it is a link. */
  start: (path: string) => Promise<void>;
}

/** Side of the picture beside the pointer. */
const SIDE = 24;

interface Parts {
  /** The module `electron` as it is here. */
  runtime: object;
  /** Of the open window; null without one. */
  contents: () => unknown;
  /** For files that are written for a drag. What is in it from an earlier run goes with the first drag. */
  folder: string;
  makeFolder: (path: string) => Promise<unknown>;
}

export function createDragOut({ runtime, contents, folder, makeFolder }: Parts): DragOut {
  let isSwept = false;
  const startDrag = () => methodOf(contents(), 'startDrag');
  return {
    isThere: () => startDrag() !== null,
    pathFor: async (fileName) => {
      if (!isSwept) await rm(folder, WHOLE_FOLDER);
      isSwept = true;
      await makeFolder(folder);
      return join(await mkdtemp(join(folder, 'file-')), fileName);
    },
    start: async (path) => {
      const drag = startDrag();
      if (drag === null)
        throw new AppError(
          'INVALID_ARGUMENT',
          'Expected a system that takes files by a drag. Save the file instead.',
        );
      const found = await lstat(path).catch(() => null);
      if (found?.isFile() !== true) {
        throw new AppError(
          'NOT_FOUND',
          `Expected the file ${basename(path)}, but it was moved, renamed or removed. Write it again.`,
        );
      }
      const icon = methodOf(partOf(runtime, 'nativeImage'), 'createFromBitmap')?.(sheet(), {
        width: SIDE,
        height: SIDE,
      });
      drag({ file: path, icon });
    },
  };
}

/** A sheet of paper: white with a grey edge. */
function sheet(): Buffer {
  const pixels = Buffer.alloc(SIDE * SIDE * 4);
  for (let at = 0; at < SIDE * SIDE; at += 1) {
    const [x, y] = [at % SIDE, Math.floor(at / SIDE)];
    if (x < 4 || x >= SIDE - 4) continue;
    const isEdge = x === 4 || x === SIDE - 5 || y === 0 || y === SIDE - 1;
    const shade = isEdge ? 120 : 255;
    pixels.set([shade, shade, shade, 255], at * 4);
  }
  return pixels;
}
