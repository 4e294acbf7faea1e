import { describe, expect, test } from 'vitest';
import { shownFields } from '../../electron/cli/output.ts';
import { GONE_FIELD, goneAtOf, goneEnding, isMarkedGone } from '../../electron/shared/gone-field.ts';
import type { Freshness } from '../../electron/shared/model.ts';
import type { Column } from '../../renderer/lib/grid/columns.ts';
import { showsOnlyGone, toggleOnlyGone, withGoneColumn } from '../../renderer/lib/grid/gone-rows.ts';

const AT = Date.parse('2026-11-28T18:00:00Z');
const marked = (json: string) => json.slice(0, -1) + (goneEnding(json, AT) ?? '}');

describe('the mark in the JSON of a record', () => {
  test.each(['{}', '{ }', '{"id":"a"}', '{"a":{"b":[1,"}"]}}', '{"n":1234567890123456789.10}'])(
    'is its last field: %s',
    (json) => {
      const record = JSON.parse(marked(json)) as Record<string, unknown>;
      const { [GONE_FIELD]: at, ...rest } = record;
      expect(at).toBe('2026-11-28T18:00:00.000Z');
      expect(rest).toEqual(JSON.parse(json));
      expect(goneAtOf(record)).toBe(AT);
      expect(isMarkedGone(marked(json))).toBe(true);
      expect(isMarkedGone(json)).toBe(false);
    },
  );

  test('is not added to JSON that is not an object, nor found inside of a value', () => {
    expect(goneEnding('["a"]', AT)).toBeNull();
    expect(goneEnding('no JSON', AT)).toBeNull();
    expect(isMarkedGone(`{"a":{"${GONE_FIELD}":"2026"}}`)).toBe(false);
    expect(goneAtOf({ [GONE_FIELD]: 'soon' })).toBeNull();
  });
});

describe('the column of the mark', () => {
  const column = (id: string, kind: Column['kind'] = 'text'): Column => ({
    ...{ id, title: id, kind, width: 100, get: () => null },
  });
  const freshness = (goneRows?: number) => (goneRows === undefined ? {} : { goneRows }) as Freshness;
  const ids = (columns: readonly Column[]) => columns.map(({ id }) => id);

  test('is after the first column of content, only if rows are gone', () => {
    const columns = [column('pick', 'pick'), column('name'), column('age')];
    expect(withGoneColumn(columns, freshness())).toBe(columns);
    expect(withGoneColumn(columns, null)).toBe(columns);
    expect(ids(withGoneColumn(columns, freshness(2)))).toEqual(['pick', 'name', GONE_FIELD, 'age']);
    const guessed = [...columns, column(GONE_FIELD, 'time')];
    expect(ids(withGoneColumn(guessed, freshness(2)))).toEqual(['pick', 'name', GONE_FIELD, 'age']);
  });

  test('is a column of the command line, whatever the number of other fields', () => {
    const row = Object.fromEntries([...'abcdefgh'].map((name) => [name, 1]));
    expect(shownFields([row, { ...row, [GONE_FIELD]: '2026' }], 'a').at(-1)).toBe(GONE_FIELD);
    expect(shownFields([row], 'a')).not.toContain(GONE_FIELD);
  });

  test('has a filter that leaves only gone rows, beside the others', () => {
    const other = { kind: 'emptiness', field: 'name', is: 'null' } as const;
    const only = toggleOnlyGone([other]);
    expect(showsOnlyGone(only)).toBe(true);
    expect(toggleOnlyGone(only)).toEqual([other]);
  });
});
