/** `export scores|receipts|bad-rows|search …`: tables that are no list of the service. Nothing is requested for them. */
import type { Session } from '../engine/session.ts';
import { AppError } from '../shared/errors.ts';
import type { StoredTable } from '../shared/export-model.ts';
import { byIdOrOnly } from './choose.ts';
import type { CommandContext } from './context.ts';

interface NamedTable {
  name: string;
  table: StoredTable;
}
type FindTable = (context: CommandContext, session: Session, typed: string | undefined) => NamedTable;

const UPLOADS = { what: 'upload', listedBy: 'uploads', idOf: ({ jobId }: { jobId: string }) => jobId };

const TABLES: Readonly<Record<string, FindTable>> = {
  scores: (context, session, typed) => {
    const all = session.datasets.scores.list(null);
    const fits = all.filter(({ counts }) => counts.items > 0);
    const choice = { what: 'score run', listedBy: 'scores', idOf: ({ runId }: { runId: string }) => runId };
    const { runId, plan } = byIdOrOnly(context, ['scores', typed], { ...choice, all, fits });
    const name = `Scores of ${plan.datasetName} by ${plan.evaluator}`;
    return { name, table: { form: 'scores', runId, state: null } };
  },
  receipts: (context, session, typed) => {
    const all = session.uploads.listJobs();
    const fits = all.filter(({ counts }) => counts.acknowledged > 0);
    const { jobId, fileName } = byIdOrOnly(context, ['receipts', typed], { ...UPLOADS, all, fits });
    return { name: `Receipts of ${fileName}`, table: { form: 'receipts', jobId } };
  },
  'bad-rows': (context, session, typed) => {
    const all = session.uploads.listJobs();
    const fits = all.filter(({ counts }) => counts.rejected > 0);
    const { jobId, fileName } = byIdOrOnly(context, ['bad-rows', typed], { ...UPLOADS, all, fits });
    return { name: `Bad rows of ${fileName}`, table: { form: 'bad-rows', ownerId: jobId } };
  },
  search: (_context, _session, typed = '') => {
    if (typed.trim() === '')
      throw new AppError('INVALID_ARGUMENT', 'export search expects TEXT: the text to find.');
    const ask = { typed: typed.trim(), kind: null, applicationId: null, sinceMs: null, untilMs: null };
    return { name: `Found for ${typed.trim()}`, table: { form: 'search', ask } };
  },
};

/** The table that the words name; null where they name a list. `own`: flags that say how it is written. */
export async function chosenTable(
  context: CommandContext,
  own: readonly string[],
): Promise<NamedTable | null> {
  const { args } = context;
  const [word = '', typed] = args.positionals;
  const find = Object.hasOwn(TABLES, word) ? TABLES[word] : undefined;
  if (find === undefined) return null;
  const extra = args.given.find((name) => !own.includes(name));
  if (extra !== undefined)
    throw new AppError('INVALID_ARGUMENT', `export ${word} takes no --${extra}: the table is written whole.`);
  return find(context, await context.session(), typed);
}
