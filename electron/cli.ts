/** The engine without a window. Exit code 0, or non-zero with one `error CODE: message` line. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type CommandName, commandName, knownCommand, parseArguments } from './cli/arguments.ts';
import * as ask from './cli/ask-commands.ts';
import * as budget from './cli/budget-command.ts';
import { builds } from './cli/builds-command.ts';
import * as change from './cli/change-commands.ts';
import { changes } from './cli/changes-command.ts';
import { completionScript } from './cli/completion.ts';
import { type CommandContext, createContext } from './cli/context.ts';
import { remove } from './cli/delete-command.ts';
import { deleteEvents } from './cli/delete-events-command.ts';
import { exitCodeOf } from './cli/exit-codes.ts';
import { uploadFile } from './cli/file-command.ts';
import { fromSpans } from './cli/from-spans-command.ts';
import { helpText } from './cli/help.ts';
import { errorLine } from './cli/output.ts';
import { planned } from './cli/planned-command.ts';
import { Presses } from './cli/presses.ts';
import * as read from './cli/read-commands.ts';
import { request, UnreadAnswers } from './cli/request-command.ts';
import { scoreItems } from './cli/score-items-command.ts';
import { scores } from './cli/scores-command.ts';
import * as traffic from './cli/traffic-commands.ts';
import * as upload from './cli/upload-commands.ts';
import { takeTokenFromEnvironment } from './platform/given-token.ts';
import { systemClock } from './platform/system.ts';
import { AppError, toAppError } from './shared/errors.ts';

/** Commands that need no connection answer before there is a context. */
const COMMANDS: Record<
  Exclude<CommandName, 'completion' | 'help'>,
  (context: CommandContext) => Promise<void>
> = {
  test,
  ls: read.ls,
  get: read.get,
  create: change.create,
  update: change.update,
  delete: remove,
  spans: ask.spans,
  'span-fields': ask.spanFields,
  query: ask.query,
  score: ask.score,
  applications: read.applications,
  catalog: read.catalog,
  values: read.values,
  attributes: read.attributes,
  models: read.models,
  datasets: read.datasets,
  items: read.items,
  schema: read.schema,
  upload: upload.upload,
  'upload-file': uploadFile,
  uploads: upload.uploads,
  'from-spans': fromSpans,
  builds,
  'score-items': scoreItems,
  scores,
  changes,
  planned,
  'delete-events': deleteEvents,
  budget: budget.budget,
  traffic: traffic.traffic,
  request,
};

/** Whoever read standard output has gone (`| head`), and what was asked for is stopped as Ctrl-C does it. */
let isReaderGone = false;

takeTokenFromEnvironment();
await main();

async function main(): Promise<void> {
  const interrupt = new AbortController();
  const presses = new Presses();
  process.on('SIGINT', () => {
    // What is committed can be resumed.
    if (presses.isSecond(systemClock.monotonicMs())) process.exit(130);
    interrupt.abort();
  });
  process.on('SIGTERM', () => interrupt.abort());
  listenToReader(() => interrupt.abort());
  let context: CommandContext | null = null;
  try {
    const argv = process.argv.slice(2);
    const { name, isVersion } = commandName(argv);
    if (isVersion) {
      process.stdout.write(`${await versionText()}\n`);
      return;
    }
    const args = parseArguments(argv);
    if (args === null) {
      process.stdout.write(`${helpText(name)}\n`);
      return;
    }
    const { command } = args;
    if (command === 'help') {
      const [of = null] = args.positionals;
      process.stdout.write(`${helpText(of === null ? null : knownCommand(of))}\n`);
      return;
    }
    if (command === 'completion') {
      process.stdout.write(completionScript(args.positionals[0]));
      return;
    }
    context = createContext(args, interrupt.signal);
    await COMMANDS[command](context);
  } catch (thrown) {
    fail(thrown, interrupt.signal);
  }
  try {
    await context?.close();
  } catch (thrown) {
    // One line is enough: what made the command fail makes closing fail as well.
    if (process.exitCode === undefined) fail(thrown, interrupt.signal);
  }
}

/** A reader that closes the pipe early is no failure of ours, but what changes the service must not end half way. */
function listenToReader(onGone: () => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      isReaderGone = true;
      onGone();
      return;
    }
    process.stderr.write(
      `error STORE_FAILED: Standard output could not be written (${error.code ?? 'unknown'}).\n`,
    );
    process.exit(1);
  });
  // Nobody is left to be told.
  process.stderr.on('error', () => undefined);
}

function fail(thrown: unknown, signal: AbortSignal): void {
  const error = toAppError(thrown);
  const wasForNobody = isReaderGone && thrown instanceof UnreadAnswers;
  if (wasForNobody) return;
  process.stderr.write(`${errorLine(error)}\n`);
  process.exitCode = exitCodeOf(error.code, signal.aborted && !isReaderGone);
}

/** The file lies beside the folder of this one, as source and as bundle. */
async function versionText(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(text));
  return `Spandeck ${version}`;
}

async function test(context: CommandContext): Promise<void> {
  const session = await context.session();
  const result = await context.engine.testConnection({ ...session.connection }, null);
  if (!result.isOk) {
    throw new AppError(result.code ?? 'INTERNAL', result.message, { nextStep: result.nextStep });
  }
  context.output.answer(result, () => [`${result.title}. ${result.message}`]);
}
