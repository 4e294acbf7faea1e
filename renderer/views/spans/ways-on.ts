/** Where one goes from a span. */
import { parseTime } from '../../../electron/shared/zone-time.ts';
import { type JsonObject, textField } from '../../lib/records.ts';
import { rangeAround } from '../../lib/span-range.ts';
import type { InspectorAction } from '../../state/inspector.svelte.ts';
import { openScope } from './routes.ts';
import type { SpansTab } from './spans-tab.svelte.ts';

const TITLES = { trace: 'Open trace', session: 'Open session' } as const;

/** To its trace or session; null where it has none, and where that is what is shown. */
function wayTo(
  kind: keyof typeof TITLES,
  row: JsonObject,
  { range, scope }: Pick<SpansTab, 'range' | 'scope'>,
  application: { id: string; name: string },
): InspectorAction | null {
  const id = textField(row, `${kind}_id`);
  if (range === null || id === '' || (scope?.kind === kind && scope.id === id)) return null;
  const spanId = textField(row, 'span_id');
  const around = rangeAround(range, parseTime(row['start_time']));
  return { title: TITLES[kind], run: () => openScope({ kind, id }, application, around, spanId) };
}

type WayArguments = [
  row: JsonObject,
  shown: Pick<SpansTab, 'range' | 'scope'>,
  application: { id: string; name: string },
];

/** What Enter and a double click open. */
export function wayToTrace(...span: WayArguments): InspectorAction | null {
  return wayTo('trace', ...span);
}

/** Further ways on. */
export function waysOn(...span: WayArguments): InspectorAction[] {
  const session = wayTo('session', ...span);
  return session === null ? [] : [session];
}
