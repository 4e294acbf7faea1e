/** Notes about the rows of a file that a person should look at before they are sent. Pure. */
import type { Source } from '../readers/open-source.ts';
import type { SourceRow } from '../readers/row-source.ts';
import { footNotes } from './foot-notes.ts';
import { labelNotes } from './marked-lines.ts';
import { missingTextNotes } from './missing-texts.ts';
import { roundedNotes } from './rounded-numbers.ts';
import { secondTableNotes } from './second-table.ts';
import { sumNotes } from './sum-row.ts';
import { unitsNotes } from './units-row.ts';

interface Seen {
  /** The beginning of the file, with the bytes of the first rows. */
  head: Buffer;
  rows: readonly SourceRow[];
  /** Rows from random places. */
  samples: readonly SourceRow[];
  /** The last rows of the file; null if the first rows are all there are. */
  last: readonly SourceRow[] | null;
}

export function tableNotes(
  { header, dialect }: Pick<Source, 'header' | 'dialect'>,
  { head, rows, samples, last }: Seen,
): string[] {
  const isWhole = last === null;
  const sums = sumNotes([...rows, ...samples, ...(last ?? [])], isWhole);
  const notes = [...sums, ...secondTableNotes(rows), ...labelNotes(header, rows)];
  if (header === null) return notes;
  const isGood = ({ problem }: SourceRow): boolean => problem === null;
  const good = [...rows, ...samples].flatMap(({ line, cells }) => (cells === null ? [] : [{ line, cells }]));
  return [
    ...notes,
    ...(sums.length > 0
      ? []
      : footNotes((last ?? rows).filter(isGood), isWhole ? [] : rows.filter(isGood), isWhole)),
    ...(dialect.hasHeader ? unitsNotes(rows, samples) : []),
    ...roundedNotes(header, good),
    ...(dialect.quote === 'none'
      ? []
      : missingTextNotes(header, textsOf(rows, head, dialect.encoding), {
          ...dialect,
          quote: dialect.quote,
        })),
  ];
}

/** Rows whose text is within the beginning of the file, with that text. */
function textsOf(rows: readonly SourceRow[], head: Buffer, encoding: string) {
  if (encoding !== 'utf-8' || !head.includes('NA')) return [];
  return rows.flatMap(({ line, cells, byteStart, byteEnd }) =>
    cells === null || byteEnd > head.length
      ? []
      : [{ line, cells, text: head.toString('utf8', byteStart, byteEnd) }],
  );
}
