/** Where one goes from a span. */
import { parseTime } from '../../lib/format.ts';
import { type JsonObject, textField } from '../../lib/records.ts';
import { rangeAround } from '../../lib/span-range.ts';
import type { InspectorAction } from '../../state/inspector.svelte.ts';
import { openScope } from './routes.ts';
import type { SpansTab } from './spans-tab.svelte.ts';

/** To its trace and session, where they are not what is shown. */
export function waysOn(
  row: JsonObject,
  { range, scope }: Pick<SpansTab, 'range' | 'scope'>,
  application: { id: string; name: string },
): InspectorAction[] {
  if (range === null) return [];
  const around = rangeAround(range, parseTime(row['start_time']));
  const ways: InspectorAction[] = [];
  for (const kind of ['trace', 'session'] as const) {
    const id = textField(row, `${kind}_id`);
    if (id === '' || (scope?.kind === kind && scope.id === id)) continue;
    const title = kind === 'trace' ? 'Open trace' : 'Open session';
    ways.push({ title, run: () => openScope({ kind, id }, application, around) });
  }
  return ways;
}
