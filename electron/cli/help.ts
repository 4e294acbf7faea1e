/** The help, generated from the tables of commands and operations. Pure. */
import { endpoint, type OperationId } from '../api/endpoints.ts';
import { COMMON } from './arguments.ts';
import { type CommandGroup, GROUP_OF, GROUPS, isGroup } from './command-groups.ts';
import { optionsOf, requiredFlags } from './command-options.ts';
import type { CommandSpec } from './command-spec.ts';
import { COMMANDS, type CommandName, RANGE } from './command-specs.ts';
import { EXAMPLES } from './examples.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { flagHelp, flagUsage } from './flag-help.ts';
import { resourcesWith, VERBS, type Verb } from './resource-table.ts';
import { TIME_EXAMPLES } from './typed-time.ts';

const WIDTH = 34;
const INDENT = ' '.repeat(WIDTH + 3);
/** Maximum width of a help line, which fits many terminals. */
const LINE = 110;
const OVERVIEW_LINE = 80;
const GROUP_WIDTH = 14;
const GROUP_NAMES = Object.keys(GROUPS) as CommandGroup[];
/** Incremented if a field of the table is renamed or removed. */
const HELP_TABLE_VERSION = 1;
const NEXT_HELP = [
  'COMMAND --help explains each option, marks those that are required, and shows an example.',
];

/** Topics of the help besides groups and commands. */
export const TOPICS = {
  all: 'every command with what it does',
  options: 'the options of every command, and the exit codes',
  llms: 'everything as one text for language models (llms.txt)',
} as const;

/** Like `helpText`, with the topic for language models, which needs the tools of agents. */
export async function helpPage(name: string | null): Promise<string> {
  return name === 'llms' ? (await import('./agents/skill.ts')).llmsText() : helpText(name);
}

/** Help of one command, group or topic. Without a name, or with an unknown one, lists the groups on one screen. */
export function helpText(name: string | null = null): string {
  if (name === 'all') return allHelp();
  if (name === 'options') return optionsTopic();
  if (name !== null && isGroup(name)) return groupHelp(name);
  const spec = COMMANDS.find((candidate) => candidate.name === name);
  return spec === undefined ? overview() : commandHelp(spec);
}

/** Whether the help has a page of this name. */
export function isHelpTopic(name: string): boolean {
  return Object.hasOwn(TOPICS, name) || isGroup(name);
}

/** At most 24 lines of 80 columns, to fit the smallest common terminal. */
function overview(): string {
  return [
    'spandeck COMMAND [options]',
    '',
    ...GROUP_NAMES.flatMap((group) => [
      `${group.padEnd(GROUP_WIDTH)}${GROUPS[group]}`,
      ...listed(commandsOf(group).map(({ name }) => name)),
    ]),
    '',
    'help GROUP      what its commands do        help COMMAND   its options, examples',
    'help all        every command               help options   --json, --budget …',
    'The token comes from SPANDECK_TOKEN or the keychain, never from an argument.',
  ].join('\n');
}

function groupHelp(group: CommandGroup): string {
  return [
    `${GROUPS[group]}: spandeck COMMAND [options]`,
    '',
    ...commandEntries(commandsOf(group)),
    '',
    ...NEXT_HELP,
  ].join('\n');
}

function allHelp(): string {
  return [
    'spandeck COMMAND [options]',
    ...GROUP_NAMES.flatMap((group) => ['', `${GROUPS[group]}:`, ...commandEntries(commandsOf(group))]),
    '',
    ...NEXT_HELP,
    '',
    optionsTopic(),
  ].join('\n');
}

function optionsTopic(): string {
  return [
    ...commonHelp(),
    '',
    'RESOURCE is the name of a resource; COMMAND --help lists those that a command takes.',
    'The token comes from SPANDECK_TOKEN or the keychain, never from an argument.',
    `TIME is a time such as ${TIME_EXAMPLES}, or 7d before now; WHEN is one of them, 02:00, or 2h from now.`,
    'A time without a zone is in the time zone of the settings, by default the zone of this computer.',
    'Exit codes:',
    ...Object.values(EXIT_CODES).map(({ code, about }) => `  ${String(code).padEnd(5)}${about}`),
  ].join('\n');
}

function commandsOf(group: CommandGroup): CommandSpec[] {
  // Safe cast: every command has a group; its name is typed as string.
  return COMMANDS.filter(({ name }) => GROUP_OF[name as CommandName] === group);
}

function commandEntries(specs: readonly CommandSpec[]): string[] {
  return specs.flatMap(({ name, usage, summary }) => entry(`${name} ${usage}`.trim(), summary));
}

/** Names of commands side by side, below the title of their group. */
function listed(names: readonly string[]): string[] {
  const indent = ' '.repeat(GROUP_WIDTH);
  return wrapped(names, OVERVIEW_LINE - GROUP_WIDTH).map((line) => `${indent}${line}`);
}

