import type { Session } from '../engine/session.ts';
import { planColumns } from '../shared/column-plan.ts';
import { questionError } from '../shared/column-reading.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import { shownName } from '../shared/plan-bounds.ts';
import type { Preset } from '../shared/preset-contract.ts';
import { isRowPolicy, mostBadRows, type RowPolicy } from '../shared/row-policy.ts';
import { sentBeforeLines, uploadPlace } from '../shared/sent-before.ts';
import type { DryRun, FilePreview, OfferedFile, UploadJob, UploadPlan } from '../shared/upload-model.ts';
import {
  dialectAgain,
  dialectOfPreset,
  MAX_PRESET_COLUMNS,
  presetOf,
  type UploadPreset,
  withPreset,
} from '../shared/upload-preset.ts';
import { EMPTY_LEDGER, ledgerLines } from '../shared/value-ledger.ts';
import { askAgain } from './ask-again.ts';
import { badRowLines, badRowsStep } from './bad-rows.ts';
import { byIdOrOnly, chosenAction } from './choose.ts';
import type { CommandContext } from './context.ts';
import { noteDamaged } from './damaged-notes.ts';
import { follow } from './follow.ts';
import { withFormerKeys } from './former-keys.ts';
import { lookAt, notesAsRead, offerAll, offerError } from './given-file.ts';
import { counted, nameList, numberText, readable } from './human-text.ts';
import { resolveName } from './names.ts';
import { tableOr } from './output.ts';
import { answersPlan, sayPlanned, startAtOf } from './planned-start.ts';
import { findPreset, noteDifference, savePreset } from './presets-command.ts';
import { READ_FLAGS } from './read-flags.ts';
import { offeredRepairs, REPAIR_OPTION, repairsIn, sumText } from './repair-flag.ts';
import { undoUpload } from './undo-command.ts';
import { jobResult, UPLOADS, writeReceipts } from './upload-answers.ts';
import { noteEnvironment } from './upload-environment.ts';
import { readUploadModel, type UploadModel } from './upload-model.ts';
import { withValueFlags } from './value-columns.ts';
import { refuseUnfit, VALUE_FLAGS } from './value-flags.ts';
import { createWaiter } from './waiter.ts';

const MAX_BATCH_BYTES = 8_000_000;
/** The actions with their flags. */
const ACTIONS = {
  resume: ['output'],
  receipts: ['output'],
  decide: ['output', 'by-counts'],
  undo: ['plan', 'yes'],
  rerun: [
    ...['output', 'model', 'policy', 'dry-run', 'again'],
    ...READ_FLAGS,
    ...VALUE_FLAGS,
    ...Object.keys(REPAIR_OPTION),
  ],
};

/**
 * `upload FILE...`: inspects files, maps columns by the model's schema, and sends the rows; with --dry-run, only checks
 * them.
 */
export async function upload(context: CommandContext): Promise<void> {
  const { args, output } = context;
  if (args.positionals.length === 0) throw new AppError('INVALID_ARGUMENT', 'upload expects FILE.');
  const typedPolicy = args.text('policy');
  const policy = typedPolicy === null ? null : policyOf(typedPolicy);
  const modelName = args.text('model');
  const presetName = args.text('preset');
  if (modelName === null && presetName === null)
    throw new AppError('INVALID_ARGUMENT', 'upload expects --model: an id or a name, or --preset.');
  const session = await context.session();
  const preset = presetName === null ? null : findPreset(session, presetName);
  const modelId =
    modelName === null && preset !== null
      ? preset.content.model.id
      : await resolveName(context, 'models.list', modelName ?? '');
  const model = await readUploadModel(context, session, modelId);
  const onBadRow = policy ?? preset?.content.onBadRow ?? 'stop';
  // A folder or an archive stands for its files, which are all inspected before the first one is sent.
  const offered = await offerAll(context, args.positionals);
  for (const { one, path, isNamed } of offered) {
    if (one.error === null) continue;
    const error = offerError(one.error, path);
    if (isNamed || !isDocument(one.name, error)) throw error;
  }
  if (offered.length > 1 && startAtOf(context) !== null) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `--start-at takes one file, got ${offered.length}. Plan them one by one.`,
    );
  }
  let done = 0;
  const left: string[] = [];
  try {
    for (const { one, isNamed } of offered) {
      if (offered.length > 1) output.note(`${one.name}:`);
      const isTaken = await uploadOne(context, session, one, {
        ...{ modelId, model, onBadRow, preset, isNamed },
        isOnly: offered.length === 1,
      });
      if (!isTaken) left.push(one.name);
      done += 1;
    }
    if (left.length > 0)
      output.note(`Not sent: ${left.length} of ${counted(offered.length, 'file')}: ${nameList(left)}.`);
    if (left.length > 0 && left.length === offered.length)
      throw new AppError(
        'FILE_MALFORMED',
        `Expected at least one file with rows, got none among ${counted(left.length, 'file')}. Nothing was sent.`,
        { nextStep: 'To send one of them, name it by itself.' },
      );
  } finally {
    const rest = offered.slice(done + 1).map(({ one }) => one.name);
    if (rest.length > 0) output.note(`Not begun: ${nameList(rest)}.`);
  }
}

