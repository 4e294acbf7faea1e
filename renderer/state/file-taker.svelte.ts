/** A visible form that accepts dropped files. Without one, files are prepared for upload. */
interface FileTaker {
  /** Describes the effect while a file is dragged. */
  words: string;
  /** Returns false if the file is not suitable. */
  take(file: File): Promise<boolean>;
}

class FileTakers {
  current = $state.raw<FileTaker | null>(null);

  /** Active until the returned function is called. */
  register(taker: FileTaker): () => void {
    this.current = taker;
    return () => {
      if (this.current === taker) this.current = null;
    };
  }
}

export const fileTakers = new FileTakers();
