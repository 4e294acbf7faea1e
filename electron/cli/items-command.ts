/** `items DATASET` lists the items of a dataset; `items add DATASET FILE` adds the rows of a file by a durable job. */
import { dirname, join } from 'node:path';
import { badRowsError } from '../datasets/items-check.ts';
import type { Session } from '../engine/session.ts';
import { questionError } from '../shared/column-reading.ts';
import { AppError, fromWire, isUnreachable, toAppError } from '../shared/errors.ts';
import { knownKeys, readPlace, suggestItemColumns } from '../shared/item-columns.ts';
import type { ItemColumn, ItemsCheck, ItemsJob, ItemsPlan } from '../shared/items-model.ts';
import type { ListQuery } from '../shared/model.ts';
import { sentBeforeLines } from '../shared/sent-before.ts';
import type { PreviewColumn } from '../shared/upload-model.ts';
import { ledgerLines } from '../shared/value-ledger.ts';
import { areNumbersBy } from '../uploads/sniff/infer-types.ts';
import { askAgain } from './ask-again.ts';
import { badItemsStep, badRowLines } from './bad-rows.ts';
import type { CommandContext } from './context.ts';
import { type Followed, follow } from './follow.ts';
import { lookAt, notesAsRead, offerOne } from './given-file.ts';
import { counted, nameList, numberText } from './human-text.ts';
import { resolveName } from './names.ts';
import { answersPlan, sayPlanned, startOrWait } from './planned-start.ts';
import * as read from './read-commands.ts';
import { READ_FLAGS } from './read-flags.ts';
import { readRecord } from './read-library.ts';
import { refusalOf } from './refusal.ts';
import { offeredRepairs, REPAIR_OPTION, repairsIn, sumText, typedByRepairs } from './repair-flag.ts';
import { besideAnswer } from './result-file.ts';
import { didYouMean } from './suggestions.ts';
import { withValueFlags } from './value-columns.ts';
import { refuseUnfit, VALUE_FLAGS } from './value-flags.ts';

const OWN_FLAGS = [
  ...['map', 'flatten', 'plan', 'dry-run', 'on-bad-row', 'start-at', 'output', 'again'],
  ...READ_FLAGS,
  ...VALUE_FLAGS,
  ...Object.keys(REPAIR_OPTION),
];
const ITEMS_PER_REQUEST = 200;

export async function items(context: CommandContext): Promise<void> {
  const { args } = context;
  const [action, dataset, file] = args.positionals;
  if (action === 'add' && dataset !== undefined) return add(context, dataset, file);
  const own = args.given.find((given) => OWN_FLAGS.includes(given));
  if (own !== undefined)
    throw new AppError('INVALID_ARGUMENT', `items takes no --${own}. It belongs to: items add DATASET FILE.`);
  if (dataset !== undefined)
    throw new AppError('INVALID_ARGUMENT', `items expects DATASET, or add DATASET FILE; got ${dataset}.`);
  await read.items(context);
}

