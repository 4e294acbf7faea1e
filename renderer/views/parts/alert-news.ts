/** New alerts as messages in the window, and opening an alert that was chosen outside of it. */
import type { FiredAlert } from '../../../electron/shared/alert-record.ts';
import { SEVERITY_LOOKS } from '../../lib/chart/look.ts';
import { client } from '../../lib/client.ts';
import { formatCount } from '../../lib/format.ts';
import { app } from '../../state/app.svelte.ts';
import { toast } from '../../state/toast.ts';
import { openRule, openRules } from './monitoring-routes.ts';

const SHOWN_MS = 20_000;

/** In the alert's connection. */
function go(connectionId: string, open: () => void): void {
  void app.run(async () => {
    if (app.connections.activeId !== connectionId) await app.switchTo(connectionId);
    open();
  });
}

function say(connectionId: string, alerts: readonly FiredAlert[]): void {
  const [worst] = alerts;
  if (worst === undefined) return;
  const connection = app.connections.list.find(({ id }) => id === connectionId);
  const place = app.connections.activeId === connectionId ? '' : (connection?.name ?? '');
  const others = alerts.length === 1 ? '' : `and ${formatCount(alerts.length - 1, 'more alert')}`;
  toast(`${SEVERITY_LOOKS[worst.severity].word}: ${worst.name}`, {
    // One message: the next poll replaces it.
    id: `alerts ${connectionId}`,
    description: [worst.modelName, others, place].filter((part) => part !== '').join(' · '),
    duration: SHOWN_MS,
    action: {
      label: alerts.length === 1 ? 'Open' : 'Show all',
      onClick: () =>
        go(connectionId, alerts.length === 1 ? () => openRule(worst.ruleId, worst.name) : openRules),
    },
  });
}

/** Returns a function that unsubscribes. */
export function followAlerts(): () => void {
  const ends = [
    client.on('alerts:fired', ({ connectionId, alerts }) => say(connectionId, alerts)),
    client.on('alerts:open', ({ connectionId, alert }) =>
      go(connectionId, () => openRule(alert.ruleId, alert.name)),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}
