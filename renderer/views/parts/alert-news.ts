/** Shows new alerts as messages in the window, and opens an alert that was chosen outside the window. */
import type { FiredAlert } from '../../../electron/shared/alert-record.ts';
import { SEVERITY_LOOKS } from '../../lib/chart/look.ts';
import { client } from '../../lib/client.ts';
import { formatCount } from '../../lib/format.ts';
import { app } from '../../state/app.svelte.ts';
import { toast } from '../../state/toast.ts';
import { openRule, openRules } from './monitoring-routes.ts';

const SHOWN_MS = 20_000;

/** Switches to the connection of the alert, then opens it. */
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
    // With a fixed id, so that the message of the next poll replaces this one.
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

/** Follows new alerts. Returns a function that unsubscribes. */
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
