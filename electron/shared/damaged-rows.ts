/** Unreadable stored rows of one kind, with as much information as possible, so that they can be removed. */
import { JOB_KINDS } from './job-contract.ts';
import type { JobKind } from './job-kinds/job-kind.ts';
import * as z from './zod.ts';

/** Kinds of unreadable rows that are not jobs. */
const OTHER_KINDS = [
  { storedAs: 'preset', damaged: { noun: 'saved mapping', goes: 'with its fields' } },
  { storedAs: 'step', damaged: { noun: 'step back in a draft', goes: 'but no span of the draft' } },
  { storedAs: 'list', damaged: { noun: 'stored list', goes: 'and is read again when it is opened' } },
] as const;
const KINDS = [...Object.values(JOB_KINDS), ...OTHER_KINDS];
export type DamagedKind = (typeof KINDS)[number]['storedAs'];
export const DAMAGED_JOBS: readonly DamagedKind[] = Object.values(JOB_KINDS).map(({ storedAs }) => storedAs);
const WORDS = new Map<DamagedKind, JobKind['damaged']>(
  KINDS.map(({ storedAs, damaged }) => [storedAs, damaged]),
);

/** The noun for a kind, and the data that is removed with such a row. */
export function damagedWords(kind: DamagedKind): JobKind['damaged'] {
  return WORDS.get(kind) ?? { noun: kind, goes: '' };
}

export interface DamagedRow {
  kind: DamagedKind;
  id: string;
  /** Name of the file, the build or other subject; empty if that is unreadable too. */
  title: string;
  atMs: number | null;
  /** The part of the row that does not have the expected form. */
  reason: string;
}

const connectionId = z.uuid();

export const damagedContract = {
  'damaged:list': z.strictObject({ connectionId }),
  /** Removes only unreadable rows: all others are removed in the views that show them. */
  'damaged:remove': z.strictObject({
    connectionId,
    kind: z.enum(KINDS.map(({ storedAs }) => storedAs)),
    id: z.string().min(1).max(200),
  }),
} as const;

export interface DamagedResults {
  'damaged:list': DamagedRow[];
  'damaged:remove': null;
}
