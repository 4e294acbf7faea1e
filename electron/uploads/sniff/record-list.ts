/** Recognizes records printed one below the other with one value in each line, as database clients print them. Pure. */

/** The line above each record in the output of mysql (`\\G`) and psql (`\\x`). */
const RECORD_LINE = /^(?:\*{5,} 1\. row \*{5,}|-\[ RECORD 1 \][-+]*)[^\S\n]*\r?\n/;
/** A name and its value: in the output of sqlite3 and DuckDB (`.mode line`), and in cards of records. */
const FIELDS = [/^ *([^\s=,;|]+) = /, /^([^\s:,;|"{[][^:,;|\r\n]{0,60}): /];

/** `text`: the beginning of a file, which may end within a line. */
export function isRecordList(text: string): boolean {
  if (RECORD_LINE.test(text)) return true;
  const [first = '', second = ''] = text.split(/\r?\n[^\S\n]*\r?\n/, 2);
  return FIELDS.some((field) => {
    const names = namesOf(first, field);
    const again = namesOf(second, field);
    if (names === null || again === null || new Set(names).size < names.length) return false;
    return again.length <= names.length && again.every((name, at) => name === names[at]);
  });
}

/** The names of the fields in a block; null if a line is not a field. The last line may be cut off. */
function namesOf(block: string, field: RegExp): string[] | null {
  const lines = block.split(/\r?\n/).filter((line) => line !== '');
  const names = lines.map((line) => field.exec(line)?.[1]);
  const found = names.filter((name) => name !== undefined);
  const isWhole =
    found.length === names.length || (found.length === names.length - 1 && names.at(-1) === undefined);
  return isWhole && found.length > 0 ? found : null;
}
