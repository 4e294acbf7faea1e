/** Opens the views of resources. */
import { app } from '../../state/app.svelte.ts';
import { findResource, resourceOfField } from './registry.ts';

/** Opens the list of a resource. */
export function openList(resourceId: string): void {
  const resource = findResource(resourceId);
  if (resource === null) return;
  if (resource.home !== undefined) {
    resource.home();
    return;
  }
  app.tabs.open('resources', resource.title, { resource: resourceId });
}

/** Opens a record, in the tab that already shows it, if any. */
export function openRecord(resourceId: string, id: string, name: string): void {
  const resource = findResource(resourceId);
  if (resource === null) return;
  if (resource.open !== undefined) {
    resource.open(id, name);
    return;
  }
  const title = name === '' ? resource.noun : name;
  app.tabs.open('resource', title, { resource: resourceId, id, name: title });
}

/** Prefix of tab parameters with initial values for the form of a new record. */
export const START = 'start.';

/** Opens the form of a new record; if the id of another record is given, as a copy of it. */
export function openNew(
  resourceId: string,
  start: Readonly<Record<string, string>> = {},
  like: { id: string; name: string } | null = null,
): void {
  const resource = findResource(resourceId);
  if (resource === null) return;
  const values = Object.entries(start).filter(([, value]) => value !== '');
  app.tabs.open('resource', like === null ? `New ${resource.noun}` : `Copy of ${like.name}`, {
    resource: resourceId,
    mode: 'new',
    ...Object.fromEntries(values.map(([name, value]) => [`${START}${name}`, value])),
    ...(like === null ? {} : { like: like.id }),
  });
}

/** Opens the record that a field refers to; null if no view shows such records. */
export function openReference(field: string, id: string, name: string): (() => void) | null {
  const resourceId = resourceOfField(field);
  if (resourceId === null || id === '') return null;
  return () => openRecord(resourceId, id, name);
}
