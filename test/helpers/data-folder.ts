import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for one test; `[Symbol.dispose]` removes it. */
export class DataFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'spandeck-test-'));

  file(name: string): string {
    return join(this.path, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
