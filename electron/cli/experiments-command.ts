/**
 * `experiments`: lists, reads, compares, creates, describes and deletes experiments, and uploads results from a file.
 */
import { isObject } from '../core/items/flattened.ts';
import { AppError } from '../shared/errors.ts';
import { incompleteError } from '../shared/incomplete.ts';
import type { ItemsPlan } from '../shared/items-model.ts';
import type { Freshness } from '../shared/model.ts';
import { resultPlaceText, suggestResultColumns } from '../shared/result-columns.ts';
import type { Arguments } from './arguments.ts';
import { changeOne } from './change-answers.ts';
import { send } from './change-commands.ts';
import { COMPARE_FLAGS, compareRuns, usageTexts } from './compare-runs-command.ts';
import type { CommandContext } from './context.ts';
import { remove } from './delete-command.ts';
import { lookAt, notesAsRead, offerOne } from './given-file.ts';
import { counted, numberText } from './human-text.ts';
import { sendRows } from './items-command.ts';
import { readJsonOption } from './json-argument.ts';
import { resolveName } from './names.ts';
import { listOperation, recordOperation } from './read-commands.ts';
import { readExperiment } from './read-experiment.ts';
import { readRecord, throwIfRefused } from './read-library.ts';
import { didYouMean } from './suggestions.ts';
import { refuseUnfit } from './value-flags.ts';

/** Results in one body. The service's limit is not published; if a body is refused, it is halved. */
const RESULTS_PER_REQUEST = 100;

type Action = (context: CommandContext, name: string, file: string | undefined) => Promise<void>;

/** The arguments for running another command with the same flags. */
const asArguments = ({ args }: CommandContext, command: Arguments['command'], positionals: string[]) => ({
  ...args,
  command,
  positionals,
});

const ACTIONS: Readonly<Record<string, { flags: readonly string[]; run: Action }>> = {
  list: {
    flags: ['filter', 'limit', 'offset'],
    run: (context) => listOperation(context, 'experiments.list', null),
  },
  get: { flags: [], run: (context, name) => recordOperation(context, 'experiments.get', name) },
  results: {
    flags: ['filter', 'ordering', 'limit', 'offset'],
    run: (context, name) => listOperation(context, 'experiments.results', name),
  },
  metrics: { flags: [], run: (context, name) => recordOperation(context, 'experiments.metrics', name) },
  compare: {
    flags: COMPARE_FLAGS,
    run: compare,
  },
  usage: { flags: [], run: usage },
  create: { flags: ['dataset', 'description', 'metadata'], run: create },
  describe: { flags: ['description', 'metadata'], run: describe },
  delete: {
    flags: ['yes', 'plan'],
    run: (context, name) =>
      remove({ ...context, args: asArguments(context, 'delete', ['experiments', name]) }),
  },
  upload: { flags: ['dry-run', 'plan', 'on-bad-row', 'start-at', 'output', 'again'], run: upload },
};

export async function experiments(context: CommandContext): Promise<void> {
  const { args } = context;
  const [typed = 'list', name, file, more] = args.positionals;
  const action = Object.hasOwn(ACTIONS, typed) ? ACTIONS[typed] : undefined;
  const names = Object.keys(ACTIONS);
  if (action === undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      `experiments expects one of ${names.join(', ')}; got ${typed}.${didYouMean(typed, names)}`,
    );
  const extra = args.given.find((given) => !action.flags.includes(given));
  if (extra !== undefined)
    throw new AppError('INVALID_ARGUMENT', `experiments ${typed} takes no --${extra}.`);
  const second = typed === 'upload' ? more : file;
  if (second !== undefined && typed !== 'compare')
    throw new AppError('INVALID_ARGUMENT', `experiments ${typed} takes no further argument, got ${second}.`);
  if (name === undefined && typed !== 'list')
    throw new AppError('INVALID_ARGUMENT', `experiments ${typed} expects EXPERIMENT: an id or a name.`);
  if (name !== undefined && typed === 'list')
    throw new AppError('INVALID_ARGUMENT', `experiments list takes no argument, got ${name}.`);
  await action.run(context, name ?? '', file);
}

/** Compares experiments. Throws after the answer if it is not about all of their results as the service has them. */
async function compare(context: CommandContext): Promise<void> {
  const read: Freshness[] = [];
  await compareRuns(context, {
    ...{ given: context.args.positionals.slice(1), what: 'experiments' },
    runOf: async (typed) => {
      const { id, results } = await readExperiment(context, typed);
      read.push(results);
      return { kind: 'experiment', id };
    },
  });
  for (const results of read) throwIfRefused(context, results);
  for (const results of read)
    if (!results.isComplete) throwPart(context, results, results.storedRows, results.totalRows);
}

/** Throws the error for incompletely stored results. */
function throwPart(
  { args }: CommandContext,
  { missingRows }: Freshness,
  stored: number,
  total: number | null,
): never {
  if (missingRows !== undefined) throw incompleteError({ missingRows, rows: stored });
  const of = total === null ? '' : ` of ${numberText(total)}`;
  throw new AppError('INCOMPLETE', `Only ${numberText(stored)}${of} results are stored.`, {
    nextStep: args.isOffline ? 'Run it once without --offline.' : 'Run it again to read on.',
  });
}

