/** `snapshots DATASET` lists and writes snapshots of a dataset; `diff A B` compares two, item by item. */
import { resolve } from 'node:path';
import type { Session } from '../engine/session.ts';
import { AppError } from '../shared/errors.ts';
import { CHANGE_KINDS } from '../shared/item-field-change.ts';
import { localTimeText } from '../shared/local-time.ts';
import { MIN_NEAR_DUPLICATE_THRESHOLD, NEAR_DUPLICATE_THRESHOLD } from '../shared/near-duplicate-model.ts';
import {
  type FieldDrift,
  NEAR_DUPLICATE_KINDS,
  type Snapshot,
  type SnapshotDiff,
} from '../shared/snapshot-model.ts';
import { writeInPlace } from '../uploads/whole-file-writer.ts';
import type { CommandContext } from './context.ts';
import { applicationOfDataset } from './dataset-application.ts';
import { follow } from './follow.ts';
import { counted, numberText, readable, sizeText } from './human-text.ts';
import { ITEMS } from './items-command.ts';
import { resolveName } from './names.ts';
import { table } from './output.ts';
import { didYouMean } from './suggestions.ts';

const HOW_TO_TAKE = 'Each complete fetch of its items takes one: items DATASET --all.';
const LIMIT = 50;
const MAX_ROWS = 200;

export async function snapshots(context: CommandContext): Promise<void> {
  const { args, output } = context;
  const [given, ...others] = args.positionals;
  if (given === undefined || others.length > 0)
    throw new AppError('INVALID_ARGUMENT', 'snapshots expects one DATASET, or DATASET@NUMBER.');
  const session = await context.session();
  const path = args.text('output');
  const name = args.text('new-dataset');
  if (name !== null && path !== null)
    throw new AppError('INVALID_ARGUMENT', 'snapshots takes --output or --new-dataset, not both.');
  if (name === null && args.text('application') !== null)
    throw new AppError('INVALID_ARGUMENT', '--application belongs to --new-dataset.');
  if (name !== null) return create(context, session, given, name);
  if (path !== null) {
    const { snapshotId, number } = await chosenSnapshot(context, session, given);
    const { rows } = await writeInPlace(resolve(path), (part) => session.snapshots.write(snapshotId, part));
    return output.answer({ snapshotId, number, items: rows, file: resolve(path) }, () => [
      `Snapshot ${number}: ${counted(rows, 'item')} in ${resolve(path)}`,
    ]);
  }
  const { datasetId } = await datasetOf(context, given);
  const { snapshots: all, damaged, fileBytes } = await session.snapshots.ask({ action: 'list', datasetId });
  for (const { snapshotId, number, reason } of damaged) {
    const name = number === null ? `snapshot ${snapshotId}` : `version ${number} (snapshot ${snapshotId})`;
    output.note(`Skipped because it is damaged: ${name}. ${reason} The others are not affected.`);
  }
  const items = all.map(answerOf);
  output.answer({ items, total: items.length, complete: true, asOf: null, fileBytes }, () => {
    if (all.length === 0) return [`No snapshot of ${given} yet. ${HOW_TO_TAKE}`];
    const lines = all.map((one) => ({
      ...answerOf(one),
      takenAt: localTimeText(one.takenAtMs),
      schema: driftText(one.drift),
    }));
    const head = ['number', 'takenAt', 'items', 'added', 'changed', 'removed', 'schema'];
    return [
      ...table(lines.map(readable), head).split('\n'),
      `All snapshots of this connection take ${sizeText(fileBytes)}.`,
    ];
  });
}

/** Creates a new dataset from a snapshot by a durable job. */
async function create(context: CommandContext, session: Session, given: string, name: string): Promise<void> {
  const { snapshotId, number, datasetId } = await chosenSnapshot(context, session, given);
  const application = context.args.text('application');
  const applicationId =
    application === null
      ? await applicationOfDataset(context, datasetId, ' Name it: --application NAME.')
      : await resolveName(context, 'applications.list', application);
  const of = { id: datasetId, name: given.replace(/@\d+$/, '').slice(0, 500) };
  const asked = { snapshotId, number, name, applicationId, of, edits: null };
  const { itemsId } = await session.recreate(asked);
  await follow(context, session, ITEMS, itemsId);
}

export async function diff(context: CommandContext): Promise<void> {
  const { args, output } = context;
  const [older, newer, ...others] = args.positionals;
  if (older === undefined || newer === undefined || others.length > 0)
    throw new AppError('INVALID_ARGUMENT', 'diff expects A and B, each DATASET or DATASET@NUMBER.');
  const limit = limitOf(args.text('limit'));
  if (args.flag('near-duplicates')) return nearDuplicates(context, older, newer, limit);
  if (args.text('threshold') !== null)
    throw new AppError('INVALID_ARGUMENT', '--threshold belongs to --near-duplicates.');
  const kind = oneOf(args.text('kind'), CHANGE_KINDS);
  const session = await context.session();
  const from = await chosenSnapshot(context, session, older);
  const to = await chosenSnapshot(context, session, newer);
  const pair = { from: from.snapshotId, to: to.snapshotId, kind };
  const found = await session.snapshots.ask({ action: 'diff', ...pair, offset: 0, limit });
  const { counts, drift, total, changes } = found;
  const answer = { from: answerOf(found.from), to: answerOf(found.to), counts, drift };
  output.answer({ ...answer, items: changes, total, complete: changes.length === total, asOf: null }, () =>
    linesOf(found),
  );
}

