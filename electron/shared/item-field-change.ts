/** Changes of items and of their fields between two states. */
import type { TextPiece } from './word-diff.ts';

export const CHANGE_KINDS = ['changed', 'added', 'removed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface ItemFieldChange {
  path: string;
  kind: ChangeKind;
  pieces: TextPiece[];
}
