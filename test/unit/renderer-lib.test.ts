import { describe, expect, test } from 'vitest';
import { attributeFilter } from '../../electron/shared/attribute-filter.ts';
import { entityTypeOf } from '../../electron/shared/catalog-entity.ts';
import { choices, collectTexts, toggleInList } from '../../renderer/lib/catalog-filters.ts';
import { bucketColumns, bucketKeys, guessColumns, guessKind } from '../../renderer/lib/column-guess.ts';
import { type Actions, buildCommands } from '../../renderer/lib/commands.ts';
import { errorReport } from '../../renderer/lib/error-report.ts';
import { formatNumber, formatStamp } from '../../renderer/lib/format.ts';
import { describeFields, readableText, SERVICE_WORDS } from '../../renderer/lib/inspect.ts';
import { jsonLines, keptLines, valueAt } from '../../renderer/lib/json-tree.ts';
import { keyText } from '../../renderer/lib/keys.ts';
import { findMatches } from '../../renderer/lib/palette-match.ts';
import { searchFor } from '../../renderer/lib/read/find.ts';
import { mergeKeys, readSchema } from '../../renderer/lib/schema.ts';

describe('filters of a list', () => {
  test('values are added to and removed from a list parameter', () => {
    expect(toggleInList('', 'UNKNOWN')).toBe('UNKNOWN');
    expect(toggleInList('a,UNKNOWN,b', 'UNKNOWN')).toBe('a,b');
  });

  test('offers the values seen, after the fixed ones; a comma cannot be sent', () => {
    const rows = [{ t: 'b' }, { t: 'a' }, { t: 'a,c' }, { t: 3 }, { t: 'UNKNOWN' }];
    const seen = { t: new Set<string>() };
    collectTexts(rows, seen);
    expect(choices(['UNKNOWN'], seen.t)).toEqual(['UNKNOWN', 'a', 'b']);
  });

  test('the entity type is the item’s own, that of the filter, or derived from its meaning', () => {
    expect(entityTypeOf({ entity_type: 'span_name', semantic_name: 'agent_name' }, 'attribute')).toBe(
      'span_name',
    );
    expect(entityTypeOf({ semantic_name: 'agent_name' }, 'tool')).toBe('tool');
    expect(entityTypeOf({ semantic_name: 'agent_name' }, '')).toBe('agent_name');
    expect(entityTypeOf({ semantic_name: 'UNKNOWN' }, '')).toBe('attribute');
  });

  test('the filter expression names only set fields', () => {
    expect(attributeFilter({ application_id: '', scope: '' })).toBeNull();
    expect(JSON.parse(attributeFilter({ application_id: 'x', scope: '' }) ?? '')).toEqual({
      condition: 'AND',
      rules: [{ field: 'application_id', operator: 'equal', value: 'x' }],
    });
  });
});

