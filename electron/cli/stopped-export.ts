/** `export --resume`: the stopped export to a file, which continues only if the arguments mean it. */
import { isDeepStrictEqual } from 'node:util';
import type { Session } from '../engine/session.ts';
import { canonicalQuery } from '../library/list-query.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { type ExportJob, type ExportPlan, isTablePlan, type ListExportPlan } from '../shared/export-model.ts';
import { momentText } from '../shared/local-time.ts';
import type { ListQuery } from '../shared/model.ts';
import { rangeOfQuery, textWithoutRange } from '../shared/query-range.ts';
import { activeRepeat } from '../shared/repeat-model.ts';
import type { Arguments } from './arguments.ts';
import { chosenList } from './chosen-list.ts';
import type { CommandContext } from './context.ts';
import { chosenTable } from './export-tables.ts';

/**
 * The unfinished export to this file; null if there is none, or if a later export has written the file. The next run of
 * a repeat is not included, because it starts by itself.
 */
export function stoppedExport({ exports }: Session, file: string): ExportJob | null {
  const newest = exports
    .list()
    .find((each) => each.file === file && each.state !== 'cancelled' && !isNextRun(each));
  return newest === undefined || newest.state === 'done' ? null : newest;
}

const isNextRun = (job: ExportJob): boolean => job.state === 'ready' && activeRepeat(job) !== null;

/**
 * Throws INVALID_ARGUMENT if the arguments name another list, table, time range or form than the stopped export has.
 * `own` and `ofTables`: flags that do not concern the list, and those of tables.
 */
export async function checkSameExport(
  context: CommandContext,
  { plan, exportId }: ExportJob,
  own: readonly string[],
  ofTables: readonly string[],
): Promise<void> {
  const { args } = context;
  const other =
    (args.positionals.length === 0 ? null : await otherRows(context, plan, own, ofTables)) ??
    otherForm(args, plan);
  if (other === null) return;
  throw new AppError('INVALID_ARGUMENT', `The stopped export to this file ${other}. Nothing was written.`, {
    nextStep: `Continue it with: jobs resume ${exportId}, or leave out --resume to replace it.`,
  });
}

/** How the rows of the stopped export differ from the typed ones; null if they do not. */
async function otherRows(
  context: CommandContext,
  plan: ExportPlan,
  own: readonly string[],
  ofTables: readonly string[],
): Promise<string | null> {
  const isOther = `is of another list: ${plan.name}`;
  const chosen = await chosenTable(context, ofTables, false);
  if (chosen !== null) return isTablePlan(plan) && isSameTable(chosen.table, plan.table) ? null : isOther;
  if (isTablePlan(plan)) return isOther;
  const typed = await chosenList(context, own).catch((thrown: unknown) => {
    // Without the service, a name may not be found, which does not hinder the export that knows its id.
    if (toAppError(thrown).code === 'INVALID_ARGUMENT') throw thrown;
    return null;
  });
  if (typed === null) return null;
  if (textOf(typed) !== textOf(plan.query)) return isOther;
  if (isOfChosenRows(plan)) return `has only chosen rows of the list: ${plan.name}`;
  return otherRange(context.args, typed, plan);
}

const textOf = (query: ListQuery): string => textWithoutRange(canonicalQuery(query));

type Table = Extract<ExportPlan, { table: unknown }>['table'];

/** The names of a chart's series, and whether its earlier period was requested, are not typed. */
const isSameTable = (typed: Table, begun: Table): boolean =>
  typed.form === 'chart' && begun.form === 'chart'
    ? isDeepStrictEqual(canonicalQuery(typed.query), canonicalQuery(begun.query))
    : isDeepStrictEqual(typed, begun);

/** Whether a person has chosen some of the rows in the window. Stored rows are cut to a typed range by a filter. */
const isOfChosenRows = ({ narrow, ranges, filters, reads }: ListExportPlan): boolean =>
  narrow !== null || ranges !== null || (reads === 'whole' && filters.length > 0);

function otherRange(args: Arguments, typed: ListQuery, { query, reads }: ListExportPlan): string | null {
  const [now, begun] = [rangeOfQuery(typed), rangeOfQuery(query)];
  // Stored rows may be those of a longer range.
  if (now === null || begun === null || reads === 'stored') return null;
  const isSameStart = now.startMs === begun.startMs;
  // A range without a typed end, such as the last 7 days, ends later than it did.
  const isSame = args.isUntilNow
    ? isSameStart || now.endMs - now.startMs === begun.endMs - begun.startMs
    : isSameStart && now.endMs === begun.endMs;
  return isSame
    ? null
    : `is of another time range: ${momentText(begun.startMs)} to ${momentText(begun.endMs)}`;
}

/** The typed option about the form of the file that the stopped export does not have; null if there is none. */
function otherForm(args: Arguments, plan: ExportPlan): string | null {
  const { as = null, prompt = null, answer = null } = (isTablePlan(plan) ? null : plan.conversation) ?? {};
  const { isExact, isSorted = false, partitionBy } = plan;
  const form = { exact: isExact, sorted: isSorted, 'partition-by': partitionBy, as, prompt, answer };
  const other = Object.entries(form).find(
    ([name, begun]) => args.given.includes(name) && (args.text(name) ?? args.flag(name)) !== begun,
  );
  return other === undefined ? null : `was begun without this --${other[0]}`;
}
