/**
 * Child processes that run this application's code. A thread starts them and passes their messages, because starting a
 * process copies the page tables of its parent, which blocks the calling thread for up to 20 ms if much memory is used.
 */
import { Worker } from 'node:worker_threads';

interface ChildProcessLink {
  send(message: unknown): void;
  onMessage(take: (message: unknown) => void): void;
  /** Called when the child ended or failed to start; `reason` is for the log. */
  onEnd(take: (reason: string) => void): void;
  kill(): void;
}

export type StartChild = (file: URL) => ChildProcessLink;

/** Messages from the thread: the number of the child, with its message or its end. */
type Said = { child: number } & ({ message: unknown } | { end: string });

interface Child {
  take: ((message: unknown) => void)[];
  ended: ((reason: string) => void)[];
}

/** The code of the thread, as text, so that it needs no bundle: it imports no other file of this application. */
const THREAD = `
const { fork } = require('node:child_process');
const { parentPort } = require('node:worker_threads');
const children = new Map();
const acts = {
  start: ({ child: id, file }) => {
    // The environment is not passed on, because the child needs nothing of it.
    const child = fork(new URL(file), { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: {}, serialization: 'advanced' });
    children.set(id, child);
    let lastWords = '';
    const end = (reason) => {
      if (children.delete(id)) parentPort.postMessage({ child: id, end: reason });
    };
    child.stderr?.on('data', (bytes) => {
      lastWords = (lastWords + bytes.toString()).slice(-2000);
    });
    child.on('message', (message) => parentPort.postMessage({ child: id, message }));
    child.once('error', (problem) => end(problem.message));
    child.once('exit', (code, signal) => end(\`\${signal ?? code} \${lastWords.trim()}\`));
  },
  send: ({ child: id, message }) => {
    const child = children.get(id);
    // An error is ignored: a child that has just ended reports its end itself.
    if (child?.connected) child.send(message, () => undefined);
  },
  kill: ({ child: id }) => children.get(id)?.kill('SIGKILL'),
};
parentPort.on('message', (asked) => acts[asked.act](asked));
`;

class ChildThread {
  readonly #thread = new Worker(THREAD, { eval: true, name: 'children', env: {} });
  readonly #children = new Map<number, Child>();
  #nextId = 1;
  hasEnded = false;

  constructor() {
    this.#thread.on('message', (said: Said) => this.#hear(said));
    // Lets the program end while the thread runs. Called after the listener was added, because adding one would undo
    // it.
    this.#thread.unref();
    this.#thread.on('error', ({ message }) => this.#endAll(message));
    this.#thread.on('exit', () => this.#endAll('The thread that speaks to it ended.'));
  }

  start(file: URL): ChildProcessLink {
    const child = this.#nextId;
    this.#nextId += 1;
    const own: Child = { take: [], ended: [] };
    this.#children.set(child, own);
    // Like a child process, keeps the program from ending while a child exists.
    this.#thread.ref();
    this.#thread.postMessage({ act: 'start', child, file: file.href });
    return {
      send: (message) => this.#thread.postMessage({ act: 'send', child, message }),
      onMessage: (take) => own.take.push(take),
      onEnd: (take) => own.ended.push(take),
      kill: () => this.#thread.postMessage({ act: 'kill', child }),
    };
  }

  #hear(said: Said): void {
    const own = this.#children.get(said.child);
    if ('message' in said) for (const take of own?.take ?? []) take(said.message);
    else this.#end(said.child, said.end);
  }

  #end(child: number, reason: string): void {
    const own = this.#children.get(child);
    this.#children.delete(child);
    if (this.#children.size === 0) this.#thread.unref();
    for (const take of own?.ended ?? []) take(reason);
  }

  #endAll(reason: string): void {
    this.hasEnded = true;
    for (const child of [...this.#children.keys()]) this.#end(child, reason);
  }
}

let thread: ChildThread | null = null;

/** Starts a child with Node, for the command line. */
export const startNodeChild: StartChild = (file) => {
  if (thread === null || thread.hasEnded) thread = new ChildThread();
  return thread.start(file);
};
