/** Stores, their sizes, and packs of the fake main process. */
import type { AgentRead, AgentsState } from '../../../electron/shared/agents-model.ts';
import type { ParsedArgs } from '../../../electron/shared/contract.ts';
import { AppError } from '../../../electron/shared/errors.ts';
import type {
  ConnectionCopy,
  CopyRestored,
  SelfCheckLine,
  StorageReport,
  StoreCheck,
  StoreRepaired,
} from '../../../electron/shared/health-model.ts';
import type { PackChoice, PackMade, PackPlan } from '../../../electron/shared/pack-model.ts';
import { CONNECTION_ID, NOW, scenario } from './scenario.ts';

const MB = 1_000_000;
let isRepaired = false;

export function storage(): StorageReport {
  if (scenario.health === 'failed')
    throw new AppError('STORE_FAILED', 'The data folder could not be read (EACCES).');
  return {
    atMs: NOW,
    dataDir: '/home/somebody/.config/Spandeck',
    disk: { freeBytes: 84_200 * MB, totalBytes: 512_000 * MB },
    connections: [
      {
        connectionId: CONNECTION_ID,
        name: 'Production',
        sizeBytes: 1_204 * MB,
        kinds: {
          spans: 640 * MB,
          lists: 208 * MB,
          search: 190 * MB,
          texts: 90 * MB,
          unused: 52 * MB,
          receipts: 14 * MB,
          uploads: 6 * MB,
          logs: 4 * MB,
        },
      },
    ],
    shared: { sizeBytes: 42 * MB, kinds: { logs: 20 * MB, window: 18 * MB, settings: 4 * MB } },
    aside: isRepaired
      ? [
          {
            folder: '/home/somebody/.config/Spandeck/connections/6a1f0d3e/damaged-2026-05-01T10-20-30',
            sizeBytes: 6 * MB,
            atMs: NOW,
          },
        ]
      : [],
  };
}

export function check(): StoreCheck[] {
  const damage = new AppError(
    'STORE_DAMAGED',
    'uploads.db is damaged: its check found: Tree 12 page 4: btreeInitPage() returns error code 11. The file was left as it is.',
  ).toWire();
  const ok = { error: null, note: null };
  return [
    { connectionId: null, store: 'settings', sizeBytes: 40_000, ...ok },
    { connectionId: null, store: 'budget', sizeBytes: 4 * MB, ...ok },
    {
      connectionId: CONNECTION_ID,
      store: 'library',
      sizeBytes: 994 * MB,
      ...ok,
      note: 'library.db-wal is missing, and library.db-shm is there: the last changes to library.db may be gone with it.',
    },
    {
      connectionId: CONNECTION_ID,
      store: 'uploads',
      sizeBytes: 20 * MB,
      ...ok,
      error: scenario.health === 'damaged' && !isRepaired ? damage : null,
    },
    { connectionId: CONNECTION_ID, store: 'search', sizeBytes: 190 * MB, ...ok },
  ];
}

let copiesNow: ConnectionCopy[] = [
  {
    connectionId: CONNECTION_ID,
    store: 'uploads',
    name: 'uploads.db.v1040.backup',
    sizeBytes: 6 * MB,
    atMs: NOW - 3 * 86_400_000,
    origin: 'update',
    contents: [
      { noun: 'upload', count: 12 },
      { noun: 'outbox', count: 3 },
      { noun: 'receipt', count: 1_290 },
    ],
    error: null,
  },
  {
    connectionId: CONNECTION_ID,
    store: 'library',
    name: 'library.db.v1050.backup',
    sizeBytes: 940 * MB,
    atMs: NOW - 3 * 86_400_000,
    origin: 'update',
    contents: [
      { noun: 'list', count: 214 },
      { noun: 'record', count: 88 },
    ],
    error: null,
  },
  {
    connectionId: CONNECTION_ID,
    store: 'datasets',
    name: 'datasets.db.v1090.backup',
    sizeBytes: 200_000,
    atMs: NOW - 30 * 86_400_000,
    origin: 'update',
    contents: [],
    error: new AppError(
      'STORE_DAMAGED',
      'datasets.db.v1090.backup is damaged: it does not begin like a SQLite file. The file was left as it is.',
    ).toWire(),
  },
];

export function copies(): ConnectionCopy[] {
  if (scenario.copies === undefined) return [];
  if (scenario.copies === 'failed')
    throw new AppError('STORE_FAILED', 'The folder of the copies could not be read (EACCES).');
  return copiesNow;
}

export function restoreCopy({ store, name }: Pick<ConnectionCopy, 'store' | 'name'>): CopyRestored {
  if (scenario.copies === 'locked')
    throw new AppError('CONFLICT', 'Another Spandeck has this connection open. Close it, then try again.');
  const keptAs = `${name.replace(/\.v.*/, '')}.r${NOW}.backup`;
  const [first] = copiesNow;
  if (first !== undefined)
    copiesNow = [{ ...first, store, name: keptAs, atMs: NOW, origin: 'restore' }, ...copiesNow];
  return { connectionId: CONNECTION_ID, store, keptAs, endedJobs: store === 'uploads' ? 2 : 0 };
}

export function removeCopy(name: string): null {
  copiesNow = copiesNow.filter((copy) => copy.name !== name);
  return null;
}

