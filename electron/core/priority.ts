/** Who is waiting for a request; earlier ones are sent first. */
export const PRIORITIES = ['view', 'click', 'outbox', 'upload', 'prefetch'] as const;
export type Priority = (typeof PRIORITIES)[number];
