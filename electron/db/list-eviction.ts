/**
 * The size of stored lists and their eviction, least recently opened first. Lists kept for offline use are neither
 * counted nor evicted.
 */
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';

interface RoomLimits {
  mostBytes: number;
  mostLists: number;
  /** Keys of lists that views of this process show. */
  openKeys: ReadonlySet<string>;
  /** Tabs that are open in any process; the lists they show are not evicted. */
  openTabIds: readonly string[];
}

interface RemovedList {
  /** JSON. */
  query: string;
  sizeBytes: number;
}

export interface ListEviction {
  /** Records what a view shows, replacing what it showed before. Ignores views that belong to no tab. */
  setShown(viewId: string, listKeys: readonly string[]): void;
  /** Records the present time as the last use of stored lists. */
  noteUse(listKeys: readonly string[]): void;
  /** Evicts lists beyond the limits and returns them. Their rows are deleted by `sweep`. */
  prune(limits: RoomLimits): RemovedList[];
}

/** Maximum number of opened lists without rows, of which only the eviction time is stored. */
const MAX_EMPTY_LISTS = 1_000;
/**
 * If a list is opened again within this time, nothing is written, because eviction needs no higher precision. A last
 * use in the future, from a clock that was ahead, is corrected.
 */
const OPENED_PRECISION_MS = 60_000;
/** If there are more views, those of closed tabs are forgotten. */
const MAX_VIEWS = 500;

const totals = z.tuple([z.int(), z.int()]);
const sized = z.object({ id: z.int(), list_key: z.string(), query: z.string(), size_bytes: z.int() });
const shownBy = z.object({ view_id: z.string(), list_id: z.int() });

/** View ids of tabs begin with `tab-`, followed by the tab's id. */
const TAB_VIEW = 'tab-';

export function createListEviction(db: Database, nowMs: () => number): ListEviction {
  const statements = prepareStatements(db);
  const inTabs = (openTabIds: readonly string[]): Set<number> => {
    const prefixes = openTabIds.map((tabId) => `${TAB_VIEW}${tabId}.`);
    const listIds = new Set<number>();
    for (const row of statements.views.all()) {
      const { view_id: viewId, list_id: listId } = parseRow(shownBy, row, 'list view');
      if (prefixes.some((prefix) => viewId.startsWith(prefix))) listIds.add(listId);
      else statements.forgetView.run(viewId);
    }
    return listIds;
  };
  const setShown = (viewId: string, listKeys: readonly string[]): void => {
    if (!viewId.startsWith(TAB_VIEW)) return;
    statements.forgetView.run(viewId);
    for (const listKey of listKeys) statements.addView.run(viewId, listKey);
  };
  const noteUse = (listKeys: readonly string[]): void => {
    for (const listKey of listKeys) statements.use.run({ listKey, nowMs: nowMs() });
  };
  /** The lists to evict, oldest first, until the rest is within the limits. */
  const choose = (limits: RoomLimits, total: { count: number; bytes: number }) => {
    const shown = inTabs(limits.openTabIds);
    const isOver = () => total.count > limits.mostLists || total.bytes > limits.mostBytes;
    const chosen: { id: number; to: string; list: RemovedList }[] = [];
    for (const row of statements.oldest.all()) {
      if (!isOver()) break;
      const { id, list_key: key, query, size_bytes: sizeBytes } = parseRow(sized, row, 'list');
      if (shown.has(id) || limits.openKeys.has(key)) continue;
      const to = total.count > limits.mostLists ? `${limits.mostLists} lists` : sizeText(limits.mostBytes);
      chosen.push({ id, to, list: { query, sizeBytes } });
      total.count -= 1;
      total.bytes -= sizeBytes;
    }
    return chosen;
  };
  const prune = db.transaction((limits: RoomLimits): RemovedList[] => {
    statements.deleteEmpty.run(MAX_EMPTY_LISTS);
    const [count, bytes] = parseRow(totals, statements.totals.get(), 'library size');
    if (count <= limits.mostLists && bytes <= limits.mostBytes) {
      if (parseRow(z.int(), statements.viewCount.get(), 'views') > MAX_VIEWS) inTabs(limits.openTabIds);
      return [];
    }
    const chosen = choose(limits, { count, bytes });
    for (const { id, to, list } of chosen) {
      statements.discard.run(id);
      statements.markRemoved.run(nowMs(), to, list.sizeBytes, id);
    }
    return chosen.map(({ list }) => list);
  });
  return { setShown, noteUse, prune: prune.immediate };
}

/** Examples: `2 GB`, `500 MB`. Limits are round numbers. */
function sizeText(bytes: number): string {
  return bytes >= 1e9 ? `${Math.round(bytes / 1e8) / 10} GB` : `${Math.round(bytes / 1e5) / 10} MB`;
}

function prepareStatements(db: Database) {
  const unkept = 'NOT EXISTS (SELECT 1 FROM kept_question WHERE query_key = list_key)';
  const stored = 'generation.list_id = list.id AND generation.is_discarded = 0';
  return {
    forgetView: db.prepare('DELETE FROM list_view WHERE view_id = ?'),
    addView: db.prepare(
      'INSERT OR IGNORE INTO list_view (view_id, list_id) SELECT ?, id FROM list WHERE list_key = ?',
    ),
    views: db.prepare('SELECT view_id, list_id FROM list_view'),
    viewCount: db.prepare('SELECT count(*) FROM list_view').pluck(),
    totals: db
      .prepare(
        `SELECT count(DISTINCT list_id), coalesce(sum(size_bytes), 0) FROM generation JOIN list ON list.id = list_id
         WHERE is_discarded = 0 AND ${unkept}`,
      )
      .raw(),
    oldest: db.prepare(`
      SELECT list.id, list_key, query, sum(size_bytes) AS size_bytes FROM list JOIN generation ON ${stored}
      WHERE ${unkept} GROUP BY list.id ORDER BY opened_at_ms, list.id`),
    use: db.prepare(`
      UPDATE list SET opened_at_ms = $nowMs WHERE list_key = $listKey
      AND (opened_at_ms <= $nowMs - ${OPENED_PRECISION_MS} OR opened_at_ms > $nowMs)`),
    discard: db.prepare('UPDATE generation SET is_discarded = 1 WHERE list_id = ?'),
    markRemoved: db.prepare(
      'UPDATE list SET shown_generation_id = NULL, removed_at_ms = ?, removed_to = ?, removed_bytes = ? WHERE id = ?',
    ),
    deleteEmpty: db.prepare(`
      DELETE FROM list WHERE id IN (
        SELECT id FROM list WHERE NOT EXISTS (SELECT 1 FROM generation WHERE list_id = list.id)
        ORDER BY opened_at_ms DESC, id DESC LIMIT -1 OFFSET ?)`),
  };
}
