/**
 * `coverage DATASET`: compares a dataset with production, using stored data, and lists spans that would fill its gaps.
 */
import { resolve } from 'node:path';
import {
  type Coverage,
  type CoverageDimension,
  type CoverageQuery,
  isCoverageKnown,
  MAX_FILL,
  USUAL_FILL,
  unreadItemsError,
} from '../shared/coverage-model.ts';
import { AppError } from '../shared/errors.ts';
import { percentText, SHARE_DECIMALS } from '../shared/figure-words.ts';
import { localTimeText } from '../shared/local-time.ts';
import { writeWhole } from '../uploads/whole-file-writer.ts';
import type { CommandContext } from './context.ts';
import { applicationOfDataset } from './dataset-application.ts';
import { counted, nameList, numberText } from './human-text.ts';
import { resolveName } from './names.ts';
import { table } from './output.ts';
import { csvText, fileFormat, jsonLines } from './row-files.ts';
import { didYouMean } from './suggestions.ts';

const FORMATS = ['csv', 'jsonl'] as const;
const COLUMNS = ['trace_id', 'span_id', 'start_time'].map((name) => ({ name, type: 'VARCHAR' }));
const SHOWN_VALUES = 3;

export async function coverage(context: CommandContext): Promise<void> {
  const { args, output } = context;
  const [given, ...others] = args.positionals;
  if (given === undefined || others.length > 0)
    throw new AppError('INVALID_ARGUMENT', 'coverage expects one DATASET.');
  const path = args.text('output');
  const format = path === null ? null : fileFormat(path, FORMATS) === 'csv' ? csvText(true) : jsonLines;
  const chosen = args.texts('dimension');
  const asked = {
    size: sizeOf(args.text('fill')),
    spanType: args.text('span-type'),
    dimensions: chosen.length === 0 ? null : chosen,
  };
  const datasetId = await resolveName(context, 'datasets.list', given);
  const found = await measure(context, datasetId, asked);
  const unread = unreadItemsError(found, given);
  if (unread !== null) throw unread;
  checkChosen(chosen, found);
  if (path !== null && format !== null) {
    const rows = found.fill.picks.flatMap(({ spans }) =>
      spans.map((span) => [span.trace_id, span.span_id, span.start_time]),
    );
    await writeWhole(resolve(path), [format({ columns: COLUMNS, rows })]);
  }
  const { fill, dimensions, ...rest } = found;
  const { picks, ...sums } = fill;
  const spans = picks.flatMap((list) => list.spans.map(({ position: _, ...span }) => span));
  const file = path === null ? null : resolve(path);
  output.answer(
    {
      ...{ ...rest, fill: { ...sums, spans }, file },
      ...{ items: dimensions, total: dimensions.length + rest.otherDimensions, asOf: null },
      complete: rest.otherDimensions === 0,
      datasetItems: rest.items,
    },
    () => linesOf(found, file),
  );
}

async function measure(
  context: CommandContext,
  datasetId: string,
  asked: Pick<CoverageQuery, 'size' | 'spanType' | 'dimensions'>,
): Promise<Coverage> {
  const applicationId = await applicationOfDataset(context, datasetId);
  const { datasets } = await context.session();
  return datasets.measureCoverage({ ...asked, datasetId, applicationId, buildId: null });
}

/** Throws for an unknown name, which would otherwise be ignored without notice. */
function checkChosen(chosen: readonly string[], { dimensions }: Coverage): void {
  const names = dimensions.map(({ key }) => key);
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown === undefined || names.length === 0) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--dimension expects one of the names in the answer without this option, such as ${names[0]}, got ${unknown}.${didYouMean(unknown, names)}`,
  );
}

function sizeOf(typed: string | null): number {
  const size = typed === null ? USUAL_FILL : Number(typed);
  if (Number.isInteger(size) && size >= 1 && size <= MAX_FILL) return size;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--fill expects a whole number from 1 to ${numberText(MAX_FILL)}, got ${typed}.`,
  );
}

const percent = (share: number | null): string =>
  share === null ? '–' : `${percentText(share, SHARE_DECIMALS)} %`;
const asOf = (ms: number | null): string =>
  ms === null ? '' : `, as of ${localTimeText(ms)} at the earliest`;

function linesOf(found: Coverage, file: string | null): string[] {
  const { items, spans, dimensions, otherDimensions, unread, fill } = found;
  const isKnown = (dimension: CoverageDimension) => isCoverageKnown(found, dimension);
  const total = items.total === null || items.total === items.stored ? '' : ` of ${numberText(items.total)}`;
  const rows = dimensions.map((dimension) => ({
    dimension: dimension.key,
    coverage: isKnown(dimension) ? percent(dimension.coverage) : 'not known',
    counts: dimension.isCounted ? 'yes' : 'no',
    values: `${numberText(dimension.storedValues)}${dimension.totalValues === null ? '' : ` of ${numberText(dimension.totalValues)}`}`,
    read: dimension.oldestMs === null ? '' : localTimeText(dimension.oldestMs),
    missing: isKnown(dimension) ? tooFew(dimension) : '',
  }));
  return [
    `Over ${counted(items.stored, 'stored item')}${total}${asOf(items.oldestMs)}; the span of ${numberText(items.withSpan)} is stored too.`,
    `Over ${counted(spans.stored, 'stored span')}${asOf(spans.oldestMs)}, ${numberText(spans.inDataset)} of them in the dataset.`,
    ...(dimensions.length === 0
      ? ['Nothing of the catalog of its application is stored. Keep it: keep application NAME']
      : table(rows, ['dimension', 'coverage', 'counts', 'values', 'read', 'missing']).split('\n')),
    ...(otherDimensions === 0 ? [] : [`${counted(otherDimensions, 'more dimension')}: --json`]),
    ...(unread.count === 0
      ? []
      : [
          `No values are stored of ${counted(unread.count, 'attribute')} with text, such as ${nameList(unread.names.slice(0, 3))}.`,
        ]),
    ...(fill.picked === 0
      ? [`No stored span would fill a gap; looked at ${numberText(fill.candidates)}.`]
      : [
          `${counted(fill.picked, 'span')} of ${numberText(fill.candidates)} would bring the mean coverage from ${percent(fill.before)} to ${percent(fill.after)}; the same number drawn at random: ${percent(fill.blind)}.`,
        ]),
    ...(file === null ? [] : [`Wrote them to ${file}: from-spans DATASET --spans takes it.`]),
  ];
}

/** Values that are much rarer in the dataset than in production. */
function tooFew({ values, rows, items }: CoverageDimension): string {
  const names = values
    .filter((value) => value.rows / Math.max(1, rows) > (2 * value.items) / Math.max(1, items))
    .slice(0, SHOWN_VALUES)
    .map(({ value }) => value);
  return nameList(names);
}
