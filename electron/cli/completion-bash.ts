/** The completion script of bash; works with the version that macOS brings (3.2). */
import type { CompletedCommand, CompletionData, Word } from './completion.ts';

export function bashScript({ common, commands, withValue }: CompletionData): string {
  return `# Completion of spandeck for bash. Add to ~/.bashrc: eval "$(spandeck completion bash)"
_spandeck() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" command="" first="" second="" skip="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
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
  local common="${texts(common)}" next="" files=""
  local options="$common"
  if [[ -n $skip ]]; then
    files=yes
  elif [[ -z $command ]]; then
    next="${texts(commands)}"
  else
    case "$command" in
${commands.map(commandCase).join('\n')}
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

function commandCase({ text, options, next, takesFile }: CompletedCommand): string {
  const lines = [`      ${text})`];
  if (options.length > 0) lines.push(`        options="$options ${texts(options)}"`);
  if (takesFile) lines.push('        [[ $cur == -* ]] || files=yes');
  if (next.length > 0) {
    lines.push(`        if [[ -z $first ]]; then next="${texts(next)}"; else case "$first" in`);
    for (const word of next) {
      const own = word.options.length > 0 ? `options="$common ${texts(word.options)}"` : '';
      const after = word.next.length > 0 ? `[[ -n $second ]] || next="${texts(word.next)}"` : '';
      const does = [own, after].filter((part) => part !== '');
      if (does.length > 0) lines.push(`          ${word.text}) ${does.join('; ')} ;;`);
    }
    lines.push('        esac; fi');
  }
  return [...lines, '        ;;'].join('\n');
}

function texts(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ');
}
