import { expect, test } from 'vitest';
import { COMMON, commandName, parseArguments } from '../../electron/cli/arguments.ts';
import { GROUP_OF, GROUPS } from '../../electron/cli/command-groups.ts';
import { COMMANDS } from '../../electron/cli/command-specs.ts';
import { EXAMPLES } from '../../electron/cli/examples.ts';
import { FLAG_HELP, flagHelp } from '../../electron/cli/flag-help.ts';
import { helpPage, helpTable, helpText, TOPICS } from '../../electron/cli/help.ts';
import { READ_FLAGS, readingOf } from '../../electron/cli/read-flags.ts';
import { VALUE_FLAGS } from '../../electron/cli/value-flags.ts';
import { AppError } from '../../electron/shared/errors.ts';

test('common options are accepted before and after the command', () => {
  for (const argv of [
    ['--json', '--data-dir', 'd', 'catalog', 'APP', '--search', 'x'],
    ['catalog', 'APP', '--search', 'x', '--json', '--data-dir', 'd'],
  ]) {
    const args = parseArguments(argv);
    expect(args?.command).toBe('catalog');
    expect(args?.positionals).toEqual(['APP']);
    expect(args?.isJson).toBe(true);
    expect(args?.text('data-dir')).toBe('d');
    expect(args?.text('search')).toBe('x');
  }
});

test('accepts the former name of an option', () => {
  const args = parseArguments(['diff', 'A', 'B', '--twins', '--threshold', '0.9']);
  expect(args?.flag('near-duplicates')).toBe(true);
  expect(args?.given).toEqual(['near-duplicates', 'threshold']);
});

test.each([
  [['frobnicate'], /No command named frobnicate/],
  [['catalog', 'A', '--serach', 'x'], /^Unknown option '--serach'\. Did you mean --search\? Run with --help/],
  [['frobnicat'], /^No command named frobnicat\. Run with/],
  [['uplaod', 'f.csv'], /^No command named uplaod\. Did you mean upload\?/],
  [
    ['upload', 'f.csv', '--environment', 'PRODUCTION'],
    /'--environment'\. Did you mean --env-type or --env-name\?/,
  ],
  [['datasets', '--token', 'secret'], /token/],
  [['--json'], /A command was expected/],
  [['--verison'], /Unknown option '--verison'\. Did you mean --version\?/],
  [['spans', '--since', 'week'], /^--since expects a time such as .*7d \(before now\), got week\.$/],
  [['spans', '--start', '27.11.2026'], /^--start expects a time such as 2026-05-01, .*, got 27\.11\.2026\.$/],
  [['spans', '--end', '2026-02-30'], /^--end expects a time such as/],
  [['spans', '--since', '0d'], /--since expects/],
  [['spans', '--since', '7d', '--start', 'now'], /Both --since and --start/],
  [['models', '--since', '7d'], /Unknown option '--since'/],
  [
    ['models', '--limit', '--json'],
    /^--limit expects a value\. Write a value that begins with a dash as --limit=VALUE\.$/,
  ],
  [['models', '--search'], /^--search expects a value/],
  [['models', '--json=yes'], /'--json' does not take an argument\. Run with --help/],
  [['applications', 'Support', 'assistant'], /expects no argument, got also Support/],
  [['catalog', 'Support', 'assistant'], /expects APP, got also assistant/],
])('%j is rejected with the reason', (argv, reason) => {
  expect(() => parseArguments(argv)).toThrowError(reason);
  expect(() => parseArguments(argv)).toThrowError(AppError);
});

test('options of a command are accepted before it too', () => {
  const args = parseArguments(['--model', 'M', '--update', 'upload', 'f.csv']);
  expect(args?.command).toBe('upload');
  expect(args?.positionals).toEqual(['f.csv']);
  expect(args?.text('model')).toBe('M');
  expect(args?.flag('update')).toBe(true);
});

test('a start alone lasts until now, unless something is deleted or a body may have the end', () => {
  const nowMs = Date.parse('2026-05-03T12:00:00Z');
  const endOf = (...argv: string[]) => parseArguments([...argv, '--start', '2026-05-01'], nowMs);
  expect(endOf('spans')).toMatchObject({ isUntilNow: true });
  expect(endOf('spans')?.text('end')).toBe('2026-05-03T12:00:00Z');
  expect(endOf('delete-events')?.text('end')).toBeNull();
  expect(endOf('spans', '--body', '{}')?.text('end')).toBeNull();
  expect(endOf('spans', '--end', '2026-05-02')).toMatchObject({ isUntilNow: false });
});

test('errors about numbers state the expected and the given value', () => {
  const args = parseArguments(['upload', 'f.csv', '--batch-rows', 'many']);
  expect(() => args?.wholeNumber('batch-rows', 1)).toThrowError(/--batch-rows expects .* got many/);
});

test('no arguments and --help show the help, which names every command', () => {
  expect(parseArguments([])).toBeNull();
  expect(parseArguments(['upload', '--help'])).toBeNull();
  for (const { name } of COMMANDS) expect(helpText().split(/\s+/)).toContain(name);
});

