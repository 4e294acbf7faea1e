/** The completion script of zsh. */
import type { CompletionData, Word } from './completion.ts';
import { commandCases, type Dialect, readWords } from './completion-cases.ts';

const DIALECT: Dialect = {
  files: `if [[ "\${words[CURRENT]}" != -* ]]; then _files; return; fi`,
  setNext: (words) => `next=(${entries(words)})`,
  addOptions: (words) => `options+=(${entries(words)})`,
  setOptions: (words) => `options=("\${common[@]}" ${entries(words)})`,
};

export function zshScript({ common, commands, withValue }: CompletionData): string {
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
${commandCases(commands, DIALECT)}
    esac
  fi
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe -o option options
  elif (( \${#next} )); then _describe word next
  fi
}
compdef _spandeck spandeck
`;
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
