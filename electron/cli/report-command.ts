/** `report KIND …`: writes one HTML file about stored data. `verify FILE`: checks such a file. */
import { resolve } from 'node:path';
import { systemClock } from '../platform/system.ts';
import { daysUpTo, rangeQuery } from '../shared/alert-record.ts';
import { tileBody } from '../shared/board-times.ts';
import { USUAL_FILL } from '../shared/coverage-model.ts';
import type { DatasetBuild } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import { isJsonObject, objectsOf, textOf } from '../shared/json-fields.ts';
import type { ListQuery } from '../shared/model.ts';
import { namesIn } from '../shared/name-list.ts';
import {
  REPORT_KINDS,
  type ReportCheck,
  type ReportKind,
  type ReportSubject,
} from '../shared/report-model.ts';
import { VIEWS_KEY, viewsOf } from '../shared/saved-view.ts';
import type { ScoreRun } from '../shared/score-model.ts';
import { byId, byIdOrOnly } from './choose.ts';
import type { CommandContext } from './context.ts';
import { applicationOfDataset } from './dataset-application.ts';
import { counted, nameList, sizeText } from './human-text.ts';
import { resolveName } from './names.ts';
import { table } from './output.ts';
import { readExperiment } from './read-experiment.ts';
import { readRecord } from './read-library.ts';
import { chosenSnapshot } from './snapshots-command.ts';
import { didYouMean, didYouMeanBy, isIdOrStart, quotesHint } from './suggestions.ts';
import { USUAL_REPORTS } from './usual-words.ts';

/** The arguments of each kind of report, for messages. */
const TAKES: Readonly<Record<ReportKind, string>> = {
  scores: 'BEFORE AFTER: the ids of two score runs, or two experiments',
  review: '[BUILD]: the id of a build with a review',
  version: 'DATASET@NUMBER, or DATASET for its newest version',
  changes: 'A B: each DATASET or DATASET@NUMBER',
  coverage: 'DATASET',
  trace: 'ID: the id of a trace',
  board: 'NAME: a board saved in the window',
  alert: 'NAME or ID of an alert rule',
};
/** Flags that only one kind of report accepts. */
const OWN_FLAGS: Readonly<Partial<Record<ReportKind, readonly string[]>>> = {
  scores: ['score', 'lower-is-better'],
  alert: ['days'],
};
/** Days of records in a report on an alert rule, if no range is given. */
const USUAL_DAYS = 30;
const MAX_DAYS = 3_650;
const COMMON_FLAGS = ['output', 'mask', 'unsigned'];

export async function report(context: CommandContext): Promise<void> {
  const { args, output, engine } = context;
  const [typed = '', ...names] = args.positionals;
  const kind = REPORT_KINDS.find((each) => each === typed);
  if (kind === undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      `report expects a kind: ${REPORT_KINDS.join(', ')}; got ${typed || 'nothing'}.${didYouMeanBy(USUAL_REPORTS, typed, REPORT_KINDS)}`,
    );
  const path = args.text('output') ?? '';
  if (!/\.html?$/i.test(path))
    throw new AppError(
      'INVALID_ARGUMENT',
      `--output expects the name of an .html file, got ${path || 'nothing'}.${/\.pdf$/i.test(path) ? ' For a PDF, choose “Save as PDF…” in the report dialog of the window, or print the .html file in a browser.' : ''}`,
    );
  const extra = args.given.find((name) => ![...COMMON_FLAGS, ...(OWN_FLAGS[kind] ?? [])].includes(name));
  if (extra !== undefined) throw new AppError('INVALID_ARGUMENT', `report ${kind} takes no --${extra}.`);
  const options = {
    fields: fieldsOf(args.text('fields')),
    masked: args.texts('mask').flatMap(namesIn),
    isSigned: !args.flag('unsigned'),
  };
  if (args.texts('mask').some((each) => namesIn(each).length === 0))
    throw new AppError('INVALID_ARGUMENT', '--mask expects the name of a field, got nothing.');
  const subject = await SUBJECTS[kind](context, names);
  const { connection } = await context.session();
  const file = resolve(path);
  const written = await engine.reports.write(connection.id, subject, options, file);
  if (written.unsigned !== '') output.note(`The report is not signed: ${written.unsigned}`);
  const { title, rows, sizeBytes, masked, fingerprint } = written;
  output.answer(
    { file, kind, title, rows, sizeBytes, masked, fingerprint, unsigned: written.unsigned },
    () => [
      `${title}: ${counted(rows, 'row')}, ${sizeText(sizeBytes)}, in ${file}`,
      ...(masked.length === 0 ? [] : [`Masked: ${nameList(masked)}.`]),
      fingerprint === null ? 'Not signed.' : `Signed with the key ${fingerprint}.`,
    ],
  );
}

/** The chosen fields; null: the usual ones. Throws INVALID_ARGUMENT for a list without a name. */
function fieldsOf(typed: string | null): string[] | null {
  if (typed === null) return null;
  const names = namesIn(typed);
  if (names.length > 0) return names;
  throw new AppError(
    'INVALID_ARGUMENT',
    '--fields expects names with commas between them, such as before,after.',
  );
}

