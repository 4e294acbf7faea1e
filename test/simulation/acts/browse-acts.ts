/**
 * Small actions between the others, as users read, sort, filter and look things up much more often than they change
 * anything. Each checks what the user would notice.
 */
import type { Session } from '../../../electron/engine/session.ts';
import type { JobKindId } from '../../../electron/shared/job-contract.ts';
import type { Draw } from '../draw.ts';
import { type Act, awaitedLater, type Stage } from '../stage.ts';
import { CONNECTION_ACTS } from './connection-acts.ts';
import { GRID_ACTS } from './grid-acts.ts';
import { someDataset } from './list-acts.ts';

/** Maximum number of rows of a grid that are read at once. */
const MAX_WINDOW_ROWS = 60;
const JOBS_OF_A_PAGE = 30;
const MAX_JOBS = 200;
/** Words in names that the simulation creates. No date contains them. */
const WORDS = ['built', 'made', 'another client', 'churn', 'upload', 'no such thing'] as const;
const TABS = 4;
const READING_ROUNDS = 6;

export const SETTINGS_STAY = 'a setting and a layout are read as they were saved';
export const NEWEST_FIRST = 'jobs and requests are listed newest first, and found by their names';
export const WORK_LISTED = 'the work of each kind is in the list of jobs, and its parts are listed once each';
export const RECORD_SHOWN = 'an opened record is the one that was asked for';
export const TOKEN_HIDDEN = 'no request that is shown contains a token';

function isDescending(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number <= (numbers[at - 1] ?? number));
}

/** A word in lower case, as the search ignores case. */
function wordOf(title: string, draw: Draw): string {
  return draw.of(title.split(' ')).toLowerCase();
}

async function lookAtJobs(stage: Stage, draw: Draw): Promise<string> {
  const opened = await stage.session(draw);
  if (opened === null) return 'has no connection';
  const { jobs } = opened.session;
  const list = (text: string | null, limit: number) =>
    jobs.list({ kinds: null, states: null, search: text, offset: 0, limit });
  const isSearching = draw.chance(0.3);
  const all = list(null, isSearching ? MAX_JOBS : JOBS_OF_A_PAGE);
  const titles = all.jobs.map(({ title }) => title);
  const word = titles.length === 0 || draw.chance(0.1) ? draw.of(WORDS) : wordOf(draw.of(titles), draw);
  const { jobs: found, total } = isSearching ? list(word, JOBS_OF_A_PAGE) : all;
  const named = isSearching ? all.jobs.filter(({ title }) => title.toLowerCase().includes(word)) : all.jobs;
  // Only the newest jobs of a long list are compared.
  const isWhole = !isSearching || all.total > MAX_JOBS || total === named.length;
  const isSame = found.slice(0, named.length).every(({ id }, at) => id === named[at]?.id);
  const isFull = found.length === Math.min(total, JOBS_OF_A_PAGE);
  if (!isDescending(found.map(({ createdAtMs }) => createdAtMs)) || !isWhole || !isSame || !isFull)
    stage.world.fail(
      NEWEST_FIRST,
      `${isSearching ? word : 'all'}: ${found.length} of ${total} jobs, expected ${named.length}: ${found.map(({ title }) => title).join(', ')}`,
    );
  if (found.length === 0) return 'sees no job';
  const { kind, id, state } = draw.of(found);
  const one = jobs.get(kind, id);
  if (one.id !== id || one.state !== state)
    stage.world.fail(NEWEST_FIRST, `${id} is read as ${one.id}, ${one.state}`);
  return `saw ${found.length} jobs, ${kind} ${id} is ${state}`;
}

