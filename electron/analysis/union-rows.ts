/**
 * Reads the distinct records of several stored lists of one kind, with additional columns from their lists. Runs in the
 * analysis process.
 */
import { IS_SOUND, WHOLE_RECORD } from '../db/list-reads.ts';
import { openToRead } from '../db/open-file.ts';
import { soundJson } from '../shared/record-parts.ts';
import { recordScopeOf } from '../shared/record-scope.ts';
import * as z from '../shared/zod.ts';
import { ADDED } from './sql-text.ts';

export const unionPart = z.strictObject({
  generationId: z.int(),
  revision: z.int(),
  rowCount: z.int(),
  query: z.strictObject({
    operation: z.string(),
    path: z.record(z.string(), z.string()),
    query: z.record(z.string(), z.string()),
  }),
  /** Additional columns, which come before those of the records. */
  added: z.record(z.string(), z.string().nullable()),
});
/** A stored list in a union. The most recently read list comes first. */
export type UnionPart = z.infer<typeof unionPart>;

type Row = readonly [identity: string | null, json: string, isSound: number];

/** `samples`: approximate number of rows. Samples may contain duplicate records. */
export function* readUnion(
  libraryFile: string,
  parts: readonly UnionPart[],
  samples?: number,
): Generator<[number, string]> {
  const db = openToRead(libraryFile, 'copy');
  try {
    const rows = db
      .prepare(
        `SELECT identity, ${WHOLE_RECORD}, ${IS_SOUND} FROM list_row WHERE generation_id = ? ORDER BY position LIMIT ?`,
      )
      .raw();
    const isAlone = parts.length === 1;
    const known = new Set<string>();
    let position = 0;
    for (const { generationId, query, added } of parts) {
      const most = samples === undefined ? -1 : Math.ceil(samples / parts.length);
      const front = frontOf(added);
      const unnamed = new Map<string, number>();
      for (const row of rows.iterate(generationId, most)) {
        const [identity, stored, isSound] = row as Row;
        const json = asObject(isSound === 1 ? stored : soundJson(stored));
        if (!isAlone && samples === undefined) {
          const key = keyOf(query, identity ?? unnamedKey(unnamed, json), json);
          if (known.has(key)) continue;
          known.add(key);
        }
        yield [position, `{${front}${json === '{}' ? '' : `,${json.slice(1, -1)}`}}`];
        position += 1;
      }
    }
  } finally {
    db.close();
  }
}

/** Adds fields before those of the record. A record that is not an object becomes a field itself. */
const asObject = (json: string): string => (json.startsWith('{') ? json : `{"value":${json}}`);

/** Rows without an identity are the same record if they are equal. Repetitions within one list count separately. */
function unnamedKey(counts: Map<string, number>, json: string): string {
  const count = (counts.get(json) ?? 0) + 1;
  counts.set(json, count);
  return `${ADDED}${count} ${json}`;
}

function keyOf(query: UnionPart['query'], identity: string, json: string): string {
  const record: unknown = query.operation === 'catalog.list' ? JSON.parse(json) : {};
  const scope = recordScopeOf(query, record as Readonly<Record<string, unknown>>);
  return `${scope}\n${identity}`;
}

function frontOf(added: UnionPart['added']): string {
  return Object.entries(added)
    .map(([name, value]) => `${JSON.stringify(`${ADDED}${name}`)}:${JSON.stringify(value)}`)
    .join(',');
}