interface Target {
  modelId: string;
  model: UploadModel;
  onBadRow: RowPolicy;
  preset: Preset<UploadPreset> | null;
  /** A person named this file, and not a folder or an archive with several files. */
  isNamed?: boolean;
  /** This command sends no other file. */
  isOnly: boolean;
}

function policyOf(text: string): RowPolicy {
  if (isRowPolicy(text)) return text;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--policy expects stop, skip, after=N or after=N% (such as after=10 or after=5%), got ${text}.`,
  );
}

/** Uploads one file; returns false if it was left out because it is in a folder or archive and is not a table. */
async function uploadOne(
  context: CommandContext,
  session: Session,
  offered: OfferedFile,
  { modelId, model, onBadRow, preset, isNamed = true, isOnly }: Target,
): Promise<boolean> {
  const { args, output, engine } = context;
  const leaveOut = (reason: string): false => {
    output.note(`${reason} Not sent.`);
    const answer = { file: offered.name, state: 'not-sent', reason, acknowledged: 0 };
    output.answer(answer, () => `${offered.name}: not sent`);
    return false;
  };
  if (offered.error !== null) return leaveOut(fromWire(offered.error).message);
  const before = preset === null ? undefined : dialectOfPreset(preset.content);
  const looked = await lookAt(context, offered.fileId, session.connection.id, before).catch(
    (error: unknown) => {
      if (isNamed || !isDocument(offered.name, error)) throw error;
      return error.message;
    },
  );
  if (typeof looked === 'string') return leaveOut(looked);
  const { preview, read, unfit } = looked;
  for (const note of looked.left) output.note(note);
  if (!isNamed && isProse(preview, model)) {
    for (const note of preview.notes) output.note(note);
    return leaveOut('It looks like text, not like a table. If it is one, send it by itself.');
  }
  const proposed = planColumns(preview.columns, model.columns);
  const known = preset === null ? proposed : withPreset(proposed, preset.content);
  const samples = new Map(preview.columns.map((column) => [column.name, column.samples]));
  const { columns, unfit: ofColumns } = withValueFlags(args, known, {
    isTyped: ({ target }) => model.columns.some(({ name }) => name === target),
    isSent: ({ target }) => target !== null,
    samplesOf: ({ source }) => samples.get(source) ?? [],
  });
  for (const note of notesAsRead(preview, columns)) output.note(note);
  if (!isNamed && columns.every(({ target }) => target === null)) {
    const names = nameList(preview.columns.map(({ name }) => name));
    return leaveOut(
      `Expected at least one column of the model, got ${names}. If it has events, send it by itself.`,
    );
  }
  // With several files, a flag may be meant for the other files.
  if (isOnly) refuseUnfit([...unfit, ...ofColumns]);
  else for (const sentence of [...unfit, ...ofColumns]) output.note(sentence);
  if (preset !== null) noteDifference(context, preset, preview);
  const kept = preset?.content;
  const plan: UploadPlan = {
    fileId: offered.fileId,
    dialect: preview.dialect,
    ...(read === null ? {} : { setDialect: read }),
    columns,
    ...(preset === null ? {} : { constants: preset.content.constants, preset: preset.name.slice(0, 100) }),
    ...repairsIn(args, columns, preset?.content),
    takesNewKeys: true,
    modelId,
    modelName: shownName(model.name),
    envType: args.text('env-type') ?? kept?.envType ?? 'PRODUCTION',
    envName: args.text('env-name') ?? (kept?.envName || null),
    mode: args.flag('update') ? 'update' : (kept?.mode ?? 'publish'),
    batchRows: args.wholeNumber('batch-rows', 1) ?? kept?.batchRows ?? engine.readSettings().batchRows,
    maxBatchBytes: MAX_BATCH_BYTES,
    onBadRow,
  };
  const startAtMs = startAtOf(context);
  await noteEnvironment(context, session, plan);
  if (args.flag('dry-run')) {
    const run = await checkFile(context, session, plan);
    savePreset(context, session, { plan: decidedPlan(plan, run), preview, read: read ?? {} });
    noteMissing(context, run, plan, model.columns);
    answerDryRun(context, run, plan);
    return true;
  }
  const count = Math.max(1, Math.ceil((preview.estimatedRows ?? 0) / plan.batchRows));
  if (await answersPlan(context, [{ operation: `events.${plan.mode}`, count }], startAtMs)) {
    savePreset(context, session, { plan, preview, read: read ?? {} });
    return true;
  }
  if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped. Nothing was sent.');
  // The upload uses this check, so the file is not read twice.
  const run = await checkFile(context, session, plan);
  noteMissing(context, run, plan, model.columns);
  noteValues(context, run);
  const told = askAgain(context, run.sentBefore ?? [], uploadPlace(plan), 'sent');
  savePreset(context, session, { plan: decidedPlan(plan, run), preview, read: read ?? {} });
  const job = await session.uploads.createJob(plan, true, startAtMs, null, told);
  if (startAtMs !== null) sayPlanned(context, startAtMs);
  await follow(context, session, UPLOADS, job.jobId);
  return true;
}

/** Extensions of files that explain the tables in the same folder. */
const DOCUMENT = /\.(?:md|markdown|ipynb|rtf|html?)$/i;

const isDocument = (name: string, error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'FILE_BINARY' && DOCUMENT.test(name);

/**
 * Whether a file contains notes instead of a table: lines that no delimiter separates, below a name that the model does
 * not have.
 */
function isProse({ dialect, columns }: FilePreview, model: UploadModel): boolean {
  const [only] = columns;
  if (dialect.format !== 'csv' || columns.length !== 1 || only === undefined) return false;
  return !model.columns.some(({ name }) => name === only.name);
}

/** The plan with the decisions that were made from the whole file. */
function decidedPlan(plan: UploadPlan, { columns = [] }: DryRun): UploadPlan {
  const decided = new Map(columns.map((column) => [column.source, column]));
  return { ...plan, columns: plan.columns.map((column) => decided.get(column.source) ?? column) };
}

/** Prints columns that the file lacks, because a misspelt name would otherwise be noticed long after the upload. */
function noteMissing(
  { output }: CommandContext,
  run: DryRun,
  { columns, constants = [] }: UploadPlan,
  schema: readonly { name: string }[],
): void {
  const filled = new Set([...columns, ...constants, ...(run.columns ?? [])].map(({ target }) => target));
  const missing = schema.map(({ name }) => name).filter((name) => !filled.has(name));
  if (missing.length > 0)
    output.note(`Columns of the model that are missing in the file: ${nameList(missing)}.`);
}

/**
 * Prints the notes of a `--dry-run` before the first row is sent. Throws NEEDS_DECISION, and the error if the file
 * cannot be read.
 */
function noteValues({ output }: CommandContext, run: DryRun): void {
  if (run.error !== null) throw fromWire(run.error);
  for (const line of [...(run.notes ?? []), ...ledgerLines(run.ledger ?? EMPTY_LEDGER)]) output.note(line);
  if (run.questions !== undefined && run.questions.length > 0) throw questionError(run.questions);
}

/**
 * `uploads rerun ID FILE`: sends another file in the same way as an upload; with --model, to another model. Throws
 * INVALID_ARGUMENT without a file.
 */
async function rerun(context: CommandContext, session: Session, job: UploadJob): Promise<void> {
  const { args } = context;
  const file = args.positionals[2];
  if (file === undefined) throw new AppError('INVALID_ARGUMENT', 'uploads rerun expects ID and FILE.');
  const { plan } = job;
  const modelName = args.text('model');
  const modelId = modelName === null ? plan.modelId : await resolveName(context, 'models.list', modelName);
  const model = await readUploadModel(context, session, modelId);
  const typedPolicy = args.text('policy');
  const onBadRow = typedPolicy === null ? plan.onBadRow : policyOf(typedPolicy);
  const offered = await offerAll(context, [file]);
  for (const { one, path } of offered) if (one.error !== null) throw offerError(one.error, path);
  for (const { one } of offered) {
    const again = dialectAgain(plan);
    const { columns } = (await lookAt(context, one.fileId, session.connection.id, again)).preview;
    const types = new Map(columns.map(({ name, type }) => [name, type]));
    // Uses the upload's plan, but the types inferred from the new file.
    const before = plan.columns.map(({ source, type }) => ({
      name: source,
      type: types.get(source) ?? type,
    }));
    const content = presetOf(plan, { columns: before }, again);
    if (content === null) {
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected an upload of at most ${MAX_PRESET_COLUMNS} columns; this one has ${plan.columns.length}.`,
      );
    }
    const preset = { presetId: job.jobId, name: job.fileName, content, savedAtMs: job.createdAtMs };
    const isOnly = offered.length === 1;
    await uploadOne(context, session, one, { modelId, model, onBadRow, preset, isOnly });
  }
}

