/** One command line from its words to its exit code. Nothing here belongs to the process: cli.ts gives that. */
import { AppError, toAppError } from '../shared/errors.ts';
import { type CommandName, commandName, knownCommand, parseArguments } from './arguments.ts';
import * as ask from './ask-commands.ts';
import * as budget from './budget-command.ts';
import { builds } from './builds-command.ts';
import * as change from './change-commands.ts';
import { changes } from './changes-command.ts';
import { completionScript } from './completion.ts';
import { type CommandContext, createContext, type Surroundings } from './context.ts';
import { damaged } from './damaged-command.ts';
import { remove } from './delete-command.ts';
import { deleteEvents } from './delete-events-command.ts';
import { EXIT_CODES, exitCodeOf } from './exit-codes.ts';
import { exportList } from './export-command.ts';
import { uploadFile } from './file-command.ts';
import { fromSpans } from './from-spans-command.ts';
import { health } from './health-command.ts';
import { helpText } from './help.ts';
import { jobs } from './jobs-command.ts';
import { keep, kept } from './keep-command.ts';
import { outbox } from './outbox-command.ts';
import { errorLine } from './output.ts';
import { pack } from './pack-command.ts';
import { planned } from './planned-command.ts';
import { profile } from './profile-command.ts';
import * as read from './read-commands.ts';
import { request, UnreadAnswers } from './request-command.ts';
import { scoreItems } from './score-items-command.ts';
import { scores } from './scores-command.ts';
import { search } from './search-command.ts';
import { settings } from './settings-command.ts';
import { sql } from './sql-command.ts';
import * as traffic from './traffic-commands.ts';
import * as upload from './upload-commands.ts';

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
  keep,
  kept,
  changes,
  outbox,
  planned,
  damaged,
  health,
  pack,
  jobs,
  'delete-events': deleteEvents,
  budget: budget.budget,
  search,
  profile,
  export: exportList,
  sql,
  settings,
  traffic: traffic.traffic,
  request,
};

/** Runs the command that the words name, and says what it fails with. Returns the exit code. */
export async function runCommand(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode: number = EXIT_CODES.done.code;
  let context: CommandContext | null = null;
  const fail = (thrown: unknown): void => {
    const isReaderGone = surroundings.isReaderGone();
    if (isReaderGone && thrown instanceof UnreadAnswers) return;
    const error = toAppError(thrown);
    surroundings.stderr.write(`${errorLine(error)}\n`);
    exitCode = exitCodeOf(error.code, surroundings.signal.aborted && !isReaderGone);
  };
  try {
    const args = await answerAlone(argv, surroundings);
    if (args !== null) {
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

async function test(context: CommandContext): Promise<void> {
  const session = await context.session();
  const result = await context.engine.testConnection({ ...session.connection }, null);
  if (!result.isOk) {
    throw new AppError(result.code ?? 'INTERNAL', result.message, { nextStep: result.nextStep });
  }
  context.output.answer(result, () => [`${result.title}. ${result.message}`]);
}
