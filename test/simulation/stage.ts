/** The objects that the actions of the user need, and what the user remembers about their requests. */

import type { Engine } from '../../electron/engine/engine.ts';
import type { Session } from '../../electron/engine/session.ts';
import { planColumns } from '../../electron/shared/column-plan.ts';
import { AppError, toAppError } from '../../electron/shared/errors.ts';
import type { Connection, ConnectionDraft, ListQuery } from '../../electron/shared/model.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';
import type { Computer, Run } from './computer.ts';
import { type Draw, drawOf } from './draw.ts';
import type { Disk } from './files.ts';
import type { Network } from './network.ts';
import type { SimulatedService } from './service.ts';
import { type Life, stackOf, type World } from './world.ts';

export const ORIGINS = ['https://alpha.example', 'https://beta.example'] as const;
/** Name of the model for the files of events. */
export const MODEL_NAME = 'Bank churn';

/** Matches the result of an action that had nothing to act on. */
const NOTHING_TO_DO =
  /^(?:has (?:no|nothing|enough) |(?:sees|saw) (?:no|0) |nothing |exports nothing|scores nothing|the window is suspended)/;

/** A file of events that was passed to an upload. */
export interface SentFile {
  origin: string;
  jobId: string;
  modelId: string;
  /** Identifies the rows of the file at the service. Row number 1 has the first marker. */
  firstMarker: number;
  rows: number;
  /** Markers of rows that the user sent again although they may be stored. */
  mayRepeat: Set<number>;
  /** Whether rows may be missing, because the user decided about a batch or undid the upload. */
  mayMiss: boolean;
}

/** A list that a view of the window shows. */
export interface OpenView {
  viewId: string;
  connectionId: string;
  query: ListQuery;
  mark: string;
}

/** Returns a promise that is awaited later. If it is rejected before, that is not an unhandled rejection. */
export function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

export class Stage {
  readonly world: World;
  readonly network: Network;
  readonly services: ReadonlyMap<string, SimulatedService>;
  readonly computer: Computer;
  readonly disk: Disk;
  /** The token that each service accepts at present. */
  readonly validToken = new Map<string, string>();
  /** The token that was last saved for each connection; none while it is uncertain. */
  readonly savedToken = new Map<string, string>();
  /** The addresses that each connection has, or may have while it is saved. New connections have an empty id. */
  readonly addresses = new Map<string, Set<string>>();
  /** When each process was asked to stop. */
  readonly stoppedAtMs = new Map<Life, number>();
  /** When an address was left by the last connection that had it. */
  readonly leftAtMs = new Map<string, number>();
  readonly sent: SentFile[] = [];
  /** Uploads that have ended according to an event. */
  readonly overUploads = new Set<string>();
  readonly views = new Map<string, OpenView>();
  /** When the last view of a list was closed, by the mark of the list. */
  readonly closedAtMs = new Map<string, number>();
  /** Datasets whose deletion the user requested. */
  readonly deletions = new Set<string>();
  /** Files whose rows became items of a dataset, and how decisions of the user may have affected the items. */
  readonly additions: {
    itemsId: string;
    datasetId: string;
    firstMarker: number;
    rows: number;
    mayRepeat: boolean;
    mayMiss: boolean;
  }[] = [];
  /** Datasets that another client deleted. */
  readonly deletedElsewhere = new Set<string>();
  /** Builds of spans into new datasets by name of the dataset: the build, and whether spans may occur twice. */
  readonly builds = new Map<string, { buildId: string; origin: string; mayRepeat: boolean }>();
  /** Time at which the computer wakes. */
  awakeAtMs = 0;
  readonly errors = new Map<string, number>();
  /** Number of actions that had nothing to act on. */
  idleActs = 0;
  #lastToken = 0;
  #lastMarker = 0;
  #lastName = 0;

