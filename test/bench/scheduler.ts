/**
 * The scheduler at full load, beside bottleneck and p-queue (strict) on the same work: 30 requests a second and
 * 1,000 a minute, latency 40 to 160 ms, in virtual time against a service that counts truly rolling windows.
 *
 * All contenders run at once, each in a process of its own: in each round each of them runs one virtual minute while
 * the others wait, each time starting with another one. A figure is the median of the rounds; its note states the
 * interquartile range. The cost of a decision without the simulation is compared with the simulation's own minute in
 * the same round.
 */
import { type BenchResult, result } from '../helpers/bench-result.ts';
import {
  ALLOWED_PER_HOUR,
  bottleneck,
  CONTENDERS,
  type Contender,
  HOUR_MS,
  pQueue,
  simulation,
  WINDOWS,
} from '../helpers/scheduler-contenders.ts';
import { LoadProcess, type Report } from '../helpers/scheduler-load-process.ts';
import { type SharedUse, type SharedWork, share } from '../helpers/scheduler-sharing.ts';

const ROUND_MS = 60_000;
const HOUR_DEPTH = 200;
const QUEUE_DEPTHS = [10, 1_000, 100_000];
/** Rounds at each depth, and warm-up rounds before them. */
const ROUNDS = 60;
const WARM_ROUNDS = 10;
/**
 * A contender that is a hundred times slower takes part only in every fifth round, which gives equally precise results.
 */
const SLOW_EVERY = 5;
const HOUR_WARM_ROUNDS = 15;
const ADDING_ROUNDS = 5;
/**
 * Numbers of processes on one budget file, in real time: at the published limits, and at a limit that is never reached.
 */
const SHARING = [1, 2, 3];
const LIMITED: SharedWork = { windows: WINDOWS, ms: 5_000, latencyMs: 60 };
const UNLIMITED: SharedWork = {
  windows: [
    { count: 100_000, lengthMs: 1_000 },
    { count: 6_000_000, lengthMs: 60_000 },
  ],
  ms: 1_500,
  latencyMs: 2,
};
const RIVALS = CONTENDERS.filter((contender) => contender !== simulation);
const PEERS = [simulation, pQueue, bottleneck];

class Figures {
  readonly #byContender = new Map<Contender, number[]>();

  note(contender: Contender, figure: number): void {
    const known = this.#byContender.get(contender);
    if (known === undefined) this.#byContender.set(contender, [figure]);
    else known.push(figure);
  }

  median(contender: Contender): number {
    return this.#at(contender, 0.5);
  }

