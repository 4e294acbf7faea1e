/** The parts of an upload plan that are needed to read the rows of a file. */
import type { UploadPlan } from '../../shared/upload-model.ts';

export type ReadingPlan = Pick<
  UploadPlan,
  'dialect' | 'columns' | 'constants' | 'repairs' | 'replacements' | 'cellEdits' | 'mode' | 'takesNewKeys'
> &
  ReadAt;

/** Without `nowMs`, years of two digits are not compared with the current one. */
export interface ReadAt {
  nowMs?: number;
}