  constructor(parts: Pick<Stage, 'world' | 'network' | 'services' | 'computer' | 'disk'>) {
    this.world = parts.world;
    this.network = parts.network;
    this.services = parts.services;
    this.computer = parts.computer;
    this.disk = parts.disk;
    for (const origin of services(parts.services)) this.issueToken(origin);
  }

  get run(): Run {
    return this.computer.start();
  }

  /** The name of the token contains the service for which it is valid. */
  issueToken(origin: string): string {
    this.#lastToken += 1;
    const token = `token-${new URL(origin).hostname}-${String(this.#lastToken).padStart(4, '0')}`;
    this.validToken.set(origin, token);
    this.services.get(origin)?.changeToken(token);
    return token;
  }

  service(origin: string): SimulatedService {
    const service = this.services.get(origin);
    if (service === undefined) throw new Error(`There is no service at ${origin}.`);
    return service;
  }

  takeMarkers(count: number): number {
    const first = this.#lastMarker + 1;
    this.#lastMarker += count;
    return first;
  }

  newName(kind: string): string {
    this.#lastName += 1;
    return `${kind} ${this.#lastName}`;
  }

  connections(): Connection[] {
    return this.run.engine.connections.list().connections;
  }

  /** A draft that contains the connection without changes. */
  draftOf({ id, name, baseUrl, colour, isReadOnly, tokenStorage }: Connection): ConnectionDraft {
    return {
      ...{ id, name, baseUrl, colour, isReadOnly, tokenStorage },
      ...{ allowsPlainHttp: false, proxyUrl: null, extraCaFile: null },
    };
  }

  newDraft(origin: string): ConnectionDraft {
    return {
      ...{ id: null, name: this.newName('Connection'), baseUrl: origin, colour: 'teal', isReadOnly: false },
      ...{ allowsPlainHttp: false, proxyUrl: null, extraCaFile: null, tokenStorage: 'keychain' },
    };
  }

  /** Saves a connection, which keeps its token if `token` is null. */
  async save(draft: ConnectionDraft, token: string | null): Promise<Connection> {
    const id = draft.id ?? '';
    const { origin } = new URL(draft.baseUrl);
    if (token !== null) this.savedToken.delete(id);
    this.addresses.set(id, new Set([...(this.addresses.get(id) ?? []), origin]));
    const saved = await this.run.engine.saveConnection(draft, token);
    if (token !== null) this.savedToken.set(saved.id, token);
    this.has(saved.id, [origin]);
    if (id === '') this.has('', []);
    return saved;
  }

  /** Sets the only addresses that a connection has from now on. */
  has(id: string, origins: readonly string[]): void {
    const before = this.addresses.get(id) ?? [];
    this.addresses.set(id, new Set(origins));
    const present = new Set([...this.addresses.values()].flatMap((each) => [...each]));
    for (const origin of before) if (!present.has(origin)) this.leftAtMs.set(origin, this.world.nowMs);
    for (const origin of present) this.leftAtMs.delete(origin);
  }

  /** Recorded before the upload is created, as the process may be killed in the meantime. */
  sends({ baseUrl }: Connection, modelId: string, firstMarker: number, rows: number): SentFile {
    const sent: SentFile = {
      ...{ origin: new URL(baseUrl).origin, jobId: '', modelId, firstMarker, rows },
      ...{ mayRepeat: new Set(), mayMiss: false },
    };
    this.sent.push(sent);
    return sent;
  }

