/** `health`: sizes of stored data, and whether it is intact, with `check`, `compact` and `repair`. */
import { AppError, fromWire, toAppError } from '../shared/errors.ts';
import {
  repairLines,
  type SelfCheckLine,
  type Sizes,
  STORAGE_KINDS,
  STORES,
  type StorageKind,
  type StoreCheck,
  type StoreRepaired,
} from '../shared/health-model.ts';
import type { Connection } from '../shared/model.ts';
import { fieldName, type ListedSchemaChange, schemaChangeText } from '../shared/schema-model.ts';
import { chosenAction } from './choose.ts';
import type { CommandContext } from './context.ts';
import { counted, numberText, sizeText } from './human-text.ts';
import { table } from './output.ts';

const ACTIONS = { check: [], compact: [], repair: ['yes'], 'self-check': [] };

export async function health(context: CommandContext): Promise<void> {
  const action = chosenAction(context, ACTIONS);
  if (action === 'check') return check(context);
  if (action === 'self-check') return selfCheck(context);
  if (action === 'compact') return compact(context);
  if (action === 'repair') return repair(context);
  await storage(context);
}

/** `doctor`: prints versions, the connection in use, and the self-check. */
export async function doctor(context: CommandContext): Promise<void> {
  const { engine, output, version } = context;
  const connection = await chosenConnection(context);
  const checks = await checkSelf(context, connection);
  const { connections } = engine.connections.list();
  const head = {
    version: await version(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    dataFolder: (await engine.health.storage()).dataDir,
    connections: connections.map(({ name, baseUrl, kind }) => ({ name, baseUrl, kind })),
    connection: connection?.name ?? null,
  };
  const changes = connection === null ? [] : await openSchemaChanges(context);
  output.answer({ ...head, checks, schemaChanges: changes.length }, () => [
    `${head.version}, Node ${head.node}, ${head.platform}`,
    `Data folder: ${head.dataFolder}`,
    connection === null
      ? `${counted(connections.length, 'connection')}, none chosen: add --connection NAME.`
      : `Connection: ${connection.name}, ${connection.baseUrl}`,
    ...checks.map(lineText),
    ...(changes.length === 0 ? [] : schemaLines(changes)),
  ]);
  throwIfBad(checks);
}

/** Open changes of fields in kept data, which nobody has accepted; none if the store cannot be read. */
async function openSchemaChanges(context: CommandContext): Promise<ListedSchemaChange[]> {
  try {
    const { schema } = await context.session();
    return (await schema.list()).filter(({ state }) => state === 'open');
  } catch (problem) {
    context.output.note(`Changes of schemas could not be read. ${toAppError(problem).message}`);
    return [];
  }
}

const SHOWN_CHANGES = 5;

function schemaLines(changes: readonly ListedSchemaChange[]): string[] {
  const more = changes.length - SHOWN_CHANGES;
  return [
    `${counted(changes.length, 'field')} changed in new rows; kept schema lists ${changes.length === 1 ? 'it' : 'them'}:`,
    ...changes
      .slice(0, SHOWN_CHANGES)
      .map(
        (change) =>
          `  ${fieldName(change.path)}, ${change.name || change.list.id}: ${schemaChangeText(change)}`,
      ),
    ...(more > 0 ? [`  and ${numberText(more)} more`] : []),
  ];
}

/** The connection that the arguments name or that is in use; null if there is none. */
async function chosenConnection({ engine, args, connection }: CommandContext): Promise<Connection | null> {
  const { connections, activeId } = engine.connections.list();
  const isNamed = args.text('connection') !== null || args.text('base-url') !== null;
  return isNamed || activeId !== null || connections.length === 1 ? connection() : null;
}

function lineText({ state, part, text }: SelfCheckLine): string {
  return `${state.padEnd(7)} ${part}: ${text}`;
}

/** The self-check. Offline, it does not contact the service. */
const checkSelf = ({ args, engine }: CommandContext, connection: Connection | null) =>
  engine.selfCheck.run(args.isOffline ? null : (connection?.id ?? null));

/** Runs the self-check for the chosen connection, if there is one. */
async function selfCheck(context: CommandContext): Promise<void> {
  const lines = await checkSelf(context, await chosenConnection(context));
  context.output.answer(lines, () => lines.map(lineText).join('\n'));
  throwIfBad(lines);
}

function throwIfBad(lines: readonly SelfCheckLine[]): void {
  const bad = lines.filter(({ state }) => state === 'bad').map(({ part }) => part);
  // Throws, because scripts read the exit code.
  if (bad.length > 0)
    throw new AppError(
      'CHECK_FAILED',
      `The self-check expected no faults, and found ${bad.join(', ')} at fault.`,
    );
}

async function storage({ engine, output }: CommandContext): Promise<void> {
  const report = await engine.health.storage();
  const rows = [
    ...report.connections.flatMap(({ name, kinds }) => rowsOf(name, kinds)),
    ...rowsOf('(all connections)', report.shared.kinds),
  ];
  const whole = [...report.connections, report.shared].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const { disk } = report;
  const lines = () => [
    table(rows, ['connection', 'kind', 'size']),
    `${sizeText(whole)} in ${report.dataDir}${disk === null ? '' : `; ${sizeText(disk.freeBytes)} free on the disk`}.`,
    ...report.aside.map(({ folder, sizeBytes }) => `Quarantined: ${folder} (${sizeText(sizeBytes)}).`),
  ];
  output.answer(report, () => lines().join('\n'));
}

function rowsOf(connection: string, kinds: Sizes) {
  return Object.entries(kinds)
    .toSorted(([, a], [, b]) => b - a)
    .map(([kind, bytes]) => ({
      connection,
      kind: STORAGE_KINDS[kind as StorageKind],
      size: sizeText(bytes),
    }));
}

function nameOf({ engine }: CommandContext, connectionId: string | null): string {
  if (connectionId === null) return '(all connections)';
  return engine.connections.list().connections.find(({ id }) => id === connectionId)?.name ?? connectionId;
}

async function check(context: CommandContext): Promise<void> {
  const found = await context.engine.health.check();
  const items = found.map((each) => ({
    connection: nameOf(context, each.connectionId),
    file: STORES[each.store].file,
    size: sizeText(each.sizeBytes),
    found: each.error?.message ?? each.note ?? 'no damage',
  }));
  context.output.answer({ items: found, total: found.length, complete: true, asOf: null }, () =>
    table(items, ['connection', 'file', 'size', 'found']),
  );
  const first = found.find(({ error }) => error !== null)?.error;
  // Throws, because scripts read the exit code.
  if (first !== undefined && first !== null) throw fromWire(first);
}

async function compact({ engine, output }: CommandContext): Promise<void> {
  const done = await engine.health.compact(null);
  const items = done.map(({ store, beforeBytes, afterBytes, error }) => ({
    file: STORES[store].file,
    before: sizeText(beforeBytes),
    after: sizeText(afterBytes),
    result: error?.message ?? 'compacted',
  }));
  output.answer({ items: done, total: done.length, complete: true, asOf: null }, () =>
    table(items, ['file', 'before', 'after', 'result']),
  );
  const first = done.find(({ error }) => error !== null)?.error;
  if (first !== undefined && first !== null) throw fromWire(first);
}

async function repair(context: CommandContext): Promise<void> {
  const { engine, output, args } = context;
  const damaged = (await engine.health.check()).filter(({ error }) => error?.code === 'STORE_DAMAGED');
  if (damaged.length === 0) {
    output.answer({ items: [], total: 0, complete: true, asOf: null }, () => 'No store is damaged.');
    return;
  }
  if (!args.flag('yes')) {
    output.answer({ items: damaged, total: damaged.length, complete: true, asOf: null }, () =>
      damaged.map((each) => `${nameOf(context, each.connectionId)}: ${wouldText(each)}`),
    );
    throw new AppError('INVALID_ARGUMENT', 'Nothing was changed. Add --yes to repair.');
  }
  const items: StoreRepaired[] = [];
  for (const { connectionId, store } of damaged) items.push(await engine.health.repair(connectionId, store));
  output.answer({ items, total: items.length, complete: true, asOf: null }, () => items.flatMap(repairLines));
}

function wouldText({ store, error }: StoreCheck): string {
  const { file, what } = STORES[store];
  const next =
    store === 'search'
      ? `It would be removed; ${what} is made again.`
      : `It would be set aside, and what can be read of it (${what}) taken over into a new one.`;
  return `${error?.message ?? `${file} is damaged.`} ${next}`;
}
