/**
 * The small actions between the others: a person reads, sorts, filters, and looks something up much more often than
 * they change anything. Each checks what the person would notice.
 */
import type { Session } from '../../../electron/engine/session.ts';
import type { RowWindow } from '../../../electron/shared/model.ts';
import type { Draw } from '../draw.ts';
import type { Act, OpenView, Stage } from '../stage.ts';
import { openPlainList, someDataset } from './list-acts.ts';

/** Rows of the grid that are on the screen, and those read around them. */
const MAX_WINDOW_ROWS = 60;
const MAX_OFFSET = 300;
const JOBS_OF_A_PAGE = 30;
/** Words of names that the simulation makes; no date contains them. */
const WORDS = ['built', 'made', 'another client', 'churn', 'renamed', 'no such thing'] as const;
const TABS = 4;
const READING_ROUNDS = 6;

export const ROWS_SHOWN = 'the rows of a grid are those of its list, once each';
export const ROWS_MATCH = 'the rows of a filter contain its text';
export const SETTINGS_STAY = 'a setting and a layout are read as they were saved';
export const NEWEST_FIRST = 'jobs and requests are listed newest first, and found by their names';
export const TOKEN_HIDDEN = 'no request that is shown contains a token';

async function readGrid(
  stage: Stage,
  { connectionId, query }: OpenView,
  window: RowWindow,
): Promise<{ session: Session; texts: string[] }> {
  const session = await stage.run.engine.session(connectionId);
  const { rows, matchingRows } = await session.library.readRows({ query, window });
  const positions = new Set(rows.map(({ position }) => position));
  if (positions.size < rows.length || rows.length > Math.min(window.limit, matchingRows))
    stage.world.fail(
      ROWS_SHOWN,
      `${rows.length} rows at ${positions.size} positions of ${matchingRows}: ${JSON.stringify(window)}`,
    );
  return { session, texts: rows.map(({ record }) => JSON.stringify(record).toLowerCase()) };
}

async function lookAtGrid(
  stage: Stage,
  draw: Draw,
  change: Partial<RowWindow>,
  isScrolled: boolean,
): Promise<string> {
  const views = [...stage.views.values()];
  if (views.length === 0) return await openPlainList(stage, draw);
  const view = draw.of(views);
  const offset = isScrolled ? draw.whole(0, MAX_OFFSET) : 0;
  const window = { offset, limit: draw.whole(1, MAX_WINDOW_ROWS), sort: null, narrow: null, ...change };
  const { session, texts } = await readGrid(stage, view, window);
  const { narrow } = window;
  if (narrow !== null && texts.some((text) => !text.includes(narrow)))
    stage.world.fail(ROWS_MATCH, `${narrow}: ${texts.find((text) => !text.includes(narrow))?.slice(0, 200)}`);
  // Like the grid, it asks for rows that are not stored yet while its view is open.
  if (isScrolled && stage.views.has(view.viewId))
    await session.library.fetchRows({ viewId: view.viewId, query: view.query, offset });
  return `saw ${texts.length} rows of ${view.viewId}`;
}

function isDescending(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number <= (numbers[at - 1] ?? number));
}

async function lookAtJobs(stage: Stage, draw: Draw, search: string | null): Promise<string> {
  const opened = await stage.session(draw);
  if (opened === null) return 'has no connection';
  const { jobs } = opened.session;
  const { jobs: found, total } = jobs.list({
    ...{ kinds: null, states: null, search, offset: 0, limit: JOBS_OF_A_PAGE },
  });
  const isNamed = found.every(({ title }) => title.toLowerCase().includes(search ?? ''));
  if (!isDescending(found.map(({ createdAtMs }) => createdAtMs)) || !isNamed || found.length > total)
    stage.world.fail(NEWEST_FIRST, `${search ?? 'all'} jobs: ${found.map(({ title }) => title).join(', ')}`);
  if (found.length === 0) return 'sees no job';
  const { kind, id, state } = draw.of(found);
  const one = jobs.get(kind, id);
  if (one.id !== id) stage.world.fail(NEWEST_FIRST, `${id} is read as ${one.id}`);
  return `saw ${found.length} jobs, ${kind} ${id} is ${state}`;
}

