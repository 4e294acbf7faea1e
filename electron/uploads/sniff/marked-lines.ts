/** Recognizes lines whose cells are labelled (LTSV), or separated by several characters, as in MovieLens. Pure. */
import { counted } from '../../shared/count-text.ts';
import { excerptOf, type SourceRow } from '../readers/row-source.ts';
import { isDatum } from './series-header.ts';

const SEEN_LINES = 50;
/** A file with fewer lines must have its format in its name. */
const MIN_LINES = 2;
/** Minimum number of labels in the first line, unless the file is named .ltsv: two may be an id and its equivalent. */
const MIN_LABELS = 3;
/** A label and its colon, but not the beginning of a link. */
const LABEL = /^([A-Za-z_][\w.-]*):(?!\/\/)/;
/** The prefix of an id, such as HP:0001. */
const PREFIX = /^[A-Z][A-Z\d_]*$/;
/** Marks of several characters that programs put between cells. Others, such as ~~, also mark words in texts. */
const MARKS = ['::', '@@'];
/** Marks of bars. Other delimiters are not doubled, because a table may have empty columns between its columns. */
const MARKS_OF_BARS = ['||', '|~|', '~|~', '|*|', '|#|', '|^|', '|$|', '|&|'];
/** Marks that also stand within names, such as std::vector and addresses of networks. */
const MARKS_IN_NAMES = new Set(['::', '@@', '||']);
const QUOTED = /"(?:[^"]|"")*"/g;
const DELIMITERS = [',', ';', '\t', '|'];

/** The first lines with a value. The last one may be cut off, and is left out if there are others. */
function wholeLines(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (!/\n\s*$/.test(text) && lines.length > MIN_LINES) lines.pop();
  return lines.slice(0, SEEN_LINES);
}

/** The labels of a line of labelled cells; null if it has fewer than two cells, or one without a label of its own. */
function labelsOf(line: string): Set<string> | null {
  const cells = line.split('\t');
  const labels = new Set(cells.flatMap((cell) => LABEL.exec(cell)?.[1] ?? []));
  return cells.length > 1 && labels.size === cells.length ? labels : null;
}

/** True for lines of labels and values separated by tabs. `start`: the beginning of the file `name`. */
export function areLabelledLines(name: string, start: string): boolean {
  const lines = wholeLines(start);
  const found = lines.map(labelsOf);
  const [first] = found;
  if (first === undefined || first === null || found.includes(null)) return false;
  const isNamed = /\.ltsv$/i.test(name);
  if (lines.length < MIN_LINES || isNamed) return isNamed;
  if (first.size < MIN_LABELS || [...first].every((label) => PREFIX.test(label))) return false;
  // Each line leaves out the labels that have no value.
  return found.every((labels) => [...(labels ?? [])].filter((label) => first.has(label)).length > 1);
}

/** A name and its value in a cell, as in id=1. The value may be in quotes. */
const PAIR = /[A-Za-z_][\w.-]*=(?:"(?:[^"\\]|\\.)*"|[^\s"=,;&\t]*)/.source;
/** Lines of pairs, by what separates the pairs. Pairs with blanks between them are those of a log, whose lines are texts. */
const PAIRED = new Map(
  [',', ';', '&', '\t'].map((sign) => [sign, new RegExp(`^${PAIR}(?:${sign}${PAIR})+$`)]),
);

/** Names in the parts of an entry's name in LDAP or a certificate, such as cn=Anna,ou=Users,o=Acme: a line is one text. */
const LDAP_NAMES = new Set(['cn', 'ou', 'dc', 'o', 'uid', 'l', 'st', 'c']);

/** The sign between the pairs of name and value in each line, such as id=1,name=Anna; null for other lines. */
export function signBetweenPairs(start: string): string | null {
  const lines = wholeLines(start);
  if (lines.length < MIN_LINES) return null;
  const found = [...PAIRED].find(([, pairs]) => lines.every((line) => pairs.test(line.trim())));
  if (found === undefined) return null;
  const [sign] = found;
  const namesOf = (line: string) =>
    line.match(new RegExp(PAIR, 'g'))?.map((pair) => pair.split('=')[0] ?? '') ?? [];
  const first = new Set(namesOf(lines[0] ?? ''));
  if (lines.every((line) => namesOf(line).every((name) => LDAP_NAMES.has(name.toLowerCase())))) return null;
  // The pairs of a row have names of their own, which further rows repeat.
  const isRepeated = lines.every((line) => namesOf(line).some((name) => first.has(name)));
  return isRepeated && first.size === namesOf(lines[0] ?? '').length ? sign : null;
}

