/**
 * The default board of a model or an application, built from the metrics that the service offers for it, its columns,
 * its baselines and its alert rules. Anything unknown is left out. Pure.
 */
import { MAX_COLUMNS, type RuleParts, ruleColumns } from '../../../electron/shared/alert-rule.ts';
import type { Subject } from '../../../electron/shared/chart-query.ts';
import { type Json, type JsonObject, withFields } from '../../../electron/shared/json-fields.ts';
import { ANY_COLUMN, type MetricChoice } from '../../../electron/shared/metrics.ts';
import { MAX_VIEW_CHARACTERS } from '../../../electron/shared/saved-view.ts';
import { type BoardTile, MAX_TILES, tilesText } from './board.ts';
import { MAX_QUERIES, newBody } from './chart-body.ts';

export interface BoardFacts {
  subject: Subject;
  /** Name of the model or application. */
  name: string;
  metrics: readonly MetricChoice[];
  baselines: readonly { id: string; name: string }[];
  /** Alert rules of the model. */
  rules: readonly RuleParts[];
}

/** Maximum total length of the column names of one tile. */
const MAX_COLUMN_CHARACTERS = 4_000;
/** Minimum to which that limit is reduced to shorten a long board. */
const MIN_COLUMN_CHARACTERS = 100;
/** Maximum length of a default board as text. It is below the limit for a stored board, to leave space for changes. */
const MAX_BOARD_CHARACTERS = MAX_VIEW_CHARACTERS * 0.625;
/** Number of lines drawn for a metric with many columns. */
const TOP = 3;
/** Maximum number of tiles for rules; also for outputs and for custom metrics. */
const MAX_RULES = 6;
const MAX_OWN = 2;
/** Maximum number of tiles of an application. */
const MAX_OF_APPLICATION = 9;

/** Performance metrics, in order of preference; those of one group are shown together. */
const PERFORMANCE: readonly (readonly string[])[] = [
  ['precision', 'recall'],
  ['accuracy'],
  ['mae'],
  ['r2'],
  ['map', 'ndcg_mean'],
];

/** A query key that depends only on the position, so that the stored answers of a board are found again. */
const keyOf = (place: number): string => `00000000-0000-4000-8000-${String(place + 1).padStart(12, '0')}`;

interface QueryOf {
  metric: Pick<MetricChoice, 'id' | 'type'>;
  columns?: readonly string[];
  categories?: readonly string[];
  baselineId?: string;
  segmentId?: string;
}

function bodyOf(subject: Subject, queries: readonly QueryOf[]): JsonObject {
  const made = queries.map(
    ({ metric, columns = [], categories = [], baselineId = '', segmentId = '' }, at): Json => {
      const ofModel: JsonObject =
        subject.kind === 'model'
          ? {
              ...{ model_id: subject.modelId, baseline_id: baselineId },
              ...{ columns: [...columns], categories: [...categories] },
              ...(segmentId === '' ? {} : { segment_id: segmentId }),
            }
          : {};
      return {
        ...{ query_key: keyOf(at), ...ofModel, metric: metric.id },
        ...(metric.type === '' ? {} : { metric_type: metric.type }),
        viz_type: 'line',
      };
    },
  );
  return withFields({ ...newBody(subject), queries: made }, { filters: undefined });
}

function tile(
  { subject, name }: BoardFacts,
  id: string,
  title: string,
  queries: readonly QueryOf[],
  { top = 0, whole = 0 } = {},
): BoardTile {
  return { id, title, body: bodyOf(subject, queries), about: name, right: [], top, whole };
}

/**
 * The queries for columns: as many as a body can have, at most `MAX_COLUMNS` columns each, and at least one column in
 * total. `limit`: maximum total length of the names of several columns. `whole`: number of all columns; 0 if the
 * queries cover all of them.
 */
function columnQueries(
  query: QueryOf,
  columns: readonly string[],
  limit: number,
): { queries: QueryOf[]; whole: number } {
  const asked: string[] = [];
  let characters = 0;
  for (const column of columns.slice(0, MAX_QUERIES * MAX_COLUMNS)) {
    characters += column.length;
    if (characters > limit && asked.length > 0) break;
    asked.push(column);
  }
  const queries = Array.from({ length: Math.ceil(asked.length / MAX_COLUMNS) }, (_, at) => ({
    ...query,
    columns: asked.slice(at * MAX_COLUMNS, (at + 1) * MAX_COLUMNS),
  }));
  return { queries, whole: asked.length < columns.length ? columns.length : 0 };
}

const columnLists = new WeakMap<MetricChoice, readonly string[]>();

