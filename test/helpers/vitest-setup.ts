/** Runs once before all unit, property and contract tests: bundles the command line, which hundreds of tests start. */
import { rmSync } from 'node:fs';
import { bundle } from '../../build/bundle.ts';
import { KEPT_FOLDERS, useRunFolder } from './run-folder.ts';
import { clearWorkspaces } from './workspaces.ts';

export default async function setUp(): Promise<() => void> {
  clearWorkspaces();
  rmSync(KEPT_FOLDERS, { recursive: true, force: true });
  await bundle((line) => void process.stdout.write(`${line}\n`), { only: 'command line' });
  const removeRunFolder = useRunFolder();
  return () => {
    clearWorkspaces();
    removeRunFolder();
  };
}
