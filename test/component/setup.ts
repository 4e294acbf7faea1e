/** Once before all component tests: builds the renderer where it is stale. */
import { bundle } from '../../build/bundle.ts';

export default function setUp(): Promise<void> {
  return bundle((line) => void process.stdout.write(`${line}\n`), { only: 'window' });
}
