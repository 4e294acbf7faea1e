/** Fields that handlers add to new records: times, authors, references. */
import type { Service } from './service.ts';
import { notFound } from './service-error.ts';
import type { JsonRecord } from './store.ts';
import type { ResourceKind } from './store-resources.ts';

export const ORGANIZATION = { id: 'c2f1f2f0-5a55-4b1e-9d53-0a6f7e1c9a11', name: 'Meridian Mutual' };

/** The user of every token of the sample service. */
export const CALLER = {
  id: '0d6a2e0e-1b7d-4a35-8d0b-64f7a1d0c303',
  full_name: 'Sample user',
  email: 'sample.user@meridian.invalid',
};

/** Returns a function that reads records of a kind. It throws a 404 with `title` for an unknown id. */
export const requiredOf =
  (kind: ResourceKind, title: string) =>
  ({ stores }: Service, id: string): JsonRecord => {
    const record = stores.resources.get(kind, id);
    if (record === null) throw notFound(title, id);
    return record;
  };

/** Author and times of a record that is created now. */
export function madeNow(service: Service): JsonRecord {
  const now = new Date(service.clock.nowMs()).toISOString();
  return { created_at: now, updated_at: now, created_by: CALLER, updated_by: CALLER };
}

/** Author and time of a change that is made now. */
export function changedNow(service: Service): JsonRecord {
  return { updated_at: new Date(service.clock.nowMs()).toISOString(), updated_by: CALLER };
}

/** A reference to a record, as other records contain it: id and name. */
export function referenceTo(record: JsonRecord): JsonRecord {
  return { id: record['id'], name: record['name'] };
}

/** Id of the record that another one refers to in the field `name`, or null. */
export function idOfReference(record: JsonRecord, name: string): string | null {
  const target = record[name];
  if (typeof target !== 'object' || target === null || !('id' in target)) return null;
  return typeof target.id === 'string' ? target.id : null;
}

/** The fields of a body that were sent, including those that are null. */
export function sentFields(body: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
