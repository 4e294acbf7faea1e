/** Completion scripts for the shells, generated from the tables of commands and operations. Pure. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { endpoint, OPERATION_IDS } from '../api/endpoints.ts';
import { AppError } from '../shared/errors.ts';
import { COMMON } from './arguments.ts';
import { optionsOf } from './command-options.ts';
import { COMMANDS } from './command-specs.ts';
import { bashScript } from './completion-bash.ts';
import { fishScript } from './completion-fish.ts';
import { zshScript } from './completion-zsh.ts';
import { flagHelp } from './flag-help.ts';
import { resourcesWith, VERBS } from './resource-table.ts';

export interface Word {
  text: string;
  about: string;
}

/** What can follow a first word: `ls baselines`, then the flags of that list. */
export interface CompletedWord extends Word {
  options: Word[];
  /** Words that can follow this one: paths after a method. */
  next: Word[];
}

export interface CompletedCommand extends Word {
  options: Word[];
  /** Words that can follow the command; empty where names or files follow. */
  next: CompletedWord[];
  takesFile: boolean;
}

export interface CompletionData {
  common: Word[];
  commands: CompletedCommand[];
  /** Options, with their dashes, whose value is the next word. */
  withValue: string[];
}

export const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Throws INVALID_ARGUMENT for a shell there is no script for. */
export function completionScript(shell: string | undefined): string {
  const names = Object.keys(SHELLS);
  const found = Object.entries(SHELLS).find(([name]) => name === shell);
  if (found !== undefined) return found[1](completionData());
  throw new AppError('INVALID_ARGUMENT', `completion expects SHELL: ${names.join(', ')}.`);
}

export function completionData(): CompletionData {
  const options = Object.assign(
    {},
    COMMON,
    ...COMMANDS.map((spec) => spec.options),
  ) as ParseArgsOptionsConfig;
  return {
    common: words('', COMMON),
    commands: COMMANDS.map((spec) => ({
      text: spec.name,
      about: spec.summary,
      options: words(spec.name, spec.options),
      next: followersOf(spec.name),
      takesFile: spec.usage.startsWith('FILE'),
    })),
    withValue: Object.entries(options)
      .filter(([, { type }]) => type === 'string')
      .map(([name]) => `--${name}`),
  };
}

function followersOf(command: string): CompletedWord[] {
  const verb = VERBS.find((candidate) => candidate === command);
  if (verb !== undefined) {
    return resourcesWith(verb).map(({ name, title, operations }) => ({
      text: name,
      about: title,
      options: words(command, Object.assign({}, ...operations[verb].map((id) => optionsOf(verb, id)))),
      next: [],
    }));
  }
  if (command === 'completion') return bare(Object.keys(SHELLS));
  if (command === 'help') return bare(COMMANDS.map(({ name }) => name));
  if (command === 'request') return methods();
  return bare(actionsOf(command));
}

function bare(texts: readonly string[]): CompletedWord[] {
  return texts.map((text) => ({ text, about: '', options: [], next: [] }));
}

/** `[resume|stop ID]` of a command's usage names the words that can follow it. */
function actionsOf(command: string): string[] {
  const usage = COMMANDS.find(({ name }) => name === command)?.usage ?? '';
  return /^\[([a-z|-]+) ID\]$/.exec(usage)?.[1]?.split('|') ?? [];
}

function methods(): CompletedWord[] {
  const rows = OPERATION_IDS.map(endpoint);
  return [...new Set(rows.map(({ method }) => method))].map((method) => ({
    text: method,
    about: '',
    options: [],
    next: [
      ...new Map(rows.filter((row) => row.method === method).map(({ path, title }) => [path, title])),
    ].map(([text, about]) => ({ text, about })),
  }));
}

function words(command: string, options: ParseArgsOptionsConfig): Word[] {
  return Object.keys(options).map((name) => ({ text: `--${name}`, about: flagHelp(command, name).about }));
}
