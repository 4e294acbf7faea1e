/**
 * The network between the computer and the services. It delays, reorders and cuts exchanges, loses answers, refuses
 * connections, and sends its own answers.
 */
import type { Dispatcher } from 'undici';
import { type Draw, drawOf } from './draw.ts';
import type { Answer, Arrived, SimulatedService } from './service.ts';
import type { Life, Step, World } from './world.ts';

/** How the network treats every exchange. */
export type Weather =
  | 'good'
  | 'slow'
  | 'lossy'
  | 'down'
  | 'refused'
  | 'portal'
  | 'redirecting'
  | 'proxy-503'
  | 'silent';

export type Place = 'home' | 'office';

/** The possible outcomes of one exchange. */
type Fate = 'whole' | 'cut before it arrives' | 'answer lost' | 'answer cut' | 'never answered';

interface Sending {
  agent: object;
  /** Address of the proxy that the request uses. */
  proxy: string | null;
  options: Dispatcher.DispatchOptions;
  handler: Dispatcher.DispatchHandler;
}

const LOSSY: Readonly<Record<Fate, number>> = {
  whole: 60,
  'cut before it arrives': 12,
  'answer lost': 16,
  'answer cut': 6,
  'never answered': 6,
};
/** Every fault of the network that is counted. */
export const FAULTS: readonly string[] = [
  ...['down', 'refused', 'portal', 'redirecting', 'proxy-503', 'silent'],
  ...Object.keys(LOSSY).filter((fate) => fate !== 'whole'),
  ...['cut at once', 'cut by sleep', 'power cut'],
];
/** As with TCP, an answer arrives in pieces. */
const PIECE_BYTES = 65_536;
const PORTAL = '<!doctype html><title>Sign in</title><p>Sign in to use this network.</p>';

export class Network {
  weather: Weather = 'good';
  isResting = false;
  /** In the office, hosts are reachable only through the proxy, which exists only there. */
  place: Place = 'home';
  readonly arrived: Arrived[] = [];
  readonly faults = new Map<string, number>();
  readonly exchanges = new Set<Exchange>();
  /** Called for each request that arrives, before it is answered. */
  onArrival: (arrived: Arrived) => void = () => undefined;
  /** Called for each request when the product passes it to a socket. */
  onDeparture: (path: string, origin: string, life: Life) => void = () => undefined;
  readonly world: World;
  readonly services: ReadonlyMap<string, SimulatedService>;
  readonly draw: Draw;
  #lastId = 0;

  constructor(world: World, services: ReadonlyMap<string, SimulatedService>) {
    this.world = world;
    this.services = services;
    this.draw = drawOf(world.seed, 'network');
  }

  send(sending: Sending): void {
    const life = this.world.life();
    if (life === undefined) throw new Error('A request of nobody.');
    this.#lastId += 1;
    const exchange = new Exchange(this, life, this.#lastId, sending);
    this.exchanges.add(exchange);
    this.onDeparture(sending.options.path, String(sending.options.origin), life);
    exchange.begin();
  }

  fault(name: string): void {
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
  }

  fate(): Fate {
    return this.weather === 'lossy' ? this.draw.weighted(LOSSY) : 'whole';
  }

  /** Latency of one direction. */
  delayMs(): number {
    const [least, most] = this.weather === 'slow' ? [200, 20_000] : [2, 120];
    return least + this.draw.next() * (most - least);
  }

  cutAgent(agent: object): void {
    for (const each of [...this.exchanges])
      if (each.agent === agent) each.fail(socketError('UND_ERR_DESTROYED', 'The client is destroyed'));
  }

  /** All exchanges in flight fail, because the computer slept or its network is gone. */
  cutAll(): void {
    for (const each of [...this.exchanges]) each.fail(socketError('ECONNRESET', 'read ECONNRESET'));
  }

  /**
   * Changes the weather, except during a rest, whose good weather must not be ended by an action that began before it.
   */
  become(weather: Weather): void {
    if (this.isResting) return;
    this.weather = weather;
    if (weather === 'down') this.cutAll();
  }

  /** Drops the exchanges of a killed process. Requests that were already sent may still arrive. */
  forget(process: Life): void {
    for (const each of [...this.exchanges]) if (each.life.isOf(process)) this.exchanges.delete(each);
  }

  ofLife(process: Life): number {
    return [...this.exchanges].filter((each) => each.life.isOf(process)).length;
  }
}

let network: Network | null = null;

export function useNetwork(made: Network): void {
  network = made;
}

export function currentNetwork(): Network {
  if (network === null) throw new Error('The simulation has no network.');
  return network;
}

class Exchange {
  readonly life: Life;
  readonly agent: object;
  readonly #network: Network;
  readonly #name: string;
  readonly #sending: Sending;
  readonly #controller: Controller;
  /** Pending steps of this exchange. */
  readonly #steps: Step[] = [];
  #isOver = false;
  #resumed: (() => void) | null = null;

