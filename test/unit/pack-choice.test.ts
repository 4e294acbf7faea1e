/** A pack contains the chosen data and nothing else. */
import { describe, expect, test } from 'vitest';
import { selectionOf } from '../../electron/core/pack/choose.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';
import { jsonObject } from '../../electron/shared/json-body.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { PackChoice } from '../../electron/shared/pack-model.ts';

const CHOICE: PackChoice = {
  applications: ['app-1'],
  datasets: ['set-1'],
  experiments: [],
  charts: [],
  views: [],
  redact: [],
};
const NOTHING = { ...CHOICE, applications: [], datasets: [] };
const HIDDEN = new Set(['app-2', 'set-2']);

function query(operation: string, more: Partial<ListQuery> = {}): ListQuery {
  return { operation, path: {}, query: {}, ...more };
}
const pack = (choice = CHOICE, charts: readonly unknown[] = []) => selectionOf(choice, HIDDEN, charts);

describe('lists in a pack', () => {
  const spans = (id: string) => query('spans.query', { body: { application_id: id } });
  const items = (id: string) => query('datasets.items', { path: { dataset_id: id } });

  test('are packed if they name something chosen and nothing else', () => {
    expect(pack().has(spans('app-1'))).toBe(true);
    expect(pack().has(items('set-1'))).toBe(true);
    expect(pack().has(spans('app-2'))).toBe(false);
    expect(pack().has(items('set-3'))).toBe(false);
    expect(pack().has(query('spans.query', { body: { application_id: 'app-1', not: 'app-2' } }))).toBe(false);
    // The filter is JSON within a text.
    expect(pack().has(query('spans.list', { query: { filter: '{"rules":[{"value":"app-1"}]}' } }))).toBe(
      true,
    );
    expect(pack().has(query('spans.list', { query: { filter: '{app-1' } }))).toBe(false);
  });

  test('include an experiment with its results, and no other experiment', () => {
    const own = pack({ ...NOTHING, experiments: ['run-1'] });
    const results = (id: string) => query('experiments.results', { path: { experiment_id: id } });
    expect(own.has(results('run-1'))).toBe(true);
    expect(own.has(results('run-2'))).toBe(false);
    expect(own.has(query('experiments.list'))).toBe(true);
    expect(own.hasRow(query('experiments.list'), { id: 'run-1' })).toBe(true);
    expect(own.hasRow(query('experiments.list'), { id: 'run-2' })).toBe(false);
    expect(pack().has(query('experiments.list'))).toBe(false);
  });

  test('contains lists of everything if one of their records is chosen, and never searches', () => {
    for (const operation of ['applications.list', 'datasets.list', 'attributes.list']) {
      expect(pack().has(query(operation))).toBe(true);
      expect(pack(NOTHING).has(query(operation))).toBe(false);
      expect(pack().has(query(operation, { query: { search: 'x' } }))).toBe(false);
      expect(pack().has(query(operation, { query: { search: '' } }))).toBe(true);
      expect(pack().isFiltered(query(operation))).toBe(true);
    }
    expect(pack().isFiltered(spans('app-1'))).toBe(false);
  });

  test('answers of the chosen charts, whatever the order of their fields', () => {
    const read = (text: string) => jsonObject.parse(parseExact(text));
    const body = read('{"metrics":[{"name":"traffic","n":12345678901234567890}],"from":null,"to":"now"}');
    const same = read('{"to":"now","metrics":[{"n":12345678901234567890,"name":"traffic"}]}');
    const other = read('{"to":"now","metrics":[{"n":12345678901234567891,"name":"traffic"}]}');
    const ask = (given: ListQuery['body']) => pack(CHOICE, [body]).has(query('queries.run', { body: given }));
    expect([ask(body), ask(same), ask(other), ask(undefined)]).toEqual([true, true, false, false]);
  });
});

describe('rows in a pack', () => {
  test('of lists of records: the chosen ones', () => {
    expect(pack().hasRow(query('datasets.list'), { id: 'set-1' })).toBe(true);
    expect(pack().hasRow(query('datasets.list'), { id: 'set-2' })).toBe(false);
    expect(pack().hasRow(query('datasets.items'), { id: 'item' })).toBe(true);
  });

  test.each([
    ['its id', { application_id: 'app-1' }, true],
    ['its record', { application: { id: 'app-1' } }, true],
    ['another application', { application: { id: 'app-2' } }, false],
    ['a record without an id', { application: { name: 'app-1' } }, false],
    ['an id that is not text', { application: { id: 1 } }, false],
    ['a name', { application: 'app-1' }, false],
    ['no application', { application: null }, false],
  ])('of attributes, by their application: %s', (_, row, isThere) => {
    expect(pack().hasRow(query('attributes.list'), row)).toBe(isThere);
  });
});
