/**
 * Performs one step of converting a packed file to text, in the reading thread. The library for a format is loaded with
 * the first file of that format, because loading Apache Arrow alone takes more processor time than a small upload.
 */
import type { LedgerOmission } from '../../shared/value-ledger.ts';
import { readFileState } from '../file-state.ts';
import type { Heartbeat } from '../heartbeat.ts';
import type { CopyChange } from './copy-facts.ts';
import { CopyWriter } from './copy-writer.ts';
import type { LAYOUTS, PackedFormat } from './packed-format.ts';
import { unpackCompressed, unpackMember } from './unpack-stream.ts';

export interface UnpackStep {
  path: string;
  /** Name of the file in messages. */
  name: string;
  /** Parquet is read in the analysis process instead: see `analysis/`. */
  format: Exclude<PackedFormat, 'parquet'>;
  /** Path of the file in an archive; null for other formats. */
  member: string | null;
  /** The chosen sheet of a workbook or list of a JSON document; null to find it. */
  sheet: string | null;
  target: string;
}

/** Notes for the person about this step, and the sheets that can be chosen. */
export interface Unpacked {
  notes: string[];
  sheet: string | null;
  sheets: string[];
  /** Settings for reading the written text, if the format determines them. */
  layout: keyof typeof LAYOUTS | null;
  /** Changes of values. */
  changes: CopyChange[];
  /** Parts of the file that the written text does not contain. */
  leftOut: LedgerOmission[];
}

/** Writes `target`. Throws FILE_* errors, DISK_FULL, INVALID_ARGUMENT for a sheet that does not exist. */
export async function unpack(step: UnpackStep, heartbeat: Heartbeat): Promise<Unpacked> {
  const { path, name, format, member, sheet, target } = step;
  const { sizeBytes } = await readFileState(path);
  const writer = await CopyWriter.open(target, heartbeat);
  try {
    switch (format) {
      case 'gzip':
      case 'zstd':
      case 'brotli':
        await unpackCompressed(path, name, format, writer, heartbeat);
        return plain();
      case 'zip':
        await unpackMember(path, name, member ?? '', writer, heartbeat);
        return plain();
      case 'json-objects': {
        const { unpackJson } = await import('./unpack-json.ts');
        return { ...plain(), ...(await unpackJson({ path, name }, sheet, writer, heartbeat)) };
      }
      case 'markdown': {
        const { unpackMarkdown } = await import('./unpack-markdown.ts');
        return {
          ...plain(),
          layout: 'table',
          ...(await unpackMarkdown({ path, name }, sheet, writer, heartbeat)),
        };
      }
      case 'arrow-file':
      case 'arrow-stream': {
        const { unpackArrow } = await import('./unpack-arrow.ts');
        return {
          ...plain(),
          changes: (await unpackArrow(path, name, writer, heartbeat)).changes,
          notes: ['Arrow: the file states the names and types of its columns.'],
          layout: 'typed-rows',
        };
      }
      case 'excel': {
        const { unpackExcel } = await import('./unpack-excel.ts');
        const found = await unpackExcel({ path, name, sizeBytes }, sheet, writer, heartbeat);
        const others = found.sheets.length - 1;
        const rest =
          others === 0 ? '' : ` ${others === 1 ? '1 more sheet has' : `${others} more sheets have`} rows.`;
        const leftOut = found.sheets
          .filter((each) => each !== found.sheet)
          .map(
            (each): LedgerOmission => ({
              kind: 'sheet',
              name: each,
              count: null,
              reason: OTHER_SHEET,
              line: null,
            }),
          );
        return {
          ...found,
          ...{ leftOut, layout: 'sheet', notes: [`Sheet: “${found.sheet}”.${rest}`, ...found.notes] },
        };
      }
    }
  } finally {
    await writer.close();
  }
}

const OTHER_SHEET = 'another sheet of the workbook is read';

const plain = (): Unpacked => ({
  ...{ notes: [], sheet: null, sheets: [], layout: null },
  ...{ changes: [], leftOut: [] },
});
