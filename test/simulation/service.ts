/** The sample service of one origin, which is called in this process, with the requests that it received. */
import { openFilledStore } from '../../electron/sample-service/generate/filled-store.ts';
import { createSampleApp } from '../../electron/sample-service/start-service.ts';
import { drawOf } from './draw.ts';
import { Life, type World } from './world.ts';

/** Facts about a request that arrived. */
export interface Arrived {
  origin: string;
  method: string;
  path: string;
  token: string;
  atMs: number;
}

const OTHER_TOKEN = 'token-of-another-client';
/** Enough for lists with many pages, as more only cost time. */
const MAX_TRACES = 90;
const MAX_ITEMS = 250;

export class SimulatedService {
  readonly origin: string;
  readonly life: Life;
  readonly app: ReturnType<typeof createSampleApp>;
  readonly #world: World;

  /** `imageFolder` keeps the generated workspace for the next simulation. */
  constructor(world: World, origin: string, imageFolder: string) {
    this.#world = world;
    this.origin = origin;
    const life = new Life(origin, { isOnComputer: false });
    this.life = life;
    const draw = drawOf(world.seed, `ids of ${origin}`);
    // Runs outside of the simulated world, as other processes may store the generated workspace at the same time.
    openFilledStore(null, { nowMs: world.wallMs(life), imageFolder }).db.close();
    this.app = world.lives.run(life, () =>
      createSampleApp({
        token: '',
        imageFolder,
        clock: {
          nowMs: () => world.wallMs(life),
          monotonicMs: () => world.monotonicMs(life),
          setTimer: (callback, delayMs) => {
            const step = world.add({ life, kind: 'timer', label: 'of the service', delayMs, run: callback });
            return () => world.cancel(step);
          },
        },
        random: { next: draw.next, uuid: draw.uuid },
        logCrash: (error) => world.fail('the service does not fail', String(error)),
      }),
    );
    this.#shorten();
  }

  /** Removes most of the generated spans and items. */
  #shorten(): void {
    const { resources, spans, items } = this.app.service.stores;
    for (const { id } of resources.list('application')) {
      const all = spans.between(String(id), 0, Number.MAX_SAFE_INTEGER);
      const traces = [...new Set(all.map((span) => String(span['trace_id'])))];
      spans.removeTraces(String(id), traces.slice(0, -MAX_TRACES));
    }
    for (const { id } of resources.list('dataset')) {
      const kept = items.all(String(id), MAX_ITEMS);
      items.removeDataset(String(id));
      items.addAll(String(id), kept);
    }
  }

  /** From now on the service accepts this token and the token of the other client, but no earlier one. */
  changeToken(token: string): void {
    const tokens = [token, OTHER_TOKEN].map((each) => ({ token: each, role: 'read-write' as const }));
    this.app.tokens.splice(0, this.app.tokens.length, ...tokens);
  }

  /** Sends a request of another client, which bypasses the simulated network. */
  otherClient(method: 'POST' | 'DELETE', path: string, body: object | null, delayMs = 0): void {
    const headers = { authorization: `Bearer ${OTHER_TOKEN}`, 'content-type': 'application/json' };
    const text = body === null ? {} : { body: JSON.stringify(body) };
    const request = new Request(`${this.origin}${path}`, { method, headers, ...text });
    const send = () => {
      this.answer(request).catch((thrown: unknown) =>
        this.#world.fail('the service does not fail', String(thrown)),
      );
    };
    this.#world.add({ life: this.life, kind: 'network', label: 'another client', delayMs, run: send });
  }

  applicationId(): string {
    const [first] = this.#world.lives.run(this.life, () =>
      this.app.service.stores.resources.list('application'),
    );
    return String(first?.['id']);
  }

  datasets(): Record<string, unknown>[] {
    return this.#world.lives.run(this.life, () => this.app.service.stores.resources.list('dataset'));
  }

  /** Runs in the life of the service. */
  async answer(request: Request): Promise<Answer> {
    const response = await this.app.fetch(request);
    const body = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  }

  /** Ids of the events of a model, in the order in which they were stored. */
  eventIds(modelId: string): string[] {
    return this.#world.lives.run(this.life, () => this.app.events(modelId).ids);
  }
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}
