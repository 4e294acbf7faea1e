/** Counts, by field, the rows of a list that came since it was last compared. For the snapshot thread. */
import { shapeOf } from '../core/snapshots/fields.ts';
import { ShapeCount } from '../core/snapshots/schema-shapes.ts';
import type { MappedKey } from '../core/snapshots/schema-watch.ts';
import { SeenCount, type SeenRows, seenBy } from '../core/snapshots/seen-rows.ts';
import { namesOf } from '../core/spans/span-mapping.ts';
import type { ListReads } from '../db/list-reads.ts';
import { parseExactObject } from '../shared/exact-json.ts';
import { textOf } from '../shared/json-fields.ts';
import type { ListQuery } from '../shared/model.ts';
import type { Preset } from '../shared/preset-contract.ts';
import { groupName, type WatchedList } from '../shared/schema-model.ts';
import { parseTime } from '../shared/zone-time.ts';

const ROWS_AT_ONCE = 200;
/** Maximum number of rows counted in one reading. It is enough for every share. */
const MAX_ROWS = 5_000;
/**
 * Fields of a row for each kind of list: its time, its group by type and name, and its unit (trace or item). Spans
 * arrive some time after they started, and some after newer ones, so they are compared at the first reading at least
 * ten minutes later.
 */
const FIELDS = {
  spans: { time: 'start_time', group: 'span_type', name: 'name', unit: 'trace_id', lateMs: 600_000 },
  items: { time: 'created_at', group: '', name: '', unit: 'id', lateMs: 0 },
} as const;
/** Parts of a span query that choose a time range and an order without leaving out spans. */
const UNFILTERED: ReadonlySet<string> = new Set(['application_id', 'start_time', 'end_time', 'ordering']);

/**
 * The schema-watched list of a query. Null for lists with a filter, and for lists of other records than spans and
 * items.
 */
export function watchedListOf({ operation, path, query, body = {} }: ListQuery): WatchedList | null {
  if (Object.keys(query).length > 0) return null;
  const [applicationId, datasetId] = [body['application_id'], path['dataset_id']];
  if (operation === 'datasets.items' && datasetId !== undefined) return { kind: 'items', id: datasetId };
  if (operation !== 'spans.query' || typeof applicationId !== 'string' || applicationId === '') return null;
  return Object.keys(body).every((name) => UNFILTERED.has(name))
    ? { kind: 'spans', id: applicationId }
    : null;
}

/** The keys of saved span mappings as fields of spans. Presets of files have none. */
export function mappedKeys(presets: readonly Pick<Preset, 'name' | 'content'>[]): MappedKey[] {
  return presets.flatMap(({ name, content }) =>
    Array.isArray(content)
      ? content.map(({ key }) => ({
          mapping: name,
          paths: namesOf(key).map((each) => `span_attributes.${each}`),
        }))
      : [],
  );
}

interface Compared {
  /** Time up to which rows were compared; null if none were. */
  afterMs: number | null;
  /** Rows of the last week that were compared. */
  seen: SeenRows | null;
  nowMs: number;
}

/** Counts of the new rows, and the compared rows of the last week. */
interface NewRows {
  count: ShapeCount;
  seen: SeenRows;
}

/**
 * Counts the new rows. Rows without a time are skipped, because it is unknown whether they are new, and so are rows
 * with a time in the future. `rows`: number of first rows to consider, because later ones come from earlier readings. A
 * row that arrived after newer ones is new if it was not seen before. A row without a trace is a unit of its own.
 */
export function countNewRows(
  reads: Pick<ListReads, 'valuesFrom' | 'recordsFrom' | 'identitiesFrom'>,
  { generationId, rows: end }: { generationId: number; rows: number },
  { kind }: WatchedList,
  { afterMs, seen, nowMs }: Compared,
): NewRows {
  const { time, group, name, unit, lateMs } = FIELDS[kind];
  const wasSeen = seenBy(afterMs === null ? null : seen);
  const isPast = (atMs: number | null): atMs is number => atMs !== null && atMs <= nowMs - lateMs;
  const isNew = (atMs: number | null, id: string | null): atMs is number =>
    isPast(atMs) && (atMs > (afterMs ?? -Infinity) || !wasSeen(atMs, id));
  const count = new ShapeCount();
  const all = new SeenCount();
  for (let from = 0; from < end; ) {
    const { positions, columns } = reads.valuesFrom(generationId, from, ROWS_AT_ONCE, [time]);
    const last = positions.at(-1);
    if (last === undefined) break;
    const ids = reads.identitiesFrom(generationId, from, ROWS_AT_ONCE).texts;
    const times = (columns[0] ?? []).map(parseTime);
    const idAt = (place: number) => ids[place] ?? null;
    const fresh = new Set<number>();
    for (const [place, position] of positions.entries()) {
      const atMs = times[place] ?? null;
      if (position >= end || !isPast(atMs)) continue;
      all.add(atMs, idAt(place));
      if (isNew(atMs, idAt(place))) fresh.add(position);
    }
    if (fresh.size > 0 && count.rows < MAX_ROWS) {
      for (const { position, json } of reads.recordsFrom(generationId, from, ROWS_AT_ONCE)) {
        if (!fresh.has(position)) continue;
        const row = parseExactObject(json);
        const of = groupName(textOf(row, group), textOf(row, name));
        const atMs = parseTime(row[time]);
        if (atMs !== null) count.add(shapeOf(row), textOf(row, unit) || `row ${position}`, of, atMs);
      }
    }
    from = last + 1;
  }
  return { count, seen: all.finish(Math.max(afterMs ?? -Infinity, count.newestMs)) };
}
