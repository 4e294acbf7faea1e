/** `shell` through xdg-open. */
import * as path from 'node:path';
import { runProgram } from './programs.ts';
import { HostObject } from './unsupported.ts';

export class Shell extends HostObject {
  async openExternal(url: string): Promise<void> {
    const { code } = await runProgram('xdg-open', [url], 'shell.openExternal');
    if (code !== 0) throw new Error(`xdg-open ended with code ${code}`);
  }

  /** Only opens the folder, because no program can select a file on every desktop. */
  showItemInFolder(fullPath: string): void {
    this.openPath(path.dirname(fullPath)).then(
      (problem) => {
        if (problem !== '') process.stderr.write(`shell.showItemInFolder: ${problem}\n`);
      },
      (error: unknown) => process.stderr.write(`${String(error)}\n`),
    );
  }

  async openPath(fullPath: string): Promise<string> {
    const { code } = await runProgram('xdg-open', [fullPath], 'shell.openPath');
    return code === 0 ? '' : `xdg-open ended with code ${code}`;
  }
}

export const shell: Shell = new Shell();
