/** Completion scripts for the shells, generated from the tables of commands and operations. Pure. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { endpoint, OPERATION_IDS } from '../api/endpoints.ts';
import { AppError } from '../shared/errors.ts';
import { COMMON } from './arguments.ts';
import { optionsOf } from './command-options.ts';
import { COMMANDS } from './command-specs.ts';
import { flagHelp } from './flag-help.ts';
import { resourcesWith, VERBS } from './resource-table.ts';

interface Word {
  text: string;
  about: string;
}

/** A word that can follow the first one, such as `baselines` in `ls baselines`, with the flags for it. */
interface CompletedWord extends Word {
  options: Word[];
  /** Words that can follow this one, e.g. paths after a method. */
  next: Word[];
}

interface CompletedCommand extends Word {
  options: Word[];
  /** Words that can follow the command; empty if it takes names or files. */
  next: CompletedWord[];
  takesFile: boolean;
}

interface CompletionData {
  common: Word[];
  commands: CompletedCommand[];
  /** Options, with their dashes, that take a value. */
  withValue: string[];
}

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Throws INVALID_ARGUMENT for a shell without a script. */
export function completionScript(shell: string | undefined): string {
  const names = Object.keys(SHELLS);
  const found = Object.entries(SHELLS).find(([name]) => name === shell);
  if (found !== undefined) return found[1](completionData());
  throw new AppError('INVALID_ARGUMENT', `completion expects SHELL: ${names.join(', ')}.`);
}

