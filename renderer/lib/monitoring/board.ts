/**
 * A board: several charts with one time range, as data. Its tiles are stored in a saved view as text, which can come
 * from a link: nothing in it is trusted. Pure.
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
  /** Body of POST /v3/queries without its times, which are those of the board. */
  body: JsonObject;
  /** Name of the model or application. */
  about: string;
  /** Keys of queries on the right axis. */
  right: readonly string[];
  /** Maximum number of series drawn, those with the highest mean; 0 for all. */
  top: number;
  /** Number of columns of the metric, if the tile requests only some of them; otherwise 0. */
  whole: number;
}

export const MAX_TILES = 20;
/** A chart without its times, as a tile. */
export function tileOfChart(
  id: string,
  { name, body, about, right }: { name: string; body: JsonObject; about: string; right: readonly string[] },
): BoardTile {
  const own = withFields(body, { filters: undefined, time_comparison: undefined });
  return { id, title: name, body: own, about, right: [...right], top: 0, whole: 0 };
}

/** A tile without a metric, for a board that is about nothing yet. It is neither requested nor stored. */
export function emptyTile(id: string): BoardTile {
  const body = newBody({ kind: 'model', projectId: '', modelId: '' });
  return tileOfChart(id, { name: 'New chart', body, about: '', right: [] });
}

/** Whether a tile can be requested and stored. */
export const isComplete = (tile: BoardTile): boolean =>
  requestProblem(tileBody(tile, { label: DEFAULT_LABEL, compare: '' })) === null;

/** Whether two tiles request and show the same; the order of fields has no meaning. */
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

/** The tiles in a stored text; unreadable ones are left out. Null if the text is not a list of tiles. */
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

/** How many columns a tile requests of how many, in words; null if none is left out. */
export function columnsText({ body, whole }: Pick<BoardTile, 'body' | 'whole'>): string | null {
  const asked = new Set(readBody(body).queries.flatMap(({ columns }) => columns)).size;
  return whole > asked ? `${asked} of ${formatCount(whole, 'column')}` : null;
}

/** The count of all columns for a changed body; 0 if its metrics or its columns were chosen anew. */
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
