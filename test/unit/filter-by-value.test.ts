/** A value of a list becomes a filter of the list, and the menu of its row shows and copies it. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test, vi } from 'vitest';
import { exactNumber, parseExact, writeExact } from '../../electron/shared/exact-json.ts';
import { COPY_FORMATS } from '../../renderer/components/grid/copy-formats.ts';
import { copyActs, quoteCell } from '../../renderer/components/grid/row-menu.ts';
import { actObject, ONE_ROW } from '../../renderer/lib/act-object.ts';
import { filterByValue, valueOfList } from '../../renderer/lib/filter/by-value.ts';
import { LIST_FILTERS, SPAN_FILTERS } from '../../renderer/lib/filter/language.ts';
import type { Column } from '../../renderer/lib/grid/columns.ts';
import { spanFilterValue } from '../../renderer/lib/span-filter.ts';

const LLM = { field: 'Span::span_type', value: 'llm' };
const rule = (field: string, value: string) => ({ field, operator: 'eq', value });

describe('a value as a filter', () => {
  test('is the whole filter if there is none', () => {
    expect(JSON.parse(filterByValue(null, LLM, SPAN_FILTERS) ?? '')).toEqual({
      condition: 'AND',
      rules: [rule('Span::span_type', 'llm')],
    });
    expect(filterByValue(null, { field: 'name', value: 3 }, LIST_FILTERS)).toContain('"operator":"equal"');
  });

  test('is added to other rules, replaces a rule of its own field, and is combined with an OR as a whole', () => {
    const both = { condition: 'AND', rules: [rule('Span::span_type', 'tool'), rule('Span::name', 'x')] };
    expect(JSON.parse(filterByValue(JSON.stringify(both), LLM, SPAN_FILTERS) ?? '')['rules']).toEqual([
      rule('Span::name', 'x'),
      rule('Span::span_type', 'llm'),
    ]);
    const any = { ...both, condition: 'OR' };
    expect(JSON.parse(filterByValue(JSON.stringify(any), LLM, SPAN_FILTERS) ?? '')).toEqual({
      condition: 'AND',
      rules: [any, rule('Span::span_type', 'llm')],
    });
  });

  test('excluded values are added to each other; not offered if the service cannot express it', () => {
    const first = filterByValue(null, { field: 'name', value: 'a' }, LIST_FILTERS, 'not_equal');
    const both = filterByValue(first, { field: 'name', value: 'b' }, LIST_FILTERS, 'not_equal');
    const again = filterByValue(both, { field: 'name', value: 'b' }, LIST_FILTERS, 'not_equal');
    expect(again).toBe(both);
    expect(JSON.parse(both ?? '')['rules']).toEqual([
      { field: 'name', operator: 'not_equal', value: 'a' },
      { field: 'name', operator: 'not_equal', value: 'b' },
    ]);
    expect(filterByValue(null, LLM, SPAN_FILTERS, 'not_equal')).toBeNull();
  });

  test('an eleventh rule for spans is not offered', () => {
    const rules = Array.from({ length: 10 }, (_, at) => rule(`Span::field_${at}`, 'x'));
    expect(filterByValue(JSON.stringify({ condition: 'AND', rules }), LLM, SPAN_FILTERS)).toBeNull();
  });

  test('of a record inside a row it is the id; a list or null is not a value', () => {
    const row = { name: 'a', project: { id: 'p1', name: 'Lending' }, tags: ['x'], note: null, text: '' };
    expect(valueOfList(row, 'name')).toEqual({ field: 'name', value: 'a' });
    expect(valueOfList(row, 'project')).toEqual({ field: 'project_id', value: 'p1' });
    expect(['tags', 'note', 'text'].map((name) => valueOfList(row, name))).toEqual([null, null, null]);
  });

  test('of spans: published columns and attributes, no times and texts of the model', () => {
    const row = { span_type: 'llm', duration: 4, span_attributes: { 'user.intent': 'refund' } };
    expect(spanFilterValue(row, 'span_type')).toEqual(LLM);
    expect(spanFilterValue(row, 'span_attributes.user.intent')).toEqual({
      field: 'SpanAttribute::user.intent',
      value: 'refund',
    });
    expect(spanFilterValue(row, 'duration')).toBeNull();
    expect(spanFilterValue(row, 'span_attributes.none')).toBeNull();
  });
});

describe('the menu of a row', () => {
  const column: Column = { id: 'name', title: 'Name', kind: 'text', width: 100, get: (row) => row['name'] };

  test('a value is quoted, and cut if it is long', () => {
    expect(quoteCell({ row: { name: 'llm' }, column })).toBe('“llm”');
    expect(quoteCell({ row: { name: 'x'.repeat(60) }, column })).toBe(`“${'x'.repeat(23)}…”`);
    expect(quoteCell({ row: {}, column })).toBe('');
  });

  test('copies the cell, or the selected rows', async () => {
    const rows = [{ name: 'a' }, { name: 'b' }];
    const copy = vi.fn();
    const place = { row: { name: 'a' }, index: 0, column };
    const acts = copyActs(place, actObject({ selected: 2 }), [column], async () => rows, copy);
    expect(acts.map(({ title }) => title)).toEqual([
      'Copy cell',
      'Copy path of the field',
      'Copy 2 rows as a table',
      'Copy 2 rows as CSV',
      'Copy 2 rows as JSON',
      'Copy 2 rows as JSON Lines',
      'Copy 2 rows as YAML',
      'Copy 2 rows as Markdown',
      'Copy 2 rows as Python',
    ]);
    for (const { run } of acts) await run();
    expect(copy.mock.calls.slice(0, 5)).toEqual([
      ['a', 'Cell copied'],
      ['name', 'Path copied'],
      ['Name\na\nb', '2 rows copied'],
      ['Name\na\nb', '2 rows copied'],
      [JSON.stringify(rows, null, 2), '2 rows copied'],
    ]);
  });

  const hostile = {
    name: '=cmd|"a",\n|b| <b>',
    id: exactNumber('9007199254740993'),
    price: 0.1,
    note: null,
    is: true,
    in: { list: ['é😀\u2028\\', '"\'\t'], no: false },
  };
  const written = (title: string, rows: Record<string, unknown>[]) =>
    COPY_FORMATS.find((format) => format.title === title)?.write([column], rows) ?? '';

  test('CSV runs no formula, Markdown keeps its columns, JSON Lines has one row per line', () => {
    expect(written('as CSV', [hostile])).toBe('Name\n"\'=cmd|""a"",\n|b| <b>"');
    expect(written('as Markdown', [hostile])).toBe('| Name |\n| --- |\n| =cmd\\|"a", \\|b\\| \\<b\\> |');
    expect(written('as JSON Lines', [hostile, hostile]).split('\n')).toHaveLength(2);
    expect(written('as JSON', [{ name: 'a' }])).toBe('{\n  "name": "a"\n}');
  });

  test('Python reads the rows unchanged: integers, texts, None and booleans', ({ skip }) => {
    const found = spawnSync('python3', ['--version']);
    skip(found.status !== 0, 'There is no python3 on this machine.');
    const script = written('as Python', [hostile]).replace('import pandas as pd', 'import json');
    const read = script.replace('df = pd.DataFrame(rows)', 'print(json.dumps(rows))');
    const { stdout, stderr } = spawnSync('python3', ['-c', read], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toContain('9007199254740993');
    expect(parseExact(stdout)).toEqual([hostile]);
  });

  test('YAML keeps texts of several lines readable, and is read back unchanged', ({ skip }) => {
    const row = {
      ...hostile,
      prompt: 'You are kind.\n\n  Answer: yes\n',
      tail: 'a\nb',
      odd: [
        'no',
        '12:30',
        '2026-01-02',
        '',
        ' x',
        'a: b',
        '# c',
        '~',
        '-',
        'a\r\nb',
        '\n',
        'a\n \nb',
        'a\n\n',
      ],
      'a key: odd': [[1, [2]], [], {}, [{ deep: { er: [null, true] } }]],
      numbers: [1e21, 5e-7, -0.5, exactNumber('1e999'), exactNumber('12345678901234567890')],
    };
    expect(written('as YAML', [{ name: 'a', prompt: 'Be kind.\nAnswer.', tags: ['x', { z: 1 }] }])).toBe(
      'name: a\nprompt: |-\n  Be kind.\n  Answer.\ntags:\n  - x\n  - z: 1\n',
    );
    const hasYaml = spawnSync('python3', ['-c', 'import yaml']).status === 0;
    skip(!hasYaml, 'There is no python3 with PyYAML on this machine.');
    const read =
      'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin.buffer.read().decode())))';
    for (const rows of [[row], [row, row]]) {
      const { stdout, stderr } = spawnSync('python3', ['-c', read], {
        encoding: 'utf8',
        input: written('as YAML', rows),
      });
      expect(stderr).toBe('');
      // 1e999 exceeds the range of a float in Python.
      const back = parseExact(stdout.replaceAll('Infinity', '1e999'));
      expect(back).toEqual(parseExact(writeExact(rows.length === 1 ? row : rows)));
    }
  });

  test('a cell without a value has nothing to copy', () => {
    const acts = copyActs({ row: {}, index: 0, column }, ONE_ROW, [column], async () => [], vi.fn());
    expect(acts.map(({ title }) => title)).not.toContain('Copy cell');
  });
});
