/**
 * Child processes of the window's main process. They are utility processes, because a packaged application cannot be
 * started as Node (fuse `runAsNode`).
 */
import { fileURLToPath } from 'node:url';
import { utilityProcess } from 'electron';
import type { StartChild } from './child-process.ts';
import { childEnvironment } from './desktop.ts';

export const startUtilityProcess: StartChild = (file) => {
  const env = childEnvironment(process.platform, process.env);
  const child = utilityProcess.fork(fileURLToPath(file), [], { env, stdio: 'ignore' });
  return {
    send: (message) => child.postMessage(message),
    onMessage: (take) => {
      child.on('message', take);
    },
    onEnd: (take) => {
      child.once('exit', (code) => take(String(code)));
    },
    kill: () => {
      child.kill();
    },
  };
};
