/** The process of the command line: exits with 0, or with another code and one `error CODE: message` line. */
import { readFile } from 'node:fs/promises';
import { givenToken } from '../platform/given-token.ts';
import { createKeychain, endInSpiteOf } from '../platform/keychain.ts';
import { systemClock } from '../platform/system.ts';
import { AppError } from '../shared/errors.ts';
import * as z from '../shared/zod.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { InterruptCounter } from './interrupt-counter.ts';
import { errorJson, errorLine } from './output.ts';
import { runCommand } from './run-command.ts';

/** Whether the reader of standard output has gone (`| head`); the command is then stopped as by Ctrl-C. */
let isReaderGone = false;
/** Whether standard output cannot be written, e.g. because of a full disk. */
let isUnwritten = false;

/** Runs the command of this process and sets its exit code. `packageFile`: the file with the version. */
export async function main(packageFile: URL): Promise<void> {
  const interrupt = new AbortController();
  const interrupts = new InterruptCounter();
  process.on('SIGINT', () => {
    // Exiting is safe, because everything committed can be resumed.
    if (interrupts.isSecond(systemClock.monotonicMs())) process.exit(130);
    interrupt.abort();
  });
  // SIGHUP is sent when a terminal is closed, or the connection to it is lost.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort());
  listenToReader(() => interrupt.abort());
  const keychain = createKeychain(process.platform);
  endInSpiteOf(keychain, false);
  const code = await runCommand(process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    token: givenToken(),
    keychain,
    version: () => versionText(packageFile),
    signal: interrupt.signal,
    isReaderGone: () => isReaderGone,
    isUnwritten: () => isUnwritten,
  });
  process.exitCode = isUnwritten ? EXIT_CODES.failed.code : code;
}

/**
 * Stops the command, as Ctrl-C does, if the reader of its output closes the pipe, which is no failure, or if the output
 * cannot be written. A command that changes the service must not end half way.
 */
function listenToReader(stop: () => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Writing to a closed terminal fails with EIO.
    if (error.code === 'EPIPE' || (process.stdout.isTTY && error.code === 'EIO')) {
      isReaderGone = true;
      stop();
      return;
    }
    if (isUnwritten) return;
    isUnwritten = true;
    process.exitCode = EXIT_CODES.failed.code;
    const reason = `Standard output could not be written (${error.code ?? 'unknown'}).`;
    const unwritten = new AppError('STORE_FAILED', reason);
    process.stderr.write(`${errorLine(unwritten)}\n`);
    if (process.argv.includes('--json'))
      process.stderr.write(`${errorJson(unwritten, EXIT_CODES.failed.code)}\n`);
    stop();
  });
  // The reader of the messages has ended, so nobody can be notified.
  process.stderr.on('error', () => undefined);
}

async function versionText(packageFile: URL): Promise<string> {
  const text = await readFile(packageFile, 'utf8');
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(text));
  return `Spandeck ${version}`;
}
