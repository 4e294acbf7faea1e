/** Once before all unit, property and contract tests: bundles the command line, which hundreds of tests start. */
import { bundle } from '../../build/bundle.ts';
import { clearWorkspaces } from './workspaces.ts';

export default function setUp(): Promise<void> {
  clearWorkspaces();
  return bundle((line) => void process.stdout.write(`${line}\n`), { only: 'command line' });
}
