/**
 * A made-up main process for component tests, put into the page before its first script. One function, because
 * the browser gets its text: it may use nothing from outside. The scenario says what the service is like.
 */
export interface Scenario {
  /** No connection at all: the first run. */
  isFirstRun?: boolean;
  network?: 'online' | 'switched-off' | 'unreachable';
  /** Rows of the catalog. */
  entities?: number;
  /** How list answers behave: `slow` never answers, `failed` keeps what is stored, `broken` has nothing. */
  lists?: 'full' | 'empty' | 'slow' | 'loading' | 'failed' | 'broken' | 'not-stored';
  /** Rows that are stored; the rest is fetched when asked for. */
  storedRows?: number;
  theme?: 'system' | 'light' | 'dark';
  density?: 'compact' | 'default' | 'comfortable';
  hasKeychain?: boolean;
  test?: 'ok' | 'refused';
  /** Milliseconds each answer takes. */
  delayMs?: number;
  /** The moment of the page, so that screenshots and texts are the same each time. */
  nowMs?: number;
}

type Json = Record<string, unknown>;

export function installFakeBridge(scenario: Scenario): void {
  const nowMs = scenario.nowMs ?? Date.now();
  const connectionId = '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11';
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  const calls: { channel: string; argument: unknown }[] = [];
  const stored = new Map<string, number>();
  const layout: Json = {};
  let network: string = scenario.network ?? 'online';
  const emit = (channel: string, payload: unknown) => {
    for (const listener of listeners.get(channel) ?? []) listener(payload);
  };
  const iso = (agoMs: number) => new Date(nowMs - agoMs).toISOString();
  const uuid = (seed: number) =>
    `${(0x1a2b3c4d + seed * 2654435).toString(16).slice(0, 8).padStart(8, '0')}-4f1c-4d2a-9b77-${(0x5ec7a1f00d11 + seed * 7919).toString(16).padStart(12, '0')}`;
  const wireError = (code: string, title: string, message: string, retry: string, details: Json = {}) => ({
    code,
    title,
    message,
    retry,
    details,
  });
  const unreachable = wireError(
    'CONNECTION_REFUSED',
    'Connection refused',
    'Expected an answer from 127.0.0.1:8443; nothing listens there.',
    'later',
    {
      operation: 'GET /v3/applications/{application_id}/catalog',
      requestId: '0f3c9a5e-7d1b-4a7e-8b2d-5f6a9e1c2d3b',
      outcome: 'unsent',
      nextStep: 'Check that the service is running, then try again.',
    },
  );
  const connection = {
    id: connectionId,
    name: 'Production',
    baseUrl: 'https://monitor.example.com',
    colour: 'indigo',
    isReadOnly: false,
    allowsPlainHttp: false,
    proxyUrl: null,
    extraCaFile: null,
    tokenStorage: 'keychain',
    kind: 'service',
    createdAtMs: nowMs - 86_400_000 * 12,
    tokenHint: { lastFour: 'x7Qa', savedAtMs: nowMs - 86_400_000 * 12 },
  };
  const sample = { ...connection, id: uuid(900), name: 'Sample workspace', colour: 'teal', kind: 'sample' };
  let connections: Json[] = scenario.isFirstRun ? [] : [connection, sample];
  let activeId: string | null = scenario.isFirstRun ? null : connectionId;
  let settings: Json = {
    theme: scenario.theme ?? 'system',
    density: scenario.density ?? 'default',
    pageRows: 500,
    staleAfterMs: 300_000,
    prefetchRows: 20_000,
    batchRows: 1_000,
    isSidebarOpen: true,
    isInspectorOpen: true,
    activeConnectionId: activeId,
    lastFolder: null,
  };

  const words = [
    'gen_ai',
    'request',
    'model',
    'user',
    'tool',
    'session',
    'retrieval',
    'prompt',
    'latency',
    'token',
  ];
  const tails = [
    'name',
    'count',
    'id',
    'score',
    'input',
    'output',
    'duration_ms',
    'region',
    'version',
    'cost_usd',
  ];
  const word = (list: string[], index: number) => list[index % list.length] ?? '';
  const entity = (index: number): Json => ({
    name: `${word(words, index)}.${word(words, index * 7 + 3)}.${word(tails, index * 3 + 1)}${index > 99 ? `_${index}` : ''}`,
    semantic_name: index % 3 === 0 ? 'UNKNOWN' : `gen_ai.${word(tails, index)}`,
    data_type: index % 4 === 1 ? 'numeric' : 'string',
    first_seen: iso(86_400_000 * 60 + index * 61_000),
    last_seen: iso(60_000 + index * 47_000),
    row_count: (index * 7_919 + 13) % 1_250_000,
  });
  const application = (index: number): Json => ({
    id: uuid(index),
    name: ['Support assistant', 'Claims triage'][index] ?? `Application ${index}`,
    project: { id: uuid(50), name: 'Customer care' },
    organization: { id: uuid(51), name: 'Example' },
    created_at: iso(86_400_000 * 200),
    updated_at: iso(86_400_000 * (index + 1)),
  });
  const dataset = (index: number): Json => ({
    id: uuid(100 + index),
    name: ['Refund questions', 'Escalations, reviewed', 'Smoke set'][index] ?? `Dataset ${index}`,
    description:
      ['Questions about refunds with the answers we want', 'Hard cases that people decided', ''][index] ?? '',
    application: { id: uuid(0), name: 'Support assistant' },
    active: true,
    created_at: iso(86_400_000 * 90),
    updated_at: iso(86_400_000 * (2 + index)),
  });
  const item = (index: number): Json => ({
    id: uuid(1_000 + index),
    inputs: {
      question: `Where is my refund for order ${10_000 + index}? It was promised within five working days.`,
      locale: ['en-GB', 'de-DE', 'fr-FR'][index % 3],
      turns: (index * 5) % 9,
    },
    expected_outputs: {
      answer: 'Name the date of the payment and how long the bank takes.',
      is_safe: index % 5 !== 0,
    },
    metadata: { reviewer: ['mara', 'jon'][index % 2], score: Math.round(((index * 37) % 100) / 1.01) / 100 },
    extras: index % 4 === 0 ? { trace: { id: uuid(index), spans: [1, 2, 3] } } : {},
    source_name: 'span',
    source_id: uuid(5_000 + index),
    created_at: iso(86_400_000 * 3 + index * 1_000),
    updated_at: iso(86_400_000 * 2 + index * 1_000),
  });
  const value = (index: number): Json => ({
    value: ['gpt-4o-mini', 'claude-sonnet', 'mistral-large', 'llama-3-70b'][index] ?? `model-${index}`,
    first_seen: iso(86_400_000 * 40),
    last_seen: iso(90_000 * (index + 1)),
    row_count: 90_000 - index * 311,
  });
  const attribute = (index: number): Json => ({
    id: uuid(7_000 + index),
    name: `${word(words, index)}.${word(tails, index)}`,
    data_type: index % 2 === 0 ? 'string' : 'float',
    scope: index % 5 === 0 ? 'session' : 'span',
    application: { id: uuid(0), name: 'Support assistant' },
  });
  const makers: Record<string, { total: number; make: (index: number) => Json }> = {
    'applications.list': { total: 2, make: application },
    'catalog.list': { total: scenario.entities ?? 5_000, make: entity },
    'catalog.values': { total: 140, make: value },
    'attributes.list': { total: 60, make: attribute },
    'datasets.list': { total: 3, make: dataset },
    'datasets.items': { total: 1_240, make: item },
    'models.list': { total: 0, make: () => ({}) },
  };

  interface Query {
    operation: string;
    query: Record<string, string>;
  }
  const keyOf = (query: Query) => JSON.stringify(query);
  /** Only the catalog follows the scenario; the lists that lead there are always there. */
  const modeOf = (query: Query) =>
    query.operation === 'applications.list' ? 'full' : (scenario.lists ?? 'full');
  const rowsOf = (query: Query): Json[] | { total: number; make: (index: number) => Json } => {
    const maker = makers[query.operation];
    if (maker === undefined || ['empty', 'broken', 'not-stored', 'loading'].includes(modeOf(query)))
      return [];
    const { search, semantic_name, data_type } = query.query;
    if (search === undefined && semantic_name === undefined && data_type === undefined) return maker;
    const all = Array.from({ length: Math.min(maker.total, 5_000) }, (_, index) => maker.make(index));
    return all.filter(
      (row) =>
        (search === undefined ||
          String(row['name'] ?? row['value'])
            .toLowerCase()
            .includes(search.toLowerCase())) &&
        (semantic_name === undefined || semantic_name.split(',').includes(String(row['semantic_name']))) &&
        (data_type === undefined || data_type.split(',').includes(String(row['data_type']))),
    );
  };
  const totalOf = (query: Query) => {
    const rows = rowsOf(query);
    return Array.isArray(rows) ? rows.length : rows.total;
  };
  const storedOf = (query: Query) =>
    Math.min(totalOf(query), stored.get(keyOf(query)) ?? scenario.storedRows ?? 1_000_000);
  const freshness = (query: Query, isRecord = false) => {
    const mode = isRecord ? 'full' : modeOf(query);
    const total = isRecord ? 1 : totalOf(query);
    const here = isRecord ? 1 : storedOf(query);
    const isNothing = mode === 'broken' || mode === 'not-stored' || mode === 'loading';
    const isOld = mode === 'failed' || network !== 'online';
    const failed = { phase: 'failed', error: unreachable, atMs: nowMs };
    const offline = wireError('OFFLINE', 'Working offline', 'Spandeck is switched offline.', 'later');
    return {
      newestMs: isNothing ? null : nowMs - (isOld ? 3 * 3_600_000 : 20_000),
      oldestMs: isNothing ? null : nowMs - (isOld ? 4 * 3_600_000 : 26_000),
      isStale: isOld,
      storedRows: here,
      totalRows: isNothing ? null : total,
      isComplete: !isNothing && here >= total,
      source: isNothing ? 'none' : 'stored',
      searchedRows: null,
      hasMovedWhileRead: false,
      refresh:
        network === 'switched-off'
          ? { phase: 'failed', error: offline, atMs: nowMs }
          : mode === 'failed' || mode === 'broken'
            ? failed
            : mode === 'loading'
              ? { phase: 'loading', fetchedRows: 0, startedAtMs: nowMs }
              : { phase: 'idle' },
      requestId: isNothing ? null : '4b1f7c2a-93de-4a55-8c1b-2f90ab3c7d10',
    };
  };
  const listState = (query: Query) => ({ listKey: keyOf(query), freshness: freshness(query) });
  const networkState = () => ({
    connectionId: activeId,
    state: network,
    sinceMs: nowMs - 60_000,
    error: network === 'unreachable' ? unreachable : null,
    lastAnswerMs: nowMs - 20_000,
  });

  interface Window {
    offset: number;
    limit: number;
    sort: { field: string; isDescending: boolean } | null;
    narrow: string | null;
  }
  const readRows = ({ query, window: part }: { query: Query; window: Window }) => {
    const rows = rowsOf(query);
    const here = storedOf(query);
    const make = Array.isArray(rows) ? (index: number) => rows[index] ?? {} : rows.make;
    if (part.narrow === null && part.sort === null) {
      const end = Math.min(here, part.offset + part.limit);
      const page = [];
      for (let at = part.offset; at < end; at += 1) page.push({ position: at, record: make(at) });
      return { rows: page, matchingRows: here };
    }
    if (part.narrow === '/(/')
      throw wireError('INVALID_ARGUMENT', 'Not accepted', 'The expression /(/ does not end.', 'never');
    let list = Array.from({ length: Math.min(here, 5_000) }, (_, at) => ({ position: at, record: make(at) }));
    const { narrow, sort } = part;
    if (narrow !== null) {
      const pattern = /^\/.+\/$/.test(narrow) ? new RegExp(narrow.slice(1, -1), 'i') : null;
      list = list.filter(({ record }) => {
        const text = Object.values(record).join(' ');
        return pattern === null ? text.toLowerCase().includes(narrow.toLowerCase()) : pattern.test(text);
      });
    }
    if (sort !== null) {
      const read = (row: { record: Json }) => row.record[sort.field] as string | number;
      list.sort(
        (a, b) => (read(a) < read(b) ? -1 : read(a) > read(b) ? 1 : 0) * (sort.isDescending ? -1 : 1),
      );
    }
    return { rows: list.slice(part.offset, part.offset + part.limit), matchingRows: list.length };
  };

  const lane = (operation: string, title: string, used: number, why: string, queued: number): Json => ({
    origin: 'https://monitor.example.com',
    operation,
    title,
    windows: [
      {
        count: 30,
        lengthMs: 1_000,
        used: Math.min(30, used),
        left: Math.max(0, 30 - used),
        resetsAtMs: nowMs + 800,
      },
      { count: 1_000, lengthMs: 60_000, used: used * 9, left: 1_000 - used * 9, resetsAtMs: nowMs + 41_000 },
    ],
    queued,
    inFlight: queued > 0 ? 4 : 0,
    parkedUntilMs: null,
    longestWaitMs: queued * 130,
    why,
  });
  const logRow = (index: number): Json => ({
    id: uuid(3_000 + index),
    atMs: nowMs - index * 3_700,
    operation: index % 3 === 0 ? 'catalog.values' : 'catalog.list',
    url: `/v3/applications/${uuid(0)}/catalog?limit=500&offset=${index * 500}`,
    status: index === 4 ? 429 : index === 9 ? null : 200,
    errorCode: index === 9 ? 'TIMEOUT' : null,
    attempts: index === 4 ? 2 : 1,
    queuedMs: (index * 17) % 400,
    networkMs: 20 + ((index * 31) % 180),
    sizeBytes: 48_213 + index * 91,
    priority: index % 5 === 0 ? 'prefetch' : 'view',
  });
  const schema = {
    total_items: 1_240,
    sampled: true,
    inputs: {
      question: { count: 1_240, data_type: 'STRING' },
      locale: { count: 1_180, data_type: 'STRING' },
      turns: { count: 640, data_type: 'FLOAT' },
    },
    expected_outputs: {
      answer: { count: 1_240, data_type: 'STRING' },
      is_safe: { count: 1_201, data_type: 'STRING' },
    },
    metadata: { reviewer: { count: 1_100, data_type: 'STRING' }, score: { count: 998, data_type: 'FLOAT' } },
    extras: {},
  };

  type Handler = (argument: never) => unknown;
  const handlers: Record<string, Handler> = {
    'app:get-info': () => ({
      version: '0.1.0',
      runtime: 'Chromium host',
      versions: { electron: '45', chrome: '150', node: '24' },
      platform: 'linux',
    }),
    'app:report-ready': () => null,
    'app:copy-text': () => null,
    'app:open-external': () => null,
    'settings:get': () => settings,
    'settings:set': (patch: Json) => {
      settings = { ...settings, ...patch };
      return settings;
    },
    'connections:list': () => ({ connections, activeId }),
    'connections:get-keychain': () =>
      scenario.hasKeychain === false
        ? {
            isAvailable: false,
            backend: 'none',
            reason:
              'No Secret Service answers on this desktop. Install gnome-keyring, or keep the token for this session only.',
          }
        : { isAvailable: true, backend: 'Secret Service', reason: '' },
    'connections:test': () =>
      scenario.test === 'refused'
        ? {
            isOk: false,
            code: 'UNAUTHORIZED',
            title: 'Token not accepted',
            message: 'The service answered 401: it does not know this token.',
            nextStep: 'Copy the token again from the service’s settings; it may have expired.',
            serverVersion: null,
            apiVersion: null,
            organization: null,
            elapsedMs: 84,
          }
        : {
            isOk: true,
            code: null,
            title: 'Connected',
            message: 'The service answered and accepts the token.',
            nextStep: '',
            serverVersion: '25.4.1',
            apiVersion: '3.0',
            organization: 'Example',
            elapsedMs: 84,
          },
    'connections:save': ({ draft, token }: { draft: Json; token: string | null }) => {
      const saved = {
        ...connection,
        ...draft,
        id: draft['id'] ?? uuid(901),
        tokenHint: token === null ? connection.tokenHint : { lastFour: token.slice(-4), savedAtMs: nowMs },
      };
      connections = [...connections.filter((each) => each['id'] !== saved.id), saved];
      return saved;
    },
    'connections:activate': ({ connectionId: id }: { connectionId: string }) => {
      activeId = id;
      return connections.find((each) => each['id'] === id);
    },
    'connections:forget': ({ connectionId: id }: { connectionId: string }) => {
      connections = connections.filter((each) => each['id'] !== id);
      return { removed: ['token in the keychain', 'stored pages, uploads and receipts', 'logs'] };
    },
    'connections:open-sample': () => {
      connections = [...connections.filter((each) => each['id'] !== sample.id), sample];
      activeId = sample.id;
      return sample;
    },
    'connections:set-sample-running': ({ isRunning }: { isRunning: boolean }) => ({ isRunning }),
    'connections:set-offline': ({ isOffline }: { isOffline: boolean }) => {
      network = isOffline ? 'switched-off' : 'online';
      return networkState();
    },
    'connections:get-network': () => networkState(),
    'library:open-list': ({ query }: { query: Query }) => listState(query),
    'library:read-rows': readRows,
    'library:refresh-list': ({ query }: { query: Query }) => listState(query),
    'library:fetch-rows': ({ query, offset }: { query: Query; offset: number }) => {
      stored.set(keyOf(query), Math.max(storedOf(query), offset + 500));
      return listState(query);
    },
    'library:open-record': ({ query }: { query: Query }) => ({
      recordKey: keyOf(query),
      record: schema,
      freshness: freshness(query, true),
    }),
    'library:release': () => null,
    'layout:read': () => layout,
    'layout:write': ({ key, value }: { key: string; value: unknown }) => {
      layout[key] = value;
      return null;
    },
    'traffic:get-lanes': () => [
      lane('catalog.list', 'Catalog', 30, 'window', 12),
      lane('applications.list', 'Applications', 2, 'ready', 0),
      lane('datasets.items', 'Dataset items', 9, 'ready', 0),
    ],
    'traffic:get-log': () => Array.from({ length: 60 }, (_, index) => logRow(index)),
    'uploads:list-jobs': () => [],
    'uploads:choose-files': () => [],
    'uploads:offer-files': () => [],
    'events:list-deletions': () => ({ deletions: [], budget: { usedToday: 3, limit: 30, resetsAtMs: null } }),
  };

  const answer = async (channel: string, argument: unknown): Promise<unknown> => {
    calls.push({ channel, argument });
    if (scenario.lists === 'slow' && channel === 'library:open-list') {
      if (modeOf((argument as { query: Query }).query) === 'slow') return new Promise(() => undefined);
    }
    if (scenario.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, scenario.delayMs));
    const handler = handlers[channel];
    if (handler === undefined) {
      return {
        ok: false,
        error: wireError('INTERNAL', 'Unexpected failure', `No made-up answer for ${channel}.`, 'never'),
      };
    }
    try {
      return { ok: true, value: structuredClone(handler(argument as never)) };
    } catch (thrown) {
      return { ok: false, error: thrown };
    }
  };
  Object.assign(globalThis, {
    spandeck: {
      invoke: answer,
      offerFiles: (files: File[]) =>
        answer(
          'uploads:offer-files',
          files.map((file) => file.name),
        ),
      on(channel: string, listener: (payload: unknown) => void) {
        const set = listeners.get(channel) ?? new Set();
        listeners.set(channel, set.add(listener));
        return () => set.delete(listener);
      },
    },
    fakeBridge: { calls, emit },
  });
}
