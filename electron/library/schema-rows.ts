/** The rows of a list that came since it was last compared, counted by field. For the snapshot thread. */
import { shapeOf } from '../core/snapshots/fields.ts';
import { ShapeCount } from '../core/snapshots/schema-shapes.ts';
import type { MappedKey } from '../core/snapshots/schema-watch.ts';
import { namesOf } from '../core/spans/span-mapping.ts';
import type { ListReads } from '../db/list-reads.ts';
import { parseExactObject } from '../shared/exact-json.ts';
import { textOf } from '../shared/json-fields.ts';
import type { ListQuery } from '../shared/model.ts';
import type { Preset } from '../shared/preset-contract.ts';
import { groupName, type WatchedList } from '../shared/schema-model.ts';
import { parseTime } from '../shared/zone-time.ts';

const ROWS_AT_ONCE = 200;
/** Enough for every share; the rows of one reading beyond them are not counted. */
const MAX_ROWS = 5_000;
/**
 * Fields of a row by list: its time, its group by type and name, and the unit that it belongs to. Spans are sent after they started, some
 * after newer ones: they are compared at the first reading ten minutes later.
 */
const FIELDS = {
  spans: { time: 'start_time', group: 'span_type', name: 'name', unit: 'trace_id', lateMs: 600_000 },
  items: { time: 'created_at', group: '', name: '', unit: 'id', lateMs: 0 },
} as const;
/** Parts of a query of spans that choose a time range and an order, and leave no span out. */
const UNFILTERED: ReadonlySet<string> = new Set(['application_id', 'start_time', 'end_time', 'ordering']);

/** Null for lists that are not watched: others than spans and items, and lists with a filter. */
export function watchedListOf({ operation, path, query, body = {} }: ListQuery): WatchedList | null {
  if (Object.keys(query).length > 0) return null;
  const [applicationId, datasetId] = [body['application_id'], path['dataset_id']];
  if (operation === 'datasets.items' && datasetId !== undefined) return { kind: 'items', id: datasetId };
  if (operation !== 'spans.query' || typeof applicationId !== 'string' || applicationId === '') return null;
  return Object.keys(body).every((name) => UNFILTERED.has(name))
    ? { kind: 'spans', id: applicationId }
    : null;
}

/** The keys of saved mappings as fields of spans; presets of files have none. */
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

/**
 * Rows without a time are not counted: whether they are new is not known. Neither are those with a time in the future, for
 * as long as it is. `afterMs`: null counts all rows. A row without a trace is a unit of its own.
 */
export function countNewRows(
  reads: Pick<ListReads, 'valuesFrom' | 'recordsFrom'>,
  { generationId, rows: end }: { generationId: number; rows: number },
  { kind }: WatchedList,
  { afterMs, nowMs }: { afterMs: number | null; nowMs: number },
): ShapeCount {
  const { time, group, name, unit, lateMs } = FIELDS[kind];
  const isNew = (atMs: number | null): atMs is number =>
    atMs !== null && atMs > (afterMs ?? -Infinity) && atMs <= nowMs - lateMs;
  const count = new ShapeCount();
  for (let from = 0; count.rows < MAX_ROWS; ) {
    const { positions, columns } = reads.valuesFrom(generationId, from, ROWS_AT_ONCE, [time]);
    const last = positions.at(-1);
    if (last === undefined || from >= end) break;
    if (columns[0]?.some((value) => isNew(parseTime(value))) === true) {
      for (const { position, json } of reads.recordsFrom(generationId, from, ROWS_AT_ONCE)) {
        if (position >= end) break;
        const row = parseExactObject(json);
        const atMs = parseTime(row[time]);
        if (!isNew(atMs)) continue;
        const of = groupName(textOf(row, group), textOf(row, name));
        count.add(shapeOf(row), textOf(row, unit) || `row ${position}`, of, atMs);
      }
    }
    from = last + 1;
  }
  return count;
}
