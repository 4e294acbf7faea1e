import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  token?: string;
  dataDir: string;
  stdin?: string;
  /** Whether standard input stays open after `stdin`, as in a terminal. */
  keepsStdinOpen?: boolean;
  env?: NodeJS.ProcessEnv;
  /** Called with the running child process, so that a test can kill or interrupt it. */
  onStart?: (child: ChildProcess) => void;
}

/** A data folder for the test. `remove` deletes it. */
export function temporaryFolder(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `spandeck-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/**
 * Runs the command line as a user would, in a separate process. Uses the bundle, which starts in a third of the time.
 */
export function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args, '--data-dir', options.dataDir], {
    env: {
      ...process.env,
      // There is no keychain unless the test provides one: that of the desktop must not be used.
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
      ...(options.token === undefined ? {} : { SPANDECK_TOKEN: options.token }),
      ...options.env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  options.onStart?.(child);
  child.stdin.on('error', () => undefined);
  child.stdin.write(options.stdin ?? '');
  if (options.keepsStdinOpen !== true) child.stdin.end();
  const parts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    parts.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    parts.stderr += text;
  });
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', (code) => settle({ code, ...parts }));
  });
}

/** The values in the output of `--json`, one per line. */
export const jsonLines = ({ stdout }: CliResult) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
