/** All machines to search, with bounds for the search at each change and for the long search. */
import { changeMachine } from './changes.ts';
import { type Exploration, explore, type Machine } from './explore.ts';
import { leaseMachine } from './lease.ts';
import { ledgerMachine, limiterMachine, longLimiterMachine } from './limiter.ts';
import { buildMachine, bulkMachine, itemsMachine } from './parts.ts';
import { repeatMachine } from './repeats.ts';
import { deletionMachine, wholeFileMachine } from './sent-once.ts';
import { exportMachine, keepMachine, mirrorMachine, outboxMachine, scoreRunMachine } from './single.ts';
import { undoMachine } from './undo.ts';
import { uploadMachine } from './upload.ts';

export interface Search {
  /** Name of the machine. */
  readonly name: string;
  readonly run: () => Exploration;
}

const search = <S>(machine: Machine<S>): Search => ({ name: machine.name, run: () => explore(machine) });

const SINGLE: readonly Search[] = [
  search(exportMachine),
  search(mirrorMachine),
  search(keepMachine),
  search(scoreRunMachine),
  search(outboxMachine),
  search(changeMachine),
  search(deletionMachine),
  search(wholeFileMachine),
  search(leaseMachine),
  search(ledgerMachine),
];

/** In total about fifty thousand states. */
export const SHORT_SEARCHES: readonly Search[] = [
  ...SINGLE,
  search(repeatMachine(3)),
  search(undoMachine(4)),
  search(limiterMachine(1)),
  search(longLimiterMachine(1)),
  search(itemsMachine(2)),
  search(bulkMachine(2)),
  search(buildMachine(2)),
  search(uploadMachine({ rows: 3, rejected: 1, batchRows: 2, atOnce: 2 })),
];

/** In total more than ten million states. */
export const LONG_SEARCHES: readonly Search[] = [
  ...SINGLE,
  search(repeatMachine(4)),
  search(undoMachine(40)),
  search(limiterMachine(2)),
  search(longLimiterMachine(2)),
  search(itemsMachine(16)),
  search(bulkMachine(20)),
  search(buildMachine(8)),
  search(uploadMachine({ rows: 7, rejected: 1, batchRows: 2, atOnce: 2 })),
];
