/** The completion script of zsh. */
import type { CompletedCommand, CompletionData, Word } from './completion.ts';

export function zshScript({ common, commands, withValue }: CompletionData): string {
  return `#compdef spandeck
# Completion of spandeck for zsh. Add to ~/.zshrc after compinit: eval "$(spandeck completion zsh)"
_spandeck() {
  local command="" first="" second="" skip="" word i
  local -a next options common
  common=(${entries(common)})
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n $skip ]]; then skip=""; continue; fi
    case "$word" in
      ${withValue.join('|')}) skip="$word" ;;
      -?*) ;;
      *)
        if [[ -z $command ]]; then command="$word"
        elif [[ -z $first ]]; then first="$word"
        else second="$word"; fi ;;
    esac
  done
  if [[ -n $skip ]]; then _files; return; fi
  options=("\${common[@]}")
  if [[ -z $command ]]; then
    next=(${entries(commands)})
  else
    case "$command" in
${commands.map(commandCase).join('\n')}
    esac
  fi
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe -o option options
  elif (( \${#next} )); then _describe word next
  fi
}
compdef _spandeck spandeck
`;
}

function commandCase({ text, options, next, takesFile }: CompletedCommand): string {
  const lines = [`      ${text})`];
  if (options.length > 0) lines.push(`        options+=(${entries(options)})`);
  if (takesFile) lines.push(`        if [[ "\${words[CURRENT]}" != -* ]]; then _files; return; fi`);
  if (next.length > 0) {
    lines.push(`        if [[ -z $first ]]; then next=(${entries(next)}); else case "$first" in`);
    for (const word of next) {
      const own = word.options.length > 0 ? `options=("\${common[@]}" ${entries(word.options)})` : '';
      const after = word.next.length > 0 ? `[[ -n $second ]] || next=(${entries(word.next)})` : '';
      const does = [own, after].filter((part) => part !== '');
      if (does.length > 0) lines.push(`          ${word.text}) ${does.join('; ')} ;;`);
    }
    lines.push('        esac; fi');
  }
  return [...lines, '        ;;'].join('\n');
}

/** `word:what it is`, quoted; a colon of the word itself is escaped. */
function entries(words: readonly Word[]): string {
  return words
    .map(({ text, about }) => quoted(text.replaceAll(':', '\\:') + (about === '' ? '' : `:${about}`)))
    .join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
