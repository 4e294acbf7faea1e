/** The text to search for at the service: empty for a regular expression, which only filters stored rows. Pure. */
export function searchedText(typed: string): string {
  const text = typed.trim();
  return text.startsWith('/') ? '' : text;
}