export function repair(): StoreRepaired {
  isRepaired = true;
  return {
    connectionId: CONNECTION_ID,
    store: 'uploads',
    folder: '/home/somebody/.config/Spandeck/connections/6a1f0d3e/damaged-2026-05-01T10-20-30',
    tables: [
      { table: 'job', rows: 12, gaps: 0, dropped: 0 },
      { table: 'part', rows: 1_290, gaps: 1, dropped: 0 },
    ],
    isWhole: false,
    isLogLost: false,
    endedJobs: 1,
    error: null,
  };
}

export function plan({ applications, datasets, experiments, charts, redact }: PackChoice): PackPlan {
  const count = [applications, datasets, experiments, charts].flat().length;
  const fields = [
    ['input', 'My card ends with 4111, why was I charged twice?'],
    ['output', 'I am sorry about that. One of the two is a reservation.'],
    ['attributes.user.id', 'u-20391'],
    ['attributes.llm.model', 'assistant-large'],
    ['name', 'answer_customer'],
    ['trace_id', '4bf92f3577b34da6a3ce929d0e0e4736'],
  ] as const;
  return {
    available: {
      applications: [
        { id: 'a', name: 'Support assistant' },
        { id: 'b', name: 'Claims triage' },
      ],
      datasets: [{ id: 'd', name: 'Edge cases' }],
      experiments: [{ id: 'e', name: 'Prompt v2' }],
      charts: [{ id: 'c', name: 'Latency by model' }],
      views: [
        { id: 'v1', name: 'Datasets of May' },
        ...(applications.includes('a') ? [{ id: 'v2', name: 'Slow answers' }] : []),
      ],
    },
    lists: count * 4,
    records: count,
    rows: count * 12_400,
    sizeBytes: count * 31 * MB,
    oldestMs: NOW - 90_000_000,
    newestMs: NOW - 3_600_000,
    fields: fields.map(([path, sample], at) => ({
      path,
      sample,
      count: 100 - at,
      isMasked: redact.some((each) => path === each || (each.includes('user') && path.includes('user'))),
    })),
  };
}

export function create(choice: PackChoice): PackMade & { fileName: string } {
  return {
    fileName: 'spandeck.pack',
    file: '/home/somebody/spandeck.pack',
    sizeBytes: 3 * MB,
    manifest: {
      format: 'spandeck-pack',
      version: 1,
      name: 'Production',
      madeAtMs: NOW,
      oldestMs: NOW - 90_000_000,
      newestMs: NOW - 3_600_000,
      applications: [],
      datasets: [],
      experiments: [],
      charts: [],
      views: [],
      redact: choice.redact,
      lists: 4,
      records: 1,
      rows: 12_400,
      contentBytes: 1,
    },
  };
}

export function refuse(): never {
  throw new AppError(
    'PASSPHRASE_WRONG',
    'This is not the passphrase of claims.pack, or the beginning of the file was changed. Nothing was opened.',
  );
}

export function selfCheck(): SelfCheckLine[] {
  const isBad = scenario.health === 'damaged';
  return [
    { part: 'keychain', state: 'ok', text: 'Tokens are kept in Secret Service.' },
    isBad
      ? {
          part: 'stores',
          state: 'bad',
          text: 'Damaged: library.db of Production. Check all stores, then repair them.',
        }
      : { part: 'stores', state: 'ok', text: 'No damage in 7 stores.' },
    { part: 'disk', state: 'warn', text: '1.2 GB of 512 GB free.' },
    { part: 'service', state: 'ok', text: 'Connected. Answered in 84 ms.' },
    { part: 'network', state: 'ok', text: 'No proxy. Certificates built in and of the system.' },
    { part: 'clock', state: 'unknown', text: 'The service has not said yet what time it is.' },
  ];
}

const READS: AgentRead[] = [
  {
    atMs: NOW - 4_000,
    connectionId: CONNECTION_ID,
    agent: 'claude-code',
    tool: 'spans',
    question: '{"application":"Support assistant","status":"ERROR","limit":20}',
    bytes: 14_200,
    error: null,
  },
  {
    atMs: NOW - 65_000,
    connectionId: CONNECTION_ID,
    agent: 'claude-code',
    tool: 'get',
    question: '{"resource":"datasets","id":"Unknown"}',
    bytes: 96,
    error: 'NOT_FOUND',
  },
];
let isOpenToAgents = false;

/** Returns the reads of one day, the newest first. */
const manyReads = (): AgentRead[] =>
  Array.from({ length: 200 }, (_, at) => ({
    ...(READS[at % READS.length] as AgentRead),
    atMs: NOW - at * 420_000,
    ...(at % 7 === 3
      ? { tool: 'sql', question: `{"select":"${'SELECT span_type, count(*) FROM spans '.repeat(12)}"}` }
      : {}),
  }));

export function agents(asked: ParsedArgs<'agents:act'>): AgentsState | Promise<never> {
  const { agents: state } = scenario;
  if (state === 'slow') return new Promise<never>(() => undefined);
  if (state === 'failed')
    throw new AppError(
      'STORE_DAMAGED',
      'The folder that says which connections are open to agents cannot be read. Check its access rights.',
    );
  if (asked.action !== 'get') isOpenToAgents = asked.action === 'open';
  const isOpen = isOpenToAgents || state !== undefined;
  return {
    open: isOpen ? [{ connectionId: CONNECTION_ID, name: 'Production', openedAtMs: NOW }] : [],
    reads: state === 'full' ? manyReads() : isOpenToAgents ? READS : [],
    unreadable: state === 'full' ? 2 : 0,
  };
}