async function add(context: CommandContext, dataset: string, file: string | undefined): Promise<void> {
  const { args, output } = context;
  if (file === undefined) throw new AppError('INVALID_ARGUMENT', 'items add expects DATASET and FILE.');
  const other = args.given.find((given) => !OWN_FLAGS.includes(given));
  if (other !== undefined) throw new AppError('INVALID_ARGUMENT', `items add takes no --${other}.`);
  const onBadRow = args.text('on-bad-row') ?? 'stop';
  if (onBadRow !== 'stop' && onBadRow !== 'skip')
    throw new AppError('INVALID_ARGUMENT', `--on-bad-row expects stop or skip, got ${onBadRow}.`);
  const session = await context.session();
  const datasetId = await resolveName(context, 'datasets.list', dataset);
  const offered = await offerOne(context, 'items add', file);
  const { preview, unfit: ofFile } = await lookAt(context, offered.fileId, session.connection.id);
  refuseUnfit(ofFile);
  const { items: adding } = session.datasets;
  const known = preview.columns.map(({ name, type }) => ({
    source: name,
    type,
    place: 'inputs' as const,
    field: name,
  }));
  // Keys that are missing in the first rows become columns like the others.
  const late = await adding.newKeys({ fileId: offered.fileId, dialect: preview.dialect, columns: known });
  const all = [...preview.columns, ...late.map((name) => ({ name, type: 'json' as const }))];
  const samples = new Map(preview.columns.map((column) => [column.name, column.samples]));
  const samplesOf = ({ source }: Pick<ItemColumn, 'source'>) => samples.get(source) ?? [];
  const placed = typedByRepairs(args, await columnsOf(context, datasetId, all), (kinds, column) =>
    areNumbersBy(kinds, samplesOf(column)),
  );
  const read = withValueFlags(args, placed, { isSent: ({ place }) => place !== null, samplesOf });
  refuseUnfit(read.unfit);
  for (const note of notesAsRead(preview, read.columns)) output.note(note);
  const plan: ItemsPlan = {
    ...{ datasetId, datasetName: dataset.slice(0, 500), fileId: offered.fileId, fileName: offered.name },
    dialect: preview.dialect,
    columns: read.columns,
    ...repairsIn(args, read.columns, undefined),
    flattens: args.flag('flatten'),
    onBadRow,
    itemsPerRequest: ITEMS_PER_REQUEST,
  };
  for (const { source, place, field } of plan.columns)
    output.note(
      place === null ? `${source}: left out` : `${source}: ${field === '' ? place : `${place}.${field}`}`,
    );
  await sendRows(context, session, plan, {
    ...{ to: dataset, operation: 'datasets.add-items', estimatedRows: preview.estimatedRows },
    sum: (check) => [
      ...offeredRepairs(check.problems),
      `${sumText(check)}, ${counted(check.items, 'item')} in ${counted(check.requests, 'request')}. Nothing was sent.`,
    ],
  });
}

/** Sends the rows by a job and follows it. With `--dry-run`, only prints the result of the check, with its `sum`. */
export async function sendRows(
  context: CommandContext,
  session: Session,
  plan: ItemsPlan,
  given: {
    /** Name of the dataset or experiment that gets the rows. */
    to: string;
    operation: string;
    estimatedRows: number;
    sum: (check: ItemsCheck) => readonly string[];
  },
): Promise<void> {
  const { args, output } = context;
  const { items: adding } = session.datasets;
  if (args.flag('dry-run')) {
    const check = await adding.check(plan);
    if (check.questions.length > 0) throw questionError(check.questions);
    output.answer(check, () => [
      ...check.notes,
      ...sentBeforeLines(check.addedBefore ?? [], given.to, 'added'),
      ...ledgerLines(check.ledger),
      ...badRowLines(check.firstBad),
      ...given.sum(check),
    ]);
    const error = badRowsError(check, plan);
    if (error !== null)
      throw new AppError(error.code, error.message, {
        ...error.details,
        nextStep: badItemsStep(plan, check.firstBad),
      });
    return;
  }
  const startAtMs = startOrWait(context);
  const count = Math.max(1, Math.ceil(given.estimatedRows / plan.itemsPerRequest));
  if (await answersPlan(context, [{ operation: given.operation, count }], startAtMs)) return;
  if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped. Nothing was sent.');
  const told = askAgain(context, await adding.addedBefore(plan), given.to, 'added');
  const { ledger, notes, questions } = await adding.check(plan);
  for (const line of [...notes, ...ledgerLines(ledger)]) output.note(line);
  if (questions.length > 0) throw questionError(questions);
  const job = await adding.create(plan, true, startAtMs, told);
  if (startAtMs !== null) sayPlanned(context, startAtMs);
  await follow(context, session, ITEMS, job.itemsId);
}

/**
 * The columns given by `--map COLUMN=BUCKET.KEY`. The places of other columns are proposed from their names and the
 * keys of the dataset.
 */
async function columnsOf(
  context: CommandContext,
  datasetId: string,
  columns: readonly Pick<PreviewColumn, 'name' | 'type'>[],
): Promise<ItemColumn[]> {
  const query = { operation: 'datasets.schema', path: { dataset_id: datasetId }, query: {} };
  const record = await readStoredAnyhow(context, query);
  const proposed = suggestItemColumns(columns, knownKeys(record));
  const names = columns.map(({ name }) => name);
  const given = new Map(context.args.texts('map').map((text) => mapped(text, names)));
  return proposed.map((column) => {
    const to = given.get(column.source);
    if (to === undefined) return column;
    return to === null ? { ...column, place: null } : { ...column, ...to };
  });
}

/** Reads a record if possible; null if it is not stored and the service cannot be reached. */
async function readStoredAnyhow(context: CommandContext, query: ListQuery) {
  try {
    return (await readRecord(context, query)).record;
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    if (code !== 'NOT_STORED' && code !== 'OFFLINE' && !isUnreachable(code)) throw thrown;
    context.output.note(
      `The keys of the dataset are not known, so columns are proposed without them. ${message}`,
    );
    return null;
  }
}

