/** Bytes of uploaded files, in numbered parts. */
import type { Sqlite } from './store.ts';

interface FilePartRow {
  fileId: string;
  number: number;
  partId: string;
  bytes: Uint8Array;
}

export interface FileStore {
  /** Stores a part; a part with the same number is replaced. */
  put(part: FilePartRow): void;
  parts(fileId: string): { number: number; partId: string }[];
  /** The complete file, from its parts in numeric order. */
  read(fileId: string): Uint8Array;
}

export function createFileStore(db: Sqlite): FileStore {
  const put = db.prepare(
    `INSERT INTO file_part (file_id, number, part_id, bytes) VALUES (?, ?, ?, ?)
     ON CONFLICT (file_id, number) DO UPDATE SET part_id = excluded.part_id, bytes = excluded.bytes`,
  );
  const parts = db.prepare<[string], { number: number; partId: string }>(
    'SELECT number, part_id AS partId FROM file_part WHERE file_id = ? ORDER BY number',
  );
  const read = db.prepare<[string], { bytes: Buffer }>(
    'SELECT bytes FROM file_part WHERE file_id = ? ORDER BY number',
  );
  return {
    put: ({ fileId, number, partId, bytes }) => {
      put.run(fileId, number, partId, bytes);
    },
    parts: (fileId) => parts.all(fileId),
    read: (fileId) => Buffer.concat(read.all(fileId).map((row) => row.bytes)),
  };
}
