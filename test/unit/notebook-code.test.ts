import { expect, test } from 'vitest';
import { NO_FILTER } from '../../electron/shared/run-comparison.ts';
import type { ExportSubject } from '../../renderer/lib/export-words.ts';
import { mirrorCode, notebookCode } from '../../renderer/lib/notebook-code.ts';

type List = Exclude<ExportSubject, { table: unknown }>;
type Table = Extract<ExportSubject, { table: unknown }>['table'];

const NEVER = { source: 'none' } as unknown as List['freshness'];
const list = (changes: Partial<List>): List => ({
  query: { operation: 'datasets.list', path: {}, query: {} },
  ...{ narrow: null, filters: [], sort: null, name: 'Datasets', noun: 'dataset', nouns: 'datasets' },
  ...{ freshness: NEVER, shownRows: 3, ranges: [], selectedRows: 0, ticked: null, fields: [] },
  ...changes,
});
const table = (of: Table): ExportSubject => ({ name: 'Table', rowsText: '', table: of });
const sqlOf = (subject: ExportSubject): string =>
  /"""\n([\s\S]*)\n"""/.exec(notebookCode(subject, '/m') ?? '')?.[1] ?? '';
const notesOf = (subject: ExportSubject): string[] =>
  (notebookCode(subject, '/m') ?? '')
    .split('\n')
    .filter((line) => line.startsWith('# '))
    .slice(1);

test('opens the mirror in its folder, whatever its name', () => {
  const code = notebookCode(list({}), String.raw`C:\Users\Ada "x"`);
  expect(code).toContain(String.raw`MIRROR = "C:\\Users\\Ada \"x\""`);
  expect(code).toContain('sys.path.insert(0, MIRROR)\nimport spandeck\n\nm = spandeck.open(MIRROR)\n');
  expect(mirrorCode('/m')).toContain('MIRROR = "/m"');
  expect(notebookCode(list({}), null)).toContain(
    '# Write a mirror first (Mirror for notebooks… in Spandeck)',
  );
});

