/** Once before all component tests: builds the renderer where it is stale. */
import { bundle } from '../../build/bundle.ts';
import { useRunFolder } from '../helpers/run-folder.ts';

export default async function setUp(): Promise<() => void> {
  await bundle((line) => void process.stdout.write(`${line}\n`), { only: 'window' });
  return useRunFolder();
}