function completionData(): CompletionData {
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

/** The words that can follow a command, taken from its usage, e.g. `[resume|stop ID]` or `[list|get] [KEY]`. */
function actionsOf(command: string): string[] {
  const usage = COMMANDS.find(({ name }) => name === command)?.usage ?? '';
  return /^\[([a-z|-]+)(?: ID\]$|\] )/.exec(usage)?.[1]?.split('|') ?? [];
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

// Loops and cases, whose syntax Bash and Zsh share.

/** How Bash or Zsh sets the candidates. */
interface ShellDialect {
  /** Offers file names unless an option is being typed. */
  files: string;
  /** Sets the candidate words. */
  setNext(words: readonly Word[]): string;
  /** Adds options to the candidates. */
  addOptions(words: readonly Word[]): string;
  /** Sets the options that are candidates: the common ones and these. */
  setOptions(words: readonly Word[]): string;
}

/** Body of a loop over the words typed so far; finds the command and the two words after it. */
function readWords(withValue: readonly string[]): string {
  return `    if [[ -n $skip ]]; then skip=""; continue; fi
    case "$word" in
      ${withValue.join('|')}) skip="$word" ;;
      -?*) ;;
      *)
        if [[ -z $command ]]; then command="$word"
        elif [[ -z $first ]]; then first="$word"
        else second="$word"; fi ;;
    esac`;
}

/** One case for each command, with the candidates for it and for the word after it. */
function commandCases(commands: readonly CompletedCommand[], dialect: ShellDialect): string {
  return commands.map((command) => commandCase(command, dialect)).join('\n');
}

function commandCase({ text, options, next, takesFile }: CompletedCommand, dialect: ShellDialect): string {
  const lines = [`      ${text})`];
  if (options.length > 0) lines.push(`        ${dialect.addOptions(options)}`);
  if (takesFile) lines.push(`        ${dialect.files}`);
  if (next.length > 0) {
    lines.push(`        if [[ -z $first ]]; then ${dialect.setNext(next)}; else case "$first" in`);
    for (const word of next) {
      const does: string[] = [];
      if (word.options.length > 0) does.push(dialect.setOptions(word.options));
      if (word.next.length > 0) does.push(`[[ -n $second ]] || ${dialect.setNext(word.next)}`);
      if (does.length > 0) lines.push(`          ${word.text}) ${does.join('; ')} ;;`);
    }
    lines.push('        esac; fi');
  }
  return [...lines, '        ;;'].join('\n');
}

// Bash

const BASH: ShellDialect = {
  files: '[[ $cur == -* ]] || files=yes',
  setNext: (words) => `next="${texts(words)}"`,
  addOptions: (words) => `options="$options ${texts(words)}"`,
  setOptions: (words) => `options="$common ${texts(words)}"`,
};

/** Works with the version that macOS includes (3.2). */
function bashScript({ common, commands, withValue }: CompletionData): string {
  return `# Completion of spandeck for bash. Add to ~/.bashrc: eval "$(spandeck completion bash)"
_spandeck() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" command="" first="" second="" skip="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
${readWords(withValue)}
  done
  local common="${texts(common)}" next="" files=""
  local options="$common"
  if [[ -n $skip ]]; then
    files=yes
  elif [[ -z $command ]]; then
    next="${texts(commands)}"
  else
    case "$command" in
${commandCases(commands, BASH)}
    esac
  fi
  COMPREPLY=()
  local IFS=$' \\t\\n'
  if [[ -n $files ]]; then
    IFS=$'\\n'
    if [[ $cur == @* ]]; then
      COMPREPLY=($(compgen -f -P @ -- "\${cur#@}"))
    else
      COMPREPLY=($(compgen -f -- "$cur"))
      compopt -o filenames 2>/dev/null
    fi
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ -n $next ]]; then
    COMPREPLY=($(compgen -W "$next" -- "$cur"))
  fi
}
complete -F _spandeck spandeck
`;
}

function texts(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ');
}

// Zsh

const ZSH: ShellDialect = {
  files: `if [[ "\${words[CURRENT]}" != -* ]]; then _files; return; fi`,
  setNext: (words) => `next=(${entries(words)})`,
  addOptions: (words) => `options+=(${entries(words)})`,
  setOptions: (words) => `options=("\${common[@]}" ${entries(words)})`,
};

function zshScript({ common, commands, withValue }: CompletionData): string {
  return `#compdef spandeck
# Completion of spandeck for zsh. Add to ~/.zshrc after compinit: eval "$(spandeck completion zsh)"
_spandeck() {
  local command="" first="" second="" skip="" word i
  local -a next options common
  common=(${entries(common)})
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
${readWords(withValue)}
  done
  if [[ -n $skip ]]; then _files; return; fi
  options=("\${common[@]}")
  if [[ -z $command ]]; then
    next=(${entries(commands)})
  else
    case "$command" in
${commandCases(commands, ZSH)}
    esac
  fi
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe -o option options
  elif (( \${#next} )); then _describe word next
  fi
}
compdef _spandeck spandeck
`;
}

/** `word:description`, quoted; a colon in the word itself is escaped. */
function entries(words: readonly Word[]): string {
  return words
    .map(({ text, about }) => zshQuoted(text.replaceAll(':', '\\:') + (about === '' ? '' : `:${about}`)))
    .join(' ');
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

// Fish

function fishScript({ common, commands, withValue }: CompletionData): string {
  const taking = new Set(withValue);
  return [
    '# Completion of spandeck for fish. Save as ~/.config/fish/completions/spandeck.fish',
    'complete -c spandeck -f',
    ...common.map((word) => option(word, taking, null)),
    ...commands.flatMap((command) => [
      line(command, '__fish_use_subcommand'),
      ...command.options.map((word) => option(word, taking, `__fish_seen_subcommand_from ${command.text}`)),
      ...(command.takesFile
        ? [`complete -c spandeck -n ${fishQuoted(`__fish_seen_subcommand_from ${command.text}`)} -F`]
        : []),
      ...followers(command),
    ]),
    '',
  ].join('\n');
}

function followers({ text, next }: CompletedCommand): string[] {
  if (next.length === 0) return [];
  const among = next.map((word) => word.text).join(' ');
  const isFirst = `__fish_seen_subcommand_from ${text}; and not __fish_seen_subcommand_from ${among}`;
  return next.flatMap((word) => [line(word, isFirst), ...afterWord(text, word)]);
}

function afterWord(command: string, { text, next }: CompletedWord): string[] {
  const condition = `__fish_seen_subcommand_from ${command}; and __fish_seen_subcommand_from ${text}`;
  return next.map((word) => line(word, condition));
}

function line({ text, about }: Word, condition: string): string {
  const description = about === '' ? '' : ` -d ${fishQuoted(about)}`;
  return `complete -c spandeck -n ${fishQuoted(condition)} -a ${fishQuoted(text)}${description}`;
}

function option({ text, about }: Word, taking: ReadonlySet<string>, condition: string | null): string {
  const when = condition === null ? '' : ` -n ${fishQuoted(condition)}`;
  return `complete -c spandeck${when} -l ${text.slice(2)}${taking.has(text) ? ' -r' : ''} -d ${fishQuoted(about)}`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
