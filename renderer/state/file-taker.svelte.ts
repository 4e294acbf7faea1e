/** The form that accepts dropped files while it is visible. If there is none, dropped files are prepared for upload. */
interface FileTaker {
  /** Text shown while a file is dragged, which says what dropping the file does. */
  words: string;
  /** Takes a file. Returns false if it is not suitable. */
  take(file: File): Promise<boolean>;
}

class FileTakers {
  current = $state.raw<FileTaker | null>(null);

  /** Registers a form until the returned function is called. */
  register(taker: FileTaker): () => void {
    this.current = taker;
    return () => {
      if (this.current === taker) this.current = null;
    };
  }
}

export const fileTakers = new FileTakers();
