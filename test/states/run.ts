/**
 * `npm run states [-- short]`: searches every state of every machine in `machines.ts`. Exits with 1 if a state is
 * unsound. `npm run states -- mutants [N] [--seed S]`: changes the reducers in N ways, one at a time, and reports which
 * of the changes the short search detects.
 */
import type { Search } from './machines.ts';

const MUTANTS = 40;

// Many steps throw a rejection whose stack is never read, so none is recorded.
Error.stackTraceLimit = 0;

function search(searches: readonly Search[]): boolean {
  const startedAt = performance.now();
  const seconds = (from: number) => `${((performance.now() - from) / 1_000).toFixed(1)} s`;
  let states = 0;
  let failures = 0;
  for (const one of searches) {
    const from = performance.now();
    const { machine, failure, steps, depth, ends, ...found } = one.run();
    states += found.states;
    if (failure !== null) failures += 1;
    const figures = `${found.states} states, ${steps} steps, depth ${depth}, ${ends} ends`;
    console.log(`${failure === null ? 'ok    ' : 'FAILED'}  ${machine}: ${figures} (${seconds(from)})`);
    if (failure !== null) console.log(failure);
  }
  console.log(`${states} states, ${failures} of ${searches.length} machines failed (${seconds(startedAt)})`);
  return failures === 0;
}

const [part = 'long', count = String(MUTANTS)] = process.argv
  .slice(2)
  .filter((word) => !word.startsWith('--'));
const seedAt = process.argv.indexOf('--seed');
const seed = seedAt === -1 ? 1 : Number(process.argv[seedAt + 1]);
async function run(): Promise<boolean> {
  if (part === 'mutants') return (await import('./mutants.ts')).tryMutants(Number(count), seed, console.log);
  const { LONG_SEARCHES, SHORT_SEARCHES } = await import('./machines.ts');
  return search(part === 'short' ? SHORT_SEARCHES : LONG_SEARCHES);
}

process.exitCode = (await run()) ? 0 : 1;
