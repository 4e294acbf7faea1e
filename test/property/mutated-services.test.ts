/** A future version of the service: whatever it renames, retypes, nests, removes or rejects, everything else works. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MutatingServer } from '../mutated-services/mutating-server.ts';
import { mutatedService, nameOf } from '../mutated-services/mutation.ts';
import { changedBy, failuresOf, findFaults, namesOf, readAll } from '../mutated-services/reading.ts';

/** `PROPERTY_RUNS=10000` makes a long run. */
const isLong = Number(process.env['PROPERTY_RUNS'] ?? 0) >= 10_000;
const SERVICES = isLong ? 1_000 : 40;
/** In a short run, commands that start threads and processes are tried with only one in this many services. */
const HEAVY_EVERY = isLong ? 1 : 20;
/** If no change concerns a service, one in this many commands is tried with it. */
const OTHERS_EVERY = 20;
/** `MUTATED_SEEDS=37-52` tries only these services. */
const [FIRST = 1, LAST = SERVICES] = process.env['MUTATED_SEEDS']?.split('-').map(Number) ?? [];

let server: MutatingServer;
beforeAll(async () => {
  server = await MutatingServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

test('mutated services', async () => {
  const names = await namesOf(server);
  const usual = await readAll(server, names);
  expect(failuresOf(usual)).toEqual([]);
  const faults: string[] = [];
  for (let seed = FIRST; seed <= LAST; seed += 1) {
    const service = mutatedService(seed);
    const changed = changedBy(service);
    server.mutate(service);
    const outcomes = await readAll(server, names, (index, isHeavy) => {
      const isConcerned = [...(usual[index]?.asked.keys() ?? [])].some((id) => changed.has(id));
      const isTurn = isConcerned || (index + seed) % OTHERS_EVERY === 0;
      return isTurn && (!isHeavy || seed % HEAVY_EVERY === 0);
    });
    for (const fault of findFaults(service, outcomes, usual))
      faults.push(`seed ${seed} (${nameOf(service)}): ${fault}`);
  }
  expect(faults).toEqual([]);
  expect(server.report()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
}, 36_000_000);
