/**
 * Checks that everything Spandeck needs is available (keychain, stores, disk, clock, service), and writes a report to
 * share.
 */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { ServiceTime } from '../core/limits/service-clock.ts';
import type { Clock } from '../core/ports.ts';
import { counted } from '../shared/count-text.ts';
import { toAppError } from '../shared/errors.ts';
import { type SelfCheckLine, STORES, type StorageReport, type StoreCheck } from '../shared/health-model.ts';
import type { Connection, ConnectionTest, KeychainStatus } from '../shared/model.ts';
import { DEFAULT_SETTINGS, type Settings } from '../shared/settings.ts';

export interface SelfCheck {
  /** Runs all checks; a connection is checked only if it is named. A failing check is reported in its own line. */
  run(connectionId: string | null): Promise<SelfCheckLine[]>;
  /**
   * The findings, sizes, settings and newest log lines as one text. `head`: lines about the runtime environment. Names
   * and addresses of connections, and the path of the person's folder, are left out; logs contain no tokens.
   */
  report(connectionId: string | null, head: readonly string[]): Promise<string>;
}

interface SelfCheckDeps {
  clock: Clock;
  logFile: string;
  keychain: () => Promise<KeychainStatus>;
  storage: () => Promise<StorageReport>;
  check: () => Promise<StoreCheck[]>;
  connections: () => readonly Connection[];
  test: (connection: Connection) => Promise<ConnectionTest>;
  /** Differences between the answers of an open connection and the expectations of this version, as sentences. */
  differences: (connectionId: string) => Promise<readonly string[]>;
  /** The last time stated by a service; null if there is none. */
  serviceTime: (origin: string) => ServiceTime | null;
  settings: () => Settings;
}

const GB = 1_000_000_000;
const LITTLE_ROOM = 2 * GB;
const NO_ROOM = GB / 4;
/**
 * Maximum difference of the clocks; with a larger one, requested time ranges would noticeably differ from the
 * service's.
 */
const CLOCK_OFF_MS = 60_000;
const MAX_LOG_BYTES = 200_000;

export function createSelfCheck(deps: SelfCheckDeps): SelfCheck {
  const found = (connectionId: string | null) =>
    deps.connections().find(({ id, kind }) => id === connectionId && kind !== 'pack');
  const run = async (connectionId: string | null) => {
    const connection = found(connectionId);
    const parts: [SelfCheckLine['part'], () => Promise<SelfCheckLine[]>][] = [
      ['keychain', async () => [keychainLine(await deps.keychain())]],
      ['stores', async () => [storesLine(await deps.check(), deps.connections())]],
      ['disk', async () => [diskLine((await deps.storage()).disk)]],
    ];
    if (connection !== undefined) {
      parts.push([
        'service',
        async () => {
          const test = await deps.test(connection);
          const { origin } = new URL(connection.baseUrl);
          const differences = differenceLines(await deps.differences(connection.id));
          return [...serviceLines(test), ...differences, clockLine(deps.serviceTime(origin))];
        },
      ]);
    }
    const lines = await Promise.all(
      parts.map(([part, look]) =>
        look().catch((thrown: unknown) => [
          { part, state: 'bad' as const, text: toAppError(thrown).message },
        ]),
      ),
    );
    return lines.flat();
  };
  return {
    run,
    report: async (connectionId, head) => {
      const [lines, storage, log] = await Promise.all([
        run(connectionId),
        deps.storage(),
        readFile(deps.logFile, 'utf8').catch(() => ''),
      ]);
      const { shared, connections } = storage;
      const sizes = [...connections, { name: 'shared', ...shared }].map(
        ({ name, sizeBytes, kinds }) => `${name}: ${sizeBytes} bytes ${JSON.stringify(kinds)}`,
      );
      const text = [
        'Spandeck report',
        ...[`made ${new Date(deps.clock.nowMs()).toISOString()}`, ...head],
        ...[
          '',
          'Self-check',
          ...lines.map(({ part, state, text: said }) => `${state.padEnd(7)} ${part}: ${said}`),
        ],
        ...['', 'Sizes', ...sizes],
        ...['', 'Settings that differ', JSON.stringify(differing(deps.settings()))],
        ...['', 'Newest lines of the log', log.slice(-MAX_LOG_BYTES)],
      ].join('\n');
      return withoutPlaces(text, deps.connections());
    },
  };
}

