/** Statuses of the service's asynchronous jobs (SERVICE.md F7.6). */
const OVER = new Set(['SUCCESS', 'FAILURE', 'REVOKED']);

/** Will the job change no more? A status this version does not know counts as under way. */
export function isJobOver(status: string | null): boolean {
  return status !== null && OVER.has(status.toUpperCase());
}

export function hasJobSucceeded(status: string | null): boolean {
  return status?.toUpperCase() === 'SUCCESS';
}
