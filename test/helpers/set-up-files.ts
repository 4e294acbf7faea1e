/** A registry of files in a folder, for all tests of a test file together or for each of them. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { DataFolder } from './data-folder.ts';
import { type OpenFiles, openFiles } from './open-files.ts';

interface Made {
  folder: DataFolder;
  files: OpenFiles;
}

/** Opens a registry with its folder before the tests of a test file, and removes both after them. */
export const setUpFiles = (onMade: (made: Made) => void): void => setUp(beforeAll, afterAll, onMade);

/** The same before and after each test, for tests that write files with the same name. */
export const setUpFilesOfEachTest = (onMade: (made: Made) => void): void =>
  setUp(beforeEach, afterEach, onMade);

function setUp(
  before: (work: () => void) => void,
  after: (work: () => Promise<void>) => void,
  onMade: (made: Made) => void,
): void {
  let made: Made;
  before(() => {
    const folder = new DataFolder();
    made = { folder, files: openFiles(folder.path) };
    onMade(made);
  });
  after(async () => {
    await made.files.stop();
    made.folder[Symbol.dispose]();
  });
}
