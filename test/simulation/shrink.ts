/** Finds the shortest list of actions that still breaks the invariant that broke first (delta debugging). */
import { type Asked, type Outcome, runSeed } from './run-seed.ts';

const MAX_RUNS = 60;

/** Returns the numbers of the actions, null if the seed does not fail. */
export async function shrink(asked: Asked, log: (line: string) => void): Promise<number[] | null> {
  const whole = await runSeed(asked);
  const [first] = whole.failures;
  if (first === undefined) return null;
  const { invariant } = first;
  const fails = ({ failures }: Outcome) => failures.some((each) => each.invariant === invariant);
  let kept = [...(asked.only ?? Array.from({ length: asked.acts }, (_, number) => number))];
  let runs = 0;
  const stillFails = async (only: readonly number[]) => {
    runs += 1;
    return fails(await runSeed({ ...asked, only }));
  };
  log(`${invariant}: ${kept.length} acts`);
  for (
    let size = Math.ceil(kept.length / 2);
    size >= 1 && runs < MAX_RUNS;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < kept.length && runs < MAX_RUNS; ) {
      const shorter = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (shorter.length > 0 && (await stillFails(shorter))) {
        kept = shorter;
        log(`${kept.length} acts`);
      } else from += size;
    }
  }
  return kept;
}