/**
 * Runs `uploads`, `uploads resume ID`, `uploads receipts ID`, `uploads decide ID`, `uploads undo ID` and `uploads rerun
 * ID FILE`.
 */
export async function uploads(context: CommandContext): Promise<void> {
  const [, given] = context.args.positionals;
  const action = chosenAction(context, ACTIONS);
  const session = await context.session();
  const jobs = session.uploads.listJobs();
  if (action === undefined) {
    noteDamaged(context, session, 'upload');
    const rows = jobs.map((job) => ({ ...jobResult(job, null), id: job.jobId, file: job.fileName }));
    context.output.answer({ items: rows, total: rows.length, complete: true, asOf: null }, () =>
      tableOr('No uploads on this connection. Start one with: upload FILE', rows.map(readable), [
        'id',
        'file',
        'state',
        'rows',
        'acknowledged',
        'rejected',
        'refused',
        'unknown',
        'unsent',
        'deleted',
        'maybeDeleted',
      ]),
    );
    return;
  }
  const open = jobs.filter(({ state }) => state !== 'done' && state !== 'cancelled');
  const fits = action === 'resume' ? open : jobs;
  const job = byIdOrOnly(context, [action, given], {
    all: jobs,
    idOf: ({ jobId }) => jobId,
    what: 'upload',
    fits,
  });
  await session.jobs.whenJudged('upload', job.jobId);
  if (action === 'resume') {
    await session.uploads.controlJob(job.jobId, 'resume');
    return follow(context, session, UPLOADS, job.jobId);
  }
  if (action === 'receipts') return receipts(context, session, job);
  if (action === 'rerun') return rerun(context, session, job);
  if (action === 'undo') return undoUpload(context, session, job);
  return decide(context, session, job);
}