  constructor(network: Network, life: Life, id: number, sending: Sending) {
    this.#network = network;
    this.life = life;
    this.agent = sending.agent;
    this.#sending = sending;
    this.#name = `${id} ${sending.options.method} ${sending.options.path}`;
    this.#controller = {
      aborted: false,
      paused: false,
      reason: null,
      rawHeaders: [],
      abort: (reason) => {
        if (this.#isOver) return;
        Object.assign(this.#controller, { aborted: true, reason });
        this.fail(reason);
      },
      pause: () => {
        this.#controller.paused = true;
      },
      resume: () => {
        this.#controller.paused = false;
        this.#resumed?.();
      },
    };
  }

  begin(): void {
    const { place } = this.#network;
    const hasWay = (place === 'office') === (this.#sending.proxy !== null);
    const weather = hasWay ? this.#network.weather : place === 'home' ? 'refused' : 'down';
    if (weather !== 'down' && weather !== 'refused') {
      this.#soon('connect', () => void this.#start());
      return;
    }
    this.#network.fault(weather);
    const rejection =
      weather === 'refused'
        ? socketError('ECONNREFUSED', 'connect ECONNREFUSED')
        : socketError('ENOTFOUND', 'getaddrinfo ENOTFOUND');
    this.#soon('refusal', () => this.fail(rejection));
  }

  fail(problem: Error): void {
    if (this.#isOver) return;
    this.#end();
    this.#network.world.lives.run(this.life, () =>
      this.#sending.handler.onResponseError?.(this.#controller, problem),
    );
  }

  async #start(): Promise<void> {
    if (this.#isOver) return;
    this.#sending.handler.onRequestStart?.(this.#controller, {});
    if (this.#isOver) return;
    let body: Buffer;
    try {
      body = await bytesOf(this.#sending.options.body);
    } catch (problem) {
      this.fail(problem instanceof Error ? problem : new Error(String(problem)));
      return;
    }
    // The request was cancelled while its body was read, so nothing more is sent.
    if (this.#isOver) return;
    const fate = this.#network.fate();
    if (fate !== 'whole') this.#network.fault(fate);
    if (fate === 'cut before it arrives') {
      this.#soon('cut', () => this.fail(socketError('ECONNRESET', 'write ECONNRESET')));
      return;
    }
    this.#travel(fate, body);
  }

  /** Delivers a request that was sent, even if its process ends. */
  #travel(fate: Fate, body: Buffer): void {
    const { weather } = this.#network;
    const own = answerOf(weather);
    if (own !== null || weather === 'silent') {
      this.#network.fault(weather);
      if (own !== null) this.#soon('answer of the network', () => this.#give(own, fate));
      return;
    }
    const service = this.#network.services.get(String(this.#sending.options.origin));
    if (service === undefined) {
      this.#soon('refusal', () => this.fail(socketError('ENOTFOUND', 'getaddrinfo ENOTFOUND')));
      return;
    }
    this.#network.world.add({
      ...{ life: service.life, kind: 'network', label: `arrives ${this.#name}` },
      delayMs: this.#network.delayMs(),
      run: () => void this.#serve(service, fate, body),
    });
  }

  async #serve(service: SimulatedService, fate: Fate, body: Buffer): Promise<void> {
    const { method, path, headers } = this.#sending.options;
    const sent = headers as Record<string, string>;
    const arrived: Arrived = {
      ...{ origin: service.origin, method, path },
      token: (sent['authorization'] ?? '').replace(/^Bearer /, ''),
      atMs: this.#network.world.nowMs,
    };
    this.#network.arrived.push(arrived);
    this.#network.onArrival(arrived);
    const hasBody = method !== 'GET' && method !== 'HEAD' && body.length > 0;
    const request = new Request(`${service.origin}${path}`, {
      method,
      headers: { ...sent, ...(hasBody ? { 'content-length': String(body.length) } : {}) },
      ...(hasBody ? { body: new Uint8Array(body) } : {}),
    });
    const answer = await service.answer(request);
    this.#network.world.note(`${answer.status} for ${method} ${service.origin}${path}`);
    // The request was given up or cut in the meantime, so its answer is dropped.
    if (this.#isOver || fate === 'never answered') return;
    if (fate === 'answer lost') {
      this.#soon('lost answer', () => this.fail(socketError('UND_ERR_SOCKET', 'other side closed')));
      return;
    }
    this.#soon('answer', () => this.#give(answer, fate));
  }

  #give({ status, headers, body }: Answer, fate: Fate): void {
    if (this.#isOver) return;
    const { handler } = this.#sending;
    handler.onResponseStart?.(this.#controller, status, { ...headers }, '');
    const pieces: Buffer[] = [];
    for (let at = 0; at < body.length; at += PIECE_BYTES) pieces.push(body.subarray(at, at + PIECE_BYTES));
    const isCut = fate === 'answer cut';
    if (isCut) pieces.splice(Math.floor(pieces.length / 2));
    const next = () => {
      if (this.#isOver) return;
      if (this.#controller.paused) {
        this.#resumed = () => {
          this.#resumed = null;
          this.#soon('resumed', next);
        };
        return;
      }
      const piece = pieces.shift();
      if (piece !== undefined) {
        handler.onResponseData?.(this.#controller, piece);
        this.#soon('piece', next);
      } else if (isCut) {
        this.fail(socketError('UND_ERR_SOCKET', 'other side closed'));
      } else {
        this.#end();
        handler.onResponseEnd?.(this.#controller, {});
      }
    };
    next();
  }

  #soon(label: string, run: () => void): void {
    const delayMs = label === 'piece' || label === 'resumed' ? 1 : this.#network.delayMs();
    const step = this.#network.world.add({
      ...{ life: this.life, kind: 'network', label: `${label} ${this.#name}`, delayMs },
      run,
    });
    this.#steps.push(step);
  }

  #end(): void {
    this.#isOver = true;
    for (const step of this.#steps) this.#network.world.cancel(step);
    this.#network.exchanges.delete(this);
  }
}

type Controller = { -readonly [K in keyof Dispatcher.DispatchController]: Dispatcher.DispatchController[K] };

async function bytesOf(body: Dispatcher.DispatchOptions['body']): Promise<Buffer> {
  if (body === null || body === undefined) return Buffer.alloc(0);
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body);
  const parts: Buffer[] = [];
  for await (const part of body as AsyncIterable<Uint8Array>) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

/** The answer that the network sends in place of the service, null if it sends none. */
function answerOf(weather: Weather): Answer | null {
  const html = { 'content-type': 'text/html; charset=utf-8' };
  if (weather === 'portal') return { status: 200, headers: html, body: Buffer.from(PORTAL) };
  if (weather === 'redirecting')
    return {
      status: 302,
      headers: { ...html, location: 'https://portal.example/sign-in' },
      body: Buffer.alloc(0),
    };
  if (weather === 'proxy-503') return { status: 503, headers: html, body: Buffer.from(PORTAL) };
  return null;
}

function socketError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
