/** `export RESOURCE [ID] --output FILE`: writes a complete list to a file by a durable job. */

import { basename, resolve } from 'node:path';
import type { Session } from '../engine/session.ts';
import { systemClock } from '../platform/system.ts';
import { cutText } from '../shared/cut-text.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import {
  CONVERSATIONS,
  EXPORT_FORMATS,
  type ExportJob,
  type ExportManifest,
  isTablePlan,
  type ListExportPlan,
} from '../shared/export-model.ts';
import { incompleteError } from '../shared/incomplete.ts';
import { chosenList } from './chosen-list.ts';
import { type CommandContext, typedFields } from './context.ts';
import { chosenTable, exportRowsToMend } from './export-tables.ts';
import { type Followed, follow } from './follow.ts';
import { counted, numberText, sizeText } from './human-text.ts';
import { answerRepeat, repeatOf, sayPlanned, startAtOf } from './planned-start.ts';
import { fileFormat } from './row-files.ts';
import { checkSameExport, stoppedExport } from './stopped-export.ts';
import { storedInstead } from './stored-instead.ts';

const ITEM_FLAGS = ['as', 'prompt', 'answer'];
const OWN_FLAGS = [
  'output',
  'exact',
  'resume',
  'partition-by',
  'sorted',
  'repeat',
  'start-at',
  ...ITEM_FLAGS,
];
const TABLE_FLAGS = OWN_FLAGS.filter((name) => !ITEM_FLAGS.includes(name));
/** A list that was read completely within this time is not read again. */
const FRESH_MS = 15 * 60_000;