/** Reads and checks the whole file; returns the result. Throws CANCELLED. */
async function checkFile(context: CommandContext, session: Session, plan: UploadPlan): Promise<DryRun> {
  const waiter = createWaiter(context.signal);
  const stop = context.listen('uploads:dry-run-changed', ({ dryRun: heard }) => {
    context.output.progress(`${counted(heard.rows, 'row')} read, ${numberText(heard.badRows)} bad`);
    waiter.wake();
  });
  try {
    const { dryRunId } = await session.uploads.startDryRun(plan);
    for (;;) {
      const current = session.uploads.getDryRun(dryRunId);
      if (current.phase !== 'running') return current;
      if (context.signal.aborted) {
        await session.uploads.cancelDryRun(dryRunId);
        throw new AppError('CANCELLED', 'Stopped. Nothing was sent.');
      }
      await waiter.next();
    }
  } finally {
    stop();
    waiter.end();
  }
}

/** Prints the result of the check. Throws FILE_MALFORMED if the upload would stop at bad rows. */
function answerDryRun(context: CommandContext, run: DryRun, plan: UploadPlan): void {
  if (run.error !== null) throw fromWire(run.error);
  const result = {
    rows: run.rows,
    rejected: run.badRows,
    unusual: run.unusualRows ?? 0,
    batches: run.batches,
    sendMs: run.sendMs,
    modelColumns: run.modelColumns ?? null,
    repaired: run.repairedRows ?? 0,
    problems: run.problems ?? [],
    notes: run.notes ?? [],
    ledger: run.ledger ?? EMPTY_LEDGER,
    questions: run.questions ?? [],
    sentBefore: run.sentBefore ?? [],
    bad: run.firstBad,
  };
  context.output.answer(withFormerKeys(result), () => [
    ...coverageText(run),
    ...(run.notes ?? []),
    ...sentBeforeLines(run.sentBefore ?? [], uploadPlace(plan)),
    ...ledgerLines(run.ledger ?? EMPTY_LEDGER),
    ...badRowLines(run.firstBad),
    ...offeredRepairs(run.problems ?? []),
    `${sumText(run)}, ${counted(run.batches, 'batch', 'batches')}. Nothing was sent.`,
  ]);
  if (run.questions !== undefined && run.questions.length > 0) throw questionError(run.questions);
  if (run.badRows > mostBadRows(plan.onBadRow, run.rows))
    throw new AppError(
      'FILE_MALFORMED',
      `${numberText(run.badRows)} of ${counted(run.rows, 'row')} cannot be sent. Nothing was sent.`,
      { nextStep: badRowsStep(run.firstBad) },
    );
  // Throws if the upload would ask the same question.
  askAgain(context, run.sentBefore ?? [], uploadPlace(plan), 'sent', false);
}

