/** Splits a typed list of names at its commas; drops blanks around names, and empty names. Pure. */
export function namesIn(typed: string): string[] {
  return typed
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