describe('columns inferred from rows', () => {
  const ID = { id: 'id', title: 'Id' };
  const titlesOf = (row: Record<string, unknown>, known = [ID]) =>
    guessColumns([row], known).map(({ title }) => title);

  test('titles name the unit of the bare numbers below them', () => {
    expect(titlesOf({ latency_ms: 1_200, size_bytes: 5, cost_usd: 2, share_pct: 3, wait_millis: 1 })).toEqual(
      ['Latency, ms', 'Size, bytes', 'Cost, USD', 'Share, %', 'Wait, ms'],
    );
    expect(titlesOf({ bytes: 5, token_count: 3 })).toEqual(['Bytes', 'Token count']);
  });

  test('no two columns have the same title', () => {
    expect(titlesOf({ latency: 3, latency_ms: 1_200 })).toEqual(['Latency', 'Latency, ms']);
    expect(titlesOf({ wait_ms: 3, wait_millis: 4 })).toEqual(['wait_ms', 'wait_millis']);
    expect(titlesOf({ created: 3, name: 'x' }, [ID, { id: 'created_at', title: 'Created' }])).toEqual([
      'created',
      'Name',
    ]);
    expect(titlesOf({ not_kept: 'This item is 9.0 MB.', cut_off: 1 })).toEqual(['Cut off', 'cut_off']);
  });

  test('by the type of most values', () => {
    expect(guessKind([1, null, 2.5])).toBe('number');
    expect(guessKind(['2026-03-12T14:02:00Z', ''])).toBe('time');
    expect(guessKind(['6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11'])).toBe('id');
    expect(guessKind([{ a: 1 }, 'x'])).toBe('json');
    expect(guessKind([1, 'x'])).toBe('text');
    expect(guessKind([])).toBe('text');
  });

  test('an item too large to store says so: a mark in its row, the reason in the inspector', () => {
    const reason = 'This item is 9.0 MB.';
    const rows = [{ id: 'a', not_kept: reason, text: 'x…' }, { id: 'b' }];
    const [mark, ...others] = guessColumns(rows, [ID]);
    expect(mark).toMatchObject({ title: 'Cut off', kind: 'chip' });
    expect(rows.map((row) => mark?.get(row))).toEqual([reason, null]);
    expect(mark?.write?.(reason)).toBe('Too large');
    expect(others.map(({ id }) => id)).toEqual(['text']);
    const fields = describeFields(rows[0] ?? {}, '');
    expect(fields.missing).toBe(reason);
    expect(fields.plain.map(({ name }) => name)).toEqual(['id', 'text']);
    expect(describeFields({ id: 'b' }, '').missing).toBeNull();
  });

  test('a reference shows its name', () => {
    const rows = [
      { id: 'a', project: { id: 'p', name: 'Care' } },
      { id: 'b', project: null },
    ];
    const [project] = guessColumns(rows, [ID]);
    expect(project?.get(rows[0] ?? {})).toBe('Care');
  });

  test('buckets: the schema’s keys first, then unknown keys', () => {
    const rows = [{ inputs: { q: 'x', extra: 1 } }, { inputs: null }];
    const schema = readSchema({ total_items: 2, inputs: { q: { count: 2, data_type: 'STRING' }, rare: {} } });
    const columns = bucketColumns(rows, mergeKeys(schema, bucketKeys(rows)));
    expect(columns.map(({ id, group }) => [id, group])).toEqual([
      ['inputs.q', 'Inputs'],
      ['inputs.rare', 'Inputs'],
      ['inputs.extra', 'Inputs'],
    ]);
    expect(columns[2]?.get(rows[0] ?? {})).toBe(1);
    expect(columns[2]?.get(rows[1] ?? {})).toBeUndefined();
  });

  test('an invalid schema is read as far as possible', () => {
    expect(readSchema(null)).toBeNull();
    expect(readSchema({ inputs: { q: { count: 'many' } }, extras: 3 })).toEqual({
      totalItems: 0,
      isSampled: false,
      keyCount: 1,
      keys: [{ bucket: 'inputs', bucketTitle: 'Inputs', key: 'q', count: null, dataType: '' }],
    });
  });
});

