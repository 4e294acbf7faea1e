/** Reads through the offline library until no more rows are being fetched; shared by all commands that read. */
import { TimeSlicer } from '../core/time-slicer.ts';
import type { Session } from '../engine/session.ts';
import { systemClock } from '../platform/system.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import { momentText } from '../shared/local-time.ts';
import type { Freshness, ListQuery, ListRow } from '../shared/model.ts';
import type { CommandContext } from './context.ts';
import { counted } from './human-text.ts';
import { type Covered, countsWithin, rowsWithin, storedInstead } from './stored-instead.ts';
import { createWaiter } from './waiter.ts';

/**
 * A number for a unique view id of each read. Several reads run at once, and opening another list in a view would end
 * its earlier read.
 */
let reads = 0;
function nextView(): string {
  reads += 1;
  return `command line ${reads}`;
}

const READ_ROWS = 200;

/** Waits until the library has read `wanted` rows or all that exist. Throws the failure if nothing is stored. */
export async function readList(
  context: CommandContext,
  asked: ListQuery,
  wanted: number,
): Promise<{ rows: ListRow[]; freshness: Freshness; covered: Covered | null; isEnough: boolean }> {
  const session = await context.session();
  const { library } = session;
  const instead = await storedInstead(context, session, asked, 'list');
  const query = instead?.query ?? asked;
  const request = {
    connectionId: session.connection.id,
    viewId: nextView(),
    query,
    refresh: refreshMode(context),
  };
  const ask = (open: Watched['open']) =>
    settled(context, (report) => ({
      open,
      stop: context.listen('library:list-changed', ({ state }) => report(state.listKey, state.freshness)),
    }));
  let latest = await ask(() => library.openList(request));
  let canContinue = !context.args.isOffline && !isRefused(latest);
  const hasWanted = async () =>
    latest.isComplete ||
    (latest.storedRows >= wanted && !hasGap(await storedRows(context, session, query, wanted)));
  while (canContinue && !(await hasWanted())) {
    latest = await ask(async () => {
      // Fetches from the first missing row, because the number of stored rows is not its position if there are gaps.
      const state = await library.fetchRows({ ...request, offset: null });
      canContinue = state.freshness.refresh.phase === 'loading';
      return state;
    });
    canContinue &&= latest.refresh.phase !== 'failed';
  }
  throwIfNothing(latest);
  sayIfNotRefreshed(context, latest);
  sayIfNotItsTotal(context, latest);
  const stored = await storedRows(context, session, query);
  if (instead === null)
    return { rows: stored, freshness: latest, covered: null, isEnough: latest.isComplete };
  const { covered, within, isEnough } = instead;
  const rows = rowsWithin(stored, within);
  const counts = within === null ? {} : countsWithin(rows, latest, covered);
  return { rows, freshness: { ...latest, ...counts, isComplete: covered.complete }, covered, isEnough };
}

/** Statuses of refusals that the same request would get again. Missing rows after stored ones may still be read. */
const STAYING_REFUSALS: ReadonlySet<number | undefined> = new Set([400, 401, 403, 404, 422]);

const isRefused = ({ refresh, source }: Freshness): boolean =>
  source === 'none' &&
  refresh.phase === 'failed' &&
  STAYING_REFUSALS.has(fromWire(refresh.error).details.status);

const hasGap = (rows: readonly ListRow[]): boolean => rows.some(({ position }, at) => position !== at);

/** The first `most` stored rows. */
async function storedRows(
  context: CommandContext,
  { library }: Session,
  query: ListQuery,
  most = Number.POSITIVE_INFINITY,
): Promise<ListRow[]> {
  const slicer = new TimeSlicer(systemClock);
  const rows: ListRow[] = [];
  for (let from = 0; ; ) {
    const next = await library.readStored(query, from, Math.min(READ_ROWS, most - rows.length));
    const last = next.at(-1);
    if (last === undefined) return rows;
    rows.push(...next);
    if (rows.length >= most) return rows;
    from = last.position + 1;
    await slicer.pause();
    throwIfStopped(context);
  }
}

