/** The entry of Spandeck in the settings of an agent, and the texts that agents read. */
import { expect, test } from 'vitest';
import { withEntry } from '../../electron/cli/agents/setup.ts';
import { llmsText, skillText } from '../../electron/cli/agents/skill.ts';
import { AGENT_TOOLS, wordsOf } from '../../electron/cli/agents/tools.ts';
import { parseArguments } from '../../electron/cli/arguments.ts';
import { COMMANDS } from '../../electron/cli/command-specs.ts';

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
