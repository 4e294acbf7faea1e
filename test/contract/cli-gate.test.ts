/** `gate` on the command line with two files, without a connection: its exit codes, and the files that it writes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';

test('a gate over two files ends with the code of its result, and writes JUnit and Markdown', async () => {
  const folder = temporaryFolder('cli-gate');
  const file = (name: string, ones: number) => {
    const lines = Array.from({ length: 400 }, (_, at) =>
      JSON.stringify({ item_id: `i${at}`, scores: { quality: { value: at < ones ? 1 : 0, label: null } } }),
    );
    const path = `${folder.path}/${name}.jsonl`;
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  };
  const [good, bad, near] = [file('good', 360), file('bad', 300), file('near', 356)];
  const gate = (...args: string[]) => runHere(['gate', ...args], { dataDir: folder.path });
  const rule = ['--fail-if', 'worse > 2 %'];

  expect(await gate(good, good, ...rule)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Gate: passed\.\n$/),
  });
  const junit = `${folder.path}/gate.xml`;
  const markdown = `${folder.path}/gate.md`;
  const failed = await gate(good, bad, ...rule, '--junit', junit, '--markdown', markdown, '--json');
  expect(failed).toMatchObject({
    code: 10,
    stderr: expect.stringMatching(/^error GATE_FAILED: quality, worse > 2 %: failed\. Worse by 15 points/),
  });
  expect(JSON.parse(failed.stdout)).toMatchObject({
    result: 'failed',
    items: [{ score: 'quality', rule: 'worse > 2 %', result: 'failed', items: 400, value: 0.15 }],
  });
  expect(readFileSync(junit, 'utf8')).toContain('failures="1"');
  expect(readFileSync(markdown, 'utf8')).toContain('### Gate: failed');
  expect(await gate(good, near, ...rule)).toMatchObject({
    code: 11,
    stderr: expect.stringMatching(/more items would tell/),
  });

  writeFileSync(`${folder.path}/other.jsonl`, '{"item_id": "i1", "scores": {"tone": {"value": 1}}}\n');
  expect(await gate(good, `${folder.path}/other.jsonl`, ...rule)).toMatchObject({
    code: 12,
    stderr: expect.stringMatching(/^error GATE_EMPTY: quality, worse > 2 %: nothing to judge/),
  });
  const labelled = `${folder.path}/labelled.jsonl`;
  const scores = readFileSync(good, 'utf8').replaceAll('"scores":{', '"scores":{"my tone":{"label":"calm"},');
  writeFileSync(labelled, scores);
  expect(await gate(labelled, labelled, ...rule)).toMatchObject({
    code: 12,
    stderr: expect.stringMatching(
      /^error GATE_EMPTY: my tone, .* Its values are labels, which have no mean: only “missing” can be judged\. Name the scores that count: --score quality$/m,
    ),
  });
  expect(await gate(labelled, labelled, ...rule, '--score', 'quality')).toMatchObject({ code: 0 });
  expect(await gate(good, `${folder.path}/other.jsonl`, '--fail-if', 'missing > 1 %')).toMatchObject({
    code: 10,
  });
  expect(await gate(good, bad, '--fail-if', 'worse > 2')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('for percent write 2 %'),
  });
  expect(await gate(good, bad, ...rule, '--score', 'tone')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('It has quality'),
  });
  expect(await gate(good, bad, '--fail-if', 'bad')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('got bad'),
  });
  expect(await gate(good, bad, ...rule, '--sure', '99')).toMatchObject({ code: 2 });
  expect(await gate(good, 'run', ...rule)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('one of each'),
  });
  expect(await gate(good, `${folder.path}/none.jsonl`, ...rule)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error FILE_NOT_FOUND/),
  });
  writeFileSync(`${folder.path}/other.jsonl`, '{"item_id": "i1", "scores": {"quality": {"value": "0.9"}}}\n');
  expect(await gate(good, `${folder.path}/other.jsonl`, ...rule)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error FILE_MALFORMED: .*line 1: expected \{"item_id"/),
  });
  folder.remove();
});
