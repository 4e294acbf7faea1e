/** Whether a service lacks an operation that is not part of every service. Pure. */
import { type AppError, fromWire, isUnknownToService, type WireError } from '../../electron/shared/errors.ts';

/**
 * Whether a list at a fixed path was refused as unknown and nothing of it is stored. For a list of one record, the answer
 * could also mean that the record is gone.
 */
export function isNotOffered(error: AppError | WireError | null | undefined, isStored: boolean): boolean {
  if (error === null || error === undefined || isStored) return false;
  return isUnknownToService('toWire' in error ? error : fromWire(error));
}
