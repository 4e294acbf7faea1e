/** All kinds of jobs that the window shows, in the order of their filter. */
import type { JobKindId } from '../../../electron/shared/job-contract.ts';
import { build } from './build.ts';
import { bulk } from './bulk.ts';
import { deletion } from './deletion.ts';
import { exportKind } from './export.ts';
import { file } from './file.ts';
import { items } from './items.ts';
import { keepOffline } from './keep-offline.ts';
import { mirror } from './mirror.ts';
import { outbox } from './outbox.ts';
import { scores } from './scores.ts';
import type { ShownKind } from './shown-kind.ts';
import { upload } from './upload.ts';

export const SHOWN_KINDS: { readonly [K in JobKindId]: ShownKind<K> } = {
  upload,
  file,
  deletion,
  build,
  scores,
  items,
  bulk,
  outbox,
  'keep-offline': keepOffline,
  export: exportKind,
  mirror,
};
