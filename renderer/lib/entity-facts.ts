/** Known facts about an entity whose distinct values the service does not list. Pure. */
import type { ColumnProfile } from '../../electron/shared/analysis-model.ts';
import { constantWords } from '../../electron/shared/constant-words.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import { formatCount, formatFull, formatNumber, formatStamp } from './format.ts';
import { type JsonObject, textField } from './records.ts';

interface EntityFact {
  name: string;
  value: string;
  title?: string;
}

const TIMES = [
  ['first_seen', 'First seen'],
  ['last_seen', 'Last seen'],
] as const;

/** The catalog row with this name, preferably with this type too, as types can share a name. */
export function findEntity(rows: readonly JsonObject[], name: string, entityType: string): JsonObject | null {
  const named = rows.filter((row) => row['name'] === name);
  return named.find((row) => row['entity_type'] === entityType) ?? named[0] ?? null;
}

export function entityFacts(entity: JsonObject): EntityFact[] {
  const facts: EntityFact[] = [];
  const type = textField(entity, 'data_type');
  const meaning = textField(entity, 'semantic_name');
  const rows = entity['row_count'];
  if (type !== '') facts.push({ name: 'Type', value: type });
  if (meaning !== '') facts.push({ name: 'Semantic name', value: meaning });
  if (typeof rows === 'number') facts.push({ name: 'Rows', value: formatNumber(rows) });
  for (const [field, label] of TIMES) {
    const ms = parseTime(entity[field]);
    if (ms !== null) facts.push({ name: label, value: formatStamp(ms), title: formatFull(ms) });
  }
  return facts;
}

/** The reason why no value is shown, if it is known. */
export function noValuesReason(name: string, entityType: string, entity: JsonObject | null): string {
  if (entity === null)
    return `The service lists no values of ${name} for the entity type “${constantWords(entityType)}”.`;
  const type = textField(entity, 'data_type');
  if (type === 'numeric') return `The service lists no values of ${name} because it is numeric.`;
  const rows = entity['row_count'];
  const seen = typeof rows === 'number' && rows > 0 ? `, although ${formatCount(rows, 'row')} have it` : '';
  return `The service lists no values of ${name} for the entity type “${constantWords(entityType)}”${seen}.`;
}

/** `Counted over the 240 of 1,000 stored spans that have a number here, of 10,148 in this time.` */
export function describeNumbers({ bars, rows }: ColumnProfile, totalRows: number | null): string {
  const having = bars.reduce((sum, { total }) => sum + total, 0);
  const all =
    totalRows === null || totalRows <= rows.total ? '' : `, of ${formatNumber(totalRows)} in this time`;
  return `Counted over the ${formatNumber(having)} of ${formatCount(rows.total, 'stored span')} that have a number here${all}.`;
}