/** Text about the columns of the model that the file fills, printed before the number of good rows. */
function coverageText({ modelColumns }: DryRun): string[] {
  // Without the model's columns, the notes give the reason.
  if (modelColumns === null || modelColumns === undefined) return [];
  const { filled, total } = modelColumns;
  if (filled === total) return [];
  return [`The file fills ${filled} of the model's ${total} columns; the others stay empty in every row.`];
}

async function receipts(context: CommandContext, session: Session, job: UploadJob): Promise<void> {
  const { path, rows } = await writeReceipts(context, session, job);
  context.output.answer(
    { jobId: job.jobId, rows, receiptsFile: path },
    () => `${counted(rows, 'row')}: ${path ?? 'no receipts yet'}`,
  );
}

/**
 * Shows the evidence. A row count cannot distinguish rows of this upload from rows of other writers, so it is used for
 * a decision only with `--by-counts`, given by a person who knows that nothing else writes there. Throws NEEDS_DECISION
 * while a batch is undecided.
 */
async function decide(context: CommandContext, session: Session, job: UploadJob): Promise<void> {
  await session.uploads.controlJob(job.jobId, 'gather-evidence');
  const byCounts = context.args.flag('by-counts');
  const { batches } = session.uploads.listBatches({
    jobId: job.jobId,
    states: ['unknown'],
    offset: 0,
    limit: 200,
  });
  for (const { batch, evidence } of batches) {
    for (const fact of evidence?.facts ?? []) context.output.note(`batch ${batch + 1}: ${fact}`);
    const verdict = evidence?.verdict ?? 'undecided';
    if (verdict === 'undecided' || !byCounts)
      context.output.note(`batch ${batch + 1}: ${PROBABLY[verdict]}, left as it is`);
    else await session.uploads.decideBatch(job.jobId, batch, verdict === 'stored' ? 'stored' : 'resend');
  }
  const { unknown } = session.uploads.getJob(job.jobId).batches;
  if (unknown > 0) throw openBatches(job.jobId, unknown, byCounts);
  const now = session.uploads.getJob(job.jobId);
  const isUnfinished = now.counts.unsent > 0 && now.state !== 'done';
  if (isUnfinished) await session.uploads.controlJob(job.jobId, 'resume');
  await follow(context, session, UPLOADS, job.jobId);
}

const PROBABLY = { stored: 'probably stored', 'not-stored': 'probably not stored', undecided: 'undecided' };

function openBatches(jobId: string, unknown: number, byCounts: boolean): AppError {
  const message = `${counted(unknown, 'batch', 'batches')} of unknown outcome ${unknown === 1 ? 'waits' : 'wait'} for your decision: a row count cannot tell these rows from those of another writer.`;
  const one = `Decide each with: jobs decide ${jobId} BATCH stored|resend|give-up.`;
  const all = `If nothing else writes to this environment, take what the counts say with: uploads decide ${jobId} --by-counts.`;
  return new AppError('NEEDS_DECISION', message, { nextStep: byCounts ? one : `${one} ${all}` });
}
