/** Fields shared by several resources, with their labels. */
import type { KnownField } from '../../lib/field-list.ts';

/** Known fields with their labels. A name remains a text even if it looks like a time. */
export function known(labels: Readonly<Record<string, string | Omit<KnownField, 'name'>>>): KnownField[] {
  return Object.entries(labels).map(([name, label]) =>
    typeof label === 'string' ? { name, label } : { name, ...label },
  );
}

export const NAME_KNOWN: KnownField = { name: 'name', label: 'Name', kind: 'text' };

/** Authors and times, which come at the end of every record. */
export const STAMPS_KNOWN: readonly KnownField[] = known({
  organization: 'Organization',
  created_at: 'Created',
  created_by: 'Created by',
  updated_at: 'Updated',
  updated_by: 'Updated by',
  id: 'Id',
}).map((field) => ({ ...field, isStamp: true }));
