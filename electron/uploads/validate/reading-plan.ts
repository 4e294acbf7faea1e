/** What reading the rows of a file takes of the plan of an upload. */
import type { UploadPlan } from '../../shared/upload-model.ts';

export type ReadingPlan = Pick<
  UploadPlan,
  'dialect' | 'columns' | 'constants' | 'repairs' | 'replacements' | 'cellEdits' | 'mode' | 'takesNewKeys'
>;
