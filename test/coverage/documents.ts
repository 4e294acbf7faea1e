/**
 * Parts of documents that are generated from tables of the code: `node test/coverage/write.ts --write` brings them up
 * to date, and test/unit/documents.test.ts fails if one is not. Each is between two markers with its name.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GROUP_OF, GROUPS } from '../../electron/cli/command-groups.ts';
import { COMMANDS, type CommandName } from '../../electron/cli/command-specs.ts';
import { EXIT_CODES } from '../../electron/cli/exit-codes.ts';
import { SETTING_CATEGORIES } from '../../electron/shared/setting-rows.ts';
import { expectedText, settingText } from '../../electron/shared/settings.ts';
import { SETTINGS_TABLE } from '../../electron/shared/settings-table.ts';
import { type Actions, buildCommands } from '../../renderer/lib/commands.ts';
import { type KeyRow, PART_ROWS, shortcutGroups } from '../../renderer/lib/part-keys.ts';
import { figureTables, readFigures } from '../helpers/bench-figures.ts';
import { operationRows, operationTables } from './operations-table.ts';

/** The figures of the page of benchmarks; `npm run bench -- --page` writes them. */
export const FIGURES = join(import.meta.dirname, '../bench/figures.json');

interface DocumentPart {
  /** The document, from the root of the repository. */
  readonly file: string;
  /** The name in its markers. */
  readonly name: string;
  text(): string;
}

const escaped = (cell: string) => cell.replaceAll('|', String.raw`\|`);

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((cells) => cells.map(escaped))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** One table for each category of the settings view. */
function settingTables(): string {
  const head = ['name', 'key', 'effect', 'values', 'default', 'applies to'];
  return SETTING_CATEGORIES.map(({ id, title }) => {
    const rows = SETTINGS_TABLE.filter(({ category }) => category === id).map((row) => [
      row.name,
      `\`${row.key}\``,
      row.effect,
      expectedText(row),
      settingText(row, row.default),
      row.where,
    ]);
    return `## ${title}\n\n${tableOf(head, rows)}`;
  }).join('\n\n');
}

/** The groups of the shortcut sheet with the default keys, as on Linux and Windows. */
function keyTables(): string {
  const actions = new Proxy({} as Actions, { get: () => () => null });
  const rows = buildCommands(actions, () => null)
    .map(({ id, title, keys }): KeyRow => ({ id, title, keys, scope: 'everywhere' }))
    .concat(PART_ROWS);
  return shortcutGroups(rows, false)
    .filter((group) => group.rows.length > 0)
    .map(({ title, rows: all }) => {
      const cells = all.map(({ keys, what }) => [keys.map((key) => `\`${key}\``).join(' '), what]);
      return `## ${title}\n\n${tableOf(['keys', 'action'], cells)}`;
    })
    .join('\n\n');
}

const commandTable = () =>
  Object.entries(GROUPS)
    .map(([group, title]) => {
      const rows = COMMANDS.filter(({ name }) => GROUP_OF[name as CommandName] === group).map(
        ({ name, usage, summary }) => [`\`${`${name} ${usage}`.trim()}\``, `${summary}.`],
      );
      return `### ${title}\n\n${tableOf(['command', 'effect'], rows)}`;
    })
    .join('\n\n');

const exitCodeTable = () =>
  tableOf(
    ['code', 'meaning'],
    Object.values(EXIT_CODES).map(({ code, about }) => [`${code}`, about]),
  );

export const DOCUMENT_PARTS: readonly DocumentPart[] = [
  { file: 'electron/api/README.md', name: 'operations', text: () => operationTables(operationRows()) },
  { file: 'docs/guide/settings.md', name: 'settings', text: settingTables },
  { file: 'docs/guide/keys.md', name: 'keys', text: keyTables },
  { file: 'docs/guide/command-line.md', name: 'commands', text: commandTable },
  { file: 'docs/guide/command-line.md', name: 'exit codes', text: exitCodeTable },
  {
    file: 'docs/benchmarks.md',
    name: 'figures',
    text: () => figureTables(readFigures(readFileSync(FIGURES, 'utf8'))),
  },
];

/** The document with this part replaced. Throws if the markers are missing. */
export function withPart(document: string, { file, name, text }: DocumentPart): string {
  const start = `<!-- ${name}: written by \`node test/coverage/write.ts --write\` -->`;
  const from = document.indexOf(start);
  const to = document.indexOf(`<!-- end of ${name} -->`);
  if (from < 0 || to < from) throw new Error(`${file} has no "${start}" in front of its end.`);
  return `${document.slice(0, from)}${start}\n\n${text()}\n\n${document.slice(to)}`;
}
