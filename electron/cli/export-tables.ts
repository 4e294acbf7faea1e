/**
 * `export scores|receipts|batches|search …`: exports of tables that are not lists of the service. Only the values of a
 * chart are requested from it.
 */
import type { Session } from '../engine/session.ts';
import { earlierBody } from '../shared/chart-comparison.ts';
import { readValues } from '../shared/chart-values.ts';
import type { DatasetBuild } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import type { StoredTable } from '../shared/export-model.ts';
import type { JsonObject } from '../shared/json-fields.ts';
import type { ListQuery } from '../shared/model.ts';
import { byIdOrOnly } from './choose.ts';
import type { CommandContext } from './context.ts';
import { counted } from './human-text.ts';
import { readRecord } from './read-library.ts';
import { fileFormat } from './row-files.ts';
import { savedChart } from './saved-charts.ts';
import { chosenSnapshot } from './snapshots-command.ts';
import { quotesHint } from './suggestions.ts';

interface NamedTable {
  name: string;
  table: StoredTable;
}
type FindTable = (
  context: CommandContext,
  session: Session,
  typed: readonly string[],
  isRead: boolean,
) => NamedTable | Promise<NamedTable>;

const UPLOADS = { what: 'upload', listedBy: 'uploads', idOf: ({ jobId }: { jobId: string }) => jobId };

const TABLES: Readonly<Record<string, FindTable>> = {
  scores: (context, session, [typed]) => {
    const all = session.datasets.scores.list(null);
    const fits = all.filter(({ counts }) => counts.items > 0);
    const choice = { what: 'score run', listedBy: 'scores', idOf: ({ runId }: { runId: string }) => runId };
    const { runId, plan, name: run } = byIdOrOnly(context, ['scores', typed], { ...choice, all, fits });
    const name = `Scores of ${plan.datasetName}, ${run}`;
    return { name, table: { form: 'scores', runId, state: null } };
  },
  receipts: (context, session, [typed]) => {
    const all = session.uploads.listJobs();
    const fits = all.filter(({ counts }) => counts.acknowledged > 0);
    const { jobId, fileName } = byIdOrOnly(context, ['receipts', typed], { ...UPLOADS, all, fits });
    return { name: `Receipts of ${fileName}`, table: { form: 'receipts', jobId } };
  },
  'bad-rows': (context, session, [typed]) => {
    const all = session.uploads.listJobs();
    const fits = all.filter(({ counts }) => counts.rejected > 0);
    const { jobId, fileName } = byIdOrOnly(context, ['bad-rows', typed], { ...UPLOADS, all, fits });
    return { name: `Bad rows of ${fileName}`, table: { form: 'bad-rows', ownerId: jobId } };
  },
  batches: (context, session, [typed]) => {
    const all = session.uploads.listJobs();
    const { jobId, fileName } = byIdOrOnly(context, ['batches', typed], { ...UPLOADS, all, fits: all });
    return { name: `Batches of ${fileName}`, table: { form: 'batches', jobId, states: null } };
  },
  'not-found': (context, session, [typed]) => {
    const all = session.datasets.builds.list();
    const fits = all.filter(({ counts }) => counts.unresolved > 0);
    const choice = { what: 'build', listedBy: 'builds', idOf: ({ buildId }: DatasetBuild) => buildId };
    const { buildId, name } = byIdOrOnly(context, ['not-found', typed], { ...choice, all, fits });
    return { name: `Spans not found of ${name}`, table: { form: 'not-found', buildId } };
  },
  requests: () => ({ name: 'Requests', table: { form: 'requests', filter: {} } }),
  changes: async (context, session, [older, newer, ...others]) => {
    if (older === undefined || newer === undefined || others.length > 0)
      throw new AppError(
        'INVALID_ARGUMENT',
        'export changes expects A and B, each DATASET or DATASET@NUMBER, as diff does.',
      );
    const from = await chosenSnapshot(context, session, older);
    const to = await chosenSnapshot(context, session, newer);
    const table = { form: 'changes' as const, from: from.snapshotId, to: to.snapshotId, kind: null };
    return { name: `Changes from ${older} to ${newer}`, table };
  },
  version: async (context, session, [typed]) => {
    if (typed === undefined)
      throw new AppError(
        'INVALID_ARGUMENT',
        'export version expects DATASET@NUMBER, or DATASET for its newest.',
      );
    const { snapshotId } = await chosenSnapshot(context, session, typed);
    return { name: `Items of ${typed}`, table: { form: 'version', snapshotId } };
  },
  chart: async (context, _session, [typed = ''], isRead) => {
    if (typed === '')
      throw new AppError('INVALID_ARGUMENT', 'export chart expects NAME or ID: a chart saved in the window.');
    const { name, body } = await savedChart(context, typed);
    return isRead ? readChart(context, { name, body }) : { name, table: chartTable(metricQuery(body)) };
  },
  search: (_context, _session, [typed = '']) => {
    if (typed.trim() === '')
      throw new AppError('INVALID_ARGUMENT', 'export search expects TEXT: the text to find.');
    const ask = { typed: typed.trim(), kind: null, applicationId: null, sinceMs: null, untilMs: null };
    return { name: `Found for ${typed.trim()}`, table: { form: 'search', ask } };
  },
};

