/**
 * The service's list of metrics for charts and alerts (SERVICE.md F7.5; the fields for applications are not published).
 * Pure.
 */
import { isJsonObject, type JsonObject, objectsOf, textOf, textsOf } from './json-fields.ts';

/** Column name that stands for every column. */
export const ANY_COLUMN = '__ANY__';

interface ColumnChoice {
  id: string;
  title: string;
  /** Group such as Inputs or Outputs; empty if the service states none. */
  group: string;
  dataType: string;
}

export interface MetricChoice {
  id: string;
  name: string;
  type: string;
  typeName: string;
  /** Columns that the metric can apply to; empty if it applies to all data at once. */
  columns: readonly ColumnChoice[];
  requiresBaseline: boolean;
  requiresCategories: boolean;
  /** The metric needs a threshold (classifier) or a k (ranking); the service uses the value of the model. */
  requiresThreshold: boolean;
  requiresTopK: boolean;
}

function columnsOf(record: JsonObject): Map<string, ColumnChoice> {
  const found = new Map<string, ColumnChoice>();
  for (const column of objectsOf(record, 'columns')) {
    const id = textOf(column, 'id') || textOf(column, 'name');
    if (id === '') continue;
    const choice = {
      id,
      title: textOf(column, 'name') || id,
      group: textOf(column, 'group'),
      dataType: textOf(column, 'data_type'),
    };
    found.set(id, choice);
    // Metrics may refer to a column by its id or by its title.
    if (!found.has(choice.title)) found.set(choice.title, choice);
  }
  return found;
}

function choiceOf(
  metric: JsonObject,
  typeNames: ReadonlyMap<string, string>,
  columns: ReadonlyMap<string, ColumnChoice>,
  fallbackType: string,
): MetricChoice | null {
  const id = textOf(metric, 'id') || textOf(metric, 'key') || textOf(metric, 'name');
  if (id === '') return null;
  const type = textOf(metric, 'type') || fallbackType;
  return {
    id,
    name: textOf(metric, 'name') || textOf(metric, 'display_name') || id,
    type,
    typeName: typeNames.get(type) ?? sentence(type),
    columns: textsOf(metric, 'columns').map(
      (name) =>
        columns.get(name) ?? {
          id: name,
          title: name === ANY_COLUMN ? 'All columns' : name,
          group: '',
          dataType: '',
        },
    ),
    requiresBaseline: metric['requires_baseline'] === true,
    requiresCategories: metric['requires_categories'] === true,
    requiresThreshold: metric['requires_threshold'] === true,
    requiresTopK: metric['requires_top_k'] === true,
  };
}

/** Display text of an id such as `token_count`. */
function sentence(word: string): string {
  const text = word.replaceAll(/[_-]+/g, ' ').trim();
  return text === '' ? 'Other' : text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Metrics of a model or an application, in the service's order. If there is no list named `metrics`, every list of
 * named objects is treated as the metrics of a type with that name.
 */
export function readMetrics(record: unknown): MetricChoice[] {
  if (!isJsonObject(record)) return [];
  const typeNames = new Map(
    objectsOf(record, 'metric_types').map((type) => [textOf(type, 'key'), textOf(type, 'name')]),
  );
  const columns = columnsOf(record);
  const lists = Array.isArray(record['metrics'])
    ? [{ type: '', list: objectsOf(record, 'metrics') }]
    : Object.keys(record)
        .filter((key) => key !== 'columns' && key !== 'metric_types')
        .map((key) => ({ type: key, list: objectsOf(record, key) }));
  const seen = new Set<string>();
  return lists.flatMap(({ type, list }) =>
    list.flatMap((metric) => {
      const choice = choiceOf(metric, typeNames, columns, type);
      if (choice === null || seen.has(choice.id)) return [];
      seen.add(choice.id);
      return [choice];
    }),
  );
}

/** Unit of a metric's values; empty if the interface states none. */
function unitOf(metricId: string, type = ''): string {
  if (metricId.endsWith('_percentage')) return '%';
  if (metricId === 'traffic' || metricId.endsWith('_count')) return type === 'traffic' ? '' : 'events';
  if (type === 'token_count') return 'tokens';
  return '';
}

/** Name and unit, for the title of an axis. */
export function metricTitle(metric: Pick<MetricChoice, 'id' | 'name' | 'type'>): string {
  const unit = unitOf(metric.id, metric.type);
  return unit === '' || metric.name.includes(unit) || /count|%/i.test(metric.name)
    ? metric.name
    : `${metric.name}, ${unit}`;
}
