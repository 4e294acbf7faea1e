/**
 * A bare parser and a bare client in a separate process. Arguments: `FILE BASE_URL ROWS BODY_FILE`. Parses the file
 * with papaparse, then sends the same body for each 1,000 rows, on four connections.
 */
import { createReadStream, readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { Agent, request } from 'undici';
import { z } from 'zod';

const BATCH_ROWS = 1_000;
const CONNECTIONS = 4;
const READ_BYTES = 256 * 1024;

const [file, baseUrl, rows, bodyFile] = z
  .tuple([z.string(), z.string(), z.coerce.number(), z.string()])
  .parse(process.argv.slice(2));

await new Promise<void>((resolve, reject) => {
  Papa.parse<string[]>(createReadStream(file, { highWaterMark: READ_BYTES }), {
    skipEmptyLines: true,
    chunk: () => undefined,
    complete: () => resolve(),
    error: reject,
  });
});

const body = readFileSync(bodyFile, 'utf8');
const dispatcher = new Agent({ connections: CONNECTIONS });
let left = Math.ceil(rows / BATCH_ROWS);
const lane = async () => {
  while (left > 0) {
    left -= 1;
    const answer = await request(`${baseUrl}/v3/events`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      dispatcher,
    });
    JSON.parse(await answer.body.text());
  }
};
await Promise.all(Array.from({ length: CONNECTIONS }, lane));
await dispatcher.close();