test('the help fits on the smallest common terminal', () => {
  const lines = helpText().split('\n');
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('each group explains its commands, and no group or topic has the name of a command', async () => {
  const names = COMMANDS.map(({ name }) => name);
  for (const topic of [...Object.keys(GROUPS), ...Object.keys(TOPICS)]) {
    expect(names).not.toContain(topic);
    expect(await helpPage(topic)).not.toBe(helpText());
  }
  for (const { name, summary } of COMMANDS)
    for (const topic of ['all', GROUP_OF[name as keyof typeof GROUP_OF]])
      expect(helpText(topic).replaceAll(/\s+/g, ' ')).toContain(summary.split('; ')[0]);
});

test('the help says what the common options are for, and what the exit code means', () => {
  for (const name of ['all', 'options', 'models']) {
    expect(helpText(name)).toMatch(/--offline +send nothing/);
    expect(helpText(name)).toMatch(/--json +the answer as one line of JSON/);
  }
  expect(helpText('options')).toMatch(
    /^ {2}130 +stopped by Ctrl-C, or ended because its terminal was closed$/m,
  );
});

test('the table of the help has every command with its options, examples and exit codes', () => {
  const { commands, commonOptions, exitCodes, groups } = helpTable();
  expect(commands.map(({ command }) => command)).toEqual(COMMANDS.map(({ name }) => name));
  for (const { examples, group, options, about } of commands) {
    expect(examples.length).toBeGreaterThan(0);
    expect(groups.map((each) => each.group)).toContain(group);
    for (const text of [about, ...options.map((option) => option.about)]) expect(text).not.toBe('');
  }
  expect(commands.find(({ command }) => command === 'upload')).toMatchObject({
    usage: 'spandeck upload FILE|FOLDER...',
    oneOf: [[['--model'], ['--preset']]],
    options: expect.arrayContaining([expect.objectContaining({ option: '--model', value: 'NAME|ID' })]),
  });
  expect(commands.find(({ command }) => command === 'ls')?.resources).toContain('baselines');
  expect(commonOptions.map(({ option }) => option)).toEqual(Object.keys(COMMON).map((name) => `--${name}`));
  expect(exitCodes).toContainEqual({ code: 5, name: 'waits', about: expect.stringContaining('decision') });
});

test('a repeated option keeps every value', () => {
  const args = parseArguments(['request', 'GET', '/v3/x', '--query', 'a=1', '--query', 'b=2']);
  expect(args?.texts('query')).toEqual(['a=1', 'b=2']);
});

test.each([
  ['90s', '2026-05-07T23:58:30Z'],
  ['30m', '2026-05-07T23:30:00Z'],
  ['12h', '2026-05-07T12:00:00Z'],
  ['7d', '2026-05-01T00:00:00Z'],
  ['2w', '2026-04-24T00:00:00Z'],
])('--since %s is a start and an end', (since, start) => {
  const nowMs = Date.parse('2026-05-08T00:00:00Z');
  const args = parseArguments(['spans', '--since', since], nowMs);
  expect([args?.text('start'), args?.text('end')]).toEqual([start, '2026-05-08T00:00:00Z']);
  const until = parseArguments(['spans', '--since', since, '--end', '2026-05-09'], nowMs);
  expect([until?.text('start'), until?.text('end')]).toEqual([start, '2026-05-09']);
});

/** Commands whose time range always ends now, as they download or search the newest entries. */
const ENDS_NOW = new Set(['keep', 'search']);

test('a command whose range always ends now takes the length alone', () => {
  for (const name of ENDS_NOW)
    expect(parseArguments([name, 'x', '--since', '30d'])?.text('since')).toBe('30d');
});

test('--since is accepted by every command with a start and an end', () => {
  for (const { name, options } of COMMANDS) {
    const hasRange = ENDS_NOW.has(name) || ('start' in options && 'end' in options);
    expect({ name, since: 'since' in options }).toEqual({ name, since: hasRange });
  }
});

test('both flags show the version', () => {
  expect([['--version'], ['-V'], ['models', '-V']].map((argv) => commandName(argv).isVersion)).toEqual([
    true,
    true,
    true,
  ]);
  expect(commandName(['models']).isVersion).toBe(false);
});

/** Returns the help text of an option as one line, empty if the option is not listed. */
function aboutFlag(help: string, flag: string): string {
  const [, options = ''] = help.split('\nOptions:\n');
  const entries = options.split(/\n(?! {4})/);
  const found = entries.find((entry) => new RegExp(`^ {2}--${flag}( |$)`, 'm').test(entry)) ?? '';
  return found.replaceAll(/\s+/g, ' ').trim();
}

test('the help of a command explains each flag, and says which are required', () => {
  for (const { name, options, required = [], oneOf = [] } of COMMANDS) {
    const help = helpText(name);
    for (const [flag, { type }] of Object.entries({ ...COMMON, ...options })) {
      const { value, about } = flagHelp(name, flag);
      expect({ name, flag, takesValue: value !== null }).toEqual({
        name,
        flag,
        takesValue: type === 'string',
      });
      expect(help).toMatch(new RegExp(`--${flag}\\b`));
      expect(about).not.toBe('');
    }
    for (const flag of required) {
      expect(Object.keys(options)).toContain(flag);
      expect(help.split('\n')[0]).toContain(`--${flag} `);
      expect(aboutFlag(help, flag)).toMatch(/ \(required\)$/);
    }
    const chosen = oneOf.flat(2);
    for (const flag of chosen) {
      expect(Object.keys(options)).toContain(flag);
      expect(help.split('\n')[0]).toMatch(new RegExp(`[(|] ?(--[^|]+ )?--${flag} `));
      expect(aboutFlag(help, flag)).toMatch(/ \(required, or --[^)]+\)$/);
    }
    for (const flag of Object.keys(options)) {
      if (![...required, ...chosen].includes(flag)) expect(aboutFlag(help, flag)).not.toContain('(required');
    }
    expect(help).not.toMatch(/--[\w-]+ V\b/);
  }
});

test('every command that deletes or removes takes --yes', () => {
  const losing = COMMANDS.filter(
    ({ name, usage, options }) =>
      /\b(delete|remove|forget|discard|drop|undo)\b/.test(`${name} ${usage}`) || 'clear' in options,
  );
  expect(losing.length).toBeGreaterThan(10);
  expect(losing.filter(({ options }) => !('yes' in options)).map(({ name }) => name)).toEqual([]);
});

test('the help names flags that are alternatives', () => {
  expect(helpText('delete-events').split('\n')[0]).toBe(
    'spandeck delete-events --model NAME|ID (--ids A,B,C | --receipts FILE | --start TIME --end TIME | --since LENGTH) [options]',
  );
  expect(aboutFlag(helpText('delete-events'), 'ids')).toMatch(
    / \(required, or --receipts, or --start and --end, or --since\)$/,
  );
  expect(helpText('upload').split('\n')[0]).toContain('(--model NAME|ID | --preset NAME)');
  const records = helpText('ls').replaceAll(/\s+/g, ' ');
  expect(records).toContain(
    '--alert NAME|ID (--start TIME | --since LENGTH) [--end TIME] [--ordering FIELDS]',
  );
});

test('no unused flag is explained', () => {
  const taken = new Set(
    [COMMON, ...COMMANDS.map(({ options }) => options)].flatMap((one) => Object.keys(one)),
  );
  expect(Object.keys(FLAG_HELP).filter((flag) => !taken.has(flag))).toEqual([]);
});

test('the help of every command shows an example that its parser accepts, with all required flags', () => {
  for (const { name, required = [] } of COMMANDS) {
    const examples = EXAMPLES[name as keyof typeof EXAMPLES];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(helpText(name)).toContain(`  spandeck ${example}\n`);
      const words = [...example.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
        ([, one, other, bare]) => one ?? other ?? bare ?? '',
      );
      const args = parseArguments(words);
      expect(args?.command).toBe(name);
      for (const flag of required)
        expect({ example, given: args?.given }).toMatchObject({ given: expect.arrayContaining([flag]) });
    }
  }
});

