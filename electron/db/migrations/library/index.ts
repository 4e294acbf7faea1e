import type { Migration } from '../../migrate.ts';
import { listsRecordsLog } from './0010-lists-records-log.ts';
import { requestDetails } from './0020-request-details.ts';
import { outdated } from './0030-outdated.ts';
import { requestRefusals } from './0040-request-refusals.ts';
import { listSizes } from './0050-list-sizes.ts';
import { refutedTotals } from './0060-refuted-totals.ts';
import { longTexts } from './0070-long-texts.ts';

export const LIBRARY_MIGRATIONS: readonly Migration[] = [
  listsRecordsLog,
  requestDetails,
  outdated,
  requestRefusals,
  listSizes,
  refutedTotals,
  longTexts,
];
