/** What the command line says of each kind of job, and how it follows one to its end. */
import type { Session } from '../engine/session.ts';
import type { JobKindId } from '../shared/job-contract.ts';
import type { CommandContext } from './context.ts';
import { findDeletion, followDeletion } from './delete-events-command.ts';
import { followFile } from './file-command.ts';
import { followBuild } from './follow-build.ts';
import { followBulk } from './follow-bulk.ts';
import { followScores } from './follow-scores.ts';
import { followUpload } from './follow-upload.ts';
import { follow as followKept } from './keep-command.ts';
import { followEntry } from './outbox-command.ts';

interface Kind {
  /** As the list and the commands of the command line call it. */
  word: string;
  /** To its end, as the command that planned it follows it. */
  follow: (context: CommandContext, session: Session, id: string) => Promise<void>;
  /** Changes nothing at the service: a read-only connection may begin it. */
  isReading?: true;
  /** What can still be done with one whose start was cancelled. */
  stays: ((id: string) => string) | null;
}

export const JOB_COMMANDS: Readonly<Record<JobKindId, Kind>> = {
  upload: { word: 'upload', follow: followUpload, stays: null },
  deletion: {
    word: 'deletion',
    follow: (context, session, id) => followDeletion(context, session, findDeletion(session, id)),
    stays: null,
  },
  build: { word: 'build', follow: followBuild, stays: (id) => `It is kept: builds resume ${id}` },
  scores: {
    word: 'scores',
    follow: followScores,
    isReading: true,
    stays: (id) => `It is kept: scores resume ${id}`,
  },
  file: {
    word: 'file',
    follow: async (context, { uploads }, id) => {
      const file = uploads.wholeFiles.list().find((one) => one.id === id);
      if (file !== undefined) await followFile(context, file);
    },
    stays: () => 'It can be sent again in the window.',
  },
  bulk: {
    word: 'change',
    follow: (context, session, id) => followBulk(context, session, session.bulk.get(id)),
    stays: (id) => `It is kept: changes resume ${id}`,
  },
  outbox: { word: 'outbox', follow: followEntry, stays: (id) => `It stays in the outbox: outbox send ${id}` },
  'keep-offline': {
    word: 'keep',
    follow: followKept,
    isReading: true,
    stays: (id) => `It is kept: kept refresh ${id}`,
  },
};
