import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMANDS } from '../shared/commands.ts';
import { isViewLink, MOST_VIEW_CHARACTERS } from '../shared/saved-view.ts';

/** What somebody asked for from outside the window: by the file manager, a link, or words after the program's name. */
interface Opened {
  /** Full paths of files that are there; they are offered for an upload, and nothing is sent by that. */
  readonly files: readonly string[];
  /** A command of the table that goes somewhere; a link may not do anything else. */
  readonly command: string | null;
  /** A link to a view: the window reads it, says what it would open, and asks. */
  readonly link: string | null;
}

const MOST_FILES = 500;
const MOST_CHARACTERS = 4_096;
const OPEN_LINK = 'views.open-link';
const SCHEME = 'spandeck://';

/** Places that the system offers before the window is there: the jump list of Windows. */
export const TASKS = [
  { link: `${SCHEME}uploads`, title: 'Uploads' },
  { link: `${SCHEME}search`, title: 'Search' },
  { link: `${SCHEME}my-jobs`, title: 'My jobs' },
] as const;

/**
 * Reads the words after the program's name, which anybody may have written: options, folders, missing files and unknown
 * links are passed over. `folder`: where relative paths are meant from. `spandeck://uploads` is *Go to uploads*.
 */
export function readOpenRequest(
  words: readonly string[],
  folder: string,
  isFile: (path: string) => boolean,
): Opened {
  const files: string[] = [];
  let command: string | null = null;
  let link: string | null = null;
  for (const word of words) {
    if (word === '' || word.startsWith('-') || word.includes('\0')) continue;
    if (word.length > (isViewLink(word) ? MOST_VIEW_CHARACTERS : MOST_CHARACTERS)) continue;
    if (isViewLink(word)) link = word;
    else if (word.toLowerCase().startsWith(SCHEME)) command = commandOf(word) ?? command;
    else {
      const path = pathOf(word, folder);
      if (path !== null && files.length < MOST_FILES && !files.includes(path) && isFile(path))
        files.push(path);
    }
  }
  return { files, command, link };
}

/** Of the form spandeck://PLACE, with nothing after it. */
function commandOf(link: string): string | null {
  const place = /^spandeck:\/\/([a-z-]+)\/?$/i.exec(link)?.[1]?.toLowerCase();
  return COMMANDS.find(({ id }) => id === `go.${place}`)?.id ?? null;
}

/** Desktops may hand over a file as an address. */
function pathOf(word: string, folder: string): string | null {
  if (/^file:\/\//i.test(word)) {
    try {
      return fileURLToPath(word);
    } catch {
      // Of another computer, or badly written.
      return null;
    }
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(word)) return null;
  return isAbsolute(word) ? word : resolve(folder, word);
}

/** Keeps what was opened until the window can show it: a connection is open, and its first view painted. */
export class OpenRequestQueue {
  #files: string[] = [];
  #command: string | null = null;
  #link: string | null = null;
  #isReady = false;
  readonly #send: (command: string, link?: string) => void;

  constructor(send: (command: string, link?: string) => void) {
    this.#send = send;
  }

  add({ files, command, link }: Opened): void {
    this.#files.push(...files.filter((file) => !this.#files.includes(file)));
    this.#command = command ?? this.#command;
    this.#link = link ?? this.#link;
    this.#flush();
  }

  /** A view was painted; `welcome` stands where no connection is open, `locked` where the window is. */
  ready(view: string): void {
    this.#isReady = view !== 'welcome' && view !== 'locked';
    this.#flush();
  }

  /** The files that wait, once; the window asks for them as it asks for the dialog of files. */
  takeFiles(): string[] {
    return this.#files.splice(0);
  }

  #flush(): void {
    if (!this.#isReady) return;
    if (this.#command !== null) this.#send(this.#command);
    this.#command = null;
    if (this.#link !== null) this.#send(OPEN_LINK, this.#link);
    this.#link = null;
    if (this.#files.length > 0) this.#send('uploads.choose');
  }
}
