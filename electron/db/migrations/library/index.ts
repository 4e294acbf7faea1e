import type { Migration } from '../../migrate.ts';
import { listsRecordsLog } from './0010-lists-records-log.ts';

export const LIBRARY_MIGRATIONS: readonly Migration[] = [listsRecordsLog];