type FindSubject = (context: CommandContext, names: readonly string[]) => Promise<ReportSubject>;

function wrong(kind: ReportKind, names: readonly string[]): AppError {
  return new AppError(
    'INVALID_ARGUMENT',
    `report ${kind} expects ${TAKES[kind]}; got ${names.length === 0 ? 'nothing' : names.join(' ')}.${names.length === 0 ? '' : quotesHint(names.join(''))}`,
  );
}

/** The only name. Throws INVALID_ARGUMENT if there are several or none. */
function single(kind: ReportKind, names: readonly string[]): string {
  const [only] = names;
  if (only === undefined || only.trim() === '' || names.length > 1) throw wrong(kind, names);
  return only;
}

/** The experiments of a report. Their results are read to the end first; with --offline, they must be stored. */
async function experimentsReported(
  context: CommandContext,
  before: string,
  after: string,
): Promise<ReportSubject> {
  const [one, other] = [await readExperiment(context, before), await readExperiment(context, after)];
  return {
    ...{ kind: 'scores', areExperiments: true, before: one.id, after: other.id },
    ...{ name: context.args.text('score'), lowerIsBetter: context.args.flag('lower-is-better') },
  };
}

const SUBJECTS: Readonly<Record<ReportKind, FindSubject>> = {
  scores: async (context, names) => {
    const [before, after] = names;
    if (before === undefined || after === undefined) throw wrong('scores', names);
    const all = (await context.session()).datasets.scores.list(null);
    const isScoreRun = (typed: string) => all.some(({ runId }) => isIdOrStart(runId, typed));
    if (!isScoreRun(before) && !isScoreRun(after)) return experimentsReported(context, before, after);
    const choice = { all, idOf: ({ runId }: ScoreRun) => runId, what: 'score run', listedBy: 'scores' };
    const idOf = (typed: string) => byId(context, typed, choice).runId;
    const { args } = context;
    return {
      kind: 'scores',
      ...{ before: idOf(before), after: idOf(after), name: args.text('score') },
      lowerIsBetter: args.flag('lower-is-better'),
    };
  },
  review: async (context, names) => {
    if (names.length > 1) throw wrong('review', names);
    const { builds } = (await context.session()).datasets;
    const all = builds.list().filter(({ buildId }) => builds.readReview(buildId, 0).total > 0);
    if (all.length === 0)
      throw new AppError(
        'NOT_FOUND',
        'No build on this connection has a review. Review spans of a build first: in the window, or with review.',
      );
    const choice = {
      ...{ all, fits: all, idOf: ({ buildId }: DatasetBuild) => buildId },
      ...{ what: 'build with a review', whats: 'builds with a review', listedBy: 'builds' },
    };
    return { kind: 'review', buildId: byIdOrOnly(context, ['review', names[0]], choice).buildId };
  },
  version: async (context, names) => {
    const typed = single('version', names);
    const { snapshotId, number } = await chosenSnapshot(context, await context.session(), typed);
    return { kind: 'version', snapshotId, title: `${typed.replace(/@\d+$/, '')}, version ${number}` };
  },
  changes: async (context, names) => {
    const [older, newer] = names;
    if (older === undefined || newer === undefined) throw wrong('changes', names);
    const session = await context.session();
    const from = await chosenSnapshot(context, session, older);
    const to = await chosenSnapshot(context, session, newer);
    const nameOf = (typed: string, number: number) => `${typed.replace(/@\d+$/, '')} ${number}`;
    const title = `Changes from ${nameOf(older, from.number)} to ${nameOf(newer, to.number)}`;
    return { kind: 'changes', from: from.snapshotId, to: to.snapshotId, title };
  },
  coverage: async (context, names) => {
    const typed = single('coverage', names);
    const datasetId = await resolveName(context, 'datasets.list', typed);
    const applicationId = await applicationOfDataset(context, datasetId);
    const query = {
      datasetId,
      applicationId,
      buildId: null,
      dimensions: null,
      spanType: null,
      size: USUAL_FILL,
    };
    return { kind: 'coverage', query, title: `Coverage of ${typed}` };
  },
  trace: async (_context, names) => ({ kind: 'trace', traceId: single('trace', names).trim() }),
  board: async (context, names) => boardSubject(context, single('board', names)),
  alert: async (context, names) => alertSubject(context, single('alert', names)),
};

