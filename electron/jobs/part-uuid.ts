import { createHash } from 'node:crypto';

/** A UUID (version 8) for a part of a job. It is the same if the request is repeated. */
export function partUuid(jobId: string, part: string | number): string {
  const hex = createHash('sha256').update(`${jobId} ${part}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4] ?? '8';
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
