/** Column names of delimited text, from its header and the cells beyond it. Pure. */
import type { Dialect } from '../../shared/dialect.ts';
import { AppError } from '../../shared/errors.ts';
import { textOfFormula } from '../validate/text-formula.ts';
import type { SourceRow } from './row-source.ts';

interface Header {
  names: string[];
  /** Number of trailing columns without a name. A row need not have cells for them. */
  spare: number;
}

/** `first`: the first row of a file without a header. */
export function numberedColumns(first: SourceRow): Header {
  return { names: (first.cells ?? []).map((_cell, index) => `column_${index + 1}`), spare: 0 };
}

/**
 * Unnamed columns are named by their position. Throws FILE_MALFORMED if no column has a name, or if a name occurs
 * twice.
 */
export function headerOf(first: SourceRow, file: string, { hasIndex, trailing }: Partial<Dialect>): Header {
  const fail = (text: string): never => {
    const next = 'Correct that line, set the line of the header, or say that the file has no header.';
    throw new AppError('FILE_MALFORMED', `${text} ${next}`, { file, line: first.line });
  };
  const given = (first.cells ?? []).map((cell) => (textOfFormula(cell) ?? cell).trim());
  if (given.every((name) => name === ''))
    return fail(`Expected the names of the columns in line ${first.line}, got only empty ones.`);
  const seen = new Map<string, number>();
  for (const [index, name] of given.entries()) {
    const before = seen.get(name);
    if (name !== '' && before !== undefined)
      fail(`Expected every column name once, “${name}” stands for columns ${before} and ${index + 1}.`);
    seen.set(name, index + 1);
  }
  const all = [...given, ...Array.from({ length: trailing ?? 0 }, () => '')];
  const names = hasIndex === true ? [named('index', all), ...all] : all;
  const lastNamed = names.findLastIndex((name) => name !== '');
  return {
    names: names.map((name, index) => (name === '' ? named(`column_${index + 1}`, names) : name)),
    spare: names.length - 1 - lastNamed,
  };
}

/** Returns a name that no other column has. */
function named(wanted: string, taken: readonly string[]): string {
  let name = wanted;
  while (taken.includes(name)) name = `${name}_`;
  return name;
}
