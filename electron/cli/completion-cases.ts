/** What the completion scripts of bash and zsh have in common: their loops and cases are written alike. */
import type { CompletedCommand, Word } from './completion.ts';

/** How one of the two shells writes down what can follow. */
export interface Dialect {
  /** Offers the names of files unless an option is being written. */
  files: string;
  /** Sets the words that can follow. */
  setNext(words: readonly Word[]): string;
  /** Adds options to those that can follow. */
  addOptions(words: readonly Word[]): string;
  /** Sets the options that can follow: the common ones and these. */
  setOptions(words: readonly Word[]): string;
}

/** Of the body of a loop over what is written so far: finds the command and the two words after it. */
export function readWords(withValue: readonly string[]): string {
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

/** A case for each command: what can follow it, and the word after it. */
export function commandCases(commands: readonly CompletedCommand[], dialect: Dialect): string {
  return commands.map((command) => commandCase(command, dialect)).join('\n');
}

function commandCase({ text, options, next, takesFile }: CompletedCommand, dialect: Dialect): string {
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
