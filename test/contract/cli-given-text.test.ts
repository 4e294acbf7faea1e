/** Text in files and on standard input: its encoding, and stopping while it is awaited. */
import { writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { CommandContext } from '../../electron/cli/context.ts';
import { readStandardInput } from '../../electron/cli/given-text.ts';
import { askPassphrase } from '../../electron/cli/passphrase.ts';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-given-text');
const created = () => rig.service.report().operations['projects.create']?.requests ?? 0;

test('a body in another encoding than UTF-8 is refused, and marks of Unicode encodings are no part of it', async () => {
  const body = '{"name": "Café"}';
  const file = rig.file('body.json');
  writeFileSync(file, Buffer.from(body, 'latin1'));
  const refused = await rig.run('create', 'projects', '--body', `@${file}`);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(
    'is not text in UTF-8, nor in UTF-16 with its mark (FF FE). Save it as UTF-8',
  );
  expect(created()).toBe(0);
  for (const [text, reason] of [
    ['\ufeff{"name": "\ud83d"}', /is text in UTF-16 with half of a character in it\. Save it as UTF-8/],
    ['\ufeff\0{\0', /is text in UTF-32, which is not read\. Save it as UTF-8/],
  ] as const) {
    writeFileSync(file, text, 'utf16le');
    expect((await rig.run('create', 'projects', '--body', `@${file}`)).stderr).toMatch(reason);
  }
  expect(created()).toBe(0);
  for (const encoding of ['utf8', 'utf16le'] as const) {
    writeFileSync(file, `\ufeff{"name": "Café ${encoding}"}`, encoding);
    const { record } = await rig.answered('create', 'projects', '--body', `@${file}`);
    expect(record.name).toBe(`Café ${encoding}`);
  }
  writeFileSync(file, Buffer.from('{"timeZone": "Asunción"}', 'latin1'));
  expect(await rig.run('settings', 'import', file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not text in UTF-8'),
  });
});

/** The parts of a context that reading needs, with a standard input that never ends. */
function waiting() {
  const stop = new AbortController();
  const parts = { stdin: new PassThrough(), env: {}, signal: stop.signal, output: { note: () => undefined } };
  // The other parts of a context are not used.
  return { stop: () => stop.abort(), context: parts as unknown as CommandContext };
}

test.each([
  ['standard input', readStandardInput],
  ['a passphrase', (context: CommandContext) => askPassphrase(context, true)],
])('Ctrl-C stops a command that waits for %s', async (_what, read) => {
  const { stop, context } = waiting();
  const reading = read(context);
  stop();
  await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
});