/** A note for two columns or more whose every cell begins with the same label, as in host:a, maybe also the header. */
export function labelNotes(header: readonly string[] | null, rows: readonly SourceRow[]): string[] {
  const isLabelledHeader = header !== null && labelsOf(header.join('\t')) !== null;
  if (header !== null && !isLabelledHeader) return [];
  const cells = [
    ...(isLabelledHeader ? [header] : []),
    ...rows.flatMap((row) => (row.cells === null ? [] : [row.cells])),
  ];
  const [first] = cells;
  if (first === undefined || first.length < 2 || cells.length < MIN_LINES) return [];
  const labels = first.map((cell) => LABEL.exec(cell)?.[1] ?? '');
  const isLabelled = cells.every(
    (row) => row.length === labels.length && row.every((cell, at) => cell.startsWith(`${labels[at]}:`)),
  );
  if (labels.includes('') || !isLabelled || new Set(labels).size < labels.length) return [];
  if (labels.every((label) => PREFIX.test(label))) return [];
  const shown = labels.slice(0, 3).map((label) => `“${excerptOf(label)}:”`);
  return [
    `Every cell of the first ${counted(cells.length, 'line')} begins with the same label in its column: ${shown.join(', ')}. ${isLabelledHeader ? 'The first line is taken as the header, and the labels' : 'The labels'} are sent with the values. If they are names of columns (LTSV), write the lines as JSON Lines first: mlr --idkvp --ifs tab --ips colon --ojsonl cat does it.`,
  ];
}

/** The mark of several characters that separates the cells of each line equally often; null if there is none. */
export function markBetweenCells(start: string): string | null {
  if (/^\s*[[{]/.test(start)) return null;
  const lines = wholeLines(start);
  const unquoted = lines.map((line) => line.replaceAll(QUOTED, 'x'));
  const ofBars = MARKS_OF_BARS.find((mark) => isMarkOfBars(unquoted, mark));
  if (ofBars !== undefined) return ofBars;
  if (lines.length < MIN_LINES || DELIMITERS.some((sign) => marksInEach(unquoted, sign) > 0)) return null;
  const isFound = (mark: string): boolean => {
    const times = marksInEach(lines, mark);
    if (times === 0 || (times === 1 && lines.length === MIN_LINES)) return false;
    return !MARKS_IN_NAMES.has(mark) || areCells(lines, mark);
  };
  return MARKS.find(isFound) ?? null;
}

/** True if bars stand only within this mark, which separates names and their cells. */
function isMarkOfBars(lines: readonly string[], mark: string): boolean {
  const times = marksInEach(lines, mark);
  if (times === 0 || lines.length < (times === 1 ? MIN_LINES + 1 : MIN_LINES)) return false;
  const isAlone = lines.some((line) => line.replaceAll(mark, '').includes('|'));
  const names = (lines[0] ?? '').split(mark);
  if (isAlone || names.some((name) => name.trim() === '')) return false;
  // A column of a table with bars may hold the same sign in each row, such as a currency.
  if (mark !== '||' && names.some(isDatum)) return false;
  return !MARKS_IN_NAMES.has(mark) || areCells(lines, mark);
}

/** The number of marks in each line; 0 if they differ. */
function marksInEach(lines: readonly string[], mark: string): number {
  const [first = 0, ...others] = lines.map((line) => line.split(mark).length - 1);
  return others.every((each) => each === first) ? first : 0;
}

/**
 * True if a mark separates cells, and not the parts of names: below the first line, some column has numbers, times or
 * JSON alone. If there are two columns, they are an id of its own in each line and its text.
 */
function areCells(lines: readonly string[], mark: string): boolean {
  const rows = lines.slice(1).map((line) => line.split(mark).map((cell) => cell.trim()));
  const [only = []] = rows;
  if (only.length === 2) {
    const ids = rows.map(([id = '']) => id);
    return ids.every((id) => /^\d+$/.test(id)) && new Set(ids).size === ids.length;
  }
  return only.some((_cell, at) => {
    const cells = rows.flatMap((row) => row[at] || []);
    return cells.length > 0 && cells.every(isDatum);
  });
}
