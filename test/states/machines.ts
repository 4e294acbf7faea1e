/** Every machine to search, with bounds for each change and for the long search. */
import { changeMachine } from './changes.ts';
import { type Exploration, explore } from './explore.ts';
import { leaseMachine } from './lease.ts';
import { limiterMachine, longLimiterMachine } from './limiter.ts';
import { buildMachine, bulkMachine, itemsMachine } from './parts.ts';
import { deletionMachine, wholeFileMachine } from './sent-once.ts';
import { exportMachine, keepMachine, outboxMachine, scoreRunMachine } from './single.ts';
import { undoMachine } from './undo.ts';
import { uploadMachine } from './upload.ts';

const SINGLE: readonly (() => Exploration)[] = [
  () => explore(exportMachine),
  () => explore(keepMachine),
  () => explore(scoreRunMachine),
  () => explore(outboxMachine),
  () => explore(changeMachine),
  () => explore(deletionMachine),
  () => explore(wholeFileMachine),
  () => explore(leaseMachine),
];

/** About thirty thousand states. */
export const SHORT_SEARCHES: readonly (() => Exploration)[] = [
  ...SINGLE,
  () => explore(undoMachine(4)),
  () => explore(limiterMachine(1)),
  () => explore(longLimiterMachine(1)),
  () => explore(itemsMachine(2)),
  () => explore(bulkMachine(2)),
  () => explore(buildMachine(2)),
  () => explore(uploadMachine({ rows: 3, rejected: 1, batchRows: 2, atOnce: 2 })),
];

/** More than ten million. */
export const LONG_SEARCHES: readonly (() => Exploration)[] = [
  ...SINGLE,
  () => explore(undoMachine(40)),
  () => explore(limiterMachine(2)),
  () => explore(longLimiterMachine(2)),
  () => explore(itemsMachine(16)),
  () => explore(bulkMachine(20)),
  () => explore(buildMachine(8)),
  () => explore(uploadMachine({ rows: 7, rejected: 1, batchRows: 2, atOnce: 2 })),
];
