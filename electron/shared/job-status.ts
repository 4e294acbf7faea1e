/** Statuses of the service's asynchronous jobs (SERVICE.md F7.6). */
const OVER = new Set(['SUCCESS', 'FAILURE', 'REVOKED']);

/** Whether the job has reached a final state. A status unknown to this version counts as running. */
export function isJobOver(status: string | null): boolean {
  return status !== null && OVER.has(status.toUpperCase());
}

export function hasJobSucceeded(status: string | null): boolean {
  return status?.toUpperCase() === 'SUCCESS';
}
