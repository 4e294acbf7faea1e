/** Column names of delimited text, from its header and the cells beyond it. Pure. */
import type { Dialect } from '../../shared/dialect.ts';
import { AppError } from '../../shared/errors.ts';
import { textOfFormula } from '../validate/text-formula.ts';
import type { SourceRow } from './row-source.ts';

interface Header {
  names: string[];
  /** Number of trailing columns without a name. A row need not have cells for them. */
  spare: number;
  /** Columns with the name of an earlier one, which got another name. */
  repeated: RepeatedName[];
}

export interface RepeatedName {
  /** The name in the header. */
  name: string;
  /** 1-based places of the first column with this name, and of this one. */
  first: number;
  place: number;
  /** The name that it got. */
  called: string;
}

/** `first`: the first row of a file without a header. */
export function numberedColumns(first: SourceRow): Header {
  return { names: (first.cells ?? []).map((_cell, index) => `column_${index + 1}`), spare: 0, repeated: [] };
}

/**
 * Unnamed columns are named by their position, and columns with the name of an earlier one get a number behind it.
 * Throws FILE_MALFORMED if no column has a name.
 */
export function headerOf(first: SourceRow, file: string, { hasIndex, trailing }: Partial<Dialect>): Header {
  const given = (first.cells ?? []).map((cell) => (textOfFormula(cell) ?? cell).trim());
  if (given.every((name) => name === ''))
    throw new AppError(
      'FILE_MALFORMED',
      `Expected the names of the columns in line ${first.line}, got only empty ones. Correct that line, set the line of the header, or say that the file has no header.`,
      { file, line: first.line },
    );
  const all = [...given, ...Array.from({ length: trailing ?? 0 }, () => '')];
  const names = hasIndex === true ? [named('index', all), ...all] : all;
  const lastNamed = names.findLastIndex((name) => name !== '');
  const taken = [...names];
  const repeated: RepeatedName[] = [];
  for (const [index, name] of names.entries()) {
    const before = names.indexOf(name);
    if (name === '' || before === index) continue;
    let number = 2;
    while (taken.includes(`${name}_${number}`)) number += 1;
    const called = `${name}_${number}`;
    taken[index] = called;
    repeated.push({ name, first: before + 1, place: index + 1, called });
  }
  return {
    names: taken.map((name, index) => (name === '' ? named(`column_${index + 1}`, taken) : name)),
    spare: names.length - 1 - lastNamed,
    repeated,
  };
}

/** Returns a name that no other column has. */
function named(wanted: string, taken: readonly string[]): string {
  let name = wanted;
  while (taken.includes(name)) name = `${name}_`;
  return name;
}
