/** Opens kept content: the view of an entry, or the view of one of its lists or records. */
import type { Kept } from '../../../electron/shared/keep-model.ts';
import type { ListQuery } from '../../../electron/shared/model.ts';
import { isoTime } from '../../../electron/shared/zone-time.ts';
import { textField } from '../../lib/records.ts';
import { rangeToParams, type SpanRange } from '../../lib/span-range.ts';
import { app } from '../../state/app.svelte.ts';
import { kept } from '../../state/kept.svelte.ts';
import { openKeptBoard } from '../parts/board-routes.ts';
import { openRule } from '../parts/monitoring-routes.ts';
import { openCatalog } from '../resources/kinds/organizing.ts';
import { openList, openRecord } from '../resources/open.ts';
import { openWithColumns } from '../spans/routes.ts';

export function openOffline(): void {
  app.tabs.open('offline', 'Offline library');
}

/** Opens the offline view with the dialog for keeping something. */
export function keepSomething(): void {
  openOffline();
  kept.asked = 'any';
}

/** Opens the view of a kept entry. */
export function openKept({ plan: { kind, id, name, range, body } }: Pick<Kept, 'plan'>): void {
  if (kind === 'application') openCatalog({ id, name });
  else if (kind === 'dataset') openRecord('datasets', id, name);
  else if (kind === 'experiment') openRecord('experiments', id, name);
  else if (kind === 'model') openRecord('models', id, name);
  else if (kind === 'board') openKeptBoard(id, name, body ?? null);
  else if (kind === 'chart') app.tabs.open('chart', name, { chartId: id });
  else {
    openRule(id, name);
    const tab = app.tabs.active;
    if (range !== null && tab?.kind === 'alert-rule')
      app.tabs.update(tab.id, { params: { ...tab.params, ...rangeToParams({ id: 'custom', ...range }) } });
  }
}

/** Opens the kept spans of an application. */
export function openKeptSpans({ plan: { id, name, range } }: Pick<Kept, 'plan'>): void {
  if (range !== null) openWithColumns(`Spans of ${name}`, [], { id, name }, { id: 'custom', ...range });
}

/** Opens the view of a list or record. `owner`: the entry that it belongs to. */
export function openStoredList({ operation, path, query, body }: ListQuery, owner: Pick<Kept, 'plan'>): void {
  const { name } = owner.plan;
  const [subject = ''] = operation.split('.');
  const applicationId = path['application_id'] ?? textField(body ?? {}, 'application_id');
  if (operation === 'catalog.list') {
    openCatalog({ id: applicationId, name });
    const tab = app.tabs.active;
    if (tab?.kind === 'catalog') app.tabs.update(tab.id, { params: { ...tab.params, ...query } });
  } else if (operation === 'catalog.values') {
    const value = query['name'] ?? '';
    const entityType = query['entity_type'] ?? '';
    app.tabs.open('values', value, { applicationId, applicationName: name, entityType, name: value });
  } else if (subject === 'spans') {
    openWithColumns(`Spans of ${name}`, [], { id: applicationId, name }, rangeOfBody(body));
  } else if (operation.endsWith('.list') && query['filter'] === undefined) {
    openList(subject);
  } else openKept(owner);
}

function rangeOfBody(body: ListQuery['body']): SpanRange {
  const at = (field: string) => isoTime(textField(body ?? {}, field)) ?? Number.NaN;
  return { id: 'custom', startMs: at('start_time'), endMs: at('end_time') };
}
