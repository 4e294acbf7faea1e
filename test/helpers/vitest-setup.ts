/** Once before all unit, property and contract tests: bundles the command line, which hundreds of tests start. */
import { resolve } from 'node:path';
import { bundle } from '../../build/bundle.ts';

export default function setUp(): Promise<void> {
  // Processes of the tests inherit it: what V8 compiled once is read again by the next.
  process.env['NODE_COMPILE_CACHE'] ??= resolve(
    import.meta.dirname,
    '../../node_modules/.cache/spandeck/compiled',
  );
  return bundle((line) => void process.stdout.write(`${line}\n`), { only: 'command line' });
}
