/** Skips damaged stored rows, so that they do not prevent the others from being shown. */
import { AppError } from '../shared/errors.ts';

/** The results of `read` without damaged rows; the store lists those in `damaged`. */
export function readable<T, R>(rows: readonly T[], read: (row: T) => R): R[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (problem) {
      if (damageOf(problem) === null) throw problem;
      return [];
    }
  });
}

export function damageOf(problem: unknown): AppError | null {
  return problem instanceof AppError && problem.code === 'STORE_DAMAGED' ? problem : null;
}
