/**
 * Runs one command from its arguments to its exit code. Process state is passed in by cli.ts. The engine is loaded only
 * if it is needed, so that help, version and errors are printed at once.
 */

import { collectSeldom } from '../platform/collector.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { type Arguments, commandName, knownCommand, parseArguments } from './arguments.ts';
import { COMMANDS } from './commands.ts';
import { completionScript } from './completion.ts';
import type { CommandContext, Surroundings } from './context.ts';
import { EXIT_CODES, exitCodeOf } from './exit-codes.ts';
import { helpPage, helpTable, isHelpTopic } from './help.ts';
import { errorJson, errorLine } from './output.ts';
import { jsonText, oneLine } from './terminal-text.ts';
import { UnreadAnswers } from './unread-answers.ts';

/** Runs the command and prints its failure. Returns the exit code. */
export async function runCommand(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode: number = EXIT_CODES.done.code;
  let context: CommandContext | null = null;
  let isTokenRefused = false;
  const fail = (thrown: unknown): void => {
    const isReaderGone = surroundings.isReaderGone();
    if (isReaderGone && thrown instanceof UnreadAnswers) return;
    const isUnwritten = surroundings.isUnwritten();
    const error = withConnection(toAppError(thrown), context?.idOfToken() ?? null);
    isTokenRefused ||= error.code === 'UNAUTHORIZED';
    if (isUnwritten) {
      exitCode = EXIT_CODES.failed.code;
      // The output is the cause, and its error is printed. What became of the work is still news.
      if (error.code === 'CANCELLED') {
        if (!(thrown instanceof UnreadAnswers)) surroundings.stderr.write(`${oneLine(error.message)}\n`);
        return;
      }
    }
    surroundings.stderr.write(`${errorLine(error)}\n`);
    if (!isUnwritten) exitCode = exitCodeOf(error, surroundings.signal.aborted && !isReaderGone);
    if (argv.includes('--json')) surroundings.stderr.write(`${errorJson(error, exitCode)}\n`);
  };
  try {
    const args = await answerAlone(argv, surroundings);
    if (args !== null) {
      if (!SENDS_FILES.has(args.command)) collectSeldom();
      if (args.command === 'mcp') {
        const { mcp } = await import('./mcp-command.ts');
        await mcp(args, surroundings, COMMANDS);
      } else {
        const { createContext } = await import('./context.ts');
        const command = await COMMANDS[args.command]();
        context = createContext(args, surroundings);
        await command(context);
      }
    }
  } catch (thrown) {
    fail(thrown);
  }
  try {
    await context?.output.finish();
  } catch (thrown) {
    // Printed after any other failure, because its exit code, such as that of missing rows, may mean a written file.
    fail(thrown);
  }
  try {
    await context?.close(isTokenRefused);
  } catch (thrown) {
    // A second error is not printed, because the cause of the failure makes closing fail too.
    if (exitCode === EXIT_CODES.done.code) fail(thrown);
  }
  return exitCode;
}

/**
 * Adds advice to keep the connection: a new token with --base-url alone would create another one, without the jobs and
 * changes of this one.
 */
function withConnection(error: AppError, id: string | null): AppError {
  if (error.code !== 'UNAUTHORIZED' || id === null) return error;
  const named = `What is stored and waits here is found with the new token by --connection ${id} instead of --base-url.`;
  const nextStep = `${error.details.nextStep ?? ''} ${named}`.trim();
  return new AppError(error.code, error.message, { ...error.details, nextStep }, error);
}

/** Commands that read large files in threads. */
const SENDS_FILES: ReadonlySet<string> = new Set(['upload', 'uploads', 'items']);

/** Commands that print a fixed text, or answer an agent. */
const ANSWER_ALONE: ReadonlySet<string> = new Set(['help', 'completion', 'mcp']);

/** Throws INVALID_ARGUMENT for an option that the command would ignore. */
function refuseAnswerOptions(args: Arguments): void {
  const ignored = ['fields', 'budget', 'to-file'].find((name) => args.text(name) !== null);
  if (ignored === undefined) return;
  throw new AppError('INVALID_ARGUMENT', `${args.command} takes no --${ignored}.`);
}

/** The arguments of a command that needs the engine; null if the command needed none and was answered. */
async function answerAlone(argv: readonly string[], { stdout, version }: Surroundings) {
  const { name, isVersion } = commandName(argv);
  if (isVersion) {
    stdout.write(`${await version()}\n`);
    return null;
  }
  const args = parseArguments(argv);
  if (args === null) {
    stdout.write(`${await helpPage(name)}\n`);
    return null;
  }
  const { command } = args;
  if (ANSWER_ALONE.has(command)) refuseAnswerOptions(args);
  if (command === 'help') {
    const [of = null] = args.positionals;
    const topic = of === null || isHelpTopic(of) ? of : knownCommand(of);
    stdout.write(`${args.isJson ? jsonText(helpTable()) : await helpPage(topic)}\n`);
    return null;
  }
  if (command === 'completion') {
    stdout.write(completionScript(args.positionals[0]));
    return null;
  }
  return { ...args, command };
}
