/** Reads a text file as a user would: a preview first, then the whole file with the detected settings. */
import type { Dialect } from '../../electron/shared/dialect.ts';
import type { FilePreview } from '../../electron/shared/upload-model.ts';
import { openSource, readRows } from '../../electron/uploads/readers/open-source.ts';
import type { SourceRow } from '../../electron/uploads/readers/row-source.ts';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';

export interface ReadBack {
  preview: FilePreview;
  names: string[];
  /** The cells of well-formed rows. */
  rows: string[][];
  bad: SourceRow[];
  all: SourceRow[];
  /** The notes of the preview, joined to one text. */
  notes: string;
}

export async function readBack(
  path: string,
  override: Partial<Dialect> | null = null,
  chunkBytes?: number,
): Promise<ReadBack> {
  const preview = await inspectFile({ path, fileId: 'file', override, seed: 0.4 });
  const source = await openSource(path, preview.dialect);
  const all: SourceRow[] = [];
  const reading = { start: source.dataStart, ...(chunkBytes === undefined ? {} : { chunkBytes }) };
  try {
    for await (const { rows } of readRows(source, path, reading)) all.push(...rows);
  } finally {
    await source.close();
  }
  return {
    preview,
    names: source.header ?? [],
    rows: all.flatMap(({ cells }) => (cells === null ? [] : [cells])),
    bad: all.filter(({ problem }) => problem !== null),
    all,
    notes: preview.notes.join('\n'),
  };
}
