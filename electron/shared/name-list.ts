/** Names that a person typed with commas between them, without blanks and empty ones. Pure. */
export function namesIn(typed: string): string[] {
  return typed
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
