/** Tells a budget file that was lost from one that was never there. */
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Logger } from '../core/ports.ts';
import type { AppStore } from '../db/app-store.ts';
import type { DataPaths } from '../platform/paths.ts';

const LOST =
  'is missing, so what was sent before is not known. No limit is exceeded: the first window of each limit counts as used. Reads wait up to a minute; deletions of events, traces and sessions wait up to a day.';

/**
 * `wasUsed`: requests may have been sent with this data folder before. `budgetNotice`: what a person is told of a lost
 * file; null if there is nothing to tell. Call before the budget file is opened.
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

/** Both notices of a start as one; null if there is none. */
export function noticeOf(...notices: (string | null)[]): string | null {
  const said = notices.filter((notice) => notice !== null);
  return said.length === 0 ? null : said.join(' ');
}
