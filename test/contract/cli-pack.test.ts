/** Packs on the command line: the private fields in the settings are masked without being named. */
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-pack');
const DATASET = 'Support answers, golden set';

test('the private fields of the settings are masked in a pack, in addition to those named', async () => {
  await rig.run('datasets', '--all');
  await rig.run('items', DATASET, '--all');
  await rig.run('settings', 'set', 'privateFields', 'inputs.question, patient.*');
  const create = ['pack', 'create', '--dataset', DATASET, '--redact', 'metadata', '--redact', 'patient.*'];
  const plan = await rig.answered(...create, '--plan');
  expect(plan.fields).toContainEqual(expect.objectContaining({ path: 'inputs.question', isMasked: true }));
  const file = rig.file('a.pack');
  const { manifest } = await rig.answered(...create, '--output', file);
  expect(manifest.redact).toEqual(['inputs.question', 'patient.*', 'metadata']);
  // Views are among the parts that can be packed.
  const view = await rig.run(...create, '--view', 'Mine', '--plan');
  expect(view.stderr).toMatch(/^error NOT_STORED: No saved view Mine is stored on this computer\./m);
  expect((await rig.run('pack', 'show', file)).stdout).toContain('Masked: inputs.question, patient.*');
});
