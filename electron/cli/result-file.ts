/** The file that a command writes beside its answer about a job. */
import { type AppError, toAppError } from '../shared/errors.ts';

/**
 * Writes it. A failure must not hide what the job did: the caller prints its answer first, with `none` as the file, and
 * throws the failure then.
 */
export async function besideAnswer<T>(
  write: () => Promise<T>,
  none: T,
): Promise<{ file: T; failure: AppError | null }> {
  try {
    return { file: await write(), failure: null };
  } catch (thrown) {
    return { file: none, failure: toAppError(thrown) };
  }
}