test('the flags for reading a file are the same for every command that reads one', () => {
  for (const name of ['upload', 'items', 'profile', 'builds']) {
    const spec = COMMANDS.find((each) => each.name === name);
    expect(Object.keys(spec?.options ?? {})).toEqual(expect.arrayContaining([...READ_FLAGS]));
  }
});

test('the flags for reading values are the same for every command that reads a file', () => {
  const optionsOf = (name: string) => Object.keys(COMMANDS.find((each) => each.name === name)?.options ?? {});
  for (const name of ['upload', 'items', 'profile'])
    expect(optionsOf(name)).toEqual(expect.arrayContaining([...VALUE_FLAGS]));
  // `builds` sends attributes of spans unchanged, so it needs no decimal separator.
  expect(VALUE_FLAGS.filter((flag) => !optionsOf('builds').includes(flag))).toEqual(['decimal']);
});

test('the flags for reading a file override a preset', () => {
  const parsed = parseArguments([
    ...['upload', 'a.csv', '--preset', 'p', '--delimiter', 'semicolon', '--quote', 'none'],
    ...['--encoding', 'windows-1252'],
  ]);
  if (parsed === null) throw new Error('help was asked for');
  const read = readingOf(parsed, { delimiter: '|', nullWords: ['NA'] });
  expect(read).toEqual({ delimiter: ';', quote: 'none', encoding: 'windows-1252', nullWords: ['NA'] });
  const nothing = parseArguments(['upload', 'a.csv', '--model', 'm']);
  expect(nothing === null ? undefined : readingOf(nothing)).toBeNull();
});

test('an invalid delimiter or quote is rejected with the expected form', () => {
  const reading = (...argv: string[]) => {
    const parsed = parseArguments(['profile', './a.csv', ...argv]);
    return parsed === null ? null : readingOf(parsed);
  };
  expect(reading('--delimiter', 'tab')).toEqual({ delimiter: '\t' });
  expect(() => reading('--delimiter', '||')).toThrow('--delimiter expects one character');
  expect(() => reading('--delimiter', '')).toThrow('got nothing');
  expect(() => reading('--quote', 'left')).toThrow('--quote expects double, single or none; got left');
});
