import type { LeaseProcess } from '../core/jobs/lease.ts';
import type { UploadOptions } from './types.ts';

export type ProcessOptions = Pick<UploadOptions, 'isProcessAlive' | 'processId' | 'processSpace'>;

/** The identity of this process in the leases of uploads. */
export const leaseProcess = (options: ProcessOptions): LeaseProcess => ({
  pid: options.processId,
  isRunning: options.isProcessAlive,
  space: options.processSpace,
});
