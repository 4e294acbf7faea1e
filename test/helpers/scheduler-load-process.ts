/**
 * A contender in the benchmark of the scheduler, in a separate process, so that it does not pay for the garbage or
 * compiled code of another. `LoadProcess` starts it; the argument is the name of the contender.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { CONTENDERS, type Contender } from './scheduler-contenders.ts';
import { adding, Load } from './scheduler-load.ts';

type Order =
  | { kind: 'load'; depth: number }
  | { kind: 'run'; ms: number }
  | { kind: 'adding'; depth: number };

export interface Report {
  /** Processor time of one request, or of adding one, in microseconds. */
  us: number;
  sent: number;
  violations: number;
  bytes: number;
}

const NOTHING: Report = { us: 0, sent: 0, violations: 0, bytes: 0 };

/** Controls such a process for the benchmark. */
export class LoadProcess {
  readonly #child: ChildProcess;

  constructor(contender: Contender) {
    // Garbage is collected on the measured thread, because helper threads would depend on the spare capacity of the
    // machine.
    const execArgv = [...process.execArgv, '--single-threaded-gc'];
    this.#child = fork(import.meta.filename, [contender.name], { stdio: 'inherit', execArgv });
  }

  /** Keeps `depth` requests queued from now on. */
  load(depth: number): Promise<Report> {
    return this.#ask({ kind: 'load', depth });
  }

  /** Advances virtual time by `ms`. */
  run(ms: number): Promise<Report> {
    return this.#ask({ kind: 'run', ms });
  }

  adding(depth: number): Promise<Report> {
    return this.#ask({ kind: 'adding', depth });
  }

  end(): void {
    this.#child.disconnect();
  }

  #ask(order: Order): Promise<Report> {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${this.#child.spawnargs.at(-1)} ended early.`));
      this.#child.once('exit', ended);
      this.#child.once('message', (report: Report) => {
        this.#child.off('exit', ended);
        resolve(report);
      });
      this.#child.send(order);
    });
  }
}

function work(contender: Contender): void {
  let current: Load | null = null;
  const obey = async (order: Order): Promise<Report> => {
    if (order.kind === 'adding') {
      const { addUs, bytes } = await adding(contender, order.depth);
      return { ...NOTHING, us: addUs, bytes };
    }
    if (order.kind === 'load') {
      current?.stop();
      current = new Load(contender, order.depth);
      return NOTHING;
    }
    if (current === null) throw new RangeError('There is no load yet.');
    const us = await current.run(order.ms);
    return { ...NOTHING, us, sent: current.sent, violations: current.violations };
  };
  process.on('message', async (order: Order) => process.send?.(await obey(order)));
  process.on('disconnect', () => current?.stop());
}

if (import.meta.main) {
  const contender = CONTENDERS.find(({ name }) => name === process.argv[2]);
  if (contender === undefined) throw new RangeError(`No contender ${process.argv[2]}.`);
  work(contender);
}