async function lookAtRequests(stage: Stage, draw: Draw): Promise<string> {
  const opened = await stage.session(draw);
  if (opened === null) return 'has no connection';
  const { requestLog } = opened.session;
  const text = draw.of([null, 'datasets', 'events']);
  const page = { text, limit: JOBS_OF_A_PAGE };
  const { rows } = requestLog.list({ ...page, beforeSeq: null });
  const older = requestLog.list({ ...page, beforeSeq: rows.at(-1)?.seq ?? 0 }).rows;
  const all = [...rows, ...older];
  const isFull = rows.length === JOBS_OF_A_PAGE || older.length === 0;
  const isNamed = all.every(({ url, operation }) => `${operation} ${url}`.includes(text ?? ''));
  if (!isDescending(all.map(({ seq }) => seq)) || !isFull || !isNamed)
    stage.world.fail(NEWEST_FIRST, `requests of ${text}: ${all.map(({ seq }) => seq).join(', ')}`);
  if (rows.length === 0) return 'sees no request';
  const { id } = draw.of(rows);
  const shown = JSON.stringify([requestLog.request(id), requestLog.curl(id, null)]);
  const token = /token-(?:alpha|beta)[.\w-]*\d{4}/.exec(shown)?.[0];
  if (token !== undefined) stage.world.fail(TOKEN_HIDDEN, `${token.slice(0, -5)} in ${id}`);
  return `saw ${rows.length} requests`;
}

/** Ids of the work of each kind, as the view of that kind lists them. */
const WORK = {
  outbox: ({ outbox }) => outbox.list().map(({ entryId }) => entryId),
  'keep-offline': ({ keep }) => keep.list().map(({ keptId }) => keptId),
  export: ({ exports }) => exports.list().map(({ exportId }) => exportId),
  upload: ({ uploads }) => uploads.listJobs().map(({ jobId }) => jobId),
  deletion: ({ uploads }) => uploads.listDeletions().deletions.map(({ deletionId }) => deletionId),
  build: ({ datasets }) => datasets.builds.list().map(({ buildId }) => buildId),
  items: ({ datasets }) => datasets.items.list(null).map(({ itemsId }) => itemsId),
  scores: ({ datasets }) => datasets.scores.list(null).map(({ runId }) => runId),
} as const satisfies Partial<Record<JobKindId, (session: Session) => readonly string[]>>;
const WORK_KINDS = Object.keys(WORK) as (keyof typeof WORK)[];

async function lookAtWork(stage: Stage, draw: Draw): Promise<string> {
  const opened = await stage.session(draw);
  if (opened === null) return 'has no connection';
  const { session } = opened;
  const first = draw.whole(0, WORK_KINDS.length - 1);
  const kinds = [...WORK_KINDS.slice(first), ...WORK_KINDS.slice(0, first)];
  // For most kinds, there is no work yet.
  const kind = kinds.find((each) => WORK[each](session).length > 0) ?? kinds[0];
  if (kind === undefined) return 'sees no work';
  const own = WORK[kind](session);
  const asked = { kinds: [kind], states: null, search: null, offset: 0, limit: MAX_JOBS };
  const { jobs, total } = session.jobs.list(asked);
  const listed = new Set(jobs.map(({ id }) => id));
  const missing = own.filter((id) => !listed.has(id));
  if (total <= MAX_JOBS && (missing.length > 0 || own.length !== total))
    stage.world.fail(WORK_LISTED, `${own.length} of ${kind}, ${total} jobs; missing: ${missing.join(', ')}`);
  if (own.length === 0) return `sees no ${kind}`;
  if (kind === 'upload') checkBatches(stage, session, draw.of(own));
  return `saw ${own.length} of ${kind}`;
}

/** Compares all batches of an upload page by page. */
function checkBatches({ world }: Stage, { uploads }: Session, jobId: string): void {
  const limit = 7;
  const numbers = new Set<number>();
  let offset = 0;
  let total = 1;
  while (offset < total) {
    const page = uploads.listBatches({ jobId, states: null, offset, limit });
    for (const { batch } of page.batches) numbers.add(batch);
    total = page.total;
    offset += limit;
  }
  if (total > 0 && numbers.size !== total)
    world.fail(WORK_LISTED, `${numbers.size} of ${total} batches of ${jobId}`);
}

