/** Words of what starts later, and where each kind of it is shown. */
import type { PlannedAct, PlannedKind } from '../../../electron/shared/planned-model.ts';
import { openBuild } from '../spans/routes.ts';
import { openDeletions, openFiles, openJob } from '../uploads/routes.ts';

interface KindWords {
  /** Before the title in a list. */
  lead: string;
  open: (act: PlannedAct) => void;
  /** Asked before it begins at once, where what it does cannot be undone. */
  warning?: string;
}

const KINDS: Partial<Record<PlannedKind, KindWords>> = {
  upload: { lead: 'Upload of', open: ({ id, title }) => openJob(id, title) },
  deletion: {
    lead: 'Deletion:',
    open: openDeletions,
    warning: 'Events that are deleted do not come back.',
  },
  build: { lead: 'Dataset from spans:', open: ({ id, title }) => openBuild(id, title, 'commit') },
  file: { lead: 'File sent whole:', open: openFiles },
};

const UNKNOWN: KindWords = { lead: '', open: () => undefined };

export const wordsOfKind = (kind: PlannedKind): KindWords => KINDS[kind] ?? UNKNOWN;
