/** Whether a service lacks an operation that is not part of every service. Pure. */
import { type AppError, fromWire, isUnknownToService } from '../../electron/shared/errors.ts';
import type { Freshness } from '../../electron/shared/model.ts';

/** The stored rows of a list, and the reason why it could not be read. */
interface ReadList {
  freshness: Freshness | null;
  error: AppError | null;
}

/**
 * Whether a list at a fixed path was refused as unknown and nothing of it is stored. For a list of one record, the answer
 * could also mean that the record is gone. `isOptional`: not every service has it.
 */
export function lacksList({ freshness, error }: ReadList, isOptional: boolean | undefined): boolean {
  if (isOptional !== true || (freshness?.storedRows ?? 0) > 0) return false;
  if (error !== null) return isUnknownToService(error);
  const refresh = freshness?.refresh;
  return refresh?.phase === 'failed' && isUnknownToService(fromWire(refresh.error));
}
