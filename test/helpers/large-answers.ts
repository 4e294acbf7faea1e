/** The worst accepted answers, and the cost of reading them in a separate process. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ScriptedServer } from './scripted-server.ts';

const run = promisify(execFile);
const MEGABYTE = 1_048_576;

export interface LargeCase {
  name: string;
  /** `order`: a stored list, whose rows are sorted, filtered and selected. */
  kind: 'record' | 'list' | 'raw' | 'order';
  /** Number of reads at the same time. */
  count: number;
  make: () => string;
  /** Whether only the command line requests it, so that the process has no other work meanwhile. */
  isCommand?: boolean;
}

const record = (fields: string) =>
  `{"api_version":"3.0","kind":"NORMAL","data":{"id":"a","name":"b",${fields}}}`;
const list = (items: string[]) =>
  `{"api_version":"3.0","kind":"PAGINATED","data":{"total":${items.length},"offset":0,"items":[${items.join()}]}}`;
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

export const MAX_MB = 500;

/** Answers that are requested first, as in any process. */
const SMALL: Readonly<Record<LargeCase['kind'], string>> = {
  record: record('"c":1'),
  list: list(['{"id":"1","name":"x"}']),
  raw: '{}',
  order: list(['{"id":"1","name":"x","of":{"rank":1}}']),
};

export const LARGE_CASES: readonly LargeCase[] = [
  {
    name: 'four texts of 15 MB',
    kind: 'record',
    count: 1,
    make: () => record(times(4, (i) => `"t${i}":"${'x'.repeat(15 * MEGABYTE)}"`).join()),
  },
  {
    name: '99,000 fields',
    kind: 'record',
    count: 1,
    make: () => record(times(99_000, (i) => `"key ${i}":"${'v'.repeat(500)}"`).join()),
  },
  {
    name: '160,000 items',
    kind: 'list',
    count: 1,
    make: () => list(times(160_000, (i) => `{"id":"${i}","name":"x"}`)),
  },
  {
    name: 'seven items of 8 MB',
    kind: 'list',
    count: 1,
    make: () => list(times(7, (i) => `{"id":"${i}","name":"${'x'.repeat(7.9 * MEGABYTE)}"}`)),
  },
  {
    name: 'four at once of 240,000 objects',
    kind: 'raw',
    count: 4,
    make: () => `[${times(240_000, (i) => `{"a":${i}}`).join()}]`,
  },
  {
    name: 'a record of 5 MB, four at once',
    kind: 'record',
    count: 4,
    make: () => record(`"t":"${'x'.repeat(5 * MEGABYTE)}"`),
  },
  {
    name: 'rows of 8 MB, sorted and narrowed',
    kind: 'order',
    count: 1,
    make: () =>
      list(
        times(
          7,
          (i) => `{"id":"${i}","name":"n","of":{"rank":${-i},"text":"${'x'.repeat(7.9 * MEGABYTE)}"}}`,
        ),
      ),
  },
  {
    name: '300 rows of 85 KB, sorted and narrowed',
    kind: 'order',
    count: 1,
    make: () =>
      list(times(300, (i) => `{"id":"${i}","name":"n","of":{"rank":${-i},"text":"${'x'.repeat(85_000)}"}}`)),
  },
  {
    name: '60 MB as they came',
    kind: 'raw',
    count: 1,
    isCommand: true,
    make: () => `[${times(4, () => `"${'x'.repeat(15 * MEGABYTE)}"`).join()}]`,
  },
];

const cost = z.object({
  mostMb: z.number(),
  longestMs: z.number(),
  longestGcMs: z.number(),
  over: z.number(),
});

/** The memory of the process, and the processor time of its main thread's turns. */
export async function costOf({
  kind,
  count,
  make,
}: LargeCase): Promise<z.infer<typeof cost> & { asked: number }> {
  const body = make();
  await using server = await ScriptedServer.start(({ url }, response) =>
    response.writeHead(200).end(url.includes('small') ? SMALL[kind] : body),
  );
  const child = join(import.meta.dirname, 'answer-child.ts');
  const { stdout } = await run(process.execPath, [child, server.baseUrl, kind, String(count)]);
  return {
    ...cost.parse(JSON.parse(stdout)),
    asked: server.received.filter(({ url }) => !url.includes('small')).length,
  };
}
