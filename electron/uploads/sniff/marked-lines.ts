/** Recognizes lines whose cells are labelled (LTSV), or separated by several characters, as in MovieLens. Pure. */

const SEEN_LINES = 50;
/** A file with fewer lines must have its format in its name. */
const MIN_LINES = 2;
const LABEL = /^([A-Za-z_][\w.-]*):/;
/** Marks of several characters that programs put between cells. Others, such as ~~, also mark words in texts. */
const MARKS = ['::', '|~|', '~|~', '@@'];
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
  if (lines.length < MIN_LINES) return /\.ltsv$/i.test(name);
  // Each line leaves out the labels that have no value.
  return found.every((labels) => [...(labels ?? [])].filter((label) => first.has(label)).length > 1);
}

/** The mark of several characters that separates the cells of each line equally often; null if there is none. */
export function markBetweenCells(start: string): string | null {
  const lines = wholeLines(start);
  const count = (line: string, mark: string): number => line.split(mark).length - 1;
  const isRegular = (mark: string): boolean => {
    const [first = 0, ...others] = lines.map((line) => count(line, mark));
    return first > 0 && others.every((each) => each === first);
  };
  if (lines.length < MIN_LINES || DELIMITERS.some(isRegular)) return null;
  return (
    MARKS.find((mark) => isRegular(mark) && (lines.length > MIN_LINES || count(lines[0] ?? '', mark) > 1)) ??
    null
  );
}
