/** Dragging files that Spandeck wrote out of the window, into a folder or another program. */
import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { WITH_RETRIES } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import { methodOf, partOf } from './runtime-parts.ts';

export interface DragOut {
  /** Whether the runtime supports dragging files out. */
  isThere: () => boolean;
  /** Path for a file of this name, in a new folder for one drag. */
  pathFor: (fileName: string) => Promise<string>;
  /** Starts dragging a file. Throws NOT_FOUND if the file does not exist, or is a link. */
  start: (path: string) => Promise<void>;
}

/** Side length of the drag image in pixels. */
const SIDE = 24;

interface Parts {
  /** The loaded module `electron`. */
  runtime: object;
  /** Contents of the open window; null without a window. */
  contents: () => unknown;
  /** Folder for files that are written for a drag. Files of an earlier run are deleted at the first drag. */
  folder: string;
  makeFolder: (path: string) => Promise<unknown>;
}

export function createDragOut({ runtime, contents, folder, makeFolder }: Parts): DragOut {
  let isSwept = false;
  const startDrag = () => methodOf(contents(), 'startDrag');
  return {
    isThere: () => startDrag() !== null,
    pathFor: async (fileName) => {
      if (!isSwept) await rm(folder, WITH_RETRIES);
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

/** The drag image: a white sheet of paper with a grey border. */
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
