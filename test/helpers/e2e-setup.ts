/** Runs once before all specs: builds the app if it is outdated, chooses the runtime, and reports it. */
import { bundle } from '../../build/bundle.ts';
import { findRuntime } from '../../build/runtime.ts';
import { useRunFolder } from './run-folder.ts';
import { clearWorkspaces, makeFilledFile } from './workspaces.ts';

export default async function setUp(): Promise<() => void> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  await bundle(say, { only: 'window' });
  makeFilledFile();
  const { name, version, dist } = findRuntime();
  // An environment variable that Electron documents. Playwright launches the distribution in it.
  if (name !== 'Electron') process.env['ELECTRON_OVERRIDE_DIST_PATH'] = dist;
  say(`e2e: the window is opened by ${name} ${version}`);
  const removeRunFolder = useRunFolder();
  return () => {
    clearWorkspaces();
    removeRunFolder();
  };
}
