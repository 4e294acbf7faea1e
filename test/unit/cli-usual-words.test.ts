/** Words that users are likely to try lead to existing commands and options. */
import { expect, test } from 'vitest';
import { parseArguments } from '../../electron/cli/arguments.ts';
import { COMMANDS } from '../../electron/cli/command-specs.ts';
import { USUAL_COMMANDS, USUAL_OPTIONS, USUAL_REPORTS } from '../../electron/cli/usual-words.ts';
import { REPORT_KINDS } from '../../electron/shared/report-model.ts';

/** Options that every command has. */
const COMMON = ['base-url', 'fields', 'json', 'to-file'];
const names = COMMANDS.map(({ name }) => name);

test('each suggested command exists, with its action', () => {
  const wrong = Object.values(USUAL_COMMANDS)
    .flat()
    .filter((line) => {
      const [name = '', action = ''] = line.split(' ');
      const spec = COMMANDS.find((each) => each.name === name);
      if (spec === undefined) return true;
      const words = JSON.stringify(spec);
      return !action.startsWith('--') && name !== 'ls' && !words.includes(action);
    });
  expect(wrong).toEqual([]);
});

test('no word that is a command leads to another one', () => {
  expect(Object.keys(USUAL_COMMANDS).filter((word) => names.includes(word))).toEqual([]);
});

test('each suggested option belongs to a command', () => {
  const all = new Set([...COMMON, ...COMMANDS.flatMap(({ options }) => Object.keys(options))]);
  const wrong = Object.values(USUAL_OPTIONS)
    .flat()
    .filter((option) => !all.has(option));
  expect(wrong).toEqual([]);
});

test('each suggested report exists, and no report suggests another one', () => {
  const kinds: readonly string[] = REPORT_KINDS;
  const suggested = Object.values(USUAL_REPORTS).flat();
  expect(suggested.filter((kind) => !kinds.includes(kind))).toEqual([]);
  expect(Object.keys(USUAL_REPORTS).filter((word) => kinds.includes(word))).toEqual([]);
});

test.each([
  [['limits'], /Did you mean budget\?/],
  [['drift'], /Did you mean ls alert-rules\.summary or query\?/],
  [['tables'], /Did you mean sql --views\?/],
  [['spans', '--sort', 'x'], /Did you mean --ordering\?/],
  [['spans', '--last', '7d'], /Did you mean --since\?/],
  [['spans', '--where', 'x'], /Did you mean --filter\?/],
] as const)('%j', (argv, said) => {
  expect(() => parseArguments([...argv])).toThrowError(said);
});