/** The charts of a saved board; charts that are not stored are read first. */
async function boardSubject(context: CommandContext, name: string): Promise<ReportSubject> {
  const { layout } = await context.session();
  const boards = viewsOf(layout.read()[VIEWS_KEY]).filter(({ kind }) => kind === 'board');
  const [board, ...others] = boards.filter((each) => each.id === name || each.name === name);
  if (board === undefined || others.length > 0)
    throw new AppError(
      'NOT_FOUND',
      board === undefined
        ? `No saved board ${name} on this connection.${didYouMean(
            name,
            boards.map((each) => each.name),
          )}`
        : `More than one board is named ${name}. Use its id: ${[board, ...others].map(({ id }) => id).join(', ')}.`,
    );
  const { tiles = '', label = '30d', compare = '' } = board.params;
  const charts = tilesIn(tiles).flatMap((tile) => {
    const { body } = tile;
    const title = textOf(tile, 'title');
    if (!isJsonObject(body) || title === '') return [];
    const query: ListQuery = {
      operation: 'queries.run',
      ...{ path: {}, query: {}, body: tileBody({ body }, { label, compare }) },
    };
    return [{ title, about: textOf(tile, 'about'), query }];
  });
  if (charts.length === 0)
    throw new AppError(
      'NOT_STORED',
      `The board ${name} has no charts of its own. Save it in the window once more.`,
    );
  for (const { title, query } of charts)
    try {
      await readRecord(context, query);
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.code === 'CANCELLED') throw thrown;
      context.output.note(`${title} was not read: ${thrown.message}`);
    }
  return { kind: 'board', title: board.name, charts };
}

function tilesIn(text: string) {
  try {
    return objectsOf({ list: parseExact(text) }, 'list');
  } catch {
    // The caller reports that there are no charts.
    return [];
  }
}

async function alertSubject(context: CommandContext, name: string): Promise<ReportSubject> {
  const days = context.args.wholeNumber('days', 1) ?? USUAL_DAYS;
  if (days > MAX_DAYS)
    throw new AppError('INVALID_ARGUMENT', `--days expects at most ${MAX_DAYS}, got ${days}.`);
  const id = await resolveName(context, 'alert-rules.list', name);
  const rule: ListQuery = { operation: 'alert-rules.get', path: { alert_id: id }, query: {} };
  const range = rangeQuery(daysUpTo(systemClock.nowMs(), days));
  const asked: ListQuery = { operation: 'alert-rules.history', path: { alert_id: id }, query: range };
  const history = context.args.isOffline ? await storedHistory(context, asked) : asked;
  await readRecord(context, rule);
  await readRecord(context, history);
  return { kind: 'alert', rule, history };
}

/** The newest stored history of the rule, with a note if its range differs from that of `asked`. */
async function storedHistory(context: CommandContext, asked: ListQuery): Promise<ListQuery> {
  const { library } = await context.session();
  const { start_time: start, end_time: end } = asked.query;
  const [newest] = library
    .storedRecords(asked.operation)
    .filter(({ path }) => path['alert_id'] === asked.path['alert_id'])
    .sort((one, other) => rank(other, start).localeCompare(rank(one, start)));
  if (newest === undefined) return asked;
  const { start_time: from = '', end_time: to = '' } = newest.query;
  if (from !== start || to !== end)
    context.output.note(
      `The newest stored history of this rule goes from ${String(from)} to ${String(to)}. Without --offline, the history of the last days is read.`,
    );
  return newest;
}

/**
 * Sort key: later ends are greater; among equal ends, the requested start is greater. Times are ISO texts in UTC, so that
 * they can be compared.
 */
const rank = ({ query }: ListQuery, start: unknown): string =>
  `${String(query['end_time'] ?? '')} ${query['start_time'] === start ? 1 : 0}`;

/** Whether a key signed exactly this content. */
const isSigned = (checks: readonly ReportCheck[]): boolean =>
  checks.some(({ what, result }) => what === 'Signature' && result === 'ok');

export async function verify(context: CommandContext): Promise<void> {
  const { args, output, engine } = context;
  const [typed = ''] = args.positionals;
  if (typed === '')
    throw new AppError('INVALID_ARGUMENT', 'verify expects FILE: a report that spandeck wrote.');
  const wanted = args.text('fingerprint');
  if (wanted !== null && !/^(SHA256:)?[0-9a-f\s]{40,}$/i.test(wanted))
    throw new AppError(
      'INVALID_ARGUMENT',
      `--fingerprint expects the fingerprint of a key, got ${wanted || 'nothing'}.`,
    );
  const file = resolve(typed);
  const { checks, ...found } = await engine.reports.verify(file, wanted);
  const failed = checks.filter(({ result }) => result === 'failed');
  const isVerified = failed.length === 0;
  output.answer(
    {
      file,
      verified: isVerified,
      signed: isSigned(checks),
      ...found,
      items: checks,
      total: checks.length,
      complete: true,
      asOf: null,
    },
    () => [
      found.title,
      ...table(
        checks.map(({ what, result, detail }) => ({ check: what, result, detail })),
        ['check', 'result', 'detail'],
        200,
      ).split('\n'),
    ],
  );
  if (isVerified && !isSigned(checks))
    output.note(
      'Nobody signed it: its figures agree with the data inside, which anybody could have written. --fingerprint demands the signature of a key.',
    );
  const [first] = failed;
  if (first !== undefined)
    throw new AppError(
      'FILE_CHANGED',
      `${typed} is not the report that was written. ${first.what}: ${first.detail}`,
    );
}
