/** The completion script of fish. */
import type { CompletedCommand, CompletedWord, CompletionData, Word } from './completion.ts';

export function fishScript({ common, commands, withValue }: CompletionData): string {
  const taking = new Set(withValue);
  return [
    '# Completion of spandeck for fish. Save as ~/.config/fish/completions/spandeck.fish',
    'complete -c spandeck -f',
    ...common.map((word) => option(word, taking, null)),
    ...commands.flatMap((command) => [
      line(command, '__fish_use_subcommand'),
      ...command.options.map((word) => option(word, taking, `__fish_seen_subcommand_from ${command.text}`)),
      ...(command.takesFile
        ? [`complete -c spandeck -n ${quoted(`__fish_seen_subcommand_from ${command.text}`)} -F`]
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
  const description = about === '' ? '' : ` -d ${quoted(about)}`;
  return `complete -c spandeck -n ${quoted(condition)} -a ${quoted(text)}${description}`;
}

function option({ text, about }: Word, taking: ReadonlySet<string>, condition: string | null): string {
  const when = condition === null ? '' : ` -n ${quoted(condition)}`;
  return `complete -c spandeck${when} -l ${text.slice(2)}${taking.has(text) ? ' -r' : ''} -d ${quoted(about)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
