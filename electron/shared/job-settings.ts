/** Settings about jobs and notifications. */
import { QUIET_HOURS } from './quiet-hours.ts';
import type { SettingRow } from './setting-rows.ts';

const WINDOW = 'window';

export const JOB_SETTINGS = [
  {
    key: 'notifies',
    category: 'jobs',
    name: 'Notifications',
    effect:
      'When an alert fires, or long work ends, fails or needs a decision, while the window is not in front.',
    where: WINDOW,
    keywords: 'notify alert message done',
    kind: 'switch',
    default: true,
  },
  {
    key: 'alertsEveryMs',
    category: 'jobs',
    name: 'Look for new alerts every',
    effect:
      'A new alert is shown in the window or by a notification. Each check is one request; 0 for never.',
    where: WINDOW,
    keywords: 'alert rules fired poll watch notify monitoring',
    kind: 'number',
    unit: 'min',
    min: 0,
    max: 86_400_000,
    default: 900_000,
    isWhole: true,
  },
  {
    key: 'quietHours',
    category: 'jobs',
    name: 'Quiet hours',
    effect: 'Notifications wait until they are over.',
    where: WINDOW,
    keywords: 'notify do not disturb night sleep silent',
    kind: 'text',
    expected: 'nothing, or two times such as 22:00-07:00',
    pattern: QUIET_HOURS,
    most: 11,
    default: '',
  },
  {
    key: 'whenClosed',
    category: 'jobs',
    name: 'Closing the window while jobs run',
    effect:
      'Whether they continue beside the clock, or stop and continue at the next start. If the desktop shows no icons there, the window is minimized.',
    where: WINDOW,
    keywords: 'tray background quit close exit',
    kind: 'choice',
    choices: [
      { value: 'ask', title: 'Ask once' },
      { value: 'background', title: 'They continue' },
      { value: 'quit', title: 'Quit' },
    ],
    default: 'ask',
  },
  {
    key: 'staysAwake',
    category: 'jobs',
    name: 'Stay awake while sending',
    effect: 'The computer does not go to sleep by itself while jobs send, and shortly before planned starts.',
    where: WINDOW,
    keywords: 'sleep suspend power battery',
    kind: 'switch',
    default: true,
  },
] as const satisfies readonly SettingRow[];
