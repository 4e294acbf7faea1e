import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { AppError } from '../shared/errors.ts';

/** Options every command takes, before or after its name. The token is never one: it would stand in the process list. */
const COMMON = {
  'base-url': { type: 'string' },
  'data-dir': { type: 'string' },
  connection: { type: 'string' },
  offline: { type: 'boolean' },
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

export interface CommandSpec {
  name: string;
  /** Positional arguments as shown in the help: `APP`, `[ID]`. */
  usage: string;
  summary: string;
  options: ParseArgsOptionsConfig;
}

const paging = { limit: { type: 'string' }, offset: { type: 'string' } } as const;
const listOptions = {
  ...paging,
  search: { type: 'string' },
  filter: { type: 'string' },
  ordering: { type: 'string' },
} as const;

/** Every command as data: parsing, help and the README follow this table. */
export const COMMAND_SPECS = [
  { name: 'test', usage: '', summary: 'Check the connection and say what is wrong', options: {} },
  { name: 'applications', usage: '', summary: 'List applications', options: listOptions },
  {
    name: 'catalog',
    usage: 'APP',
    summary: 'List the catalog of an application',
    options: {
      ...paging,
      search: { type: 'string' },
      'entity-type': { type: 'string' },
      'data-type': { type: 'string' },
      'semantic-name': { type: 'string' },
    },
  },
  {
    name: 'values',
    usage: 'APP',
    summary: 'List the distinct values of one entity (--entity-type, --name)',
    options: {
      ...paging,
      search: { type: 'string' },
      'entity-type': { type: 'string' },
      name: { type: 'string' },
    },
  },
  { name: 'attributes', usage: '', summary: 'List attributes', options: listOptions },
  { name: 'models', usage: '', summary: 'List models', options: listOptions },
  { name: 'datasets', usage: '', summary: 'List datasets', options: listOptions },
  {
    name: 'items',
    usage: 'DATASET',
    summary: 'List the items of a dataset',
    options: { ...paging, ordering: { type: 'string' } },
  },
  { name: 'schema', usage: 'DATASET', summary: 'Show the schema of a dataset', options: {} },
  {
    name: 'upload',
    usage: 'FILE',
    summary: 'Publish or update events from a CSV or JSONL file',
    options: {
      model: { type: 'string' },
      'env-type': { type: 'string' },
      'env-name': { type: 'string' },
      update: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
      'batch-rows': { type: 'string' },
      'on-bad-row': { type: 'string' },
    },
  },
  {
    name: 'uploads',
    usage: '[resume|receipts|decide ID]',
    summary: 'List uploads, go on with one, write its receipts, or decide its unknown batches by evidence',
    options: { output: { type: 'string' } },
  },
  {
    name: 'delete-events',
    usage: '',
    summary: 'Delete events by --ids or by --start and --end (30 requests a day)',
    options: {
      model: { type: 'string' },
      ids: { type: 'string' },
      start: { type: 'string' },
      end: { type: 'string' },
      'update-metrics': { type: 'boolean' },
    },
  },
  { name: 'budget', usage: '', summary: 'Show what is left of each rate limit', options: {} },
  {
    name: 'request',
    usage: 'METHOD PATH',
    summary: 'Any /v3 call through the scheduler; PATH - reads paths from standard input',
    options: { query: { type: 'string', multiple: true }, body: { type: 'string' } },
  },
] as const satisfies readonly CommandSpec[];

export type CommandName = (typeof COMMAND_SPECS)[number]['name'];

export interface Arguments {
  command: CommandName;
  positionals: string[];
  isJson: boolean;
  isOffline: boolean;
  isAll: boolean;
  text(option: string): string | null;
  texts(option: string): string[];
  flag(option: string): boolean;
  /** A whole number of at least `least`, or null where the option is absent. */
  wholeNumber(option: string, least: number): number | null;
}

/** Parses a command line; null where help was asked for. Throws INVALID_ARGUMENT with what is expected. */
export function parseArguments(argv: readonly string[]): Arguments | null {
  if (argv.length === 0) return null;
  const { name, isHelp } = commandName(argv);
  if (isHelp) return null;
  const spec: CommandSpec | undefined = COMMAND_SPECS.find((candidate) => candidate.name === name);
  if (spec === undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `${name === null ? 'A command was expected' : `No command named ${name}`}. Run with --help for the list.`,
    );
  }
  const { values, positionals } = parse(argv, { ...COMMON, ...spec.options });
  const extra = positionals[1 + (spec.usage === '' ? 0 : spec.usage.split(' ').length)];
  if (extra !== undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `${spec.name} expects ${spec.usage === '' ? 'no argument' : spec.usage}, got also ${extra}. Put quotes around a name with spaces.`,
    );
  }
  const text = (option: string) => {
    const value = values[option];
    return typeof value === 'string' ? value : null;
  };
  return {
    command: spec.name as CommandName,
    positionals: positionals.slice(1),
    isJson: values['json'] === true,
    isOffline: values['offline'] === true,
    isAll: values['all'] === true,
    text,
    texts: (option) => {
      const value = values[option];
      return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : [];
    },
    flag: (option) => values[option] === true,
    wholeNumber: (option, least) => {
      const value = text(option);
      if (value === null) return null;
      const number = Number(value);
      if (Number.isSafeInteger(number) && number >= least) return number;
      throw new AppError(
        'INVALID_ARGUMENT',
        `--${option} expects a whole number of at least ${least}, got ${value}.`,
      );
    },
  };
}

/** Every option of any command: one name means the same kind of value everywhere. */
const ALL_OPTIONS: ParseArgsOptionsConfig = Object.assign(
  {},
  COMMON,
  ...COMMAND_SPECS.map(({ options }) => options),
);

/** The first word that is not an option or an option's value. */
function commandName(argv: readonly string[]): { name: string | null; isHelp: boolean } {
  const { positionals, values } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    options: ALL_OPTIONS,
  });
  return { name: positionals[0] ?? null, isHelp: values['help'] === true };
}

function parse(argv: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args: [...argv], strict: true, allowPositionals: true, options });
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AppError(
      'INVALID_ARGUMENT',
      `${(text.split(/\n|\. /)[0] ?? text).replace(/\.$/, '')}. Run with --help for the options.`,
    );
  }
}

export function helpText(): string {
  const rows = (COMMAND_SPECS as readonly CommandSpec[]).map(
    ({ name, usage, summary, options }) =>
      `  ${`${name} ${usage}`.trim().padEnd(34)} ${summary}${optionList(options)}`,
  );
  return [
    'spandeck COMMAND [options]',
    '',
    ...rows,
    '',
    'Common options, before or after the command:',
    `  ${Object.entries(COMMON)
      .map(([name, option]) => `--${name}${option.type === 'string' ? ' VALUE' : ''}`)
      .join('  ')}`,
    '',
    'The token comes from SPANDECK_TOKEN or the keychain, never from an argument.',
  ].join('\n');
}

function optionList(options: ParseArgsOptionsConfig): string {
  const names = Object.entries(options).map(
    ([name, option]) => `--${name}${option.type === 'string' ? ' V' : ''}`,
  );
  return names.length === 0 ? '' : `\n${' '.repeat(37)}${names.join(' ')}`;
}