/** Reads one record in the way `readList` reads a list. */
export async function readRecord(context: CommandContext, asked: ListQuery) {
  const session = await context.session();
  const instead = await storedInstead(context, session, asked, 'record');
  const query = instead?.query ?? asked;
  const request = {
    connectionId: session.connection.id,
    viewId: nextView(),
    query,
    refresh: refreshMode(context),
  };
  const latest = await settled(context, (report) => {
    const stop = context.listen('library:record-changed', ({ state }) =>
      report(state.recordKey, state.freshness),
    );
    return {
      stop,
      open: async () => {
        const state = await session.library.openRecord(request);
        return { listKey: state.recordKey, freshness: state.freshness };
      },
    };
  });
  throwIfNothing(latest);
  const { record, goneAtMs, freshness } = await session.library.openRecord({ ...request, refresh: 'never' });
  if (goneAtMs !== null) sayIfGone(context, goneAtMs);
  sayIfNotRefreshed(context, latest);
  return { record: record ?? {}, freshness, refreshed: latest, covered: instead?.covered ?? null };
}

function refreshMode(context: CommandContext): 'always' | 'never' {
  return context.args.isOffline ? 'never' : 'always';
}

type Report = (key: string, freshness: Freshness) => void;
interface Watched {
  stop: () => void;
  open: () => { listKey: string; freshness: Freshness } | Promise<{ listKey: string; freshness: Freshness }>;
}

/** Opens a query, and resolves with its freshness once no more rows are being fetched. */
async function settled(context: CommandContext, watch: (report: Report) => Watched): Promise<Freshness> {
  const heard = new Map<string, Freshness>();
  const waiter = createWaiter(context.signal);
  const { stop, open } = watch((key, freshness) => {
    heard.set(key, freshness);
    if (freshness.refresh.phase === 'loading') context.output.progress(counted(freshness.storedRows, 'row'));
    waiter.wake();
  });
  try {
    const opened = await open();
    for (;;) {
      const latest = heard.get(opened.listKey) ?? opened.freshness;
      if (latest.refresh.phase !== 'loading') return latest;
      throwIfStopped(context);
      await waiter.next();
    }
  } finally {
    stop();
    waiter.end();
  }
}

function throwIfStopped({ signal }: CommandContext): void {
  if (signal.aborted) throw new AppError('CANCELLED', 'Stopped. What was fetched is stored.');
}

/** Prints a note if the total stated by the service differs from the number of rows up to the end of the pages. */
function sayIfNotItsTotal({ output }: CommandContext, freshness: Freshness): void {
  const { isComplete, isTotalWrong, storedRows: rows, totalRows: stated } = freshness;
  if (!isComplete || isTotalWrong !== true || stated === null) return;
  output.note(
    `The service stated a total of ${counted(stated, 'row')}; its pages ended after ${counted(rows, 'row')}.`,
  );
}

function throwIfNothing(freshness: Freshness): void {
  if (freshness.source !== 'none') return;
  if (freshness.refresh.phase === 'failed') throw fromWire(freshness.refresh.error);
  throw new AppError('NOT_STORED', 'This was never read on this computer. Run it once without --offline.');
}

/**
 * Prints that a record was deleted, if its stored data is still shown. Throws if the record was requested from the
 * service.
 */
function sayIfGone(context: CommandContext, goneAtMs: number): void {
  const text = `It was deleted; Spandeck noticed this at ${momentText(goneAtMs)}.`;
  if (!context.args.isOffline) {
    throw new AppError('NOT_FOUND', text, { nextStep: '--offline shows what was stored.' });
  }
  context.output.note(text);
}

/** Prints that stored rows are shown because a refresh failed, so that they are not taken for current ones. */
function sayIfNotRefreshed(context: CommandContext, freshness: Freshness): void {
  if (context.args.isOffline || freshness.refresh.phase !== 'failed') return;
  const { code, message } = freshness.refresh.error;
  context.output.note(`not refreshed, ${code}: ${message} This data was stored as of ${asOf(freshness)}.`);
}

/**
 * Throws after the stored answer was printed if the service refused the token. Nothing newer can be read until the
 * token is replaced, so a script must not take the answer for a new one.
 */
export function throwIfRefused(context: CommandContext, freshness: Freshness): void {
  if (context.args.isOffline || freshness.refresh.phase !== 'failed') return;
  const error = fromWire(freshness.refresh.error);
  if (error.code !== 'UNAUTHORIZED' && error.code !== 'FORBIDDEN') return;
  const nextStep =
    `${error.details.nextStep ?? ''} --offline answers from what is stored, without an error.`.trim();
  const text = `${error.message} The answer is not new: it was stored as of ${asOf(freshness)}.`;
  throw new AppError(error.code, text, { ...error.details, nextStep }, error);
}

/** The time of the oldest answer behind the data. */
export function asOf(freshness: Freshness): string | null {
  return freshness.oldestMs === null ? null : new Date(freshness.oldestMs).toISOString();
}