  /** Runs work in the process of the window. */
  async attempt(name: string, work: (run: Run) => Promise<unknown> | unknown): Promise<boolean> {
    let life: Life | null = null;
    return await this.#guarded(
      name,
      () => life,
      async () => {
        const started = this.run;
        life = started.life;
        return await this.world.lives.run(started.life, async () => work(started));
      },
    );
  }

  attemptIn(life: Life, name: string, work: () => Promise<unknown>): Promise<boolean> {
    return this.#guarded(
      name,
      () => life,
      () => this.world.lives.run(life, work),
    );
  }

  /** Counts an AppError by its code, and reports any other error as a failure. */
  async #guarded(name: string, lifeOf: () => Life | null, work: () => Promise<unknown>): Promise<boolean> {
    try {
      const told = await work();
      if (typeof told === 'string') this.told(name, told);
      return true;
    } catch (thrown) {
      if (lifeOf()?.isGone === true) return false;
      this.refused(name, thrown);
      return false;
    }
  }

  /** Adds a line about an action that has ended to the story. */
  told(name: string, told: string): void {
    if (NOTHING_TO_DO.test(told)) this.idleActs += 1;
    this.world.note(`${name}: ${told}`);
  }

  /** Counts an error by its code, converted like an error of the window and the command line. */
  refused(name: string, thrown: unknown): void {
    // The modules of a command line have a different AppError class.
    const isKnown = thrown instanceof Error && thrown.name === 'AppError';
    const { code, message } = isKnown ? (thrown as AppError) : toAppError(thrown);
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
    this.world.note(`${name}: refused with ${code}: ${message}`);
    if (code === 'INTERNAL')
      this.world.fail(
        'every refusal has a reason that is not a fault of the program',
        `${name}: ${stackOf(thrown)}`,
      );
  }

  /** Runs synchronous work in the process of the window, if it runs. */
  within(work: (run: Run) => void): void {
    const { run } = this.computer;
    if (run !== null) this.world.lives.run(run.life, () => work(run));
  }

  /** Only the user waits, while the product continues. */
  pause(forMs: number): Promise<void> {
    const { life } = this.run;
    return new Promise((run) =>
      this.world.add({ life, kind: 'person', label: 'waited', delayMs: forMs, run }),
    );
  }

  /** Runs work outside every process of the product. */
  outside<T>(work: () => T): T {
    return this.world.lives.exit(work);
  }

  async session(draw: Draw): Promise<{ session: Session; connection: Connection; origin: string } | null> {
    const connections = this.connections().filter(({ kind }) => kind === 'service');
    if (connections.length === 0) return null;
    const connection = draw.of(connections);
    const session = await this.run.engine.session(connection.id);
    return { session, connection, origin: new URL(connection.baseUrl).origin };
  }

  /** A plan for a file, as the window creates it. */
  async planOf(
    engine: Engine,
    session: Session,
    connectionId: string,
    path: string,
    batchRows: number,
  ): Promise<UploadPlan> {
    const files = engine.files.ownedBy(connectionId);
    const [offered] = await files.offer([path]);
    if (offered === undefined) throw new Error('Nothing was offered.');
    const preview = await files.inspect(offered.fileId, null);
    const { value } = await session.client.list('models.list', {}, { priority: 'click' });
    const model = value.items.find(({ name }) => name === MODEL_NAME);
    if (model === undefined) throw new AppError('NOT_FOUND', `There is no model ${MODEL_NAME}.`);
    const asked = { path: { model_id: model.id } };
    const whole = await session.client.call('models.get', asked, { priority: 'click' });
    return {
      ...{ fileId: offered.fileId, dialect: preview.dialect },
      columns: planColumns(preview.columns, whole.value.schema?.columns ?? []),
      ...{ modelId: model.id, modelName: MODEL_NAME, envType: 'PRODUCTION', envName: null, mode: 'publish' },
      ...{ batchRows, maxBatchBytes: 8_000_000, onBadRow: 'skip' },
    };
  }

  drawOf(act: number): Draw {
    return drawOf(this.world.seed, `act ${act}`);
  }
}

function services(all: ReadonlyMap<string, SimulatedService>): string[] {
  return [...all.keys()];
}

/** One action of the user, or one event of the network or the world. */
export interface Act {
  weight: number;
  /** Returns a line of the story. Rejects with AppErrors, which are counted. */
  do: (stage: Stage, draw: Draw) => Promise<string> | string;
  /** Runs outside the process of the product, and may end that process. */
  isOutside?: true;
}
