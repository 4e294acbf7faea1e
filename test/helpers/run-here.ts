/** The command line in the test's own process: the same words, answers and exit codes without the start of a process. */
import { PassThrough, Readable } from 'node:stream';
import { runCommand } from '../../electron/cli/run-command.ts';
import { createKeychain } from '../../electron/platform/keychain.ts';
import { type CliResult, runCli } from './run-cli.ts';

/** What a test needs of a command that runs, as process or here. */
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
  /** Gets the running command, to read along or interrupt it; only a process of its own can be killed. */
  onStart?: (command: Running) => void;
}

/**
 * For what a command says, answers and sends. What belongs to a process (signals, kills, pipes, the environment, several
 * at work on one thing) is asked of `runCli`. One at a time: a lease is a process's, and these share one.
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
  // Read by nobody, a stream would keep what is written to it.
  for (const stream of Object.values(streams)) stream.resume();
  onStart?.({ ...streams, kill: () => interrupt.abort() });
  const code = await runCommand([...args, '--data-dir', dataDir], {
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env,
    token,
    // A desktop's own must not be touched.
    keychain: createKeychain(process.platform, () => Promise.reject(new Error('No keychain in this test.'))),
    version: () => Promise.resolve('Spandeck of a test'),
    signal: interrupt.signal,
    isReaderGone: () => false,
  });
  return { code, ...said };
}

/** As a process after all, where a test runs most commands here. */
export const runApart: typeof runHere = (args, { token, dataDir, stdin }) =>
  runCli(args, {
    dataDir,
    ...(token === undefined ? {} : { token }),
    ...(stdin === undefined ? {} : { stdin }),
  });