const metricQuery = (body: JsonObject): ListQuery => ({
  operation: 'queries.run',
  path: {},
  query: {},
  body,
});

const chartTable = (query: ListQuery) => ({ form: 'chart' as const, query, earlier: null, names: {} });

/** Reads the values of a chart; with --earlier also those of the earlier period, if the answer lacks them. */
async function readChart(
  context: CommandContext,
  { name, body }: { name: string; body: JsonObject },
): Promise<NamedTable> {
  const query = metricQuery(body);
  const { record } = await readRecord(context, query);
  const { comparison, series, zone } = readValues(record, body);
  const table = chartTable(query);
  if (comparison === null || comparison.isThere) return { name, table };
  if (!context.args.flag('earlier')) {
    context.output.note(
      `The service sent no comparison with the ${comparison.words}: the file has none. --earlier asks for it with one more request.`,
    );
    return { name, table };
  }
  const about = earlierBody(body, comparison.asked, series, zone);
  if (about === null) {
    context.output.note(`There are no times to compare with the ${comparison.words}.`);
    return { name, table };
  }
  const earlier = metricQuery(about);
  await readRecord(context, earlier);
  return { name, table: { ...table, earlier } };
}

/** Flags that only some tables accept. */
const OWN_FLAGS: Readonly<Record<string, readonly string[]>> = { chart: ['earlier'] };

/**
 * `export refused-rows [UPLOAD]`: writes the rows that were rejected here or refused by the service, with all their
 * columns, so that a person can correct and send them. They are written at once, in the format of the file.
 */
export async function exportRowsToMend(context: CommandContext, file: string): Promise<void> {
  const [word, typed, ...others] = context.args.positionals;
  if (others.length > 0)
    throw new AppError(
      'INVALID_ARGUMENT',
      `export ${word} expects at most one UPLOAD, got also ${others[0]}.`,
    );
  const extra = context.args.given.find((name) => name !== 'output');
  if (extra !== undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      `export ${word} takes no --${extra}: the rows are written whole, and at once.`,
    );
  const { uploads } = await context.session();
  const all = uploads.listJobs();
  const fits = all.filter(({ counts }) => counts.rejected + counts.refused > 0);
  const job = byIdOrOnly(context, ['refused-rows', typed], { ...UPLOADS, all, fits });
  const { jobId, fileName, plan } = job;
  const ending = plan.dialect.format === 'csv' ? 'csv' : 'jsonl';
  fileFormat(file, [ending]);
  const { rows } = await uploads.writeFile(jobId, 'rows-to-mend', file);
  context.output.answer({ jobId, rows, file }, () => [
    `Wrote ${counted(rows, 'row')} of ${fileName} that ${rows === 1 ? 'was' : 'were'} not taken to ${file}, with line and reason at the end. Mend the values and send it: upload ${file} --model ${JSON.stringify(plan.modelName)}`,
  ]);
}

/**
 * The table that the arguments name; null if they name a list. `own`: flags about how the table is written. `isRead`:
 * the values of a chart are requested, which its table needs. Throws INVALID_ARGUMENT.
 */
export async function chosenTable(
  context: CommandContext,
  own: readonly string[],
  isRead = true,
): Promise<NamedTable | null> {
  const { args } = context;
  const [word = '', ...typed] = args.positionals;
  const find = Object.hasOwn(TABLES, word) ? TABLES[word] : undefined;
  if (word !== 'changes' && typed.length > 1)
    throw new AppError(
      'INVALID_ARGUMENT',
      `export ${word} expects at most one name or id, got also ${typed[1]}.${quotesHint(typed[1] ?? '')}`,
    );
  if (find === undefined) return null;
  const taken = [...own, ...(OWN_FLAGS[word] ?? [])];
  const extra = args.given.find((name) => !taken.includes(name));
  if (extra !== undefined)
    throw new AppError('INVALID_ARGUMENT', `export ${word} takes no --${extra}: the table is written whole.`);
  return find(context, await context.session(), typed, isRead);
}
