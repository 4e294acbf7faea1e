/** Typed file names with `*` and `?`. The shells of Windows pass them on, those of other systems replace them. */
import { readdir } from 'node:fs/promises';
import { win32 } from 'node:path';
import { AppError } from '../shared/errors.ts';

const WILD = /[*?]/;
/** Begins a path that Windows takes literally, of any length: `\\?\C:\data\x.csv`. */
const LITERAL = /^[\\/]{2}\?[\\/]/;

/**
 * The files that a typed name stands for, in order of their names. Only on Windows, where no file name has these
 * signs, they stand for other letters, and only in the last part. Throws FILE_NOT_FOUND if no file fits, and
 * INVALID_ARGUMENT for signs in the name of a folder.
 */
export async function filesNamed(typed: string, system: string = process.platform): Promise<string[]> {
  if (system !== 'win32' || !WILD.test(typed.replace(LITERAL, ''))) return [typed];
  const last = win32.basename(typed);
  const before = typed.slice(0, typed.length - last.length);
  if (WILD.test(before.replace(LITERAL, '')))
    throw new AppError(
      'INVALID_ARGUMENT',
      `* and ? stand for other letters only in the name of a file, got ${typed}. Name the folder, or each file.`,
    );
  const found = await readdir(before === '' ? '.' : before.replaceAll('\\', '/'), {
    withFileTypes: true,
  }).catch((problem: unknown) => {
    throw new AppError('FILE_NOT_FOUND', `No folder ${before}.`, {}, problem);
  });
  const fits = new RegExp(`^${Array.from(last, expressionOf).join('')}$`, 'iu');
  const names = found.flatMap((each) => (!each.isDirectory() && fits.test(each.name) ? [each.name] : []));
  if (names.length === 0) throw new AppError('FILE_NOT_FOUND', `No file fits ${typed}.`);
  return names.toSorted().map((name) => `${before}${name}`);
}

const expressionOf = (sign: string): string =>
  sign === '*' ? '.*' : sign === '?' ? '.' : sign.replace(/[\\^$.|+()[\]{}]/, '\\$&');

/** Advice if a typed name with `*` or `?` is no file; undefined for other names. */
export function patternAdvice(typed: string): string | undefined {
  if (!WILD.test(typed)) return undefined;
  const plain = typed.replaceAll('\\', '/');
  return `* and ? are replaced by the shell, which needs / between folders and no quotes: ${plain}`;
}
