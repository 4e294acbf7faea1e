/** How Spandeck is entered in the settings of an agent, and the texts that agents read. */
import { expect, test } from 'vitest';
import { withEntry } from '../../electron/cli/agents/setup.ts';
import { llmsText, skillText } from '../../electron/cli/agents/skill.ts';
import { AGENT_TOOLS, wordsOf } from '../../electron/cli/agents/tools.ts';
import { parseArguments } from '../../electron/cli/arguments.ts';
import { COMMANDS } from '../../electron/cli/command-specs.ts';
import { EXIT_CODES } from '../../electron/cli/exit-codes.ts';
import { helpTable, helpText } from '../../electron/cli/help.ts';

const CLIENT = { file: 'settings.json', key: 'mcpServers' };
const ENTRY = { command: 'node', args: ['cli.js', 'mcp'] };

test('the entry is added beside everything else, and removed without a trace', () => {
  const before = '{"big": 12345678901234567890, "mcpServers": {"other": {"command": "x"}}}';
  const added = withEntry(before, CLIENT, ENTRY) ?? '';
  expect(JSON.parse(added).mcpServers).toEqual({ other: { command: 'x' }, spandeck: ENTRY });
  expect(added).toContain('12345678901234567890');
  expect(withEntry(added, CLIENT, ENTRY)).toBeNull();
  expect(JSON.parse(withEntry(added, CLIENT, null) ?? '')).toEqual(JSON.parse(before));
  expect(withEntry(before, CLIENT, null)).toBeNull();
});

test('a file that only the entry needs is made, and removed again', () => {
  const made = withEntry(null, CLIENT, ENTRY);
  expect(JSON.parse(made ?? '')).toEqual({ mcpServers: { spandeck: ENTRY } });
  expect(withEntry(made, CLIENT, null)).toBe('');
  expect(withEntry(null, CLIENT, null)).toBeNull();
});

test.each(['[1]', '{ // comment\n}', '{"mcpServers": []}', 'text'])('%s is left as it is', (text) => {
  expect(() => withEntry(text, CLIENT, ENTRY)).toThrowError(
    /settings\.json was expected to be .* left as it is/,
  );
});

test('every tool is a command with arguments that are never read as options', () => {
  for (const tool of AGENT_TOOLS) {
    const fields = Object.keys(tool.input.shape);
    const input = Object.fromEntries(
      fields.map((name) => [name, ['limit', 'offset'].includes(name) ? 3 : '--to-file=x']),
    );
    const args = parseArguments(wordsOf(tool, { ...input, of: { model: '--all' } }));
    expect(args?.text('to-file')).toBeNull();
    expect(args?.isAll).toBe(false);
  }
});

test('the texts for agents name every command and tool', () => {
  for (const { name } of COMMANDS)
    for (const text of [skillText(), llmsText()]) expect(text).toContain(`\`${name}`);
  for (const { name } of AGENT_TOOLS)
    for (const text of [skillText(), llmsText()]) expect(text).toMatch(new RegExp(`${name}\`?: `));
});

test('help, skill and llms.txt have the commands of the table, no others, and its words', () => {
  const names = COMMANDS.map(({ name }) => name).toSorted();
  const sorted = (found: readonly string[]) => [...new Set(found)].toSorted();
  const groups = skillText().split('## Command line')[1]?.split('example and exit code.')[1] ?? '';
  expect(sorted([...groups.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name))).toEqual(names);
  const llms = llmsText().split('## Tools of spandeck mcp')[0] ?? '';
  expect(sorted([...llms.matchAll(/^- `([a-z-]+)/gm)].map(([, name = '']) => name))).toEqual(names);
  expect(sorted(helpTable().commands.map(({ command }) => command))).toEqual(names);
  const plain = (text: string) => text.replaceAll(/\s+/g, ' ');
  const [overview, all] = [plain(helpText()), plain(helpText('all'))];
  for (const { name, summary, options } of COMMANDS) {
    expect(overview).toContain(` ${name}`);
    for (const text of [all, plain(helpText(name)), plain(llmsText())])
      expect(text).toContain(plain(summary));
    for (const option of Object.keys(options)) expect(helpText(name)).toContain(`--${option}`);
  }
  for (const { code, about } of Object.values(EXIT_CODES))
    for (const text of [all, plain(llmsText())]) expect(text).toContain(`${code} ${about}`);
});

test('examples of the texts for agents are commands that can be typed', () => {
  const examples = [...llmsText().matchAll(/Example: `spandeck ([^`]*)`/g)].map(([, words = '']) => words);
  expect(examples).toHaveLength(COMMANDS.length);
  const names = new Set<string>(COMMANDS.map(({ name }) => name));
  for (const words of examples) expect(names, words).toContain(words.split(' ')[0]);
});

test('the skill has at most 150 lines, and the help fits one screen', () => {
  expect(skillText().split('\n').length).toBeLessThanOrEqual(150);
  const screen = helpText().split('\n');
  expect(screen.length).toBeLessThanOrEqual(24);
  expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(80);
});
