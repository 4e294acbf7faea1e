import type { Migration } from '../../migrate.ts';
import { connectionsAndSettings } from './0010-connections-and-settings.ts';

export const APP_MIGRATIONS: readonly Migration[] = [connectionsAndSettings];
