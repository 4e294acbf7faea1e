import type { Counts } from './test-runners.ts';
export function verifyPackage(): Promise<Counts> {
  return Promise.resolve({ passed: 0, failed: 0 });
}
