/** Profiles of the columns of a file in preparation, over all its rows. */
import type { Dialect } from '../../electron/shared/dialect.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { FileProfile } from '../../electron/shared/file-profile.ts';
import { client } from '../lib/client.ts';
import { LatestRequest } from './newest.ts';

export class WholeProfile {
  error = $state.raw<AppError | null>(null);
  isReading = $state(false);
  #found = $state.raw<{ key: string; value: FileProfile } | null>(null);
  readonly #latest = new LatestRequest();
  #asked: string | null = null;

  /** The profile of the file in its present format; null while it is unknown. */
  of(fileId: string, dialect: Dialect): FileProfile | null {
    return this.#found?.key === keyOf(fileId, dialect) ? this.#found.value : null;
  }

  /** Reads the profile, once per format of the file. */
  async read(connectionId: string, fileId: string, dialect: Dialect): Promise<void> {
    const key = keyOf(fileId, dialect);
    if (this.#asked === key && this.error === null) return;
    this.#asked = key;
    const isLast = this.#latest.ask();
    this.isReading = true;
    this.error = null;
    try {
      const value = await client.invoke('uploads:profile', { connectionId, fileId, dialect });
      if (isLast()) this.#found = { key, value };
    } catch (thrown) {
      if (isLast()) this.error = toAppError(thrown);
    } finally {
      if (isLast()) this.isReading = false;
    }
  }
}

const keyOf = (fileId: string, dialect: Dialect): string => JSON.stringify([fileId, dialect]);