  /** The number of rounds and their middle half: `20 rounds, half 3.1 to 3.4`. */
  spread(contender: Contender): string {
    const rounds = this.#byContender.get(contender)?.length ?? 0;
    const [low, high] = [0.25, 0.75].map((share) => readable(this.#at(contender, share)));
    return `${rounds} rounds, half ${low} to ${high}`;
  }

  map(change: (figure: number) => number): Figures {
    const changed = new Figures();
    for (const [contender, all] of this.#byContender)
      for (const figure of all) changed.note(contender, change(figure));
    return changed;
  }

  #at(contender: Contender, share: number): number {
    const all = [...(this.#byContender.get(contender) ?? [])].sort((a, b) => a - b);
    return all[Math.floor((all.length - 1) * share)] ?? Number.NaN;
  }
}

const readable = (figure: number) =>
  figure >= 1_000 ? Math.round(figure).toLocaleString('en-US') : figure.toFixed(1);

interface Measured {
  costUs: Figures;
  /** Cost of the contender minus that of the simulation in the same round. */
  ownUs: Figures;
  last: Map<Contender, Report>;
}

type Processes = Map<Contender, LoadProcess>;

/** Measures the rounds of all contenders, with `depth` requests queued. */
async function measure(
  processes: Processes,
  depth: number,
  { rounds, warm, slowEvery = 1 }: { rounds: number; warm: number; slowEvery?: number },
): Promise<Measured> {
  const measured: Measured = { costUs: new Figures(), ownUs: new Figures(), last: new Map() };
  for (const process of processes.values()) await process.load(depth);
  for (let round = 0; round < rounds; round++) {
    const order = [...processes];
    for (let turn = round % order.length; turn > 0; turn--) order.push(...order.splice(0, 1));
    const reports = new Map<Contender, Report>();
    for (const [contender, process] of order) {
      if (contender === bottleneck && round % slowEvery > 0) continue;
      reports.set(contender, await process.run(ROUND_MS));
    }
    for (const [contender, report] of reports) {
      measured.last.set(contender, report);
      if (round < warm) continue;
      measured.costUs.note(contender, report.us);
      measured.ownUs.note(contender, report.us - (reports.get(simulation)?.us ?? 0));
    }
  }
  return measured;
}

async function hour(processes: Processes): Promise<BenchResult[]> {
  const rounds = { rounds: HOUR_MS / ROUND_MS, warm: HOUR_WARM_ROUNDS };
  const { costUs, ownUs, last } = await measure(processes, HOUR_DEPTH, rounds);
  const perSecond = costUs.map((us) => 1e6 / us);
  const results: BenchResult[] = [];
  for (const contender of RIVALS) {
    const { name } = contender;
    const { sent, violations } = last.get(contender) ?? { sent: 0, violations: 0 };
    results.push(
      result(
        `${name}: hour at full load`,
        sent - violations,
        'requests',
        ALLOWED_PER_HOUR,
        'more is better; accepted of what the tightest window allows',
      ),
      result(`${name}: violations`, violations, 'requests', 0, 'refused by a service with rolling windows'),
      result(
        `${name}: decisions`,
        perSecond.median(contender),
        'per second',
        perSecond.median(pQueue),
        `more is better; limit: p-queue; of processor time, the simulation included; ${perSecond.spread(contender)}`,
      ),
      result(
        `${name}: a decision without the simulation`,
        ownUs.median(contender),
        'µs',
        ownUs.median(pQueue),
        `limit: p-queue; ${ownUs.spread(contender)}`,
      ),
    );
  }
  const alone = 'simulation alone: a request of the hour';
  results.push(result(alone, costUs.median(simulation), 'µs', null, costUs.spread(simulation)));
  return results;
}

function depthResults(contender: Contender, depths: ReadonlyMap<number, Measured>): BenchResult[] {
  const shallow = depths.get(QUEUE_DEPTHS[0] ?? 0)?.costUs.median(contender) ?? Number.NaN;
  return [...depths].flatMap(([depth, { costUs, ownUs }]) => {
    const name = `${contender.name}: a decision with ${depth.toLocaleString('en-US')} queued`;
    const note = `limit: the same with ${QUEUE_DEPTHS[0]} queued; ${costUs.spread(contender)}`;
    const whole = result(name, costUs.median(contender), 'µs', shallow, note);
    if (contender === simulation) return [whole];
    const own = result(
      `${name}, without the simulation`,
      ownUs.median(contender),
      'µs',
      ownUs.median(pQueue),
      `limit: p-queue; ${ownUs.spread(contender)}`,
    );
    return [whole, own];
  });
}

async function costs(processes: Processes): Promise<BenchResult[]> {
  const depths = new Map<number, Measured>();
  for (const depth of QUEUE_DEPTHS)
    depths.set(
      depth,
      await measure(processes, depth, {
        rounds: ROUNDS + WARM_ROUNDS,
        warm: WARM_ROUNDS,
        slowEvery: SLOW_EVERY,
      }),
    );
  return CONTENDERS.flatMap((contender) => depthResults(contender, depths));
}

async function additions(processes: Processes): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const depth of QUEUE_DEPTHS) {
    const addUs = new Figures();
    const bytes = new Figures();
    for (let round = 0; round < ADDING_ROUNDS; round++) {
      for (const [contender, process] of processes) {
        const added = await process.adding(depth);
        addUs.note(contender, added.us);
        bytes.note(contender, Math.round(added.bytes));
      }
    }
    for (const contender of RIVALS) {
      const name = `${contender.name}: adding one up to ${depth.toLocaleString('en-US')} queued`;
      const limit = addUs.median(pQueue);
      results.push(
        result(name, addUs.median(contender), 'µs', limit, `limit: p-queue; ${addUs.spread(contender)}`),
      );
      if (depth !== QUEUE_DEPTHS.at(-1)) continue;
      results.push(
        result(
          `${contender.name}: memory of a queued request`,
          bytes.median(contender),
          'bytes',
          bytes.median(pQueue),
          "limit: p-queue; the caller's promise included",
        ),
      );
    }
  }
  return results.sort((a, b) => RIVALS.findIndex(named(a)) - RIVALS.findIndex(named(b)));
}

/**
 * The cost of sharing between processes, and whether they stay within the limit together. The limit for the cost is
 * that of a single process in the same run.
 */
async function sharing(): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  let alone: { limited: SharedUse; unlimited: SharedUse } | null = null;
  for (const count of SHARING) {
    const limited = await share(count, LIMITED);
    const unlimited = await share(count, UNLIMITED);
    alone ??= { limited, unlimited };
    const name = count === 1 ? '1 process on the budget file' : `${count} processes on one budget file`;
    const note = 'limit: one alone';
    const seconds = UNLIMITED.ms / 1_000;
    results.push(
      result(
        `${name}: ${LIMITED.ms / 1_000} s at full load`,
        limited.requests - limited.violations,
        'requests',
        alone.limited.requests,
        `more is better; ${note}; 30 a second, answers after 30 to 60 ms`,
      ),
      result(`${name}: violations`, limited.violations + unlimited.violations, 'requests', 0, 'all together'),
      result(
        `${name}: decisions`,
        unlimited.requests / seconds,
        'per second',
        alone.unlimited.requests / seconds,
        `more is better; ${note}; all together, in real time, answers after 1 to 2 ms, no limit in the way`,
      ),
      result(`${name}: processor time of a request`, unlimited.us, 'µs', alone.unlimited.us, note),
    );
  }
  return results;
}

const named =
  ({ name }: BenchResult) =>
  (contender: Contender) =>
    name.startsWith(`${contender.name}:`);

export async function run(): Promise<BenchResult[]> {
  const cannot = (name: string, reason: string) => result(name, Number.NaN, '', null, reason);
  const processes: Processes = new Map(
    CONTENDERS.map((contender) => [contender, new LoadProcess(contender)]),
  );
  try {
    const results = [
      ...(await hour(processes)),
      ...(await costs(processes)),
      ...(await additions(processes)),
      ...(await sharing()),
      cannot('bottleneck, p-queue: days kept on disk', 'no window survives a restart of the process'),
      cannot('bottleneck, p-queue: several processes', 'bottleneck needs a Redis server, p-queue cannot'),
    ];
    return results.map((row) => (PEERS.some(named(row)) ? { ...row, isPeer: true } : row));
  } finally {
    for (const process of processes.values()) process.end();
  }
}
