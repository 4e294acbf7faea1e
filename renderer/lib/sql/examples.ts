/** Example queries over stored data, each with the question it answers. Pure. */
import type { DescribedView } from '../../../electron/shared/sql-model.ts';
import { sqlName, viewName } from './completion.ts';

export interface QueryExample {
  title: string;
  sql: string;
}

interface Question {
  view: string;
  title: string;
  /** The example is offered only if its view has all these columns. */
  columns: readonly string[];
  lines: readonly string[];
}

const MAX_EXAMPLES = 4;
const countBy = (view: string, column: string, title: string): Question => ({
  ...{ view, title, columns: [column] },
  lines: [
    `SELECT ${sqlName(column)}, count(*) AS ${view}`,
    `FROM ${sqlName(view)}`,
    'GROUP BY 1',
    'ORDER BY 2 DESC',
  ],
});
const QUESTIONS: readonly Question[] = [
  countBy('spans', 'span_type', 'How many spans of each type'),
  {
    ...{ view: 'spans', title: 'Which spans took longest', columns: ['name', 'start_time', 'duration'] },
    lines: ['SELECT name, start_time, duration', 'FROM spans', 'ORDER BY duration DESC', 'LIMIT 20'],
  },
  countBy('entities', 'semantic_name', 'How many names of each meaning'),
  countBy('attributes', 'data_type', 'How many attributes of each data type'),
  countBy('items', 'source_name', 'Where dataset items come from'),
  countBy('events', 'environment', 'How many events of each environment'),
  countBy('requests', 'operation', 'How many requests of each operation'),
];

/** Examples for views that have rows. The last example shows the first rows of the largest view. */
export function examplesOf(views: readonly DescribedView[]): QueryExample[] {
  const filled = views.filter(({ schema, mostRows }) => schema === null && mostRows > 0);
  const found = QUESTIONS.flatMap(({ view, title, columns, lines }) => {
    const of = filled.find(({ name }) => name === view);
    const known = of?.columns.map(({ name }) => name) ?? [];
    return columns.every((column) => known.includes(column)) ? [{ title, sql: lines.join('\n') }] : [];
  }).slice(0, MAX_EXAMPLES - 1);
  const [first] = (filled.length > 0 ? filled : views).toSorted((a, b) => b.mostRows - a.mostRows);
  if (first === undefined) return found;
  const sql = ['SELECT *', `FROM ${viewName(first)}`, 'LIMIT 100'].join('\n');
  const which = first.mostRows > 100 ? 'The first 100' : 'All';
  return [...found, { title: `${which} rows of ${first.name}`, sql }];
}
