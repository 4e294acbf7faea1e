/** The help, generated from the tables of commands and operations. Pure. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { endpoint } from '../api/endpoints.ts';
import { COMMON, COMMON_HELP } from './arguments.ts';
import { optionsOf } from './command-options.ts';
import { COMMANDS, type CommandSpec } from './command-specs.ts';
import { resourcesWith, VERBS, type Verb } from './resource-table.ts';

const WIDTH = 34;
const INDENT = ' '.repeat(WIDTH + 3);

/** Of one command where its name is given, else of all. */
export function helpText(name: string | null = null): string {
  const spec = COMMANDS.find((candidate) => candidate.name === name);
  return spec === undefined ? allHelp() : commandHelp(spec);
}

function allHelp(): string {
  return [
    'spandeck COMMAND [options]',
    '',
    ...COMMANDS.map(row),
    '',
    ...commonHelp(),
    '',
    'RESOURCE is a word of the table of operations; COMMAND --help lists those that a command takes.',
    'The token comes from SPANDECK_TOKEN or the keychain, never from an argument.',
    'WHEN is a time such as 02:00, "2026-05-01 02:00" or 2026-05-01T02:00:00Z.',
    'Exit code: 0 done, 1 failed with one line that says why, 3 done, but what the service gave as a receipt is in',
    'doubt, 130 stopped by Ctrl-C.',
  ].join('\n');
}

function row(spec: CommandSpec): string {
  const { name, usage, summary, options } = spec;
  const isVerb = asVerb(name) !== null;
  const flags = isVerb ? '' : optionList(options);
  return `  ${`${name} ${usage}`.trim().padEnd(WIDTH)} ${summary}${flags === '' ? '' : `\n${INDENT}${flags}`}`;
}

function commandHelp(spec: CommandSpec): string {
  const verb = asVerb(spec.name);
  const flags = optionList(spec.options);
  return [
    `spandeck ${`${spec.name} ${spec.usage}`.trim()} [options]`,
    '',
    spec.summary,
    ...(verb === null ? (flags === '' ? [] : ['', flags]) : ['', ...resourceHelp(verb)]),
    '',
    ...commonHelp(),
  ].join('\n');
}

function resourceHelp(verb: Verb): string[] {
  return resourcesWith(verb).flatMap(({ name, operations }) =>
    operations[verb].map((id) => {
      const flags = optionList(optionsOf(verb, id));
      return `  ${name.padEnd(WIDTH)} ${endpoint(id).help}${flags === '' ? '' : `\n${INDENT}${flags}`}`;
    }),
  );
}

function commonHelp(): string[] {
  const rows = Object.entries(COMMON).map(
    ([name, option]) =>
      `  ${optionList({ [name]: option }).padEnd(WIDTH)} ${COMMON_HELP[name as keyof typeof COMMON]}`,
  );
  return ['Common options, before or after the command:', ...rows];
}

function optionList(options: ParseArgsOptionsConfig): string {
  return Object.entries(options)
    .map(([name, option]) => `--${name}${option.type === 'string' ? ' V' : ''}`)
    .join(' ');
}

function asVerb(name: string): Verb | null {
  return VERBS.find((verb) => verb === name) ?? null;
}
