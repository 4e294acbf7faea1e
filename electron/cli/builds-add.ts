/** `builds add BASKET FILE`: adds the spans in a file to a selection, with their contents; sends nothing. */
import type { Session } from '../engine/session.ts';
import type { DatasetBuild } from '../shared/dataset-model.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import type { BadRow } from '../shared/upload-model.ts';
import { ledgerLines } from '../shared/value-ledger.ts';
import type { CommandContext } from './context.ts';
import { lookAt, notesAsRead, offerOne } from './given-file.ts';
import { counted, nameList, numberText } from './human-text.ts';
import { resolveName } from './names.ts';
import { refuseUnfit, SPAN_VALUE_FLAGS } from './value-flags.ts';
import { readingNotes, valueReadings } from './value-readings.ts';

/** `typed`: the id or name of a selection, or with --application the name of a new one. */
export async function addFile(
  context: CommandContext,
  session: Session,
  typed: string,
  file: string,
): Promise<void> {
  const { output } = context;
  const { fileId, name: fileName } = await offerOne(context, 'builds add', file);
  const { preview, unfit } = await lookAt(context, fileId, session.connection.id);
  refuseUnfit(unfit);
  const { dialect, columns } = preview;
  const { builds } = session.datasets;
  const isRead = context.args.given.some((name) => SPAN_VALUE_FLAGS.includes(name));
  // Drops the readings proposed by the preview, which are for uploads: values of spans stay unchanged unless a flag
  // says otherwise.
  const plain = columns.map(({ reading: _, ...column }) => column);
  const readings = isRead ? valueReadings(context, plain) : [];
  const notes = [...notesAsRead(preview, readings), ...readingNotes(plain, readings)];
  for (const note of notes) output.note(note);
  const spanFile = { fileId, dialect, ...(isRead ? { readings } : {}) };
  const check = await builds.checkFile(spanFile);
  const { rows, spans, repeated, bare, timeless, badRows, firstBad, keys, ledger } = check;
  const attributes = columns
    .map((column) => column.name)
    .filter((name) => keys.some(({ key }) => key === name));
  for (const { line, reason } of firstBad) output.note(`line ${line}: ${reason}`);
  if (spans === 0)
    throw new AppError(
      'FILE_MALFORMED',
      `Expected rows with a trace id and a span id in ${fileName}, got none.${noSpanReason(firstBad)}`,
    );
  const { buildId, name } = await basketOf(context, session, typed);
  builds.pickAll(buildId, { kind: 'file', ...spanFile, name: fileName.slice(0, 1_000), rows });
  const { fill, counts } = await builds.whenIdle(buildId);
  if (fill?.error) throw fromWire(fill.error);
  const added = fill?.added ?? 0;
  output.answer(
    {
      ...{ buildId, name, rows, added, repeated, withoutContents: bare, withoutStart: timeless, badRows },
      ...{ ledger, spans: counts.picked },
    },
    () => [
      `Added ${counted(added, 'span')} of ${counted(rows, 'row')} to ${name}, which has ${counted(counts.picked, 'span')} now.`,
      ...(spans > added ? [`${numberText(spans - added)} were in it before.`] : []),
      ...(repeated > 0
        ? [`${counted(repeated, 'row')} with the ids of an earlier row; only the first counts.`]
        : []),
      ...(attributes.length > 0 ? [`Attributes from columns: ${nameList(attributes)}.`] : []),
      ...(bare > 0
        ? [`${counted(bare, 'span')} with ids only: builds ask ${buildId} reads them from the service.`]
        : []),
      ...(timeless > 0
        ? [
            `${counted(timeless, 'span')} without a start that can be read, for which the service is not asked. If the start is written as a date, --day-first, --month-first or --zone say how.`,
          ]
        : []),
      ...ledgerLines(ledger),
      ...(badRows > 0 ? [`${counted(badRows, 'row')} without a span left in the file.`] : []),
    ],
  );
}

/** The reason of the first row, or the names of the columns if the ids are missing. */
function noSpanReason([first]: readonly BadRow[]): string {
  const isNamed = first !== undefined && !/^Expected a (?:trace|span) id, got none/.test(first.reason);
  return isNamed
    ? ` The first is in line ${first.line}: ${first.reason}`
    : ' Call their columns trace_id and span_id.';
}

async function basketOf(
  context: CommandContext,
  { datasets: { builds } }: Session,
  typed: string,
): Promise<DatasetBuild> {
  const found = builds.list().find(({ buildId, name }) => buildId === typed || name === typed);
  if (found !== undefined) return found;
  const application = context.args.text('application');
  if (application === null)
    throw new AppError(
      'INVALID_ARGUMENT',
      `builds add found no draft ${typed}. To make one with this name, add --application: an id or a name.`,
    );
  const applicationId = await resolveName(context, 'applications.list', application);
  return builds.create({ applicationId, applicationName: application, name: typed });
}

/** Looks up spans from files at the service, and spans of which only the id is known. */
export async function askService(
  { output }: CommandContext,
  { datasets: { builds } }: Session,
  buildId: string,
): Promise<void> {
  const { ask, counts, name } = await builds.ask(buildId);
  const { absent, other, sentence } = builds.plan(buildId);
  const { asked = 0, known = 0 } = ask ?? {};
  output.answer(
    { buildId, asked, known, absent, other, withoutContents: counts.withoutRecord, plan: sentence },
    () => [
      `${name}: ${counted(asked, 'span')} of files asked for. The service has ${numberText(known)} with the same values, ${numberText(other)} with other values, ${numberText(absent)} not.`,
      ...(counts.withoutRecord > 0 ? [`${counted(counts.withoutRecord, 'span')} with ids only.`] : []),
      sentence,
    ],
  );
}