export async function exportList(context: CommandContext): Promise<void> {
  const { args } = context;
  const typed = args.text('output');
  if (typed === null || typed === '') throw new AppError('INVALID_ARGUMENT', 'export expects --output FILE.');
  const file = resolve(typed);
  const columns = typedFields(args);
  if (columns !== null) checkFields(args);
  if (args.positionals[0] === 'refused-rows') return exportRowsToMend(context, file);
  const format = fileFormat(file, EXPORT_FORMATS);
  if (args.text('partition-by') !== null && format !== 'parquet')
    throw new AppError(
      'INVALID_ARGUMENT',
      '--partition-by expects --output FILE.parquet: other formats are one file.',
    );
  const later = ['repeat', 'start-at'].find((name) => args.text(name) !== null);
  if (args.flag('resume') && later !== undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected --resume or --${later}, got both: a stopped export continues now. Leave out one of them.`,
    );
  const session = await context.session();
  const isResumed = args.flag('resume');
  const left = isResumed ? stoppedExport(session, file) : null;
  if (left !== null) await session.jobs.whenJudged('export', left.exportId);
  const begun = isResumed ? stoppedExport(session, file) : null;
  if (begun !== null) {
    await checkSameExport(context, begun, OWN_FLAGS, TABLE_FLAGS);
    if (begun.state !== 'running' && begun.state !== 'waiting')
      session.exports.control(begun.exportId, 'resume');
    return follow(context, session, EXPORTS, begun.exportId);
  }
  if (args.flag('sorted') && (format !== 'jsonl' || args.text('as') !== null))
    throw new AppError(
      'INVALID_ARGUMENT',
      '--sorted expects --output FILE.jsonl, without --as: rows of JSON Lines have keys to sort.',
    );
  const form = {
    ...{ format, isExact: args.flag('exact'), partitionBy: args.text('partition-by') },
    ...(args.flag('sorted') ? { isSorted: true } : {}),
    ...(columns === null ? { columns } : { columns, needsColumns: true }),
  };
  const chosen = await chosenTable(context, TABLE_FLAGS);
  const { plan, isPart } =
    chosen === null
      ? await listPlan(context, form)
      : {
          plan: { ...form, ...chosen, name: cutText(chosen.name, 200) },
          isPart: false,
        };
  const notBeforeMs = systemClock.nowMs() - FRESH_MS;
  const rule = repeatOf(context);
  const startAtMs = startAtOf(context);
  const { exportId } = await session.exports.create(plan, { file, startAtMs, notBeforeMs, rule });
  if (rule !== null) return answerRepeat(context, session.jobs.get('export', exportId));
  if (startAtMs !== null) sayPlanned(context, startAtMs);
  await follow(context, session, EXPORTS, exportId);
  const [list, id] = args.positionals;
  if (list === 'session') await checkFound(session, exportId, id ?? '');
  if (isPart)
    throw new AppError('INCOMPLETE', 'Only a part of the time range is stored: the file has its rows.');
}

/**
 * Throws NOT_FOUND if the export of a session has no span, most likely because its id is wrong or its range is another
 * one.
 */
async function checkFound(session: Session, exportId: string, id: string): Promise<void> {
  const { rows, spansRead = rows } = await session.exports.manifest(exportId);
  if (spansRead > 0) return;
  throw new AppError(
    'NOT_FOUND',
    `No span of session ${id} was found in this time range, so the file is empty. Check the id, or choose a longer range with --since.`,
  );
}

/** Throws INVALID_ARGUMENT for an export whose fields cannot be chosen. */
function checkFields(args: CommandContext['args']): void {
  const other = args.flag('resume')
    ? 'A stopped export continues with its own fields'
    : args.text('as') !== null
      ? 'Lines of conversations have fields of their own'
      : args.positionals[0] === 'refused-rows'
        ? 'Refused rows are written whole, so that they can be sent again'
        : null;
  if (other !== null) throw new AppError('INVALID_ARGUMENT', `${other}: leave out --fields.`);
}

/** The list to write. With --offline, the stored rows of the range, even if they are only a part of it. */
async function listPlan(
  context: CommandContext,
  form: Pick<ListExportPlan, 'columns' | 'needsColumns' | 'format' | 'isExact' | 'partitionBy' | 'isSorted'>,
): Promise<{ plan: ListExportPlan; isPart: boolean }> {
  const { args } = context;
  const query = await chosenList(context, OWN_FLAGS);
  const instead = await storedInstead(context, await context.session(), query, 'list');
  const { within = null, isEnough = true } = instead ?? {};
  const plan: ListExportPlan = {
    name: cutText(args.positionals.join(' '), 200),
    query: instead?.query ?? query,
    reads: args.isOffline ? 'stored' : 'whole',
    filters: within === null ? [] : [within],
    ...{ narrow: null, sort: null, ranges: null, seen: null },
    ...form,
    ...conversationOf(args, args.positionals[0] ?? ''),
  };
  return { plan, isPart: !isEnough };
}

/**
 * The form of conversations; null without one. Throws INVALID_ARGUMENT for an unknown form, and for its options without
 * a form.
 */
function conversationOf(args: CommandContext['args'], list: string): Pick<ListExportPlan, 'conversation'> {
  const [typed, prompt, answer] = [args.text('as'), args.text('prompt'), args.text('answer')];
  const as = CONVERSATIONS.find((each) => each === typed);
  if (typed === null && prompt === null && answer === null) return {};
  if (as === undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      `--as expects ${CONVERSATIONS.join(' or ')}, got ${typed ?? 'nothing'}.`,
    );
  if (list !== 'spans' && list !== 'session') return { conversation: { as, prompt, answer } };
  const field = prompt === null ? (answer === null ? null : 'answer') : 'prompt';
  if (field !== null)
    throw new AppError(
      'INVALID_ARGUMENT',
      `export ${list} takes no --${field}: it is for the items of a dataset. The messages of a span are recognized by the names of its attributes.`,
    );
  return { conversation: { as, prompt, answer, per: list === 'spans' ? 'trace' : 'session' } };
}

/** Ctrl-C pauses the export; pages that were read are kept, and it resumes after them. */
export const EXPORTS: Followed<'export'> = {
  kind: 'export',
  word: 'export',
  stays: (id) => `It is kept: jobs resume ${id}`,
  isReading: true,
  onInterrupt: 'pause',
  hear:
    ({ output }) =>
    ({ step, rows, totalRows }) =>
      output.progress(
        `${step}: ${totalRows === null ? counted(rows, 'row') : `${numberText(rows)} of ${counted(totalRows, 'row')}`}`,
      ),
  answer,
};

const PART_OF_LIST = 'Not all of the list is stored: the file has only the rows that are.';
const MORE_ROWS = 'More rows may follow: the file has the existing ones.';

function skippedLines({ skipped }: ExportManifest, of: string): string[] {
  if (skipped === null) return [];
  const lost = (skipped.leftOut ?? []).map(
    ({ what, parts, rows }) => `Left out of ${counted(rows, 'line')}: ${what}, ${numberText(parts)} in all.`,
  );
  if (skipped.rows === 0) return lost;
  return [
    ...lost,
    `${counted(skipped.rows, of)} could not be written as a conversation; the manifest names them:`,
    ...skipped.reasons.map(({ reason, rows }) => `  ${numberText(rows)}: ${reason}`),
  ];
}

const isOfFields = ({ plan, error }: ExportJob): boolean =>
  plan.needsColumns === true && error?.code === 'INVALID_ARGUMENT' && error.message.startsWith('No row has ');

async function answer(context: CommandContext, session: Session, ended: ExportJob): Promise<void> {
  const { exportId, plan, state, error, reason, file } = ended;
  if (state === 'done') {
    const manifest = await session.exports.manifest(exportId);
    context.output.answer(manifest, () => [
      `Wrote ${counted(manifest.rows, 'row')}${manifest.spansRead === undefined ? '' : ` from ${counted(manifest.spansRead, 'span')}`} (${sizeText(manifest.sizeBytes)}) to ${file ?? ''}, with ${basename(file ?? '')}.manifest.json beside it.`,
      ...skippedLines(manifest, (!isTablePlan(plan) && plan.conversation?.per) || 'item'),
      ...(manifest.complete ? [] : [isTablePlan(plan) ? MORE_ROWS : PART_OF_LIST]),
    ]);
    if (manifest.complete) return;
    const { missingRows, rows } = manifest;
    throw missingRows === undefined
      ? new AppError('INCOMPLETE', 'The file does not have all rows.')
      : incompleteError({ missingRows, rows });
  }
  const nextStep = `Continue with: jobs resume ${exportId}, or the same export with --resume`;
  if (error === null) throw new AppError('CANCELLED', `No file was written. ${reason}`.trim(), { nextStep });
  const { code, message, details } = fromWire(error);
  if (isOfFields(ended)) {
    // Its names stay wrong, so it can never be continued.
    session.exports.control(exportId, 'cancel');
    throw new AppError(code, message, details);
  }
  throw new AppError(code, message, { ...details, nextStep });
}
