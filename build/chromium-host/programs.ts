/** Desktop programs that the stand-in uses. Each is optional, and an error names the missing one. */
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';

/** Whether a program is in PATH. */
export const hasProgram = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => fs.existsSync(path.join(folder, name)));

/** Runs a program to its end and returns its exit code and standard output. */
export function runProgram(
  name: string,
  args: readonly string[],
  caller: string,
): Promise<{ code: number; text: string }> {
  if (!hasProgram(name)) {
    const line = `${caller} needs the program "${name}" on the Chromium host. Install it, for example: apt-get install ${name}`;
    return Promise.reject(new Error(line));
  }
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, text }));
  });
}
