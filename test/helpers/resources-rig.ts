/**
 * Resources as in production: a real library on disk and a real client. Pauses between polls of a job end when a test
 * says so.
 */
import { createResources } from '../../electron/resources/resources.ts';
import type { Resources } from '../../electron/resources/types.ts';
import type { JobState } from '../../electron/shared/resource-contract.ts';
import { LibraryRig } from './library-rig.ts';
import { VirtualClock } from './virtual-clock.ts';
import { silentLogger } from './virtual-world.ts';

export class ResourcesRig implements AsyncDisposable {
  readonly library: LibraryRig;
  readonly resources: Resources;
  readonly clock = new VirtualClock();
  readonly jobs: JobState[] = [];
  #wake: () => void = () => undefined;

  constructor(baseUrl: string, options: ConstructorParameters<typeof LibraryRig>[1] = {}) {
    this.library = new LibraryRig(baseUrl, options);
    this.resources = createResources({
      client: this.library.clientRig.client,
      library: this.library.library,
      clock: this.clock,
      logger: silentLogger,
      onJobChanged: (job) => {
        this.jobs.push(job);
        this.#wake();
      },
    });
  }

  /** Resolves with the last reported state, once `isTrue` returns true for it. */
  async job(isTrue: (job: JobState) => boolean): Promise<JobState> {
    for (;;) {
      const latest = this.jobs.at(-1);
      if (latest !== undefined && isTrue(latest)) return latest;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Ends the pause, and resolves with the result of the next poll. */
  async nextLook(pauseMs = 60_000): Promise<JobState> {
    const { length } = this.jobs;
    this.clock.advance(pauseMs);
    return this.job(() => this.jobs.length > length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.resources.stop();
    await this.library[Symbol.asyncDispose]();
  }
}
