/** Actions that open the trace and session of a span. */
import { parseTime } from '../../../electron/shared/zone-time.ts';
import { type JsonObject, textField } from '../../lib/records.ts';
import { rangeAround } from '../../lib/span-range.ts';
import type { InspectorAction } from '../../state/inspector.svelte.ts';
import { openScope } from './routes.ts';
import type { SpansTab } from './spans-tab.svelte.ts';

const TITLES = { trace: 'Open trace', session: 'Open session' } as const;

/** Opens its trace or session; null if it has none, or if it is the one shown. */
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

/** Opens a session of a list of sessions. `title`: its first question. */
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

/** Action of Enter and a double click. */
export function traceAction(...span: SpanArguments): InspectorAction | null {
  return actionTo('trace', ...span);
}

/** Further targets to open. */
export function sessionActions(...span: SpanArguments): InspectorAction[] {
  const session = actionTo('session', ...span);
  return session === null ? [] : [session];
}
