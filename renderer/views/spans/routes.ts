/** Opens the views of spans, and of the datasets that are made from them. */
import type { ColumnFilter } from '../../../electron/shared/analysis-model.ts';
import type { DatasetBuild } from '../../../electron/shared/dataset-model.ts';
import type { SpanRange } from '../../lib/span-range.ts';
import { rangeToParams } from '../../lib/span-range.ts';
import { isRootFilter, withRoots } from '../../lib/span-roots.ts';
import { distinctTitle, type SpanScope } from '../../lib/span-scope.ts';
import { app } from '../../state/app.svelte.ts';
import { basketOf } from '../../state/baskets.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import type { Tab } from '../../state/tabs.svelte.ts';
import { listOfTab } from '../parts/tab-models.ts';

/** Key under which the application that was shown last is stored. */
export const APPLICATION_KEY = 'spans.application';

export function openSpans(): void {
  app.tabs.open('spans', 'Spans');
}

const FAILED = JSON.stringify({
  condition: 'AND',
  rules: [{ field: 'Span::status_code', operator: 'eq', value: 'ERROR' }],
});
/** Shows the spans of the application that was chosen last, with this filter or in this order. */
function showSpans(params: Readonly<Record<string, string>>): void {
  const tab = app.tabs.open('spans', 'Spans');
  const { filter: _, ordering: __, part: ___, ...stays } = tab.params;
  app.tabs.update(tab.id, { params: { ...stays, part: 'spans', ...params } });
}
export const showFailedSpans = (): void => showSpans({ filter: FAILED });
export const showSlowSpans = (): void => showSpans({ ordering: '-duration' });

/** Opens the spans of a build's application, so that more can be picked. */
export function pickMore({
  connectionId,
  buildId,
  applicationId: id,
  applicationName: name,
}: DatasetBuild): void {
  basketOf(connectionId, { id, name }).use(buildId);
  const tab = app.tabs.open('spans', 'Spans');
  if (tab.params['application_id'] === id) return;
  app.keep.set(APPLICATION_KEY, id);
  app.tabs.update(tab.id, { params: { application_id: id, application_name: name } });
}

/** The title of a tab for a scope. It differs from the titles of other scopes that are open or were opened. */
export function titleOfScope(scope: SpanScope, named: string): string {
  const others = [...app.tabs.list, ...app.recents.list].filter(
    ({ kind, params }) => kind === 'trace' && params['scope_id'] !== scope.id,
  );
  return distinctTitle(
    scope,
    named,
    others.map(({ title }) => title),
  );
}

/**
 * Opens all spans of a trace or session, or one span by its id, in a separate tab. `fromSpan`: initial position of the
 * cursor. `named`: the first question or the name; empty if unknown.
 */
export function openScope(
  scope: SpanScope,
  application: { id: string; name: string },
  range: SpanRange,
  fromSpan = '',
  named = '',
): void {
  const from = fromSpan === '' ? {} : { at_span: fromSpan };
  const title = titleOfScope(scope, named);
  const known = app.tabs.list.find(
    ({ kind, params }) =>
      kind === 'trace' && params['scope'] === scope.kind && params['scope_id'] === scope.id,
  );
  if (known !== undefined) {
    app.tabs.update(known.id, { params: { ...known.params, ...from } });
    app.tabs.activate(known.id);
    return;
  }
  app.tabs.open('trace', title, {
    scope: scope.kind,
    scope_id: scope.id,
    application_id: application.id,
    application_name: application.name,
    ordering: 'start_time',
    ...from,
    ...rangeToParams(range),
  });
}

/** Opens the spans that match a filter in a separate tab, as the tab of all spans keeps its own filter. */
export function openFiltered(
  title: string,
  filter: string,
  application: { id: string; name: string },
  range: SpanRange,
): void {
  app.tabs.open('trace', title, {
    application_id: application.id,
    application_name: application.name,
    filter,
    ...rangeToParams(range),
  });
}

/** Opens the spans of a time range in a separate tab. */
export function openRange(title: string, application: { id: string; name: string }, range: SpanRange): void {
  app.tabs.open('trace', title, {
    application_id: application.id,
    application_name: application.name,
    ...rangeToParams(range),
  });
}

/** The spans of an application that a tab shows. */
export const spansOfTab = (tabId: string, applicationId: string): ListModel =>
  listOfTab(tabId, `spans.${applicationId}`);

/** If another application is chosen in a tab, it is shown by traces or by spans as before. */
export function showSameRoots(tabId: string, before: string, next: string): void {
  const isOn = spansOfTab(tabId, before).filters.some(isRootFilter);
  const list = spansOfTab(tabId, next);
  list.setFilters(withRoots(list.filters, isOn));
}

/**
 * Opens spans with these attributes as columns in a separate tab. Only stored spans that pass the filters are shown.
 */
export function openWithColumns(
  title: string,
  keys: readonly string[],
  application: { id: string; name: string },
  range: SpanRange,
  filters: readonly ColumnFilter[] = [],
): void {
  const tab = app.tabs.open('trace', title, {
    application_id: application.id,
    application_name: application.name,
    ...(keys.length === 0 ? {} : { columns: JSON.stringify(keys) }),
    ...rangeToParams(range),
  });
  spansOfTab(tab.id, application.id).setFilters(filters);
}

export const BUILD_STEPS = ['spans', 'mapping', 'preview', 'dataset', 'commit'] as const;
export type BuildStep = (typeof BUILD_STEPS)[number];

/** Opens the steps of a dataset from spans, at the given step if there is one. */
export function openBuild(buildId: string, name: string, step?: BuildStep, review = ''): Tab {
  const known = app.tabs.list.find(({ kind, params }) => kind === 'build' && params['build'] === buildId);
  const tab = known ?? app.tabs.open('build', name, { build: buildId });
  app.tabs.activate(tab.id);
  if (step !== undefined) app.tabs.update(tab.id, { params: { ...tab.params, step, review } });
  return tab;
}

export function openBuilds(): void {
  app.tabs.open('builds', 'Drafts');
}
