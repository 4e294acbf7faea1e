import type { Session } from '../../../electron/engine/session.ts';
import type { ListQuery } from '../../../electron/shared/model.ts';
import type { Draw } from '../draw.ts';
import { type Act, awaitedLater, type Stage } from '../stage.ts';

const PLAIN = [
  'applications.list',
  'models.list',
  'datasets.list',
  'evaluators.list',
  'alert-rules.list',
] as const;
const SPAN_RANGE = { start_time: '2020-01-01T00:00:00Z', end_time: '2040-01-01T00:00:00Z' };

const query = (operation: string): ListQuery => ({ operation, path: {}, query: {} });

/** First rows of a stored list, empty if it is not stored. */
export async function storedRows(session: Session, asked: ListQuery): Promise<Record<string, unknown>[]> {
  const window = { offset: 0, limit: 200, sort: null, narrow: null };
  const { rows } = await session.library.readRows({ query: asked, window });
  return rows.map(({ record }) => record);
}

/** A dataset that the user sees in the list, null if the list is not stored. */
export async function someDataset(
  session: Session,
  draw: Draw,
): Promise<{ id: string; name: string } | null> {
  const rows = await storedRows(session, query('datasets.list'));
  if (rows.length === 0) return null;
  const row = draw.of(rows);
  return { id: String(row['id']), name: String(row['name']) };
}

async function open(stage: Stage, draw: Draw, asked: ListQuery, mark: string): Promise<string> {
  const opened = await stage.session(draw);
  if (opened === null) return 'has no connection';
  const viewId = stage.newName('view');
  stage.views.set(viewId, { viewId, connectionId: opened.connection.id, query: asked, mark });
  const refresh = draw.of(['always', 'if-stale', 'if-stale', 'never'] as const);
  const state = await opened.session.library.openList({
    viewId,
    query: asked,
    refresh,
    isClick: draw.chance(0.5),
  });
  return `opened ${asked.operation} as ${viewId} with ${state.freshness.storedRows} rows`;
}

export function openPlainList(stage: Stage, draw: Draw): Promise<string> {
  const operation = draw.of(PLAIN);
  return open(stage, draw, query(operation), operation);
}

export function closeList(stage: Stage, viewId: string): void {
  const view = stage.views.get(viewId);
  if (view === undefined) return;
  stage.views.delete(viewId);
  stage.closedAtMs.set(view.mark, stage.world.nowMs);
  stage.run.engine.releaseView(view.connectionId, viewId);
}

/** Items of a dataset in an order that only views request. */
async function markedItems(stage: Stage, draw: Draw): Promise<{ asked: ListQuery; mark: string } | null> {
  const opened = await stage.session(draw);
  const dataset = opened === null ? null : await someDataset(opened.session, draw);
  if (dataset === null) return null;
  const asked = { operation: 'datasets.items', path: { dataset_id: dataset.id }, query: { ordering: 'id' } };
  return { asked, mark: dataset.id };
}

export const LIST_ACTS = {
  'open a list': {
    weight: 14,
    do: openPlainList,
  },
  'open items': {
    weight: 6,
    do: async (stage, draw) => {
      const items = await markedItems(stage, draw);
      return items === null ? 'sees no dataset' : open(stage, draw, items.asked, items.mark);
    },
  },
  /** The tab is closed while its list opens. */
  'open items and close them': {
    weight: 5,
    do: async (stage, draw) => {
      const items = await markedItems(stage, draw);
      const opened = await stage.session(draw);
      if (items === null || opened === null) return 'sees no dataset';
      const viewId = stage.newName('view');
      const connectionId = opened.connection.id;
      stage.views.set(viewId, { viewId, connectionId, query: items.asked, mark: items.mark });
      const { library } = opened.session;
      const opening = awaitedLater(library.openList({ viewId, query: items.asked, refresh: 'always' }));
      if (draw.chance(0.5)) await stage.pause(draw.whole(0, 20));
      closeList(stage, viewId);
      await opening;
      return `opened and closed ${viewId}`;
    },
  },
  'open spans': {
    weight: 4,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      const [application] = await storedRows(opened.session, query('applications.list'));
      if (application === undefined) return 'sees no application';
      const body = { application_id: String(application['id']), ...SPAN_RANGE };
      return open(stage, draw, { operation: 'spans.query', path: {}, query: {}, body }, 'spans.query');
    },
  },
  'close a list': {
    weight: 14,
    do: (stage, draw) => {
      const views = [...stage.views.keys()];
      if (views.length === 0) return 'has no list open';
      const viewId = draw.of(views);
      closeList(stage, viewId);
      return `closed ${viewId}`;
    },
  },
  search: {
    weight: 2,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      const text = draw.of(['support', 'churn', 'a', 'dataset', 'no such thing']);
      const page = { offset: 0, limit: 20 };
      const all = { kind: null, applicationId: null, sinceMs: null, untilMs: null };
      const found = await opened.session.search.find({ typed: text, ...all, ...page });
      return `searched for ${text}: ${JSON.stringify(found).length > 2}`;
    },
  },
  'open a record': {
    weight: 3,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const dataset = opened === null ? null : await someDataset(opened.session, draw);
      if (opened === null || dataset === null) return 'sees no dataset';
      const asked = { operation: 'datasets.get', path: { dataset_id: dataset.id }, query: {} };
      const viewId = stage.newName('view');
      await opened.session.library.openRecord({ viewId, query: asked, refresh: 'always' });
      opened.session.library.release(viewId);
      return `looked at ${dataset.name}`;
    },
  },
} as const satisfies Record<string, Act>;
