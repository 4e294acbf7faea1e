/**
 * A board as data: several charts with one time range. A saved view stores its tiles as text, which can come from a
 * link, so its content is not trusted. Pure.
 */
import { DEFAULT_LABEL, tileBody } from '../../../electron/shared/board-times.ts';
import { readBody, type Subject } from '../../../electron/shared/chart-query.ts';
import { canonicalJson, parseExact } from '../../../electron/shared/exact-json.ts';
import {
  isJsonObject,
  type JsonObject,
  objectsOf,
  textOf,
  textsOf,
  withFields,
} from '../../../electron/shared/json-fields.ts';
import { formatCount } from '../format.ts';
import { newBody } from './chart-body.ts';
import { requestProblem } from './chart-text.ts';

export interface BoardTile {
  id: string;
  title: string;
  /** Body of POST /v3/queries without times, as the board has them. */
  body: JsonObject;
  /** Name of the model or application. */
  about: string;
  /** Keys of queries on the right axis. */
  right: readonly string[];
  /** Maximum number of series drawn: those with the highest mean. 0 draws all. */
  top: number;
  /** Number of all columns of the metric, if the tile requests only some of them; otherwise 0. */
  whole: number;
}

export const MAX_TILES = 20;
/** A tile made from a chart, without its times. */
export function tileOfChart(
  id: string,
  { name, body, about, right }: { name: string; body: JsonObject; about: string; right: readonly string[] },
): BoardTile {
  const own = withFields(body, { filters: undefined, time_comparison: undefined });
  return { id, title: name, body: own, about, right: [...right], top: 0, whole: 0 };
}

/** A tile without a metric, for a board without a subject. It is neither requested nor stored. */
export function emptyTile(id: string): BoardTile {
  const body = newBody({ kind: 'model', projectId: '', modelId: '' });
  return tileOfChart(id, { name: 'New chart', body, about: '', right: [] });
}

/** Whether a tile can be requested and stored. */
export const isComplete = (tile: BoardTile): boolean =>
  requestProblem(tileBody(tile, { label: DEFAULT_LABEL, compare: '' })) === null;

/** Whether two tiles request and show the same; the order of fields does not matter. */
export const isSameTile = (one: BoardTile, two: BoardTile): boolean =>
  canonicalJson(one) === canonicalJson(two);

function readTile(value: JsonObject): BoardTile | null {
  const { body } = value;
  const [id, title] = [textOf(value, 'id').slice(0, 100), textOf(value, 'title')];
  if (id === '' || title === '' || !isJsonObject(body)) return null;
  const tile = {
    ...{ id, title: title.slice(0, 200), about: textOf(value, 'about'), right: textsOf(value, 'right') },
    body: withFields(body, { filters: undefined, time_comparison: undefined }),
    ...{ top: countOf(value, 'top'), whole: countOf(value, 'whole') },
  };
  return isComplete(tile) ? tile : null;
}

function countOf(value: JsonObject, field: string): number {
  const count = value[field];
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : 0;
}

/** Reads the tiles from a stored text; unreadable ones are left out. Null if the text is not a list of tiles. */
export function readTiles(text: string): BoardTile[] | null {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    return null;
  }
  if (!Array.isArray(value)) return null;
  const ids = new Set<string>();
  return objectsOf({ list: value }, 'list')
    .flatMap((each) => readTile(each) ?? [])
    .filter(({ id }) => !ids.has(id) && ids.add(id))
    .slice(0, MAX_TILES);
}

export const tilesText = (tiles: readonly BoardTile[]): string => JSON.stringify(tiles);

/** How many columns a tile requests, and of how many; null if it requests all. */
export function columnsText({ body, whole }: Pick<BoardTile, 'body' | 'whole'>): string | null {
  const asked = new Set(readBody(body).queries.flatMap(({ columns }) => columns)).size;
  return whole > asked ? `${asked} of ${formatCount(whole, 'column')}` : null;
}

/** The number of all columns after a change of the body; 0 if its metrics or columns were chosen again. */
export function keptWhole({ body, whole }: Pick<BoardTile, 'body' | 'whole'>, changed: JsonObject): number {
  return requestedColumns(body) === requestedColumns(changed) ? whole : 0;
}

function requestedColumns(body: JsonObject): string {
  const { queries } = readBody(body);
  const requested = queries.flatMap(({ modelId, metric, columns }) =>
    columns.map((column) => JSON.stringify([modelId, metric, column])),
  );
  return [...new Set(requested)].toSorted().join();
}

export const subjectOfTile = ({ body }: Pick<BoardTile, 'body'>): Subject => readBody(body).subject;

/** The tiles with one of them moved by some places. */
export function movedTile(tiles: readonly BoardTile[], id: string, to: number): BoardTile[] {
  const tile = tiles.find((each) => each.id === id);
  if (tile === undefined) return [...tiles];
  const others = tiles.filter((each) => each !== tile);
  return others.toSpliced(Math.min(Math.max(to, 0), others.length), 0, tile);
}
