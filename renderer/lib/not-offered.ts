/** Detects that a service lacks an optional operation. Pure. */
import { type AppError, fromWire, isUnknownToService } from '../../electron/shared/errors.ts';
import type { Freshness } from '../../electron/shared/model.ts';

/** The stored rows of a list, and the error if it could not be read. */
interface ReadList {
  freshness: Freshness | null;
  error: AppError | null;
}

/**
 * Whether the service refused a list at a fixed path as unknown, and no rows of it are stored. For the list of a single
 * record, the same answer could mean that the record was deleted. `isOptional`: not every service has the list.
 */
export function lacksList({ freshness, error }: ReadList, isOptional: boolean | undefined): boolean {
  if (isOptional !== true || (freshness?.storedRows ?? 0) > 0) return false;
  if (error !== null) return isUnknownToService(error);
  const refresh = freshness?.refresh;
  return refresh?.phase === 'failed' && isUnknownToService(fromWire(refresh.error));
}
