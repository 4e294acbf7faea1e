/** The completion script of bash; works with the version that macOS brings (3.2). */
import type { CompletionData, Word } from './completion.ts';
import { commandCases, type Dialect, readWords } from './completion-cases.ts';

const DIALECT: Dialect = {
  files: '[[ $cur == -* ]] || files=yes',
  setNext: (words) => `next="${texts(words)}"`,
  addOptions: (words) => `options="$options ${texts(words)}"`,
  setOptions: (words) => `options="$common ${texts(words)}"`,
};

export function bashScript({ common, commands, withValue }: CompletionData): string {
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
${commandCases(commands, DIALECT)}
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
