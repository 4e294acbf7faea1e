/**
 * The only file that touches `window.spandeck`. Arguments and results take their types from the contract;
 * an answer that is an error is thrown as the AppError it was on the other side.
 */
import type { EventChannel, InvokeChannel } from '../../electron/shared/channels.ts';
import type { EventPayloads, InvokeArgs, InvokeResults } from '../../electron/shared/contract.ts';
import { AppError, fromWire, type WireError } from '../../electron/shared/errors.ts';

interface Bridge {
  invoke(channel: string, argument: unknown): Promise<unknown>;
  offerFiles(files: File[]): Promise<unknown>;
  on(channel: string, listener: (payload: unknown) => void): () => void;
}

declare global {
  interface Window {
    readonly spandeck?: Bridge;
  }
}

type Arguments<C extends InvokeChannel> = undefined extends InvokeArgs<C> ? [] : [argument: InvokeArgs<C>];

function bridge(): Bridge {
  if (window.spandeck === undefined) {
    throw new AppError('INTERNAL', 'The window was opened without its main process. Start Spandeck again.');
  }
  return window.spandeck;
}

function open(channel: string, answer: unknown): unknown {
  if (typeof answer === 'object' && answer !== null && 'ok' in answer) {
    if (answer.ok === true && 'value' in answer) return answer.value;
    if (answer.ok === false && 'error' in answer) throw fromWire(answer.error as WireError);
  }
  throw new AppError('INTERNAL', `"${channel}" was answered without an envelope.`);
}

/** State of a view may be a proxy, which the bridge cannot copy. Arguments are small plain JSON. */
function plain(argument: unknown): unknown {
  return argument === undefined ? undefined : JSON.parse(JSON.stringify(argument));
}

export const client = {
  /** Calls main. Throws AppError. */
  async invoke<C extends InvokeChannel>(channel: C, ...[argument]: Arguments<C>): Promise<InvokeResults[C]> {
    return open(channel, await bridge().invoke(channel, plain(argument))) as InvokeResults[C];
  },

  /** Hands dropped files to main, which alone learns their paths. Throws AppError. */
  async offerFiles(files: File[]): Promise<InvokeResults['uploads:offer-files']> {
    const answer = open('uploads:offer-files', await bridge().offerFiles(files));
    return answer as InvokeResults['uploads:offer-files'];
  },

  /** Calls `listener` for each event; returns what ends that. */
  on<E extends EventChannel>(event: E, listener: (payload: EventPayloads[E]) => void): () => void {
    return bridge().on(event, (payload) => listener(payload as EventPayloads[E]));
  },
};