test('expresses application, time range, filter and order of spans', () => {
  const body = {
    ...{ application_id: 'app-1', start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-02T00:00:00Z' },
    ordering: '-start_time',
    filter: {
      condition: 'AND',
      rules: [
        { field: 'Span::span_type', operator: 'in', value: ['llm', "it's"] },
        {
          condition: 'OR',
          rules: [
            { field: 'SpanAttribute::gen_ai.cost', operator: 'greater', value: 0.5 },
            { field: 'Span::name', operator: 'not_contains', value: 'x' },
            { field: 'Span::status_message', operator: 'is_not_null' },
          ],
        },
      ],
    },
  };
  const spans = list({ query: { operation: 'spans.query', path: {}, query: {}, body } });
  expect(sqlOf(spans)).toBe(`SELECT *
FROM "spans" AS t
WHERE application = name_of('app-1')
  AND start_time >= TIMESTAMPTZ '2026-01-01T00:00:00Z'
  AND start_time < TIMESTAMPTZ '2026-01-02T00:00:00Z'
  AND ((compared("span_type", 'llm') = 0 OR compared("span_type", 'it''s') = 0) AND (axis_of("span_attributes.gen_ai.cost") > 0.5 OR NOT coalesce(contains(CAST("name" AS VARCHAR), 'x'), false) OR NOT coalesce("status_message" IS NULL, false)))
ORDER BY "start_time" DESC NULLS LAST`);
  expect(notesOf(spans)).toEqual([]);
});

test('says in comments which choices it cannot express', () => {
  const subject = list({
    query: { operation: 'models.list', path: {}, query: { search: 'churn\nimport os', ordering: 'name' } },
    narrow: '/a.*b/',
    selectedRows: 3,
    filters: [{ kind: 'emptiness', field: 'note', is: 'absent' }],
  });
  expect(notesOf(subject)).toEqual([
    '# Not expressed: search churn import os, which the service applied.',
    '# A mirror does not tell absent fields from null.',
    '# Not expressed: the text filter /a.*b/.',
    '# All rows of the view, not only the 3 selected rows.',
  ]);
  expect(sqlOf(subject)).toBe(
    'SELECT *\nFROM "models" AS t\nWHERE "note" IS NULL\nORDER BY "name" NULLS LAST',
  );
});

test('expresses the filters of column heads and the sort of the grid', () => {
  const subject = list({
    narrow: 'refund',
    sort: { field: 'deep.Score', isDescending: true },
    filters: [
      { kind: 'range', field: 'size', from: 1, to: 5, includesTo: false },
      {
        kind: 'range',
        field: 'at',
        from: 10,
        to: null,
        includesTo: false,
        excludesFrom: true,
        excludes: true,
      },
      { kind: 'values', field: 'kind', values: ['a', 'b'], excludes: true },
      { kind: 'contains', field: 'name', text: "O'K", excludes: false },
      { kind: 'emptiness', field: 'tags', is: 'missing' },
    ],
  });
  expect(sqlOf(subject).split('\n').slice(2)).toEqual([
    'WHERE (axis_of("size") >= 1 AND axis_of("size") < 5)',
    '  AND NOT coalesce(axis_of("at") > 10, false)',
    `  AND NOT coalesce((compared("kind", 'a') = 0 OR compared("kind", 'b') = 0), false)`,
    `  AND contains(lower(CAST("name" AS VARCHAR)), lower('O''K'))`,
    `  AND ("tags" IS NULL OR CAST("tags" AS VARCHAR) IN ('', '""', '[]', '{}'))`,
    "  AND contains(lower(concat_ws(chr(10), *COLUMNS(*))), lower('refund'))",
    'ORDER BY "deep.Score" DESC NULLS LAST',
  ]);
});

test('a column filter by words also finds the constants that they are shown for', () => {
  const subject = list({
    query: { operation: 'jobs.list', path: {}, query: {} },
    narrow: 'failed',
    filters: [
      { kind: 'contains', field: 'status', text: 'failed', excludes: false, words: 'task-states' },
      { kind: 'contains', field: 'error_message', text: 'failed', excludes: false },
    ],
  });
  expect(sqlOf(subject).split('\n').slice(2, 4)).toEqual([
    `WHERE (contains(lower(CAST("status" AS VARCHAR)), lower('failed')) OR lower(CAST("status" AS VARCHAR)) IN ('failure'))`,
    `  AND contains(lower(CAST("error_message" AS VARCHAR)), lower('failed'))`,
  ]);
  const notes = (operation: string, narrow: string) =>
    notesOf(list({ query: { operation, path: {}, query: {} }, narrow })).join(' ');
  const note = 'in the view also by the words shown for them';
  expect(notes('jobs.list', 'failed')).toContain(note);
  expect(notes('users.list', 'org admin')).toContain(note);
  expect(notes('datasets.items', 'org admin')).not.toContain(note);
  expect(notes('users.list', '/org admin/i')).toBe('# Not expressed: the text filter /org admin/i.');
});

test('runs typed SQL as it is, and names what a mirror lacks', () => {
  const subject = table({
    form: 'sql',
    sql: String.raw`SELECT '\d', """x""" FROM lists."Spans #1" ORDER BY as_of;`,
  });
  const code = notebookCode(subject, '/m') ?? '';
  expect(code).toContain(String.raw`SELECT '\\d', \"\"\"x\"\"\" FROM lists."Spans #1" ORDER BY as_of`);
  expect(notesOf(subject).join(' ')).toMatch(/no single lists.*no column as_of/);
});

test('compares score runs item by item, and puts results of experiments under each other', () => {
  const about = { baseline: 0, lowerIsBetter: false, filter: NO_FILTER };
  const scoreRuns = ['a', 'b'].map((id) => ({ kind: 'scores' as const, id }));
  const pair = table({ form: 'runs', runs: scoreRuns, score: 'quality', ...about });
  expect(sqlOf(pair)).toContain(
    "FROM (SELECT * FROM scores WHERE run_id = 'a' AND score = 'quality') AS a\nFULL JOIN",
  );
  const worse = { ...about, filter: { ...NO_FILTER, change: 'worse' as const } };
  const alone = table({ form: 'runs', runs: scoreRuns.slice(1), score: 'quality', ...worse });
  expect(sqlOf(alone)).toContain('FROM "scores" AS t');
  expect(notesOf(alone).join(' ')).toContain('Not expressed: the choice of items in the view.');
  const runs = table({
    form: 'runs',
    runs: [
      { kind: 'experiment', id: 'e1' },
      { kind: 'scores', id: 's1' },
    ],
    ...{ score: null, ...about },
  });
  expect(sqlOf(runs)).toBe(
    "SELECT experiment AS compared_run, * FROM results WHERE experiment = name_of('e1')\nUNION ALL BY NAME\nSELECT run AS compared_run, * FROM scores WHERE run_id = 's1'",
  );
});

test('is not made for rows that a mirror does not have', () => {
  expect(notebookCode(table({ form: 'receipts', jobId: 'j' }), '/m')).toBeNull();
});
