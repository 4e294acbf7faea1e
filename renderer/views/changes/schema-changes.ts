/** The schema changes that a tab shows, and links from a change to its rows and its mapping. */
import type { ColumnFilter } from '../../../electron/shared/analysis-model.ts';
import { type ListedSchemaChange, nameOfGroup, typeOfGroup } from '../../../electron/shared/schema-model.ts';
import type { SpanRange } from '../../lib/span-range.ts';
import { app } from '../../state/app.svelte.ts';
import { clock } from '../../state/clock.svelte.ts';
import { jobs } from '../../state/jobs.svelte.ts';
import { SchemaChanges } from '../../state/schema-changes.svelte.ts';
import { openDataset } from '../parts/dataset-routes.ts';
import { activeConnectionId } from '../parts/tab-models.ts';
import { openBuild, openBuilds, openWithColumns } from '../spans/routes.ts';

const ATTRIBUTES = 'span_attributes.';

export function schemaChangesOfTab(tabId: string): SchemaChanges {
  return app.tabs.hold(tabId, 'schema changes', () => new SchemaChanges(activeConnectionId()));
}

/** Opens the new rows of the change. If spans began to lack a field, opens only the spans without it. */
export function openChangedRows({ list, name, path, group, kind, sinceMs }: ListedSchemaChange): void {
  const named = { id: list.id, name: name === '' ? list.id : name };
  if (list.kind === 'items') {
    openDataset(named);
    return;
  }
  const filters: ColumnFilter[] = [
    { kind: 'range', field: 'start_time', from: sinceMs, to: null, includesTo: false },
    ...[
      { field: 'span_type', value: typeOfGroup(group) },
      { field: 'name', value: nameOfGroup(group) },
    ].flatMap(({ field, value }) =>
      value === '' ? [] : [{ kind: 'values' as const, field, values: [value], excludes: false }],
    ),
    ...(kind === 'type' ? [] : [{ kind: 'emptiness' as const, field: path, is: 'missing' as const }]),
  ];
  const key = path.startsWith(ATTRIBUTES) ? path.slice(ATTRIBUTES.length) : null;
  openWithColumns(
    `New rows: ${key ?? path}`,
    key === null ? [] : [key],
    named,
    rangeOf(list.id, sinceMs),
    filters,
  );
}

/** The range in which this application is kept, as it is stored; otherwise from the first new row until now. */
function rangeOf(applicationId: string, sinceMs: number): SpanRange {
  const kept = jobs
    .of('keep-offline')
    .find(({ plan }) => plan.kind === 'application' && plan.id === applicationId && plan.range !== null);
  const { startMs, endMs } = kept?.plan.range ?? { startMs: sinceMs, endMs: clock.nowMs };
  return { id: 'custom', startMs, endMs: Math.max(endMs, startMs + 1) };
}

/** Opens the mapping of the application's newest draft; the list of drafts if there is none. */
export function openMappingOf({ list }: ListedSchemaChange): void {
  const draft = jobs
    .of('build')
    .find(({ applicationId, state }) => applicationId === list.id && state === 'editing');
  if (draft === undefined) openBuilds();
  else openBuild(draft.buildId, draft.name, 'mapping');
}
