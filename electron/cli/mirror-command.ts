/** `mirror FOLDER`: writes stored tables to a folder for notebooks, by a durable job. Sends nothing. */
import { resolve } from 'node:path';
import type { Session } from '../engine/session.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import type { MirrorCatalog, MirrorJob } from '../shared/mirror-model.ts';
import { namesIn } from '../shared/name-list.ts';
import type { CommandContext } from './context.ts';
import { type Followed, follow } from './follow.ts';
import { counted, numberText, sizeText } from './human-text.ts';
import { answerRepeat, repeatOf, sayPlanned, startAtOf } from './planned-start.ts';

export async function mirror(context: CommandContext): Promise<void> {
  const { args } = context;
  const [typed, ...more] = args.positionals;
  if (typed === undefined || typed === '' || more.length > 0)
    throw new AppError('INVALID_ARGUMENT', 'mirror expects one FOLDER.');
  const names = args.text('tables');
  const tables = names === null ? null : namesIn(names);
  if (tables?.length === 0)
    throw new AppError('INVALID_ARGUMENT', '--tables expects names of tables, such as spans,items.');
  const session = await context.session();
  const folder = resolve(typed);
  const rule = repeatOf(context);
  const startAtMs = startAtOf(context);
  const { mirrorId } = await session.mirrors.create({ tables }, { folder, startAtMs, rule });
  if (rule !== null) return answerRepeat(context, session.jobs.get('mirror', mirrorId));
  if (startAtMs !== null) sayPlanned(context, startAtMs);
  await follow(context, session, MIRRORS, mirrorId);
}

/** Ctrl-C pauses the job; complete files are not written again. */
export const MIRRORS: Followed<'mirror'> = {
  kind: 'mirror',
  word: 'mirror',
  stays: (id) => `It is kept: jobs resume ${id}`,
  isReading: true,
  onInterrupt: 'pause',
  hear:
    ({ output }) =>
    ({ rows, totalRows }) =>
      output.progress(
        totalRows === null ? counted(rows, 'row') : `${numberText(rows)} of ${counted(totalRows, 'row')}`,
      ),
  answer,
};

async function answer(context: CommandContext, session: Session, ended: MirrorJob): Promise<void> {
  const { mirrorId, state, error, reason, folder, result } = ended;
  if (state === 'done' && result !== null) {
    const catalog = await session.mirrors.catalog(mirrorId);
    const tables = Object.entries(catalog.tables).map(
      ([name, { rows, complete, missing, oldestReadAt }]) => ({
        ...{ name, rows, complete, missing, oldestReadAt },
      }),
    );
    const { maskedFields } = catalog.privacy;
    context.output.answer({ folder, ...result, maskedFields, tables }, () => linesOf(ended, catalog));
    return;
  }
  const nextStep = `Continue with: jobs resume ${mirrorId}, or the same command`;
  if (error === null)
    throw new AppError('CANCELLED', `The mirror is not complete. ${reason}`.trim(), { nextStep });
  const { code, message, details } = fromWire(error);
  throw new AppError(code, message, { ...details, nextStep });
}

function linesOf({ folder, result }: MirrorJob, catalog: MirrorCatalog): string[] {
  if (result === null) return [];
  const { tables, rows, sizeBytes, rowsWritten, filesWritten } = result;
  const written =
    filesWritten === 0
      ? 'Nothing had changed.'
      : `${counted(rowsWritten, 'row')} in ${counted(filesWritten, 'file')} written; the rest had not changed.`;
  const { maskedFields } = catalog.privacy;
  return [
    `${counted(tables, 'table')} with ${counted(rows, 'row')} (${sizeText(sizeBytes)}) in ${folder ?? ''}. ${filesWritten > 0 && rowsWritten === rows ? 'All of it was written.' : written}`,
    ...Object.entries(catalog.tables).flatMap(([name, { missing }]) =>
      missing === null ? [] : [`${name}: ${missing}`],
    ),
    ...(maskedFields.length === 0 ? [] : [`Masked fields: ${maskedFields.join(', ')}.`]),
    'Read it in Python, in that folder: import spandeck; m = spandeck.open(); m.tables()',
  ];
}
