/** Runs several commands on one opened data folder, one after the other, so that each store is opened only once. */
import { Readable } from 'node:stream';
import { parseArguments } from '../../electron/cli/arguments.ts';
import { COMMANDS } from '../../electron/cli/commands.ts';
import { createContext } from '../../electron/cli/context.ts';
import { createOutput } from '../../electron/cli/output.ts';
import { createKeychain } from '../../electron/platform/keychain.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';

interface Said {
  command: string;
  text: string;
  /** The error of the command; null if it succeeded. */
  error: AppError | null;
}

/** `common`: options of all commands, such as `--data-dir`. `onEnd` is called after each command. */
export async function runInTurn(
  commands: readonly (readonly string[])[],
  common: readonly string[],
  token: string,
  onEnd: () => void = () => undefined,
): Promise<Said[]> {
  const argumentsOf = (words: readonly string[]) => {
    const args = parseArguments([...words, ...common]);
    if (args === null || args.command === 'help' || args.command === 'completion' || args.command === 'mcp')
      throw new Error(`Expected a command of the engine, got ${words.join(' ')}.`);
    return { ...args, command: args.command };
  };
  let text = '';
  const sink = {
    write: (said: string) => {
      text += said;
    },
  };
  const surroundings = {
    ...{ stdin: Readable.from([]), stdout: sink, stderr: sink, env: {}, token },
    keychain: createKeychain(process.platform, () => Promise.reject(new Error('No keychain in this test.'))),
    version: () => Promise.resolve('Spandeck of a test'),
    signal: new AbortController().signal,
    isReaderGone: () => false,
    isUnwritten: () => false,
  };
  const said: Said[] = [];
  const attempt = async (command: string, work: () => Promise<unknown>) => {
    text = '';
    try {
      await work();
      said.push({ command, text, error: null });
    } catch (thrown) {
      said.push({ command, text, error: toAppError(thrown) });
    }
  };
  await attempt('open', async () => {
    const context = createContext(argumentsOf(commands[0] ?? []), surroundings);
    for (const words of commands) {
      const args = argumentsOf(words);
      const output = createOutput(args.isJson, systemClock.nowMs, surroundings);
      await attempt(words.join(' '), async () => {
        const command = await COMMANDS[args.command]();
        await command({ ...context, args, output });
      });
      onEnd();
    }
    await context.close(false);
  });
  return said;
}
