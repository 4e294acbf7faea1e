/** Settings about planned readings on battery and on metered networks. */
import type { SettingRow } from './setting-rows.ts';

const WINDOW = 'window';

export const POWER_SETTINGS = [
  {
    key: 'onBattery',
    category: 'offline',
    name: 'On battery',
    effect:
      'Planned readings for offline use and repeats that start while the computer is on battery. The others wait. If the system does not state it, nothing waits.',
    where: WINDOW,
    keywords: 'power laptop energy postpone sync charge plugged',
    kind: 'choice',
    choices: [
      { value: 'all', title: 'Everything' },
      { value: 'above-30', title: 'All above 30 %' },
      { value: 'own', title: 'Only what I start' },
    ],
    default: 'above-30',
  },
  {
    key: 'onMetered',
    category: 'offline',
    name: 'On a metered network',
    effect:
      'Planned readings for offline use and repeats that start on a network with limited or paid traffic. The others wait. If the system does not state it, nothing waits.',
    where: WINDOW,
    keywords: 'mobile data cellular roaming tethering hotspot postpone sync save',
    kind: 'choice',
    choices: [
      { value: 'all', title: 'Everything' },
      { value: 'own', title: 'Only what I start' },
    ],
    default: 'own',
  },
] as const satisfies readonly SettingRow[];
