/** Rows of the current file that were sent to the same target before, as the scenario requires. */
import type { WireError } from '../../../electron/shared/errors.ts';
import type { SentBefore } from '../../../electron/shared/sent-before.ts';
import { NOW, scenario } from './scenario.ts';

const ROWS = 1_243;
let isAsked = false;

export function sentBefore(): SentBefore[] {
  const { wasSent } = scenario;
  if (wasSent === undefined || (wasSent === 'meanwhile' && !isAsked)) return [];
  const deleted = wasSent === 'undone' ? ROWS : 0;
  return [
    {
      ...{ jobId: 'earlier', fileName: 'questions.csv', atMs: NOW - 3_600_000, rows: ROWS },
      ...{ acknowledged: ROWS, unknown: 0, deleted, isOpen: false },
    },
  ];
}

/** Like the main process, refuses to send if an earlier job was not shown to the user. */
export function checkTold(told: readonly string[] | null | undefined): void {
  isAsked = true;
  if (scenario.wasSent !== 'meanwhile' || told?.includes('earlier') === true) return;
  const rejection: WireError = {
    ...{ code: 'NEEDS_DECISION', title: 'Waits for a decision', retry: 'never', details: {} },
    message: 'These 1,243 rows were sent after this file was checked. Nothing was sent now.',
  };
  throw rejection;
}
