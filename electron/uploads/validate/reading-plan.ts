/** The parts of an upload plan that are needed to read the rows of a file. */
import type { UploadPlan } from '../../shared/upload-model.ts';

export type ReadingPlan = Pick<
  UploadPlan,
  'dialect' | 'columns' | 'constants' | 'repairs' | 'replacements' | 'cellEdits' | 'mode' | 'takesNewKeys'
>;