/** Columns of a metric, outputs first, without the entry that stands for all columns. */
function columnsOf(metric: MetricChoice): readonly string[] {
  const known = columnLists.get(metric);
  if (known !== undefined) return known;
  const isOutput = (group: string) => group.toLowerCase().startsWith('output');
  const own = metric.columns.filter(({ id }) => id !== ANY_COLUMN);
  const ordered = [
    ...own.filter(({ group }) => isOutput(group)),
    ...own.filter(({ group }) => !isOutput(group)),
  ];
  const columns = [...new Set(ordered.map(({ id }) => id))];
  columnLists.set(metric, columns);
  return columns;
}

/** Used while the metrics of a model are unknown: every model offers traffic. */
const TRAFFIC: Pick<MetricChoice, 'id' | 'name' | 'type'> = { id: 'traffic', name: 'Traffic', type: '' };

function trafficTile(facts: BoardFacts): BoardTile[] {
  const found = facts.metrics.find(({ id }) => id === TRAFFIC.id);
  if (found === undefined && facts.metrics.length > 0) return [];
  const metric = found ?? TRAFFIC;
  return [tile(facts, 'traffic', metric.name, [{ metric }])];
}

function driftTile(facts: BoardFacts, limit: number): BoardTile[] {
  const drifts = facts.metrics.filter(({ type, requiresBaseline }) => type === 'drift' && requiresBaseline);
  const metric = drifts.find(({ id }) => id === 'jsd') ?? drifts[0];
  if (metric === undefined) return [];
  const columns = columnsOf(metric);
  const used = facts.rules.find(({ metricId, baselineId }) => metricId === metric.id && baselineId !== '');
  const baseline = facts.baselines.find(({ id }) => id === used?.baselineId) ?? facts.baselines[0];
  if (baseline === undefined || columns.length === 0) return [];
  const { queries, whole } = columnQueries({ metric, baselineId: baseline.id }, columns, limit);
  return [tile(facts, 'drift', `Drift against ${baseline.name}`, queries, { top: TOP, whole })];
}

function performanceTile(facts: BoardFacts): BoardTile[] {
  const own = facts.metrics.filter(
    ({ type, columns, requiresBaseline, requiresCategories }) =>
      type === 'performance' && columns.length === 0 && !requiresBaseline && !requiresCategories,
  );
  const named = PERFORMANCE.map((ids) => own.filter(({ id }) => ids.includes(id))).find(
    (found) => found.length > 0,
  );
  const metrics = named ?? own.slice(0, 1);
  if (metrics.length === 0) return [];
  const title = metrics.map(({ name }, at) => (at === 0 ? name : name.toLowerCase())).join(' and ');
  return [
    tile(
      facts,
      'performance',
      title,
      metrics.map((metric) => ({ metric })),
    ),
  ];
}

function missingTile(facts: BoardFacts, limit: number): BoardTile[] {
  const nulls = facts.metrics.filter(({ id }) => id.startsWith('null_violation'));
  const metric = nulls.find(({ id }) => id.endsWith('_percentage')) ?? nulls[0];
  const columns = metric === undefined ? [] : columnsOf(metric);
  if (metric === undefined || columns.length === 0) return [];
  const { queries, whole } = columnQueries({ metric }, columns, limit);
  return [tile(facts, 'missing', 'Missing values', queries, { top: TOP, whole })];
}

/** Tiles for the mean of each numeric output. */
function outputTiles(facts: BoardFacts): BoardTile[] {
  const metric = facts.metrics.find(({ id }) => id === 'average');
  const outputs =
    metric?.columns.filter(
      ({ group, id }) => group.toLowerCase().startsWith('output') && id !== ANY_COLUMN,
    ) ?? [];
  if (metric === undefined) return [];
  return outputs
    .slice(0, MAX_OWN)
    .map(({ id, title }) =>
      tile(facts, `output ${id}`, `${title}, ${metric.name.toLowerCase()}`, [{ metric, columns: [id] }]),
    );
}

function customTiles(facts: BoardFacts): BoardTile[] {
  return facts.metrics
    .filter(
      ({ type, columns, requiresBaseline }) => type === 'custom' && columns.length === 0 && !requiresBaseline,
    )
    .slice(0, MAX_OWN)
    .map((metric) => tile(facts, `custom ${metric.id}`, metric.name, [{ metric }]));
}

/** The values that a rule watches and that can be drawn. */
interface WatchedValues {
  rule: RuleParts;
  columns: readonly string[];
  /** The requested values, as `shownBy` writes them. */
  watched: ReadonlySet<string>;
}