function linesOf({ counts, drift, total, changes }: SnapshotDiff): string[] {
  const sum = `${numberText(counts.changed)} changed, ${numberText(counts.added)} added, ${numberText(counts.removed)} removed, ${numberText(counts.same)} the same`;
  const schema = driftText(drift);
  const rows = changes.map(({ kind, itemId, fields, title }) => ({
    change: kind,
    item: itemId,
    fields: fields.join(', '),
    inputs: title,
  }));
  return [
    sum,
    ...(schema === '' ? [] : [`Schema: ${schema}`]),
    ...table(rows.map(readable), ['change', 'item', 'fields', 'inputs']).split('\n'),
    ...(total > changes.length ? [`${numberText(total - changes.length)} more: --limit`] : []),
  ];
}

function driftText(drift: readonly FieldDrift[]): string {
  return drift
    .map(({ path, kind, before, after }) =>
      kind === 'type' ? `${path} from ${before.join(' or ')} to ${after.join(' or ')}` : `${path} ${kind}`,
    )
    .join(', ');
}

/** Finds leakage: items of the second dataset whose inputs are also in the first, exactly or as near-duplicates. */
async function nearDuplicates(
  context: CommandContext,
  older: string,
  newer: string,
  limit: number,
): Promise<void> {
  const { args, output } = context;
  const kind = oneOf(args.text('kind'), NEAR_DUPLICATE_KINDS);
  const threshold = thresholdOf(args.text('threshold'));
  const session = await context.session();
  const from = await chosenSnapshot(context, session, older);
  const to = await chosenSnapshot(context, session, newer);
  const sides = { from: from.snapshotId, to: to.snapshotId };
  const query = { ...sides, threshold, kind, offset: 0, limit };
  const found = await session.snapshots.ask({ action: 'near-duplicates', ...query });
  const { counts, total } = found;
  const answer = { from: answerOf(found.from), to: answerOf(found.to), threshold, counts };
  const rows = found.nearDuplicates.map(({ itemId, ofItemId, likeness, title }) => {
    return { item: itemId, of: ofItemId, likeness: Math.round(likeness * 1_000) / 1_000, inputs: title };
  });
  output.answer({ ...answer, items: rows, total, complete: rows.length === total, asOf: null }, () => [
    `${counted(counts.same + counts.near, 'item')} of ${numberText(to.items)} with an input that the other has too: ${numberText(counts.same)} identical, ${numberText(counts.near)} nearly identical`,
    ...table(rows.map(readable), ['item', 'of', 'likeness', 'inputs']).split('\n'),
    ...(total > rows.length ? [`${numberText(total - rows.length)} more: --limit`] : []),
  ]);
}

function thresholdOf(typed: string | null): number {
  const threshold = typed === null ? NEAR_DUPLICATE_THRESHOLD : Number(typed);
  if (threshold >= MIN_NEAR_DUPLICATE_THRESHOLD && threshold <= 1) return threshold;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--threshold expects a number from ${MIN_NEAR_DUPLICATE_THRESHOLD} to 1, the share of their words that near-duplicates have in common; got ${typed}.`,
  );
}

function oneOf<K extends string>(typed: string | null, kinds: readonly K[]): K | null {
  if (typed === null) return null;
  const found = kinds.find((each) => each === typed);
  if (found !== undefined) return found;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--kind expects ${kinds.join(', ')}; got ${typed}.${didYouMean(typed, kinds)}`,
  );
}

function limitOf(typed: string | null): number {
  const limit = typed === null ? LIMIT : Number(typed);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_ROWS) return limit;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--limit expects a whole number from 1 to ${MAX_ROWS}, got ${typed}.`,
  );
}

/** The dataset of a typed word. A name may contain an @; only digits after the last one are a snapshot number. */
async function datasetOf(
  context: CommandContext,
  given: string,
): Promise<{ datasetId: string; number: number | null }> {
  const found = /^(.+)@([0-9]{1,9})$/.exec(given);
  const name = found?.[1] ?? given;
  const datasetId = await resolveName(context, 'datasets.list', name);
  return { datasetId, number: found === null ? null : Number(found[2]) };
}

/** The snapshot of `DATASET` (the newest one) or `DATASET@NUMBER`. Throws NOT_FOUND. */
export async function chosenSnapshot(
  context: CommandContext,
  session: Session,
  given: string,
): Promise<Snapshot> {
  const { datasetId, number } = await datasetOf(context, given);
  const { snapshots: all } = await session.snapshots.ask({ action: 'list', datasetId });
  const found = number === null ? all[0] : all.find((one) => one.number === number);
  if (found !== undefined) return found;
  const known = all.map((one) => one.number).join(', ');
  throw new AppError(
    'NOT_FOUND',
    all.length === 0
      ? `No snapshot of ${given} yet. ${HOW_TO_TAKE}`
      : `There is no snapshot ${number} of this dataset. It has ${known}.`,
  );
}

function answerOf({ snapshotId, takenAtMs, seenAtMs, ...rest }: Snapshot) {
  const time = (ms: number) => new Date(ms).toISOString();
  return { id: snapshotId, ...rest, takenAt: time(takenAtMs), seenAt: time(seenAtMs) };
}
