/** Actions that open the trace or the session of a span. */
import { parseTime } from '../../../electron/shared/zone-time.ts';
import { type JsonObject, textField } from '../../lib/records.ts';
import { rangeAround } from '../../lib/span-range.ts';
import type { InspectorAction } from '../../state/inspector.svelte.ts';
import { openScope } from './routes.ts';
import type { SpansTab } from './spans-tab.svelte.ts';

const TITLES = { trace: 'Open trace', session: 'Open session' } as const;

/** Opens the trace or session; null if the span has none, or if it is the one that is shown. */
function actionTo(
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

/** Opens a session from a list of sessions. `title`: its first question. */
export function sessionAction(
  row: JsonObject,
  { range }: Pick<SpansTab, 'range'>,
  application: { id: string; name: string },
  title: string,
): InspectorAction | null {
  const id = textField(row, 'session_id');
  if (range === null || id === '') return null;
  const around = rangeAround(range, parseTime(row['start_time']));
  return {
    title: TITLES.session,
    run: () => openScope({ kind: 'session', id }, application, around, '', title),
  };
}

type SpanArguments = [
  row: JsonObject,
  shown: Pick<SpansTab, 'range' | 'scope'>,
  application: { id: string; name: string },
];

/** The action of Enter and of a double click: opens the trace. */
export function traceAction(...span: SpanArguments): InspectorAction | null {
  return actionTo('trace', ...span);
}

/** Actions that open further targets. */
export function sessionActions(...span: SpanArguments): InspectorAction[] {
  const session = actionTo('session', ...span);
  return session === null ? [] : [session];
}
