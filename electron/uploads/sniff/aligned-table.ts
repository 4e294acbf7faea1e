/** Recognizes a printed table whose columns are aligned by blanks. Read as CSV, it would have one column. Pure. */

const SEEN_LINES = 100;
/** If there are more lines than this, the last one is ignored when it may be cut off. */
const SURE_LINES = 3;
/** Minimum number of blanks between two columns. A single blank also separates words. */
const MIN_GAP = 2;
/** Minimum share of rows that have text on both sides of a gap. */
const MIN_SHARE = 0.8;
const DELIMITERS = [',', ';', '\t', '|', '^', '~'];
/** The closing line of a printed series, of a data frame, and of a query result. */
const SERIES_END = /^(?:Name: .*, )?(?:Length: \d+, )?dtype: \w/;
const TABLE_END = /^(?:\[\d+ rows x \d+ columns\]|\(\d+ rows?(?: affected)?\))$/;
const RULE = /^ *-+(?: +-+)+ *$/;
const ROW_NUMBER = /^ *(\d+) /;

/** `text`: the beginning of a file. */
export function isAlignedTable(text: string): boolean {
  const all = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  // The last line may be cut off, because only the beginning of the file was read.
  if (all.length > SURE_LINES && !/\n\s*$/.test(text) && !SERIES_END.test(all.at(-1) ?? '')) all.pop();
  const lines = all.filter((line) => !SERIES_END.test(line) && !TABLE_END.test(line)).slice(0, SEEN_LINES);
  const [header = '', ...rows] = lines;
  if (rows.length === 0 || DELIMITERS.some((delimiter) => lines.every((line) => line.includes(delimiter))))
    return false;
  if (/^[[{"]/.test(header)) return false;
  const isSeries = SERIES_END.test(all.at(-1) ?? '') && lines.every((line) => / {2}/.test(line));
  const hasRule = RULE.test(rows[0] ?? '') && rows.length > 1;
  return isSeries || hasRule || hasRowNumbers(header, rows) || hasGap(header, rows);
}

/** Each row begins with its number, and the header has no name for that column: data frames of pandas and R. */
function hasRowNumbers(header: string, rows: readonly string[]): boolean {
  if (!/^ +\S/.test(header)) return false;
  const numbers = rows.map((row) => Number(ROW_NUMBER.exec(row)?.[1]));
  const [first] = numbers;
  return (first === 0 || first === 1) && numbers.every((number, at) => number === first + at);
}

/**
 * True if the same positions are blank in every line, with text after them in the header and on both sides in most
 * rows.
 */
function hasGap(header: string, rows: readonly string[]): boolean {
  const isIn = (place: number) =>
    [header, ...rows].every((line) => (line[place] ?? ' ') === ' ') && header.slice(place).trim() !== '';
  for (let from = 1; from < header.length; from += 1) {
    if (!isIn(from) || !isIn(from + MIN_GAP - 1)) continue;
    const both = rows.filter((row) => row.slice(0, from).trim() !== '' && row.slice(from).trim() !== '');
    if (both.length >= rows.length * MIN_SHARE) return true;
  }
  return false;
}
