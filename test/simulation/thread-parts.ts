/** `node:worker_threads` as the module of one thread sees it. Loaded once for each thread, whose name is in its URL. */
import { currentThreads } from './threads.ts';

const id = new URL(import.meta.url).searchParams.get('thread');
if (id === null) throw new Error('Expected the number of a thread in the address of this module.');
const parts = currentThreads().partsOf(id);
export const { parentPort, workerData } = parts;
export const isMainThread = false;
export {
  getEnvironmentData,
  MessageChannel,
  MessagePort,
  setEnvironmentData,
  threadId,
  Worker,
} from './threads.ts';
