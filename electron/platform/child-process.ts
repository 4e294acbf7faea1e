/** Processes of our own code beside the main process. */
import { fork } from 'node:child_process';

interface ChildProcessLink {
  send(message: unknown): void;
  onMessage(take: (message: unknown) => void): void;
  /** It ended or never began; `why` is for the log. */
  onEnd(take: (why: string) => void): void;
  kill(): void;
}

export type StartChild = (file: URL) => ChildProcessLink;

/** By Node itself: for the command line. The environment is not handed on: nothing in it is the child's business. */
export const startNodeChild: StartChild = (file) => {
  const child = fork(file, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {},
    serialization: 'advanced',
  });
  let lastWords = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    lastWords = (lastWords + bytes.toString()).slice(-2_000);
  });
  return {
    send: (message) => {
      child.send(Object(message));
    },
    onMessage: (take) => {
      child.on('message', take);
    },
    onEnd: (take) => {
      child.once('error', (problem) => take(problem.message));
      child.once('exit', (code, signal) => take(`${signal ?? code} ${lastWords.trim()}`));
    },
    kill: () => {
      child.kill('SIGKILL');
    },
  };
};
