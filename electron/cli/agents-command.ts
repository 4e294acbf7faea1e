/** `agents`: the connections that agents may read, their reads so far, and their set-up. */
import { readFile, rm, rmdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { makeFolders } from '../platform/make-folders.ts';
import { whenFreeLater } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import { writeWhole } from '../uploads/whole-file-writer.ts';
import { type AgentClient, agentClients, type ServerEntry, unexpected, withEntry } from './agents/setup.ts';
import { SKILL_MARK, skillText } from './agents/skill.ts';
import { checkWords, chosenAction } from './choose.ts';
import { connectionNames, findConnection } from './connection-choice.ts';
import type { CommandContext } from './context.ts';
import { counted, numberText, sizeText } from './human-text.ts';
import { table } from './output.ts';

const ACTIONS = { open: [], close: [], log: ['limit'], setup: ['yes'], remove: ['yes'] };
const SHOWN_READS = 20;

export async function agents(context: CommandContext): Promise<void> {
  const action = chosenAction(context, ACTIONS);
  if (action === 'open' || action === 'close') return setOpen(context, action === 'open');
  checkWords(context, 0);
  if (action === 'log') return showLog(context);
  if (action === 'setup' || action === 'remove') return setUp(context, action === 'setup');
  const { items } = state(context);
  context.output.answer({ items, total: items.length, complete: true, asOf: null }, () =>
    items.length === 0
      ? 'No connection is open to agents. Open one with: agents open CONNECTION'
      : table(items, ['connection', 'openedAt', 'reads', 'lastRead']),
  );
}

function state({ engine }: CommandContext) {
  const { open, reads } = engine.agents.state(Number.POSITIVE_INFINITY);
  const items = open.map(({ connectionId, name, openedAtMs }) => {
    const of = reads.filter((read) => read.connectionId === connectionId);
    const [last] = of;
    return {
      connection: name,
      openedAt: new Date(openedAtMs).toISOString(),
      reads: of.length,
      lastRead: last === undefined ? null : new Date(last.atMs).toISOString(),
    };
  });
  return { items };
}

function setOpen(context: CommandContext, isOpening: boolean): void {
  const { engine, output, args } = context;
  const typed = args.positionals[1];
  const { connections } = engine.connections.list();
  // A removed connection can still be closed to agents, by its id.
  const found = typed === undefined ? null : findConnection(connections, typed);
  const id = found?.id ?? (isOpening ? null : (typed ?? null));
  if (id === null || typed === undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      `agents ${isOpening ? 'open' : 'close'} expects CONNECTION. Known: ${connectionNames(connections)}.`,
    );
  const name = found?.name ?? id;
  if (isOpening) {
    engine.agents.open(id);
    output.answer({ connection: name, isOpen: true }, () => [
      `Agents on this computer may now read what is stored of “${name}”, through spandeck mcp. They cannot change or send anything. Close it again with: agents close "${name}"`,
    ]);
    return;
  }
  const wasOpen = engine.agents.access.close(id);
  output.answer({ connection: name, isOpen: false }, () => [
    wasOpen ? `Agents can no longer read “${name}”.` : `“${name}” was not open to agents.`,
  ]);
}

function showLog({ engine, output, args }: CommandContext): void {
  const { reads: all, unreadable } = engine.agents.log.newest(Number.POSITIVE_INFINITY);
  const reads = args.isAll ? all : all.slice(0, args.wholeNumber('limit', 1) ?? SHOWN_READS);
  const names = new Map(engine.connections.list().connections.map(({ id, name }) => [id, name]));
  const items = reads.map(({ atMs, connectionId, agent, tool, question, bytes, error }) => ({
    at: new Date(atMs).toISOString(),
    ...{ agent, tool, question },
    size: bytes,
    connection: connectionId === null ? null : (names.get(connectionId) ?? connectionId),
    error,
  }));
  if (unreadable > 0) output.note(`${counted(unreadable, 'line')} of the log could not be read.`);
  const complete = reads.length === all.length && unreadable === 0;
  output.answer({ items, total: all.length, unreadable, complete, asOf: null }, () =>
    items.length === 0
      ? unreadable > 0
        ? 'No entry of the log can be read.'
        : 'No agent has read anything yet.'
      : [
          ...table(
            items.map((item) => ({ ...item, size: sizeText(item.size) })),
            ['at', 'agent', 'tool', 'question', 'size', 'error'],
          ).split('\n'),
          ...(reads.length === all.length
            ? []
            : [`${numberText(items.length)} of ${counted(all.length, 'read')}; more: --limit N, or --all`]),
        ],
  );
}

interface Change {
  agent: string;
  file: string;
  /** The new text of the file; null if the file is removed. */
  text: string | null;
  /** The change in words, because the rest of the file contains secrets of other programs. */
  shown: string;
}

/** Adds or removes the set-up. Without --yes, shows the files with their new text and writes nothing. */
async function setUp(context: CommandContext, isAdding: boolean): Promise<void> {
  const { args, env, output } = context;
  const clients = agentClients(homeOf(env), configOf(env));
  const changes: Change[] = [];
  const found: AgentClient[] = [];
  for (const client of clients) {
    try {
      if (!(await isThere(client.home)) && !(await isThere(client.file))) continue;
      found.push(client);
      changes.push(...(await changesOf(client, isAdding ? entryOf(args.text('data-dir')) : null)));
    } catch (problem) {
      if (!(problem instanceof AppError)) throw problem;
      output.note(`${client.name}: ${problem.message}`);
    }
  }
  const isWritten = args.flag('yes');
  if (isWritten) for (const change of changes) await apply(change);
  const items = changes.map(({ agent, file, shown }) => ({ agent, file, change: shown }));
  const names = found.map(({ name }) => name).join(', ');
  output.answer({ items, agents: found.map(({ name }) => name), isWritten }, () => [
    found.length === 0
      ? `No agent was found on this computer. Looked for ${clients.map(({ name }) => name).join(', ')}.`
      : `Found: ${names}.`,
    ...(found.length > 0 && changes.length === 0 ? ['Nothing to change.'] : []),
    ...items.map(({ agent, file, change }) => `${agent}: ${file}: ${change}${isWritten ? ', written' : ''}`),
  ]);
  if (!isWritten && changes.length > 0)
    throw new AppError('INVALID_ARGUMENT', 'Nothing was written. Add --yes to write it.');
}

async function changesOf(client: AgentClient, entry: ServerEntry | null): Promise<Change[]> {
  const before = await settingsText(client.file);
  const after = withEntry(before, client, entry);
  const changes: Change[] =
    after === null
      ? []
      : [
          {
            agent: client.name,
            file: client.file,
            text: after === '' ? null : after,
            shown: entryText(client, entry),
          },
        ];
  if (client.skillFile === null) return changes;
  const skill = await orNone(client.skillFile, () => readFile(client.skillFile ?? '', 'utf8'));
  // A file that a person wrote under this name is kept.
  if (skill !== null && !skill.includes(SKILL_MARK)) return changes;
  const text = entry === null ? null : skillText();
  return skill === text
    ? changes
    : [
        ...changes,
        {
          agent: client.name,
          file: client.skillFile,
          text,
          shown: text === null ? 'removed' : 'the skill of Spandeck',
        },
      ];
}

function entryText({ key }: AgentClient, entry: ServerEntry | null): string {
  return entry === null
    ? `“${key}” without “spandeck”`
    : `“${key}” with “spandeck”: ${JSON.stringify(entry)}`;
}

async function apply({ file, text }: Change): Promise<void> {
  if (text === null) {
    await whenFreeLater(() => rm(file, { force: true }));
    // The folder was created for the skill, so it is removed with it.
    if (file.endsWith('SKILL.md')) await whenFreeLater(() => rmdir(dirname(file)));
    return;
  }
  makeFolders(dirname(file));
  await writeWhole(file, [text]);
}

/** The command that starts this program again. */
function entryOf(dataDir: string | null): ServerEntry {
  const script = process.argv[1] ?? '';
  return {
    command: process.execPath,
    // Absolute, because an agent starts it in another folder.
    args: [script, 'mcp', ...(dataDir === null ? [] : ['--data-dir', resolve(dataDir)])],
  };
}

function homeOf(env: NodeJS.ProcessEnv): string {
  return env['HOME'] ?? env['USERPROFILE'] ?? homedir();
}

function configOf(env: NodeJS.ProcessEnv): string {
  const home = homeOf(env);
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (process.platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config');
}

async function isThere(path: string): Promise<boolean> {
  return (await orNone(path, () => stat(path))) !== null;
}

/** Another encoding is refused, because the file would be written back in UTF-8. */
async function settingsText(file: string): Promise<string | null> {
  const bytes = await orNone(file, () => readFile(file));
  if (bytes === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw unexpected(file, 'text in UTF-8', thrown);
  }
}

/** Null if the file or folder does not exist. Throws FILE_UNREADABLE. */
async function orNone<T>(path: string, read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new AppError('FILE_UNREADABLE', `${path} cannot be read, and was left as it is.`, {}, thrown);
  }
}
