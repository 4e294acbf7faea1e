/**
 * Columns of SQL results that privacy mode hides: all texts except those that are named like a readable stored column.
 */
import { expect, test } from 'vitest';
import { privateColumns } from '../../renderer/lib/sql/private-columns.ts';

const text = (name: string) => ({ name, type: 'VARCHAR' });
const VIEWS = [{ columns: ['name', 'span_type', 'input'].map(text) }] as never;

const hidden = (sql: string, ...names: string[]): string[] => [
  ...privateColumns(sql, names.map(text), VIEWS),
];

test('a stored column under its own name follows the rule for its name', () => {
  expect(hidden('SELECT name, span_type FROM spans', 'name', 'span_type')).toEqual([]);
  expect(hidden('SELECT s.name, "span_type" FROM spans s ORDER BY name', 'name', 'span_type')).toEqual([]);
  expect(hidden('SELECT DISTINCT name FROM spans WHERE name = name', 'name')).toEqual([]);
  expect(hidden('SELECT name, count(*) FROM spans GROUP BY name', 'name')).toEqual([]);
});

test('a text under a new name is hidden, whatever the expression', () => {
  expect(hidden('SELECT upper(input) AS up FROM spans', 'up')).toEqual(['up']);
  expect(hidden('SELECT substr(input, 1, 9) FROM spans', 'substr("input", 1, 9)')).toHaveLength(1);
});

test.each([
  'SELECT upper(input) AS name FROM spans',
  'SELECT upper(input) name FROM spans',
  'SELECT input name FROM spans',
  'SELECT name: upper(input) FROM spans',
  'SELECT input AS "name" FROM spans',
  'WITH t AS (SELECT input AS name FROM spans) SELECT name FROM t',
  'WITH t(name) AS (SELECT input FROM spans) SELECT name FROM t',
  'SELECT name FROM (SELECT input FROM spans) AS t(name)',
  'SELECT name FROM (SELECT input FROM spans) t(name)',
  'SELECT name FROM spans UNION ALL SELECT input FROM spans',
  'SELECT CASE WHEN true THEN input END name FROM spans',
  'SELECT * REPLACE (input AS name) FROM spans',
])('a stored name for another text hides it: %s', (sql) => {
  expect(hidden(sql, 'name')).toEqual(['name']);
});

test('numbers, times and booleans stay readable', () => {
  const columns = ['BIGINT', 'TIMESTAMP WITH TIME ZONE', 'BOOLEAN', 'DECIMAL(18,3)', 'UUID'].map((type) => ({
    name: `as ${type}`,
    type,
  }));
  expect([...privateColumns('SELECT count(*) FROM spans', columns, VIEWS)]).toEqual([]);
  const nested = ['JSON', 'VARCHAR[]', 'STRUCT(a VARCHAR)'].map((type) => ({ name: type, type }));
  expect(privateColumns('SELECT x FROM spans', nested, VIEWS).size).toBe(3);
});
