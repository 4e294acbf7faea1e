/** The service's jobs that read files sent whole: each looked at until it has ended. */
import type { StoredWholeFile } from '../db/whole-file-store.ts';
import type { JobState } from '../shared/resource-contract.ts';
import type { UploadsDeps } from './types.ts';

export type FollowDeps = Pick<UploadsDeps, 'store' | 'followJob'> & {
  onLook: (file: StoredWholeFile, job: JobState) => void;
};

export class WholeFileFollows {
  readonly #deps: FollowDeps;
  /** What ends the following of a file's job. */
  readonly #ends = new Map<string, () => void>();
  #isStopped = false;

  constructor(deps: FollowDeps) {
    this.#deps = deps;
  }

  /** Until its job has ended; a look that did not work leaves it as it was, and there will be another. */
  follow({ id, jobId }: StoredWholeFile): void {
    if (this.#isStopped || jobId === null || this.#ends.has(id)) return;
    this.#ends.set(id, () => undefined);
    const stop = this.#deps.followJob(jobId, (job) => {
      const known = this.#deps.store.wholeFiles.get(id);
      if (known?.state === 'following') this.#deps.onLook(known, job);
      if (job.isOver || known?.state !== 'following') this.end(id);
    });
    this.#ends.set(id, stop);
  }

  end(id: string): void {
    this.#ends.get(id)?.();
    this.#ends.delete(id);
  }

  stop(): void {
    this.#isStopped = true;
    for (const id of [...this.#ends.keys()]) this.end(id);
  }
}