/** One row for each command, option, example and exit code, for programs and agents. */
export function helpTable() {
  const options = (command: string, spec: Pick<CommandSpec, 'options' | 'required'>) =>
    Object.entries(spec.options).map(([name, { type, multiple = false }]) => {
      const { value, about } = flagHelp(command, name);
      const isRequired = spec.required?.includes(name) ?? false;
      return { option: `--${name}`, type, value, isRequired, isRepeatable: multiple, about };
    });
  return {
    version: HELP_TABLE_VERSION,
    usage: 'spandeck COMMAND [options]',
    groups: GROUP_NAMES.map((group) => ({ group, about: GROUPS[group] })),
    commands: COMMANDS.map((spec) => {
      const { name, usage, summary, oneOf = [] } = spec;
      const verb = asVerb(name);
      return {
        command: name,
        // Safe cast: every command has a group and examples; its name is typed as string.
        group: GROUP_OF[name as CommandName],
        usage: `spandeck ${`${name} ${usage}`.trim()}`,
        about: summary,
        options: options(name, spec),
        oneOf: oneOf.map((sets) => sets.map((set) => set.map((option) => `--${option}`))),
        resources: verb === null ? [] : resourcesWith(verb).map((resource) => resource.name),
        examples: EXAMPLES[name as CommandName].map((example) => `spandeck ${example}`),
      };
    }),
    commonOptions: options('', { options: COMMON }),
    exitCodes: Object.entries(EXIT_CODES).map(([name, { code, about }]) => ({ code, name, about })),
  };
}

function commandHelp(spec: CommandSpec): string {
  const { name, usage, summary, required = [], oneOf = [] } = spec;
  const verb = asVerb(name);
  const needed = [
    ...required.map((flag) => ` ${flagUsage(name, flag)}`),
    ...oneOf.map((sets) => ` ${choiceUsage(name, sets)}`),
  ].join('');
  return [
    `spandeck ${`${name} ${usage}`.trim()}${needed} [options]`,
    '',
    summary,
    '',
    ...(verb === null ? [] : [...resourceHelp(verb), '']),
    ...optionsHelp(spec),
    'Examples:',
    // Safe cast: every command has examples; its name is typed as string.
    ...EXAMPLES[name as CommandName].map((example) => `  spandeck ${example}`),
    '',
    ...commonHelp(),
  ].join('\n');
}

/** The usage of alternatives, e.g. `(--start TIME --end TIME | --since LENGTH)`. */
function choiceUsage(command: string, sets: readonly (readonly string[])[]): string {
  return `(${sets.map((set) => set.map((flag) => flagUsage(command, flag)).join(' ')).join(' | ')})`;
}

function optionsHelp(spec: CommandSpec): string[] {
  const names = Object.keys(spec.options);
  if (names.length === 0) return [];
  const lines = names.flatMap((name) =>
    entry(flagUsage(spec.name, name), `${flagHelp(spec.name, name).about}${requiredWords(name, spec)}`),
  );
  return ['Options:', ...lines, ''];
}

/** Words that say when a flag is required; empty for a flag that never is. */
function requiredWords(name: string, { required = [], oneOf = [] }: CommandSpec): string {
  if (required.includes(name)) return ' (required)';
  const sets = oneOf.find((each) => each.flat().includes(name)) ?? [];
  const others = sets
    .filter((set) => !set.includes(name))
    .map((set) => set.map((flag) => `--${flag}`).join(' and '));
  return others.length === 0 ? '' : ` (required, or ${others.join(', or ')})`;
}

function resourceHelp(verb: Verb): string[] {
  return [
    'RESOURCE, with its options; those without brackets are required:',
    ...resourcesWith(verb).flatMap(({ name, operations }) =>
      operations[verb].flatMap((id) => [
        ...entry(name, endpoint(id).help),
        ...wrapped(flagsOf(verb, id)).map((line) => `${INDENT}${line}`),
      ]),
    ),
  ];
}

function flagsOf(verb: Verb, id: OperationId): string[] {
  const required = requiredFlags(id, verb !== 'ls');
  const names = Object.keys(optionsOf(verb, id));
  const isRange = required.includes('start') && names.includes('since');
  return names.flatMap((name) => {
    if (isRange && name === 'start') return [choiceUsage(verb, RANGE)];
    if (isRange && RANGE.flat().includes(name)) return [];
    const usage = flagUsage(verb, name);
    const isNeeded =
      (required.includes(name) && !(isRange && name === 'end')) ||
      (name === 'body' && endpoint(id).body !== null);
    return [isNeeded ? usage : `[${usage}]`];
  });
}

function commonHelp(): string[] {
  return [
    'Common options, before or after the command:',
    ...Object.keys(COMMON).flatMap((name) => entry(flagUsage('', name), flagHelp('', name).about)),
  ];
}

/** A word with its meaning next to it, or below it if the word is long. */
function entry(word: string, about: string): string[] {
  const [first = '', ...rest] = wrapped(about.split(' '));
  const lines = rest.map((line) => `${INDENT}${line}`);
  if (word.length > WIDTH) return [`  ${word}`, `${INDENT}${first}`, ...lines];
  return [`  ${word.padEnd(WIDTH)} ${first}`.trimEnd(), ...lines];
}

/** Wraps words into lines of a width, which by default fits next to the first column. */
function wrapped(words: readonly string[], width = LINE - INDENT.length): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function asVerb(name: string): Verb | null {
  return VERBS.find((verb) => verb === name) ?? null;
}
