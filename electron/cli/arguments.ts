import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { systemClock } from '../platform/system.ts';
import { AppError } from '../shared/errors.ts';
import type { CommandSpec } from './command-spec.ts';
import { COMMANDS, type CommandName } from './command-specs.ts';
import { didYouMeanBy, quotesHint } from './suggestions.ts';
import { typedRange } from './time-range.ts';
import { USUAL_COMMANDS, USUAL_OPTIONS } from './usual-words.ts';

export type { CommandName } from './command-specs.ts';

/**
 * Options of every command, allowed before or after its name. The token is never an option, because it would be visible
 * in the process list.
 */
export const COMMON = {
  'base-url': { type: 'string' },
  'data-dir': { type: 'string' },
  connection: { type: 'string' },
  offline: { type: 'boolean' },
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  fields: { type: 'string' },
  budget: { type: 'string' },
  'to-file': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const satisfies ParseArgsOptionsConfig;

export interface Arguments {
  command: CommandName;
  positionals: string[];
  isJson: boolean;
  isOffline: boolean;
  /** True if a start was typed but no end, so that the range ends now. */
  isUntilNow: boolean;
  isAll: boolean;
  /** The given options, except those common to all commands. */
  given: readonly string[];
  text(option: string): string | null;
  texts(option: string): string[];
  flag(option: string): boolean;
  /** A whole number of at least `least`, or null if the option is absent. */
  wholeNumber(option: string, least: number): number | null;
}

/**
 * Parses a command line; null if help was requested. `nowMs`: the time from which --since counts back. Throws
 * INVALID_ARGUMENT that says what is expected.
 */
export function parseArguments(argv: readonly string[], nowMs = systemClock.nowMs()): Arguments | null {
  if (argv.length === 0) return null;
  const { name, word, isHelp } = commandName(argv);
  if (isHelp) return null;
  // Without a command, reports an unknown option such as `--version` first.
  if (name === null) parse(argv, allOptions());
  const spec = COMMANDS.find((candidate) => candidate.name === name);
  if (spec === undefined) throw unknownCommand(name);
  if (spec.usage.startsWith('RESOURCE')) refuseApart(spec.name, word);
  const parsed = parse(argv, { ...COMMON, ...spec.options });
  const { positionals } = parsed;
  // Commands whose ranges have no start and end use the length themselves.
  const values =
    'start' in spec.options ? withRange(parsed.values, { nowMs, needsEnd: needsEnd(spec) }) : parsed.values;
  const extra = positionals[1 + mostPositionals(spec.usage)];
  if (extra !== undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `${spec.name} expects ${spec.usage === '' ? 'no argument' : spec.usage}, got also ${extra}.${quotesHint(extra)}${meantBy(spec, positionals, extra)}`,
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
    isUntilNow: values['end'] !== undefined && parsed.values['end'] === undefined,
    isAll: values['all'] === true,
    given: Object.keys(values).filter((option) => !Object.hasOwn(COMMON, option)),
    text,
    texts: (option) => {
      const value = values[option];
      return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : [];
    },
    flag: (option) => values[option] === true,
    wholeNumber: (option, least) => {
      const value = text(option);
      if (value === null) return null;
      // An empty value, such as that of an unset variable, is not 0.
      const number = value.trim() === '' ? Number.NaN : Number(value);
      if (Number.isSafeInteger(number) && number >= least) return number;
      throw new AppError(
        'INVALID_ARGUMENT',
        `--${option} expects a whole number of at least ${least}, got ${value === '' ? 'nothing' : value}.`,
      );
    },
  };
}

/** Flags for the record that a command is about; the first one that the command has is suggested. */
const NAMING = ['application', 'model', 'dataset', 'experiment'];

/** A suggestion for a surplus word; empty if there is none. */
function meantBy({ name, options }: CommandSpec, positionals: readonly string[], extra: string): string {
  const word = / /.test(extra) ? JSON.stringify(extra) : extra;
  if (name === 'ls') return ` Did you mean get ${positionals[1]} ${word}?`;
  const flag = NAMING.find((option) => Object.hasOwn(options, option));
  return flag === undefined ? '' : ` Did you mean --${flag} ${word}?`;
}

/** Throws INVALID_ARGUMENT for `delete events`, because `delete-events` is a separate command with other options. */
function refuseApart(command: string, word: string | null): void {
  const joined = `${command}-${word}`;
  if (!COMMANDS.some(({ name }) => name === joined)) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `${command} ${word} is the command ${joined}. Run ${joined} --help for its options.`,
  );
}

function unknownCommand(name: string | null): AppError {
  const names = COMMANDS.map((spec) => spec.name);
  const what = name === null ? 'A command was expected' : `No command named ${name}`;
  return new AppError(
    'INVALID_ARGUMENT',
    `${what}.${didYouMeanBy(USUAL_COMMANDS, name ?? '', names)} Run with --help for the list.`,
  );
}

