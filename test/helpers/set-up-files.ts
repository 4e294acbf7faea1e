/** A registry of files that all tests of a test file share. */
import { afterAll, beforeAll } from 'vitest';
import { DataFolder } from './data-folder.ts';
import { type OpenFiles, openFiles } from './open-files.ts';

/** Opens files in a folder before the tests of a test file, and removes both after them. */
export function setUpFiles(onMade: (made: { folder: DataFolder; files: OpenFiles }) => void): void {
  let made: { folder: DataFolder; files: OpenFiles };
  beforeAll(() => {
    const folder = new DataFolder();
    made = { folder, files: openFiles(folder.path) };
    onMade(made);
  });
  afterAll(async () => {
    await made.files.stop();
    made.folder[Symbol.dispose]();
  });
}
