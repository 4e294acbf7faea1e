/** Detects whether the budget file was lost or never existed. */
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Logger } from '../core/ports.ts';
import type { AppStore } from '../db/app-store.ts';
import type { DataPaths } from '../platform/paths.ts';

const LOST =
  'is missing, so what was sent before is not known. No limit is exceeded: the first window of each limit counts as used. Reads wait up to a minute; deletions of events, traces and sessions wait up to a day.';

/**
 * Finds out whether the budget file was lost; call it before that file is opened. `wasUsed`: requests may have been
 * sent with this data folder before. `budgetNotice`: the message for the person about a lost file; null if the file is
 * not lost.
 */
export function lookAtBudget(
  { budgetDb, connectionsDir }: Pick<DataPaths, 'budgetDb' | 'connectionsDir'>,
  store: Pick<AppStore, 'listConnections'>,
  logger: Logger,
): { wasUsed: boolean; budgetNotice: string | null } {
  const hasFolders = existsSync(connectionsDir) && readdirSync(connectionsDir).length > 0;
  const wasUsed = hasFolders || store.listConnections().length > 0;
  if (!wasUsed || existsSync(budgetDb)) return { wasUsed, budgetNotice: null };
  const file = basename(budgetDb);
  logger.warn('budget file lost', { file });
  return { wasUsed, budgetNotice: `${file} ${LOST}` };
}

/** Joins the messages of a start; null if there are none. */
export function noticeOf(...notices: (string | null)[]): string | null {
  const said = notices.filter((notice) => notice !== null);
  return said.length === 0 ? null : said.join(' ');
}
