/**
 * Runs the command line in the process of the test: same output, answers and exit codes, without starting a process.
 */
import { PassThrough, Readable } from 'node:stream';
import { runCommand } from '../../electron/cli/run-command.ts';
import { createKeychain } from '../../electron/platform/keychain.ts';
import { type CliResult, runCli } from './run-cli.ts';

/** The interface that a running command has for a test, whether it is a process or runs here. */
export interface Running {
  readonly stdout: NodeJS.ReadableStream | null;
  readonly stderr: NodeJS.ReadableStream | null;
  kill(signal: 'SIGINT'): unknown;
}

export interface HereOptions {
  token?: string;
  dataDir: string;
  stdin?: string;
  env?: NodeJS.ProcessEnv;
  /**
   * Called with the running command, so that a test can read its output or interrupt it. Only a separate process can be
   * killed.
   */
  onStart?: (command: Running) => void;
}

/**
 * For tests about the output, answers and requests of a command. Tests about processes (signals, kills, pipes, the
 * environment, several at once) use `runCli`. Only one command can run at a time, because a lease belongs to a process,
 * and all commands share this one.
 */
export async function runHere(args: readonly string[], options: HereOptions): Promise<CliResult> {
  const { token = '', dataDir, stdin = '', env = {}, onStart } = options;
  const interrupt = new AbortController();
  const said = { stdout: '', stderr: '' };
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const sink = (name: keyof typeof said) => ({
    write: (text: string) => {
      said[name] += text;
      streams[name].write(text);
    },
  });
  // A stream that nobody reads would keep its data.
  for (const stream of Object.values(streams)) stream.resume();
  onStart?.({ ...streams, kill: () => interrupt.abort() });
  const code = await runCommand([...args, '--data-dir', dataDir], {
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env,
    token,
    // The keychain of the desktop must not be used.
    keychain: createKeychain(process.platform, () => Promise.reject(new Error('No keychain in this test.'))),
    version: () => Promise.resolve('Spandeck of a test'),
    signal: interrupt.signal,
    isReaderGone: () => false,
    isUnwritten: () => false,
  });
  return { code, ...said };
}

/** Runs a separate process, in a test that runs most commands here. */
export const runApart: typeof runHere = (args, { token, dataDir, stdin }) =>
  runCli(args, {
    dataDir,
    ...(token === undefined ? {} : { token }),
    ...(stdin === undefined ? {} : { stdin }),
  });
