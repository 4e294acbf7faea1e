/**
 * One command line from its words to its exit code. Nothing here belongs to the process: cli.ts gives that.
 * The engine is loaded only for a command that needs it: help, a version or a refusal must come at once.
 */
import { toAppError } from '../shared/errors.ts';
import { commandName, knownCommand, parseArguments } from './arguments.ts';
import { completionScript } from './completion.ts';
import type { CommandContext, Surroundings } from './context.ts';
import { EXIT_CODES, exitCodeOf } from './exit-codes.ts';
import { helpText } from './help.ts';
import { errorLine } from './output.ts';
import { UnreadAnswers } from './unread-answers.ts';

/** Runs the command that the words name, and says what it fails with. Returns the exit code. */
export async function runCommand(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode: number = EXIT_CODES.done.code;
  let context: CommandContext | null = null;
  const fail = (thrown: unknown): void => {
    const isReaderGone = surroundings.isReaderGone();
    if (isReaderGone && thrown instanceof UnreadAnswers) return;
    const error = toAppError(thrown);
    surroundings.stderr.write(`${errorLine(error)}\n`);
    exitCode = exitCodeOf(error, surroundings.signal.aborted && !isReaderGone);
  };
  try {
    const args = await answerAlone(argv, surroundings);
    if (args !== null) {
      const [{ COMMANDS }, { createContext }] = await Promise.all([
        import('./commands.ts'),
        import('./context.ts'),
      ]);
      context = createContext(args, surroundings);
      await COMMANDS[args.command](context);
    }
  } catch (thrown) {
    fail(thrown);
  }
  try {
    await context?.close();
  } catch (thrown) {
    // One line is enough: what made the command fail makes closing fail as well.
    if (exitCode === EXIT_CODES.done.code) fail(thrown);
  }
  return exitCode;
}

/** The arguments of a command that works with the engine; null once one that needs none has answered. */
async function answerAlone(argv: readonly string[], { stdout, version }: Surroundings) {
  const { name, isVersion } = commandName(argv);
  if (isVersion) {
    stdout.write(`${await version()}\n`);
    return null;
  }
  const args = parseArguments(argv);
  if (args === null) {
    stdout.write(`${helpText(name)}\n`);
    return null;
  }
  const { command } = args;
  if (command === 'help') {
    const [of = null] = args.positionals;
    stdout.write(`${helpText(of === null ? null : knownCommand(of))}\n`);
    return null;
  }
  if (command === 'completion') {
    stdout.write(completionScript(args.positionals[0]));
    return null;
  }
  return { ...args, command };
}
