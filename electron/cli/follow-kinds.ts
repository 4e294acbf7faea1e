/** How the command line follows a job of each kind to its end and prints its result. */

import type { Session } from '../engine/session.ts';
import { AppError } from '../shared/errors.ts';
import type { JobKindId } from '../shared/job-contract.ts';
import { BUILDS } from './build-answers.ts';
import type { CommandContext } from './context.ts';
import { DELETIONS } from './delete-events-command.ts';
import { EXPORTS } from './export-command.ts';
import { FILES } from './file-command.ts';
import { type Followed, follow } from './follow.ts';
import { followBulk } from './follow-bulk.ts';
import { ITEMS } from './items-command.ts';
import { KEPT } from './keep-command.ts';
import { MIRRORS } from './mirror-command.ts';
import { OUTBOX } from './outbox-command.ts';
import { SCORES } from './score-answers.ts';
import { UPLOADS } from './upload-answers.ts';

interface Kind extends Pick<Followed<JobKindId>, 'word' | 'stays' | 'isReading'> {
  /** Follows the job to its end, like the command that scheduled it. */
  follow: (context: CommandContext, session: Session, id: string) => Promise<void>;
}

const kind = <K extends JobKindId>(followed: Followed<K>): Kind => ({
  ...followed,
  follow: (context, session, id) => follow(context, session, followed, id),
});

/** Options of following a job, by kind. */
const FLAGS: Readonly<Partial<Record<JobKindId, readonly string[]>>> = {
  upload: ['output'],
  build: ['output', 'verify'],
  scores: ['output'],
  items: ['output'],
  file: ['no-wait'],
  bulk: ['no-wait'],
};
export const FOLLOW_FLAGS = ['no-wait', 'output', 'verify'];

/** Throws INVALID_ARGUMENT for an option that a job of this kind would ignore. */
export function checkFollowFlags({ args }: CommandContext, of: JobKindId): void {
  const extra = args.given.find((name) => FOLLOW_FLAGS.includes(name) && FLAGS[of]?.includes(name) !== true);
  if (extra === undefined) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `${args.command} takes no --${extra} for this job (${JOB_COMMANDS[of].word}). Nothing was started.`,
  );
}

export const JOB_COMMANDS: Readonly<Record<JobKindId, Kind>> = {
  upload: kind(UPLOADS),
  deletion: kind(DELETIONS),
  build: kind(BUILDS),
  scores: kind(SCORES),
  items: kind(ITEMS),
  file: kind(FILES),
  // Prints a line for each record as its outcome is known, even if another process removes the job.
  bulk: {
    word: 'change',
    follow: (context, session, id) => followBulk(context, session, session.bulk.get(id)),
    stays: (id) => `It is kept: changes resume ${id}`,
  },
  outbox: kind(OUTBOX),
  'keep-offline': kind(KEPT),
  export: kind(EXPORTS),
  mirror: kind(MIRRORS),
};
