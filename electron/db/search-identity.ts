/** Identifies the same record in several lists. */
import { createHash } from 'node:crypto';
import type { ListQuery } from '../shared/model.ts';
import { recordScopeOf } from '../shared/record-scope.ts';

/** A hash that is equal for the same record in all lists; null if the record has no identity. */
export function recordHash(
  query: ListQuery,
  record: Readonly<Record<string, unknown>>,
  identity: string | null,
): bigint | null {
  if (identity === null) return null;
  const scope = recordScopeOf(query, record);
  return createHash('sha256').update(`${scope}\n${identity}`).digest().readBigInt64BE(0);
}
