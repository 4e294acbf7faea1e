/** Runs once before all component tests: builds the renderer if it is outdated. */
import { bundle } from '../../build/bundle.ts';
import { useRunFolder } from '../helpers/run-folder.ts';

export default async function setUp(): Promise<() => void> {
  await bundle((line) => void process.stdout.write(`${line}\n`), { only: 'window' });
  return useRunFolder();
}
