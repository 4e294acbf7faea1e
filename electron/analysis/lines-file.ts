/** Reads records from a JSON Lines file. Runs in the analysis process. */
import { closeSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 1_000_000;
const LINE_END = 0x0a;

/** Each line with its number from 0 on. Read in chunks, because the file may be larger than memory. */
export function* readLines(file: string): Generator<[number, string]> {
  const handle = openSync(file, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let position = 0;
  let rest = Buffer.alloc(0);
  try {
    for (let size = readSync(handle, chunk); size > 0; size = readSync(handle, chunk)) {
      const bytes = Buffer.concat([rest, chunk.subarray(0, size)]);
      let start = 0;
      for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, start)) {
        yield [position, bytes.toString('utf8', start, end)];
        position += 1;
        start = end + 1;
      }
      rest = Buffer.from(bytes.subarray(start));
    }
    if (rest.length > 0) yield [position, rest.toString('utf8')];
  } finally {
    closeSync(handle);
  }
}