/** Tokens, cost and critical path of the traces behind the results of one experiment. */
async function usage(context: CommandContext, name: string): Promise<void> {
  const { id, record, results } = await readExperiment(context, name);
  const { comparisons } = (await context.session()).datasets;
  const found = await comparisons.usage({ runs: [{ kind: 'experiment', id }], baseline: 0 });
  const title = typeof record['name'] === 'string' ? record['name'] : name;
  const texts = usageTexts(found, [title]);
  const [run] = found.runs;
  if (run === undefined) throw new AppError('INTERNAL', 'Expected the traces of one run, got none.');
  const { results: stored, unstored, whole } = run;
  const total = unstored === null ? null : stored + unstored;
  context.output.answer({ id, name: title, total, complete: whole === total, ...run }, () =>
    texts.length > 0 ? texts : [`No result of ${title} names its trace: ${TRACE_HELP}`],
  );
  throwIfRefused(context, results);
  if (unstored !== 0) throwPart(context, results, stored, total);
}

const TRACE_HELP = 'write trace_id into the outputs of a result to see tokens, cost and critical path here.';

/** Description and metadata from the flags; empty if neither is given. */
async function textsOf(context: CommandContext): Promise<Record<string, unknown>> {
  const description = context.args.text('description');
  const metadata = await readJsonOption(context, 'metadata');
  if (metadata !== undefined && !isObject(metadata))
    throw new AppError('INVALID_ARGUMENT', '--metadata expects a JSON object, such as {"prompt": "v2"}.');
  return {
    ...(description === null ? {} : { description }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Creates an experiment in the application of its dataset. */
async function create(context: CommandContext, name: string): Promise<void> {
  const given = context.args.text('dataset');
  if (given === null)
    throw new AppError('INVALID_ARGUMENT', 'experiments create expects --dataset: an id or a name.');
  const datasetId = await resolveName(context, 'datasets.list', given);
  const query = { operation: 'datasets.get', path: { dataset_id: datasetId }, query: {} };
  const { record } = await readRecord(context, query);
  const applicationId = isObject(record['application']) ? record['application']['id'] : undefined;
  if (typeof applicationId !== 'string')
    throw new AppError('INVALID_ARGUMENT', `The dataset ${given} names no application.`);
  const body = { name, dataset_id: datasetId, application_id: applicationId, ...(await textsOf(context)) };
  await changeOne(
    context,
    () => 'created',
    () => send(withoutFlags(context), 'experiments.create', { path: {}, body, id: null }),
  );
}

async function describe(context: CommandContext, name: string): Promise<void> {
  const body = await textsOf(context);
  if (Object.keys(body).length === 0)
    throw new AppError('INVALID_ARGUMENT', 'experiments describe expects --description, --metadata or both.');
  const path = { experiment_id: await resolveName(context, 'experiments.list', name) };
  await changeOne(
    context,
    () => 'changed',
    () => send(withoutFlags(context), 'experiments.update', { path, body, id: name }),
  );
}

/** A context without flags, because no flag of this command is a parameter of the operation's path or query. */
const withoutFlags = (context: CommandContext): CommandContext => ({
  ...context,
  args: { ...context.args, text: () => null },
});

async function upload(context: CommandContext, name: string, file: string | undefined): Promise<void> {
  const { args, output } = context;
  if (file === undefined)
    throw new AppError('INVALID_ARGUMENT', 'experiments upload expects EXPERIMENT and FILE.');
  const onBadRow = args.text('on-bad-row') ?? 'stop';
  if (onBadRow !== 'stop' && onBadRow !== 'skip')
    throw new AppError('INVALID_ARGUMENT', `--on-bad-row expects stop or skip, got ${onBadRow}.`);
  const session = await context.session();
  const experimentId = await resolveName(context, 'experiments.list', name);
  const query = { operation: 'experiments.get', path: { experiment_id: experimentId }, query: {} };
  const { record } = await readRecord(context, query);
  const { dataset } = record;
  const title = typeof record['name'] === 'string' ? record['name'] : name;
  const offered = await offerOne(context, 'experiments upload', file);
  const { preview, unfit } = await lookAt(context, offered.fileId, session.connection.id);
  refuseUnfit(unfit);
  const columns = suggestResultColumns(preview.columns);
  for (const note of notesAsRead(preview, columns)) output.note(note);
  const plan: ItemsPlan = {
    datasetId: isObject(dataset) && typeof dataset['id'] === 'string' ? dataset['id'] : experimentId,
    datasetName: isObject(dataset) && typeof dataset['name'] === 'string' ? dataset['name'] : title,
    experiment: { id: experimentId, name: title.slice(0, 500) },
    ...{ fileId: offered.fileId, fileName: offered.name, dialect: preview.dialect },
    ...{ columns, flattens: false, onBadRow, itemsPerRequest: RESULTS_PER_REQUEST },
  };
  for (const column of plan.columns) output.note(`${column.source}: ${resultPlaceText(column)}`);
  await sendRows(context, session, plan, {
    ...{ to: title, operation: 'experiments.add-results', estimatedRows: preview.estimatedRows },
    sum: (check) => [
      `${counted(check.items, 'result')} in ${counted(check.requests, 'request')}, ${counted(check.badRows, 'bad row')}. Nothing was sent.`,
    ],
  });
}
