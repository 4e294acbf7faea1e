import { expect, test } from 'vitest';
import { parseArguments } from '../../electron/cli/arguments.ts';
import { helpText } from '../../electron/cli/help.ts';
import { AppError } from '../../electron/shared/errors.ts';

test('common options stand before or after the command', () => {
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

test.each([
  [['frobnicate'], /No command named frobnicate/],
  [['catalog', 'A', '--tokne', 'x'], /tokne/],
  [['datasets', '--token', 'secret'], /token/],
  [['--json'], /A command was expected/],
  [['--version'], /Unknown option '--version'/],
  [
    ['models', '--limit', '--json'],
    /^--limit expects a value\. One that begins with a dash is given as --limit=VALUE\.$/,
  ],
  [['models', '--search'], /^--search expects a value/],
  [['models', '--json=yes'], /'--json' does not take an argument\. Run with --help/],
  [['applications', 'Support', 'assistant'], /expects no argument, got also Support/],
  [['catalog', 'Support', 'assistant'], /expects APP, got also assistant/],
])('%j is refused with the reason', (argv, reason) => {
  expect(() => parseArguments(argv)).toThrowError(reason);
  expect(() => parseArguments(argv)).toThrowError(AppError);
});

test('options of a command stand before it too', () => {
  const args = parseArguments(['--model', 'M', '--update', 'upload', 'f.csv']);
  expect(args?.command).toBe('upload');
  expect(args?.positionals).toEqual(['f.csv']);
  expect(args?.text('model')).toBe('M');
  expect(args?.flag('update')).toBe(true);
});

test('numbers say what was expected and what came', () => {
  const args = parseArguments(['upload', 'f.csv', '--batch-rows', 'many']);
  expect(() => args?.wholeNumber('batch-rows', 1)).toThrowError(/--batch-rows expects .* got many/);
});

test('no arguments and --help ask for the help, which names every command', () => {
  expect(parseArguments([])).toBeNull();
  expect(parseArguments(['upload', '--help'])).toBeNull();
  expect(helpText()).toContain('delete-events');
});

test('the help says what the common options are for, and what the exit code means', () => {
  for (const name of [null, 'models']) {
    expect(helpText(name)).toMatch(/--offline +nothing is sent/);
    expect(helpText(name)).toMatch(/--json +the answer as JSON/);
  }
  expect(helpText()).toContain('130 stopped by Ctrl-C');
});

test('a repeated option keeps every value', () => {
  const args = parseArguments(['request', 'GET', '/v3/x', '--query', 'a=1', '--query', 'b=2']);
  expect(args?.texts('query')).toEqual(['a=1', 'b=2']);
});
