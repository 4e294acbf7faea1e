/** The parts of an upload plan that are needed to read the rows of a file. */
import type { UploadPlan } from '../../shared/upload-model.ts';

export type ReadingPlan = Pick<
  UploadPlan,
  'dialect' | 'columns' | 'constants' | 'repairs' | 'replacements' | 'cellEdits' | 'mode' | 'takesNewKeys'
> &
  ReadAt;

/** The current time. If `nowMs` is absent, two-digit years are not compared with the current year. */
export interface ReadAt {
  nowMs?: number;
}
