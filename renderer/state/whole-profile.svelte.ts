/** The columns of a file that is being prepared, over every row of it. */
import type { Dialect } from '../../electron/shared/dialect.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { FileProfile } from '../../electron/shared/file-profile.ts';
import { client } from '../lib/client.ts';
import { LastQuestion } from './newest.ts';

export class WholeProfile {
  error = $state.raw<AppError | null>(null);
  isReading = $state(false);
  #found = $state.raw<{ key: string; value: FileProfile } | null>(null);
  readonly #question = new LastQuestion();
  #asked: string | null = null;

  /** Of the file as it is read now; null while that is not known. */
  of(fileId: string, dialect: Dialect): FileProfile | null {
    return this.#found?.key === keyOf(fileId, dialect) ? this.#found.value : null;
  }

  /** Asks once for each way of reading a file. */
  async read(connectionId: string, fileId: string, dialect: Dialect): Promise<void> {
    const key = keyOf(fileId, dialect);
    if (this.#asked === key && this.error === null) return;
    this.#asked = key;
    const isLast = this.#question.ask();
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
