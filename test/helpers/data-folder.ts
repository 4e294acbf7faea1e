import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './run-folder.ts';

/** A folder for one test. `[Symbol.dispose]` removes it, unless the test fails. */
export class DataFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'spandeck-test-'));

  file(name: string): string {
    return join(this.path, name);
  }

  [Symbol.dispose](): void {
    removeFolder(this.path);
  }
}
