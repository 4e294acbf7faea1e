/** `--filter`: the forms that users type, and rejections before anything is sent. */
import { expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { COMMANDS } from '../../electron/cli/command-specs.ts';
import { listFilter, spanFilter, type Unknown } from '../../electron/cli/filter-flag.ts';
import { flagHelp } from '../../electron/cli/flag-help.ts';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-filters');
const requests = (operation: OperationId) => rig.service.report().operations[operation]?.requests ?? 0;
const SPANS = ['--application', 'Support assistant', '--since', '1d'];

/** Further words and flags that a command needs besides its filter. */
const REST: Readonly<Record<string, { words: string[]; more: string[] }>> = {
  ls: { words: ['ls', 'models'], more: [] },
  spans: { words: ['spans'], more: [...SPANS, '--limit', '2'] },
  'span-fields': { words: ['span-fields'], more: SPANS },
  profile: { words: ['profile', 'datasets'], more: [] },
  export: { words: ['export', 'models'], more: ['--output', 'FILE'] },
};

test('the filter that the help of each command shows works with its own fields', async () => {
  const withFilter = COMMANDS.filter(({ options }) => 'filter' in options).map(({ name }) => name);
  expect(withFilter.length).toBeGreaterThan(5);
  for (const name of withFilter) {
    const [shown = ''] = /\{[^{}]*\}/.exec(flagHelp(name, 'filter').about) ?? [];
    const { words, more } = REST[name] ?? { words: [name], more: [] };
    const flags = more.map((word) => (word === 'FILE' ? rig.file(`${name}.csv`) : word));
    const { code, stderr } = await rig.run(...words, '--filter', shown, ...flags);
    expect({ name, code, stderr: stderr.includes('error') }).toEqual({ name, code: 0, stderr: false });
  }
});

test('one rule, a list of rules and a tree select the same', async () => {
  const rule = { field: 'name', operator: 'contains', value: 'churn' };
  for (const filter of [rule, [rule], { condition: 'AND', rules: [rule] }]) {
    const { items } = await rig.answered('models', '--filter', JSON.stringify(filter));
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['Bank churn']);
  }
  for (const field of ['status_code', 'Span::status_code'])
    for (const operator of ['eq', 'equal']) {
      const filter = JSON.stringify({ field, operator, value: 'ERROR' });
      const { items } = await rig.answered('spans', ...SPANS, '--limit', '3', '--filter', filter);
      expect(items.map((span: { status_code: string }) => span.status_code)).toEqual([
        'ERROR',
        'ERROR',
        'ERROR',
      ]);
    }
});

test.each<[string[], object | string, RegExp]>([
  [['models'], { field: 'name', operator: 'in', value: {} }, /value must be a list for "in"/],
  [['models'], 'name=churn', /--filter expects JSON: .*Expected a rule such as \{"field"/],
  [
    ['spans', ...SPANS],
    { field: 'status', operator: 'eq', value: 'ERROR' },
    /Spans have no field status\..*Columns: .*status_code/,
  ],
])('%j with %j is refused here', async (words, filter, reason) => {
  const typed = typeof filter === 'string' ? filter : JSON.stringify(filter);
  const { code, stdout, stderr } = await rig.run(...words, '--filter', typed);
  expect(stderr).toMatch(reason);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(requests('models.list') + requests('spans.query')).toBe(0);
});

test('a refusal of the service is not asked for twice', async () => {
  rig.service.setFaults([
    { match: { operation: 'models.list' }, action: { type: 'status', status: 400 } },
    { match: { operation: 'spans.query' }, action: { type: 'status', status: 422 } },
  ]);
  for (const words of [['models'], ['spans', ...SPANS]]) expect((await rig.run(...words)).code).toBe(6);
  expect(requests('models.list')).toBe(1);
  expect(requests('spans.query')).toBe(1);
});

test('fields and operators that this version does not know are sent unchanged, with a hint', async () => {
  const hints: string[] = [];
  const say = ({ words, near }: Unknown) => hints.push(`${words}${near}`);
  const tree = (field: string, operator: string) => ({
    condition: 'AND',
    rules: [{ field, operator, value: ['a'] }],
  });
  const one = tree('SpanScore::relevance', 'overlaps');
  expect(spanFilter(JSON.stringify(one), say)).toEqual(one);
  const other = JSON.stringify(tree('quarter', 'overlaps'));
  expect(listFilter('models.list', other, say)).toBe(other);
  expect(hints).toHaveLength(4);

  // A field of the service can have a name that is similar to another one.
  const near = tree('Span::duration_ms', 'in');
  expect(spanFilter(JSON.stringify(near), say)).toEqual(near);
  expect(hints.at(-1)).toBe('field Span::duration_ms Did you mean Span::duration?');
  const filter = JSON.stringify({ field: 'nme', operator: 'contains', value: 'x' });
  const asked = await rig.run('models', '--filter', filter);
  expect(asked.stderr).toMatch(/field nme is not known .* sent unchanged\. Did you mean name\?/);
  expect(requests('models.list')).toBe(1);
});

test('an export refuses a mistyped field, and the note of an unknown field does not promise a request with --offline', async () => {
  const filter = (field: string) => JSON.stringify({ field, operator: 'contains', value: 'x' });
  const write = (words: string[], field: string, ...more: string[]) =>
    rig.run('export', ...words, '--filter', filter(field), '--output', rig.file(`${field}.csv`), ...more);
  const refused = await write(['models'], 'nme');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean name?') });
  const spans = await write(['spans', ...SPANS], 'Span::nme');
  expect(spans).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean Span::name?') });
  expect(requests('models.list') + requests('spans.query')).toBe(0);
  // A name that resembles no known one can be a field of the service.
  const sent = await write(['models'], 'quarter');
  expect(sent.stderr).toContain('field quarter is not known to this version and is sent unchanged.');

  await rig.run('models', '--all');
  const offline = await rig.run('models', '--filter', filter('nme'), '--offline');
  expect(offline.stderr).toContain('field nme is not known to this version. Did you mean name?');
  expect(offline.stderr).not.toContain('sent');
});
