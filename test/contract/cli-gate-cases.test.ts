/** Forty gates, each over two files: checks the exit code and the output of the command line. */
import { writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { CASES, tracesOf } from '../helpers/gate-cases.ts';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';

const CODES = { passed: 0, failed: 10, unsure: 11, empty: 12 } as const;
const folder = temporaryFolder('cli-gate-cases');
afterAll(() => folder.remove());

/** Each value is a row of `export scores`; null if the item has no score. */
function fileOf(
  name: string,
  numbers: readonly (number | null)[],
  traces: ReadonlyMap<string, string>,
): string {
  const lines = numbers.map((value, at) =>
    JSON.stringify({
      item_id: `item ${at}`,
      scores: value === null ? {} : { quality: { value, label: null, reasoning: null } },
      trace_id: traces.get(`item ${at}`) ?? null,
    }),
  );
  const path = `${folder.path}/${name}.jsonl`;
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

test('the table has forty cases, each named once', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(40);
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
});

test.each(CASES)('$name ends with its code and words', async ({ sides, rule, result, ofOneTrace, words }) => {
  const traces = ofOneTrace === undefined ? new Map() : tracesOf(sides[0].length, ofOneTrace);
  const [before, after] = [fileOf('before', sides[0], traces), fileOf('after', sides[1], traces)];
  const { code, stdout, stderr } = await runHere(['gate', before, after, '--fail-if', rule], {
    dataDir: folder.path,
  });
  expect(code).toBe(CODES[result]);
  expect(result === 'passed' ? stdout : stderr).toContain(words);
});
