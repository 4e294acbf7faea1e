/** What begins by itself later, of every kind, as both processes see it. */
import { z } from 'zod';
import type { WireError } from './errors.ts';

const PLANNED_KINDS = ['upload', 'deletion', 'build', 'scores', 'file', 'bulk'] as const;
export const plannedKind = z.enum(PLANNED_KINDS);
export type PlannedKind = z.infer<typeof plannedKind>;

/** `cancel`: it does not begin by itself any more; what it is stays where something can still be done with it. */
export const plannedAction = z.enum(['start', 'schedule', 'cancel']);
export type PlannedAction = z.infer<typeof plannedAction>;

export interface PlannedAct {
  kind: PlannedKind;
  id: string;
  /** As a list names it, e.g. `churn.csv`. */
  title: string;
  /** Wall time. */
  startAtMs: number;
  /** Why it has not begun although its time has come, or why its last try did not come about. */
  error: WireError | null;
  /** What it will send, as far as that is known before; operations by id. Never empty. */
  requests: { operation: string; count: number }[];
  /** What it belongs to, where it is opened through that, e.g. the dataset of a score run. */
  of: { id: string; name: string } | null;
}