/** Throws INVALID_ARGUMENT for an unknown command. */
export function knownCommand(name: string): string {
  if (COMMANDS.some((spec) => spec.name === name)) return name;
  throw unknownCommand(name);
}

function mostPositionals(usage: string): number {
  if (usage.endsWith('...')) return Number.POSITIVE_INFINITY;
  return usage === '' ? 0 : usage.split(' ').length;
}

/**
 * All options of all commands. An option has the same kind of value for every command. Takes some milliseconds, because
 * flags of bodies come from their schemas.
 */
function allOptions(): ParseArgsOptionsConfig {
  return Object.assign({}, COMMON, ...COMMANDS.map(({ options }) => options));
}

/** The options to parse: those of the command if it comes first, otherwise all. */
function possibleOptions([first = '']: readonly string[]): ParseArgsOptionsConfig {
  if (first === '' || first.startsWith('-')) return allOptions();
  return { ...COMMON, ...COMMANDS.find(({ name }) => name === first)?.options };
}

/** The first word that is neither an option nor an option's value. */
export function commandName(argv: readonly string[]): {
  name: string | null;
  /** The next word of that kind. */
  word: string | null;
  isHelp: boolean;
  isVersion: boolean;
} {
  const options = possibleOptions(argv);
  const { positionals, values } = parseArgs({
    args: withDashValues(argv, options),
    strict: false,
    allowPositionals: true,
    options,
  });
  return {
    name: positionals[0] ?? null,
    word: positionals[1] ?? null,
    isHelp: values['help'] === true,
    isVersion: values['version'] === true,
  };
}

const SHORT_OPTIONS: ReadonlySet<string> = new Set(['-h', '-V']);

/** Former names of options, which are accepted until the next version. */
const FORMER_OPTIONS: ReadonlyMap<string, string> = new Map([['--twins', '--near-duplicates']]);

/**
 * Turns `--ordering -duration` into `--ordering=-duration`, because the parser accepts a value with a dash only in that
 * form.
 */
function withDashValues(argv: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const words: string[] = [];
  for (const [index, word] of argv.entries()) {
    const option = argv[index - 1] ?? '';
    const isValue = /^-[^-]/.test(word) && !SHORT_OPTIONS.has(word) && !argv.slice(0, index).includes('--');
    const takesIt =
      option.startsWith('--') &&
      Object.hasOwn(options, option.slice(2)) &&
      options[option.slice(2)]?.type === 'string';
    if (isValue && takesIt && words.at(-1) === option) words[words.length - 1] = `${option}=${word}`;
    else words.push(word);
  }
  return words;
}

function parse(argv: readonly string[], options: ParseArgsOptionsConfig) {
  const known = argv.map((word) => FORMER_OPTIONS.get(word) ?? word);
  const args = withDashValues(known, options);
  try {
    return parseArgs({ args, strict: true, allowPositionals: true, options });
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AppError('INVALID_ARGUMENT', whatIsWrong(text, Object.keys(options)), {}, thrown);
  }
}

/** Rewords the parser's message for an option without its value; other messages lose the parser's suggestions. */
function whatIsWrong(text: string, known: readonly string[]): string {
  const [, option] =
    /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' argument (?:is ambiguous|missing)/.exec(text) ?? [];
  if (option !== undefined) {
    return `${option} expects a value. Write a value that begins with a dash as ${option}=VALUE.`;
  }
  const [, unknown] = /^Unknown option '--([\w-]+)/.exec(text) ?? [];
  const usual = Object.fromEntries(
    Object.entries(USUAL_OPTIONS).map(([word, meant]) => [
      word,
      meant.filter((name) => known.includes(name)),
    ]),
  );
  if (unknown === 'limit' && known.includes('output'))
    return 'Unknown option --limit: all rows are written. A part of a list: spans or ls with --limit N --to-file FILE.csv.';
  const guess = unknown === undefined ? '' : didYouMeanBy(usual, unknown, known, '--');
  return `${(text.split(/\n|\. /)[0] ?? text).replace(/\.$/, '')}.${guess} Run with --help for the options.`;
}

type Values = ReturnType<typeof parse>['values'];

/** Whether a person must type the end of the range, as for deletions. */
const needsEnd = ({ name }: CommandSpec): boolean => name === 'delete-events';

/**
 * Replaces --since by a start and an end, which is what commands use. With a body no end is added, because the body may
 * have one.
 */
function withRange(
  values: Values,
  { nowMs, needsEnd: isEndTyped }: { nowMs: number; needsEnd: boolean },
): Values {
  const { since, start, end, ...rest } = values;
  const textOf = (value: typeof since) => (typeof value === 'string' ? value : undefined);
  const typed = { start: textOf(start), end: textOf(end) };
  const isOpen = !isEndTyped && values['body'] === undefined;
  const range = typedRange(textOf(since), typed, nowMs, isOpen);
  return {
    ...rest,
    ...(range.start === undefined ? {} : { start: range.start }),
    ...(range.end === undefined ? {} : { end: range.end }),
  };
}