function keychainLine({ isAvailable, backend, reason }: KeychainStatus): SelfCheckLine {
  return isAvailable
    ? { part: 'keychain', state: 'ok', text: `Tokens are kept in ${backend}.` }
    : { part: 'keychain', state: 'warn', text: reason };
}

function storesLine(checks: readonly StoreCheck[], connections: readonly Connection[]): SelfCheckLine {
  const damaged = checks.filter(({ error }) => error !== null);
  if (damaged.length === 0)
    return { part: 'stores', state: 'ok', text: `No damage in ${counted(checks.length, 'store')}.` };
  const named = damaged.map(({ store, connectionId }) => {
    const of = connections.find(({ id }) => id === connectionId);
    return of === undefined ? STORES[store].file : `${STORES[store].file} of ${of.name}`;
  });
  return {
    part: 'stores',
    state: 'bad',
    text: `Damaged: ${named.join(', ')}. Check all stores, then repair them.`,
  };
}

function diskLine(disk: StorageReport['disk']): SelfCheckLine {
  if (disk === null)
    return { part: 'disk', state: 'unknown', text: 'The system does not say how much room is free.' };
  const text = `${(disk.freeBytes / GB).toFixed(1)} GB of ${(disk.totalBytes / GB).toFixed(0)} GB free.`;
  if (disk.freeBytes < NO_ROOM)
    return { part: 'disk', state: 'bad', text: `${text} Free some: soon nothing can be stored.` };
  return { part: 'disk', state: disk.freeBytes < LITTLE_ROOM ? 'warn' : 'ok', text };
}

function serviceLines({ isOk, title, message, nextStep, elapsedMs, reach }: ConnectionTest): SelfCheckLine[] {
  const took = elapsedMs === null ? '' : ` Answered in ${elapsedMs} ms.`;
  const text = isOk ? `${title}.${took}` : [title, message, nextStep].filter((each) => each !== '').join(' ');
  return [
    { part: 'service', state: isOk ? 'ok' : 'bad', text },
    ...(reach === '' ? [] : [{ part: 'network' as const, state: 'ok' as const, text: reach }]),
  ];
}

function differenceLines(texts: readonly string[]): SelfCheckLine[] {
  return texts.map((text) => ({ part: 'service', state: 'warn', text }));
}

function clockLine(time: ServiceTime | null): SelfCheckLine {
  if (time?.wallMs == null)
    return { part: 'clock', state: 'unknown', text: 'The service has not said yet what time it is.' };
  const aheadMs = time.wallMs - time.dateMs;
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (Math.abs(aheadMs) <= CLOCK_OFF_MS)
    return { part: 'clock', state: 'ok', text: 'Within a minute of the clock of the service.' };
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  return {
    part: 'clock',
    state: 'warn',
    text: `${counted(seconds, 'second')} ${side} the clock of the service. Set the clock of this computer: ranges such as “last hour” end at another time there.`,
  };
}

function differing(settings: Settings): Record<string, unknown> {
  const usual: Readonly<Record<string, unknown>> = { ...DEFAULT_SETTINGS };
  // Left out, because texts that a person wrote may contain private names.
  const own = new Set(['privateFields', 'firstConnection', 'lastFolder']);
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([key, value]) => !own.has(key) && JSON.stringify(value) !== JSON.stringify(usual[key]),
    ),
  );
}

/** Removes names and hosts of connections and proxies, and the path of the person's folder. */
function withoutPlaces(text: string, connections: readonly Connection[]): string {
  const hosts = connections.flatMap(({ baseUrl, proxyUrl }, at) =>
    [baseUrl, proxyUrl].flatMap((address, index) => {
      const host = URL.parse(address ?? '')?.host ?? '';
      return host === '' ? [] : [[host, `${index === 0 ? 'host' : 'proxy'}-${at + 1}`] as const];
    }),
  );
  const names = connections.map(({ name }, at) => [name, `connection-${at + 1}`] as const);
  return [...hosts, ...names, [homedir(), '~'] as const]
    .toSorted(([a], [b]) => b.length - a.length)
    .reduce((said, [from, to]) => said.replaceAll(from, to), text);
}
