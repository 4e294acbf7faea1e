/** How the fields of a dataset's items changed between two versions, in words. Pure. */
import type { FieldDrift } from '../../electron/shared/snapshot-model.ts';
import { formatCount } from './format.ts';

export function driftText({ path, kind: what, before: was, after: is, items }: FieldDrift): string {
  if (what === 'new') return `${path} is new in ${formatCount(items, 'item')}`;
  return what === 'gone' ? `${path} is gone` : `${path} went from ${was.join(' or ')} to ${is.join(' or ')}`;
}