async function lookAtRequests(stage: Stage, draw: Draw): Promise<string> {
  const opened = await stage.session(draw);
  if (opened === null) return 'has no connection';
  const { requestLog } = opened.session;
  const text = draw.of([null, 'datasets', 'events']);
  const { rows } = requestLog.list({ text, limit: JOBS_OF_A_PAGE, beforeSeq: null });
  if (!isDescending(rows.map(({ seq }) => seq)))
    stage.world.fail(NEWEST_FIRST, `requests ${rows.map(({ seq }) => seq).join(', ')}`);
  if (rows.length === 0) return 'sees no request';
  const { id } = draw.of(rows);
  const shown = JSON.stringify([requestLog.request(id), requestLog.curl(id, null)]);
  const token = /token-(?:alpha|beta)[.\w-]*\d{4}/.exec(shown)?.[0];
  if (token !== undefined) stage.world.fail(TOKEN_HIDDEN, `${token.slice(0, -5)} in ${id}`);
  return `saw ${rows.length} requests`;
}

async function lookAtWork(stage: Stage, draw: Draw): Promise<string> {
  const opened = await stage.session(draw);
  if (opened === null) return 'has no connection';
  const { outbox, keep, exports, uploads, datasets, differences, network } = opened.session;
  const what = draw.of(['outbox', 'kept', 'exports', 'uploads', 'builds', 'additions', 'service'] as const);
  switch (what) {
    case 'outbox':
      return `sees ${outbox.list().length} changes`;
    case 'kept':
      return `sees ${keep.list().length} kept of ${JSON.stringify(keep.space())}`;
    case 'exports':
      return `sees ${exports.list().length} exports`;
    case 'uploads': {
      const jobs = uploads.listJobs();
      if (jobs.length === 0) return 'sees no upload';
      const { jobId } = draw.of(jobs);
      const { total } = uploads.listBatches({ jobId, states: null, offset: 0, limit: JOBS_OF_A_PAGE });
      return `sees ${total} batches of ${jobId}, ${uploads.getJob(jobId).state}`;
    }
    case 'builds':
      return `sees ${datasets.builds.list().length} builds`;
    case 'additions':
      return `sees ${datasets.items.list(null).length} additions`;
    case 'service':
      return `the service is ${network.state().state}, differs in ${differences.texts.length}`;
  }
}

export const BROWSE_ACTS = {
  scroll: { weight: 30, do: (stage, draw) => lookAtGrid(stage, draw, {}, true) },
  sort: {
    weight: 12,
    do: (stage, draw) => {
      const sort = { field: draw.of(['name', 'id', 'created_at']), isDescending: draw.chance(0.5) };
      return lookAtGrid(stage, draw, { sort }, false);
    },
  },
  'filter rows': {
    weight: 12,
    do: (stage, draw) => lookAtGrid(stage, draw, { narrow: draw.of(WORDS) }, false),
  },
  'look at jobs': {
    weight: 10,
    do: (stage, draw) => lookAtJobs(stage, draw, draw.chance(0.3) ? draw.of(WORDS) : null),
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
      const { record } = await opened.session.library.openRecord({ viewId, query, refresh: 'if-stale' });
      await stage.pause(draw.whole(0, 2_000));
      opened.session.library.release(viewId);
      return `looked at ${dataset.name}: ${record === null ? 'nothing stored' : 'stored'}`;
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
  /** A connection is saved, which ends its session, while a reader still holds that session. */
  'rename and read on': {
    weight: 1,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      const { session, connection } = opened;
      const query = { operation: 'datasets.list', path: {}, query: {} };
      const window = { offset: 0, limit: MAX_WINDOW_ROWS, sort: null, narrow: null };
      const renamed = stage.save({ ...stage.draftOf(connection), name: stage.newName('Renamed') }, null);
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
