import type { Migration } from '../../migrate.ts';
import { connectionsAndSettings } from './0010-connections-and-settings.ts';
import { answerTimeout } from './0020-answer-timeout.ts';

export const APP_MIGRATIONS: readonly Migration[] = [connectionsAndSettings, answerTimeout];