describe('a record in the inspector', () => {
  const record = { name: 'x', when: '', nested: { list: [1, { deep: 'needle' }] }, empty: {}, n: 1_234 };

  test('as fields, found by name and by nested content', () => {
    expect(describeFields(record, '').plain.map(({ name, value }) => [name, value])).toEqual([
      ['name', 'x'],
      ['n', '1,234'],
    ]);
    expect(describeFields(record, '').empty).toEqual(['when', 'empty']);
    expect(describeFields(record, 'NEEDLE')).toMatchObject({ plain: [], nested: [{ name: 'nested' }] });
  });

  test('fields of the service are named in words, and other records by their names', () => {
    const alert = {
      ...{ critical_threshold: 60, created_at: '2026-08-20T11:24:36Z', 'user.Tier': 'gold', baseline: null },
      model: { id: '5aa46e9a', name: 'Card fraud', version: 'v1' },
      metric: { id: 'traffic', display_name: 'Traffic', bins: [1] },
    };
    const { plain, nested, empty } = describeFields(alert, '', SERVICE_WORDS);
    expect(plain.map(({ label, value, title }) => [label, value, title])).toEqual([
      ['Critical threshold', '60', '60'],
      ['Created', expect.any(String), expect.any(String)],
      ['user.Tier', 'gold', undefined],
      ['Model', 'Card fraud v1', 'Id 5aa46e9a'],
    ]);
    expect(nested.map(({ label }) => label)).toEqual(['Metric']);
    expect(empty).toEqual(['Baseline']);
    expect(describeFields({ customer_age: 41 }, '').plain[0]?.label).toBe('customer_age');
    // Keys that a person chose are never taken as a reference to another record.
    const own = describeFields({ attributes: { name: 'Anna', type: 'guest' } }, '', SERVICE_WORDS);
    expect(own.nested).toMatchObject([{ value: { name: 'Anna', type: 'guest' } }]);
  });

  test('constants are found by the words shown for them, and names of fields are no constants', () => {
    const record = {
      ...{ status: 'NOT_SET', error: 'none yet', is_public: true, 'user.Tier': 'BINARY_CLASSIFICATION' },
      environment: { id: 'e', type: 'PRE_PRODUCTION', bins: [1] },
    };
    const found = (typed: string, words = SERVICE_WORDS) => {
      const { plain, nested } = describeFields(record, typed, words);
      return [...plain, ...nested].map(({ name }) => name);
    };
    expect(found('not set')).toEqual(['status']);
    expect(found('pre-prod')).toEqual(['environment']);
    expect(found('yes')).toEqual(['is_public']);
    expect(['failed', 'binary class'].flatMap((typed) => found(typed))).toEqual([]);
    expect(found('not set', { labels: {}, write: {} })).toEqual([]);
    expect([searchFor('failed').isHit('error'), searchFor('span name').isHit('span_name')]).toEqual([
      ...[false, false],
    ]);
  });

  test('the unit of a field of the service is with its value, or else with its label', () => {
    const record = { latency_ms: 250, wait_ms: 'unknown', size_bytes: null };
    const { plain, empty } = describeFields(record, '', SERVICE_WORDS);
    expect(plain.map(({ label, value }) => [label, value])).toEqual([
      ['Latency', '250 ms'],
      ['Wait, ms', 'unknown'],
    ]);
    expect(empty).toEqual(['Size, bytes']);
  });

  test('fields may be called as members of every object', () => {
    const hostile = JSON.parse('{"constructor":"x","toString":7,"__proto__":5,"valueOf":null}');
    const { plain, empty } = describeFields(hostile, '', SERVICE_WORDS);
    expect(plain.map(({ name, label, value }) => [name, label, value])).toEqual([
      ['constructor', 'Constructor', 'x'],
      ['toString', 'toString', '7'],
      ['__proto__', '__proto__', '5'],
    ]);
    expect(empty).toEqual(['valueOf']);
    expect(describeFields(hostile, 'tostring').plain.map(({ name }) => name)).toEqual(['toString']);
  });

  test('another record keeps its other fields in the tooltip', () => {
    const bot = { bot: { id: '7', name: 'Bot', version: '7', display_name: '' } };
    expect(describeFields(bot, '', SERVICE_WORDS).plain).toMatchObject([
      { value: 'Bot 7', title: 'Id 7, Display name ' },
    ]);
  });

  test('identifiers follow the fields for people', () => {
    const [own, other] = ['7ed0b91d-e7b7-4b16-913b-25f6082facfa', 'dc23eb0d-4ac0-4ce8-bc1d-f3662da07570'];
    const record = { id: own, name: 'Traffic drops', model_id: other, priority: 'HIGH' };
    expect(describeFields(record, '').plain.map(({ name }) => name)).toEqual([
      'name',
      'priority',
      'id',
      'model_id',
    ]);
  });

  test('numbers of a field named as a time are times, with their extra fields', () => {
    const at = Date.UTC(2026, 10, 23);
    const record = { alert_time_bucket: at, run_start_time: 12, row_count: at };
    const [bucket, start, count] = describeFields(record, '').plain;
    expect(bucket?.value).toBe(formatStamp(at));
    expect(bucket?.title).toContain(String(at));
    expect(start?.value).toBe('12');
    expect(count?.value).toBe(formatNumber(at));
  });

  test('input and output of a span come before its ids, with real line ends', () => {
    const span = { span_id: 'a', input: 'first\nsecond', output: '{"found":true}', duration: 4_430 };
    const words = { labels: { span_id: 'Span' }, write: { duration: (ms: number) => `${ms / 1_000} s` } };
    const { lead, plain, nested } = describeFields(span, '', words);
    expect(lead).toEqual([
      { name: 'input', label: 'Input', value: 'first\nsecond' },
      { name: 'output', label: 'Output', value: '{"found":true}' },
    ]);
    expect(plain).toEqual([
      { name: 'span_id', label: 'Span', value: 'a', isMono: false },
      { name: 'duration', label: 'duration', value: '4.43 s', title: '4430', isMono: false },
    ]);
    expect(nested).toEqual([]);
    expect(describeFields({ ...span, output: '' }, '').lead.map(({ name }) => name)).toEqual(['input']);
    expect(describeFields(span, 'second').plain).toEqual([]);
  });

  test('a span of a language model starts with the messages, with the tokens of both sides', () => {
    const span = {
      span_type: 'llm',
      input: 'Where?',
      output: 'There.',
      span_attributes: { 'system.gen_ai.usage.input_tokens': 29, 'system.gen_ai.usage.output_tokens': 1 },
    };
    const { conversation, lead } = describeFields(span, '');
    expect(conversation?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(conversation?.notes).toEqual({ input: 'Input · 29 tokens', output: 'Output · 1 token' });
    expect(lead).toEqual([]);
    expect(describeFields({ ...span, span_type: 'tool' }, '').conversation).toBeNull();
    expect(describeFields(span, '/^Nowhere/').conversation).toBeNull();
    expect(describeFields({ duration_ms: 423 }, '').plain[0]).toMatchObject({
      value: '423 ms',
      title: '423',
    });
  });

  test('a searched tree keeps the matches and their ancestors, by text or by expression', () => {
    const lines = jsonLines({ a: { b: [{ c: 'needle' }, { d: 1 }] }, e: 2 }, () => true);
    const kept = keptLines(lines, ({ text }) => /^needle$/.test(text));
    expect(kept.map(({ path }) => path)).toEqual(['', 'a', 'a.b', 'a.b[0]', 'a.b[0].c']);
  });

  test('as text it has line ends and no escapes', () => {
    expect(
      readableText({ input: 'He said "no".\nThen yes.', n: 3, list: ['a', { b: null }], none: {} }),
    ).toBe(
      [
        'input:',
        '  He said "no".',
        '  Then yes.',
        'n: 3',
        'list:',
        '  - a',
        '  -',
        '    b: null',
        'none: {}',
      ].join('\n'),
    );
  });

  test('as a tree, every path leads back to its value', () => {
    const value = { 'a.b': { 'c d': [10, { e: null }] }, a: { b: 'other' } };
    const lines = jsonLines(value, () => true);
    expect(lines.map(({ path }) => path)).toEqual([
      '',
      '["a.b"]',
      '["a.b"]["c d"]',
      '["a.b"]["c d"][0]',
      '["a.b"]["c d"][1]',
      '["a.b"]["c d"][1].e',
      'a',
      'a.b',
    ]);
    expect(valueAt(value, '["a.b"]["c d"][0]')).toBe(10);
    expect(valueAt(value, 'a.b')).toBe('other');
    expect(jsonLines(value, (_, depth) => depth < 1)).toHaveLength(3);
  });
});

describe('the palette', () => {
  const entries = [
    'Go to traffic',
    'Traffic',
    'Work offline',
    'Upload events from a file…',
    'Show or hide sidebar',
  ].map((title) => ({ title, kind: '' }));
  const found = (typed: string) => findMatches(entries, typed, 10).map(({ title }) => title);

  test('ranks the start of a title before the start of a word before the inside', () => {
    expect(found('tra')).toEqual(['Traffic', 'Go to traffic']);
    expect(found('offline')).toEqual(['Work offline']);
  });

  test('matches words in any order and letters in order; nothing for nonsense', () => {
    expect(found('file upload')).toEqual(['Upload events from a file…']);
    expect(found('wkoff')).toEqual(['Work offline']);
    expect(found('zzz')).toEqual([]);
    expect(found('')).toHaveLength(entries.length);
  });
});

describe('a command is found by words outside its title', () => {
  const commands = buildCommands(new Proxy({} as Actions, { get: () => () => null }), () => null).map(
    (command) => ({ ...command, kind: '' }),
  );
  test.each([
    ['light mode', 'Switch light and dark'],
    ['theme', 'Switch light and dark'],
    ['dark mode', 'Switch light and dark'],
    ['new alert', 'New alert rule…'],
    ['offline', 'Work offline'],
    ['traces', 'Go to spans'],
  ])('%s', (typed, title) => {
    expect(findMatches(commands, typed, 10)[0]?.title).toBe(title);
  });

  test('settings include all of them', () => {
    const titles = findMatches(commands, 'settings', 10).map(({ title }) => title);
    expect(titles).toEqual(
      expect.arrayContaining(['Switch light and dark', 'Compact rows', 'Edit this connection…']),
    );
  });
});

test('keys are written as labelled on the keyboard', () => {
  expect(keyText('$mod+Shift+KeyO', false)).toBe('Ctrl+Shift+O');
  expect(keyText('$mod+Digit1', true)).toBe('⌘ 1');
  expect(keyText('?', false)).toBe('?');
});

test('an error’s report contains each clue to the cause once', () => {
  const report = errorReport({
    code: 'UNPROCESSABLE',
    title: 'Could not be processed',
    message: 'Two spans were not found.',
    retry: 'never',
    details: {
      status: 422,
      requestId: 'r7',
      issues: [{ reason: 'SpanNotFound', message: 'span s1', help: '' }],
    },
  });
  expect(report.split('\n')).toEqual([
    'Could not be processed: Two spans were not found.',
    'Code: UNPROCESSABLE',
    'Status: 422',
    'Request: r7',
    'Issue 1: SpanNotFound: span s1',
  ]);
});
