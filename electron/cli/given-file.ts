/** Offers the file given to a command, and inspects it with the flags. */
import { resolve } from 'node:path';
import type { ColumnReading } from '../shared/column-reading.ts';
import type { Dialect } from '../shared/dialect.ts';
import { AppError, fromWire, type WireError } from '../shared/errors.ts';
import type { FilePreview, OfferedFile, PreviewColumn } from '../shared/upload-model.ts';
import type { CommandContext } from './context.ts';
import { filesNamed, patternAdvice } from './file-patterns.ts';
import { counted } from './human-text.ts';
import { fittingParts, hasReadFlags, readingOf, unfitReadFlags } from './read-flags.ts';

/**
 * Offers one file. `command` is the name of the command for messages. Throws INVALID_ARGUMENT for a folder, or an
 * archive of several files, and FILE_* errors.
 */
export async function offerOne(
  { engine }: Pick<CommandContext, 'engine'>,
  command: string,
  file: string,
): Promise<OfferedFile> {
  const paths = (await filesNamed(file)).map((path) => resolve(path));
  const [offered, ...others] = await engine.files.offer(paths);
  if (offered === undefined || others.length > 0)
    throw new AppError(
      'INVALID_ARGUMENT',
      `${command} expects one file, got ${counted(others.length + 1, 'file')} in ${file}. Name one of them${offered === undefined ? '' : `, such as ${offered.name}`}, or join them first.`,
    );
  if (offered.error !== null) throw offerError(offered.error, file);
  return offered;
}

/** A file with the name that was typed for it: of itself, or of its folder or archive. */
interface NamedFile {
  one: OfferedFile;
  path: string;
  /** True if the name stands for this file alone. */
  isNamed: boolean;
}

/**
 * Offers the files that typed names stand for: a folder or an archive stands for its files, and on Windows * and ? for
 * other letters. Throws FILE_NOT_FOUND and INVALID_ARGUMENT for patterns.
 */
export async function offerAll(
  { engine }: Pick<CommandContext, 'engine'>,
  typed: readonly string[],
): Promise<NamedFile[]> {
  const offered: NamedFile[] = [];
  for (const name of typed)
    for (const path of await filesNamed(name)) {
      const found = await engine.files.offer([resolve(path)]);
      offered.push(...found.map((one) => ({ one, path, isNamed: found.length === 1 })));
    }
  return offered;
}

/** The error for a file that was just typed; if it does not exist, it was most likely mistyped. */
export function offerError(error: WireError, typed: string): AppError {
  const known = fromWire(error);
  if (known.code !== 'FILE_NOT_FOUND') return known;
  const nextStep = patternAdvice(typed);
  const details = nextStep === undefined ? known.details : { ...known.details, nextStep };
  return new AppError('FILE_NOT_FOUND', `No file ${resolve(typed)}.`, details, known);
}

interface LookedAt {
  preview: FilePreview;
  /** The parts of the dialect that were set by flags; null if there are none. */
  read: Partial<Dialect> | null;
  /** One sentence for each flag that does not apply to this kind of file. */
  unfit: string[];
  /** One sentence for each part of `before` that does not apply to this kind of file and was left out. */
  left: string[];
}

/**
 * The preview of a file with the given flags, which override `before`. `connectionId`: the connection that owns the
 * unpacked copy of a packed file. Throws FILE_* errors and INVALID_ARGUMENT.
 */
export async function lookAt(
  { args, engine }: Pick<CommandContext, 'args' | 'engine'>,
  fileId: string,
  connectionId: string | null,
  before: Partial<Dialect> = {},
): Promise<LookedAt> {
  const files = connectionId === null ? engine.files : engine.files.ownedBy(connectionId);
  // Inspects the file with the kind from `before` first, because its other parts may make the file unreadable.
  const asGuessed = hasReadFlags(before)
    ? await files.inspect(fileId, kindParts(before)).catch(() => null)
    : null;
  const { fitting, left } =
    asGuessed === null ? { fitting: before, left: [] } : fittingParts(before, asGuessed);
  const read = readingOf(args, fitting);
  try {
    const preview = await files.inspect(fileId, read);
    return { preview, read, unfit: unfitReadFlags(args, preview), left };
  } catch (thrown) {
    // The file may be unreadable only because of a flag for another kind of file, so it is inspected without flags.
    const plain = await files.inspect(fileId, null).catch(() => null);
    const [first] = plain === null ? [] : unfitReadFlags(args, plain);
    throw first === undefined ? thrown : new AppError('INVALID_ARGUMENT', first, {}, thrown);
  }
}

/** The parts of a dialect that decide the kind of a file, and the sheet of a workbook. */
const kindParts = ({ format, sheet }: Partial<Dialect>): Partial<Dialect> => ({
  ...(format === undefined ? {} : { format }),
  ...(sheet === undefined ? {} : { sheet }),
});

/** The notes of a preview, without those about columns that are read differently from the proposal. */
export function notesAsRead(
  { notes, columns }: Pick<FilePreview, 'notes' | 'columns'>,
  read: readonly {
    source: string | null;
    type: PreviewColumn['type'];
    reading?: ColumnReading | undefined;
  }[],
): string[] {
  const asRead = new Map(read.map((column) => [column.source, column]));
  const stale = columns.flatMap(({ name, type, reading, notes: own = [] }) => {
    const now = asRead.get(name);
    if (now === undefined) return [];
    const hasOtherType = now.type !== type;
    const nulls = now.reading?.nulls;
    const hasOtherNulls = nulls !== undefined && nulls.join() !== reading?.nulls?.join();
    return own.flatMap(({ about, text }) =>
      (about === 'type' ? hasOtherType : hasOtherNulls) ? [text] : [],
    );
  });
  return notes.filter((note) => !stale.includes(note));
}
