/** The file that a command writes in addition to its answer about a job. */
import { type AppError, toAppError } from '../shared/errors.ts';

/**
 * Writes the file. A failure must not hide the result of the job, so the caller first prints its answer, with `none` as
 * the file, and then throws the failure.
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