/** Parses a mapping such as `question=inputs.question`; `notes=-` leaves the column out. */
function mapped(
  text: string,
  names: readonly string[],
): [string, { place: ItemColumn['place']; field: string } | null] {
  const at = text.lastIndexOf('=');
  const name = text.slice(0, at);
  const to = text.slice(at + 1);
  if (at < 1 || !names.includes(name))
    throw new AppError(
      'INVALID_ARGUMENT',
      `--map expects COLUMN=BUCKET.KEY, got ${text}. The file has the columns ${nameList(names)}.${didYouMean(name, names)}`,
    );
  if (to === '-') return [name, null];
  const place = readPlace(to);
  if (place !== null) return [name, place];
  throw new AppError(
    'INVALID_ARGUMENT',
    `--map expects inputs, expected_outputs, metadata or extras with a key, source_id, source_name, or - to leave the column out; got ${to}.`,
  );
}

const nounOf = ({ experiment }: ItemsPlan): string => (experiment === undefined ? 'item' : 'result');

/** Ctrl-C pauses the job; items that were added stay. */
export const ITEMS: Followed<'items'> = {
  kind: 'items',
  word: 'items',
  stays: (id) => `It is kept: jobs resume ${id}`,
  onInterrupt: 'pause',
  hear:
    ({ output }) =>
    ({ plan, state, counts }) =>
      output.progress(
        `${state}: ${numberText(counts.added)}${counts.rows === null ? '' : ` of ${numberText(counts.rows - counts.badRows)}`} ${nounOf(plan)}s added`,
      ),
  answer,
};

async function answer(context: CommandContext, session: Session, ended: ItemsJob): Promise<void> {
  const { itemsId, state, reason, counts, error, startAtMs } = ended;
  const write = async () => {
    if (startAtMs !== null || counts.added === 0) return null;
    const ownFile = join(dirname(session.receiptsFile(itemsId)), `items-${itemsId}.csv`);
    const path = context.args.text('output') ?? ownFile;
    await session.datasets.items.writeReceipts(itemsId, path);
    return path;
  };
  const { file: receiptsFile, failure } = await besideAnswer(write, null);
  const startAt = startAtMs === null ? null : new Date(startAtMs).toISOString();
  const ledger = session.datasets.items.ledgerOf(itemsId);
  context.output.answer({ itemsId, state, reason, startAt, ...counts, receiptsFile, ledger }, () => [
    startAt === null ? state : 'starts later',
    ...(state === 'done' && counts.rows === 0 ? ['The file has no rows: nothing was sent.'] : []),
    `${counted(counts.added, nounOf(ended.plan))} added, ${numberText(counts.refused)} refused, ${numberText(counts.unknown)} without an answer, ${counted(counts.badRows, 'bad row')} left out`,
    ...(counts.doubtful === undefined
      ? []
      : [`receipt in doubt: ${counted(counts.doubtful, nounOf(ended.plan))}`]),
    ...(receiptsFile === null ? [] : [`receipts: ${receiptsFile}`]),
  ]);
  if (startAt !== null || state === 'running' || state === 'waiting') return;
  const nextStep =
    counts.unknown > 0
      ? `Decide with: jobs decide ${itemsId} PART stored|resend|give-up`
      : state === 'failed' && counts.badRows > 0
        ? badItemsStep(ended.plan)
        : `Continue with: jobs resume ${itemsId}`;
  if (error !== null && state !== 'done') {
    const { code, message, details } = fromWire(error);
    throw new AppError(code, message, { ...details, nextStep });
  }
  if (state !== 'done') throw new AppError('CANCELLED', reason, { nextStep });
  if (counts.refused === 0 && failure !== null) throw failure;
  if (counts.refused === 0) {
    const [doubt] = session.datasets.items.listParts(itemsId, ['doubtful'], 0, 1).parts;
    if (doubt?.error) throw fromWire(doubt.error);
    return;
  }
  const [first] = session.datasets.items.listParts(itemsId, ['refused'], 0, 1).parts;
  throw refusalOf(
    first?.error ?? null,
    `The service refused ${counted(counts.refused, nounOf(ended.plan))}.`,
    `See which: jobs show ${itemsId}`,
  );
}
