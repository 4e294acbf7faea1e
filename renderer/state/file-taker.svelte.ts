/** A form on the screen that takes a dropped file for itself. Where there is none, files are prepared for upload. */
interface FileTaker {
  /** What happens to the file, for who drags it. */
  words: string;
  /** False where the file is not for it. */
  take(file: File): Promise<boolean>;
}

class FileTakers {
  current = $state.raw<FileTaker | null>(null);

  /** Until the returned function is called. */
  register(taker: FileTaker): () => void {
    this.current = taker;
    return () => {
      if (this.current === taker) this.current = null;
    };
  }
}

export const fileTakers = new FileTakers();
