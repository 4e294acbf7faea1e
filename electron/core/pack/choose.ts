/** Selects the stored lists, records and rows of a pack. Pure. */

import { isRawNumber } from '../../shared/exact-json.ts';
import type { ListQuery } from '../../shared/model.ts';
import type { PackChoice } from '../../shared/pack-model.ts';

type StoredRecord = Readonly<Record<string, unknown>>;

interface Selection {
  /** Whether the list or record of this query is in the pack. */
  has(query: ListQuery): boolean;
  /** Whether the pack has this row of the list or record. */
  hasRow(query: ListQuery, row: StoredRecord): boolean;
  /** Whether some rows of the list are left out. */
  isFiltered(query: ListQuery): boolean;
}

type Part = 'applications' | 'datasets' | 'experiments';
const PART: Readonly<Record<string, Part>> = {
  'applications.list': 'applications',
  'datasets.list': 'datasets',
  'experiments.list': 'experiments',
};
/** Lists that cover all applications, although each of their rows belongs to one application. */
const OF_APPLICATIONS = new Set(['attributes.list']);

/** `hidden`: known ids that were not chosen. `chartBodies`: request bodies of the chosen charts. */
export function selectionOf(
  choice: PackChoice,
  hidden: ReadonlySet<string>,
  chartBodies: readonly unknown[],
): Selection {
  const { applications, datasets, experiments } = choice;
  const chosen = {
    ...{ applications: new Set(applications), datasets: new Set(datasets) },
    experiments: new Set(experiments),
  };
  const all = new Set([...applications, ...datasets, ...experiments]);
  const charts = new Set(chartBodies.map(stableText));
  const namesChosen = (query: ListQuery) => textsOf(askedIn(query)).some((text) => all.has(text));
  const namesHidden = (query: ListQuery) => {
    const whole = JSON.stringify(query);
    return [...hidden].some((id) => whole.includes(id));
  };
  return {
    has: (query) => {
      if (query.operation === 'queries.run') return charts.has(stableText(query.body));
      if (query.query['search'] !== undefined && query.query['search'] !== '') return false;
      if (namesHidden(query)) return false;
      const part = PART[query.operation];
      if (part !== undefined) return chosen[part].size > 0;
      if (OF_APPLICATIONS.has(query.operation)) return chosen.applications.size > 0;
      return namesChosen(query);
    },
    hasRow: (query, row) => {
      const part = PART[query.operation];
      if (part !== undefined) return chosen[part].has(String(row['id']));
      if (!OF_APPLICATIONS.has(query.operation)) return true;
      const of = applicationOf(row);
      return of !== null && chosen.applications.has(of);
    },
    isFiltered: ({ operation }) => PART[operation] !== undefined || OF_APPLICATIONS.has(operation),
  };
}

function applicationOf(row: StoredRecord): string | null {
  const { application, application_id: id } = row;
  if (typeof id === 'string') return id;
  if (typeof application !== 'object' || application === null || !('id' in application)) return null;
  return typeof application.id === 'string' ? application.id : null;
}

/** The parts of a query that may contain ids, without the name of its operation. */
export const askedIn = ({ path, query, body }: ListQuery): unknown => [path, query, body ?? null];

/** Every text in a query or a view, including those in its filter. */
export function textsOf(of: unknown): string[] {
  const texts: string[] = [];
  const add = (value: unknown): void => {
    if (typeof value === 'string') {
      texts.push(value);
      if (value.startsWith('{')) {
        try {
          add(JSON.parse(value));
        } catch {
          texts.push(value);
        }
      }
    } else if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
      for (const part of Object.values(value)) add(part);
    }
  };
  add(of);
  return texts;
}

/** Equal for equal values, whatever the order of their fields. */
function stableText(value: unknown): string {
  const sorted = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(sorted);
    if (typeof part !== 'object' || part === null || isRawNumber(part)) return part;
    const pairs = Object.entries(part).filter(([, each]) => each !== null && each !== undefined);
    return Object.fromEntries(
      pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, sorted(each)]),
    );
  };
  return JSON.stringify(sorted(value)) ?? '';
}