const ACTS = {
  ...GRID_ACTS,
  'look at jobs': {
    weight: 10,
    do: lookAtJobs,
  },
  'look at requests': { weight: 8, do: lookAtRequests },
  'look at work': { weight: 12, do: lookAtWork },
  'look at a dataset': {
    weight: 8,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const dataset = opened === null ? null : await someDataset(opened.session, draw);
      if (opened === null || dataset === null) return 'sees no dataset';
      const query = { operation: 'datasets.get', path: { dataset_id: dataset.id }, query: {} };
      const viewId = stage.newName('view');
      const { library } = opened.session;
      await library.openRecord({ viewId, query, refresh: 'if-stale' });
      await stage.pause(draw.whole(0, 2_000));
      const { record } = await library.openRecord({ viewId, query, refresh: 'never' });
      library.release(viewId);
      if (record === null) return `sees no stored ${dataset.name}`;
      if (record['id'] !== dataset.id)
        stage.world.fail(RECORD_SHOWN, `${String(record['id'])} instead of ${dataset.id}`);
      return `looked at ${dataset.name}`;
    },
  },
  'change the look': {
    weight: 4,
    do: (stage, draw) => {
      const { engine } = stage.run;
      const patch = {
        theme: draw.of(['system', 'light', 'dark'] as const),
        density: draw.of(['compact', 'default', 'comfortable'] as const),
        isInspectorOpen: draw.chance(0.5),
      };
      engine.saveSettings(patch);
      const { theme, density, isInspectorOpen } = engine.readSettings();
      const read = { theme, density, isInspectorOpen };
      if (JSON.stringify(read) !== JSON.stringify(patch))
        stage.world.fail(SETTINGS_STAY, `${JSON.stringify(patch)} is ${JSON.stringify(read)}`);
      return `the window is ${theme}, ${density}`;
    },
  },
  'arrange columns': {
    weight: 4,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      const { layout } = opened.session;
      const key = `columns of tab ${draw.whole(1, TABS)}`;
      const widths = Array.from({ length: draw.whole(1, 8) }, () => draw.whole(40, 400));
      const written = layout.write(key, { widths });
      if (JSON.stringify(layout.read()[key]) !== JSON.stringify({ widths }))
        stage.world.fail(SETTINGS_STAY, `${key}: ${JSON.stringify(layout.read()[key])}`);
      await written;
      return `arranged ${widths.length} columns`;
    },
  },
  /** The analysis engine does not start, because its temporary folder has no room. */
  'profile a list on a full disk': {
    weight: 1,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      stage.disk.isFull = true;
      try {
        const asked = {
          query: { operation: 'datasets.list', path: {}, query: {} },
          narrow: null,
          fields: null,
          filters: [],
        };
        const profile = await opened.session.library.profile(asked);
        return profile === null ? 'sees no dataset' : 'profiled a list';
      } finally {
        stage.disk.isFull = false;
      }
    },
  },
  /** A connection is saved, which ends its session while a reader still uses it. */
  'rename and read on': {
    weight: 1,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      const { session, connection } = opened;
      const query = { operation: 'datasets.list', path: {}, query: {} };
      const window = { offset: 0, limit: MAX_WINDOW_ROWS, sort: null, narrow: null };
      const draft = { ...stage.draftOf(connection), name: stage.newName('Renamed') };
      const renamed = awaitedLater(stage.save(draft, null));
      for (let round = 0; round < READING_ROUNDS; round += 1) {
        await stage.pause(draw.whole(0, 60));
        try {
          await session.library.readRows({ query, window });
          session.jobs.list({ kinds: null, states: null, search: null, offset: 0, limit: JOBS_OF_A_PAGE });
        } catch (thrown) {
          stage.refused('read on while it is renamed', thrown);
        }
      }
      await renamed;
      return `renamed ${connection.id} and read on`;
    },
  },
} as const satisfies Record<string, Act>;

/** If there is no connection, the user connects first. */
function connected(act: Act): Act {
  return {
    ...act,
    do: (stage, draw) => (stage.connections().length === 0 ? CONNECTION_ACTS.connect : act).do(stage, draw),
  };
}

export const BROWSE_ACTS: Readonly<Record<string, Act>> = Object.fromEntries(
  Object.entries(ACTS).map(([name, act]) => [name, connected(act)]),
);