function watchedValues({ rules, metrics }: BoardFacts): WatchedValues[] {
  return rules.flatMap((rule) => {
    const metric = metrics.find(({ id }) => id === rule.metricId);
    const columns = [...new Set(ruleColumns(rule, metric))];
    // The rule's values cannot be drawn if its columns are unknown or it watches changes between bins.
    if (rule.isChange || rule.metricId === '' || (rule.features.length > 0 && columns.length === 0))
      return [];
    const of = columns.length === 0 ? [''] : columns;
    const watched = new Set(of.map((column) => `${rule.metricId}/${rule.category}/${column}`));
    return { rule, columns, watched };
  });
}

/** A tile for the values of each rule, unless another tile or rule shows the same values. */
function ruleTiles(
  facts: BoardFacts,
  values: readonly WatchedValues[],
  others: readonly BoardTile[],
  limit: number,
): BoardTile[] {
  const shown: ReadonlySet<string>[] = [new Set(others.flatMap(({ body }) => shownBy(body)))];
  const tiles: BoardTile[] = [];
  for (const { rule, columns, watched } of values) {
    if (tiles.length === MAX_RULES) break;
    if ([...watched].every((each) => shown.some((some) => some.has(each)))) continue;
    shown.push(watched);
    const query = {
      metric: { id: rule.metricId, type: rule.metricType },
      ...{ baselineId: rule.baselineId, segmentId: rule.segmentId },
      categories: rule.category === '' ? [] : [rule.category],
    };
    const { queries, whole } = columnQueries(query, columns, limit);
    const shownQueries = columns.length === 0 ? [query] : queries;
    tiles.push(
      tile(facts, `rule ${rule.id}`, rule.name, shownQueries, { top: columns.length > TOP ? TOP : 0, whole }),
    );
  }
  return tiles;
}

/** The metric, category and column of everything that a body requests, as one text each. */
function shownBy(body: JsonObject): string[] {
  const { queries } = body;
  return (Array.isArray(queries) ? queries : []).flatMap((query) => {
    if (typeof query !== 'object' || query === null || Array.isArray(query)) return [];
    const { metric, columns, categories } = query;
    const of = Array.isArray(columns) && columns.length > 0 ? columns : [''];
    const category = Array.isArray(categories) ? categories.join() : '';
    return of.map((column) => `${String(metric)}/${category}/${String(column)}`);
  });
}

/** Metrics of an application with a tile each: first one metric of each type, then the others. */
function applicationTiles(facts: BoardFacts): BoardTile[] {
  const byType = Map.groupBy(
    facts.metrics.filter(({ columns }) => columns.length === 0),
    ({ type }) => type,
  );
  const lists = [...byType.values()];
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const ordered = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
  const chosen = new Set(ordered.slice(0, MAX_OF_APPLICATION));
  return facts.metrics
    .filter((metric) => chosen.has(metric))
    .map((metric) => tile(facts, `metric ${metric.id}`, metric.name, [{ metric }]));
}

/** Ids of records can be missing or repeated: the first tile with an id is kept. */
function distinct(tiles: readonly BoardTile[]): BoardTile[] {
  const ids = new Set<string>();
  return tiles.filter(({ id }) => !ids.has(id) && ids.add(id));
}

/** `limit`: maximum total length of the column names of one tile. */
function modelTiles(facts: BoardFacts, values: readonly WatchedValues[], limit: number): BoardTile[] {
  const first = [
    ...trafficTile(facts),
    ...driftTile(facts, limit),
    ...performanceTile(facts),
    ...missingTile(facts, limit),
  ];
  const rules = ruleTiles(facts, values, first, limit);
  return distinct([...first, ...rules, ...outputTiles(facts), ...customTiles(facts)]).slice(0, MAX_TILES);
}

/**
 * The tiles of the default board; empty if nothing is known about an application. If a model has many columns, the
 * tiles request fewer of them until the board is short enough to be stored and changed.
 */
export function standardTiles(facts: BoardFacts): BoardTile[] {
  if (facts.subject.kind === 'application') return distinct(applicationTiles(facts));
  const values = watchedValues(facts);
  let limit = MAX_COLUMN_CHARACTERS;
  for (;;) {
    const tiles = modelTiles(facts, values, limit);
    const { length } = tilesText(tiles);
    if (length <= MAX_BOARD_CHARACTERS || limit <= MIN_COLUMN_CHARACTERS) return tiles;
    limit *= Math.min(0.9, MAX_BOARD_CHARACTERS / length);
  }
}

/** A new tile: traffic of a model, or the first metric. */
export function newTile(facts: BoardFacts, id: string): BoardTile {
  const metric =
    facts.metrics.find((each) => each.id === TRAFFIC.id) ??
    facts.metrics.find(({ columns }) => columns.length === 0) ??
    TRAFFIC;
  return tile(facts, id, metric.name, [{ metric }]);
}
