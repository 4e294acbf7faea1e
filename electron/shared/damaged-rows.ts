/** Unreadable stored rows of one kind, with as much information as possible, so that they can be removed. */
import { z } from 'zod';

const DAMAGED_KINDS = [
  'upload',
  'deletion',
  'file',
  'bulk',
  'outbox',
  'build',
  'score',
  'items',
  'preset',
  'step',
  'keep-offline',
  'list',
  'export',
] as const;
export type DamagedKind = (typeof DAMAGED_KINDS)[number];

/** The noun of each kind, and what is removed with it. */
export const DAMAGED_WORDS: Readonly<Record<DamagedKind, { noun: string; goes: string }>> = {
  upload: { noun: 'upload', goes: 'with its receipts and refused rows' },
  deletion: { noun: 'deletion of events', goes: 'with the id of its job' },
  file: { noun: 'file sent as is', goes: 'with its sending state' },
  bulk: { noun: 'change of several records', goes: 'with the outcome for each record' },
  outbox: { noun: 'change in the outbox', goes: 'and is not sent' },
  build: { noun: 'draft of a dataset', goes: 'with its selected spans and receipts' },
  score: { noun: 'score run', goes: 'with its scores' },
  items: { noun: 'addition of items', goes: 'with its receipts' },
  preset: { noun: 'saved mapping', goes: 'with its fields' },
  step: { noun: 'step back in a draft', goes: 'but no span of the draft' },
  list: { noun: 'stored list', goes: 'and is read again when it is opened' },
  'keep-offline': { noun: 'kept entry', goes: 'but not what was read for it' },
  export: { noun: 'export', goes: 'but not its file' },
};

export interface DamagedRow {
  kind: DamagedKind;
  id: string;
  /** Name of the file, the build or other subject; empty if that is unreadable too. */
  title: string;
  atMs: number | null;
  /** The part of it that does not have the expected form. */
  reason: string;
}

const connectionId = z.uuid();

export const damagedContract = {
  'damaged:list': z.strictObject({ connectionId }),
  /** Only unreadable rows: all others are removed where they are shown. */
  'damaged:remove': z.strictObject({
    connectionId,
    kind: z.enum(DAMAGED_KINDS),
    id: z.string().min(1).max(200),
  }),
} as const;

export interface DamagedResults {
  'damaged:list': DamagedRow[];
  'damaged:remove': null;
}
