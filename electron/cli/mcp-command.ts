/** `mcp`: answers an agent over standard input and output until its client closes them. */
import { Writable } from 'node:stream';
import { readOnlyFromNow } from '../db/only-reads.ts';
import { type AgentAccess, createAgentAccess } from '../engine/agent-access.ts';
import { createAgentLog } from '../engine/agent-log.ts';
import { dataToRead } from '../platform/data-copy.ts';
import { createKeychain } from '../platform/keychain.ts';
import type { DataPaths } from '../platform/paths.ts';
import { AppError } from '../shared/errors.ts';
import { serveAgents } from './agents/server.ts';
import { SteadyReads } from './agents/steady-reads.ts';
import type { Arguments } from './arguments.ts';
import type { Command } from './commands.ts';
import { type CommandContext, createContext, namedData, type Surroundings } from './context.ts';

type Commands = Readonly<Record<string, () => Promise<Command>>>;

/** Answers an agent. `commands`: the implementations that the tools use. */
export async function mcp(typed: Arguments, surroundings: Surroundings, commands: Commands): Promise<void> {
  refuseToken(surroundings);
  const args = { ...typed, isOffline: true };
  const { paths, logNotice } = dataToRead(namedData(args, surroundings.env));
  const endReading = readOnlyFromNow();
  const access = createAgentAccess(paths.agentsDir);
  let held: CommandContext | null = null;
  const close = async () => {
    const closing = held;
    held = null;
    await closing?.close(false);
  };
  const open = () => createContext(args, withoutKeychain(surroundings), paths);
  const reads = new SteadyReads({
    stores: () => storesOf(paths, access),
    reopen: async () => {
      await close();
      held = open();
    },
  });
  try {
    const first = open();
    held = first;
    if (logNotice !== null) first.output.note(logNotice);
    await serveAgents(
      {
        context: () => {
          if (held === null) throw new AppError('INTERNAL', 'Expected open stores, but they did not open.');
          return held;
        },
        closeSession: async (connectionId) => held?.engine.closeSession(connectionId),
        reads,
        access,
        log: createAgentLog(paths.agentsLog),
        note: first.output.note,
        version: (await surroundings.version()).replace(/^\D*/, ''),
        run: async (of, command) => {
          const load = commands[command];
          if (load === undefined)
            throw new AppError('INTERNAL', `Expected a command of the engine, got ${command}.`);
          const run = await load();
          return run(of);
        },
      },
      { stdin: surroundings.stdin, stdout: writableOf(surroundings.stdout) },
      surroundings.signal,
    );
  } finally {
    await close();
    endReading();
  }
}

/** Files of the stores shared by all connections, and of the stores of connections that agents may read. */
function storesOf(paths: DataPaths, access: AgentAccess): string[] {
  const kinds = [paths.libraryDb, paths.uploadsDb, paths.datasetsDb, paths.snapshotsDb, paths.searchDb];
  return [paths.appDb, paths.budgetDb, ...openIds(access).flatMap((id) => kinds.map((of) => of(id)))];
}

/** Ids of the open connections; none if the access cannot be read, which the call itself then reports. */
function openIds(access: AgentAccess): string[] {
  try {
    return access.list().map(({ connectionId }) => connectionId);
  } catch (thrown) {
    if (thrown instanceof AppError) return [];
    throw thrown;
  }
}

/** Throws INVALID_ARGUMENT if a token was given, because it would be in the memory of the process. */
function refuseToken({ token }: Surroundings): void {
  if (token !== '')
    throw new AppError(
      'INVALID_ARGUMENT',
      'mcp reads only what is stored, and takes no token. Start it without SPANDECK_TOKEN.',
    );
}

function withoutKeychain(surroundings: Surroundings): Surroundings {
  const keychain = createKeychain(process.platform, () =>
    Promise.reject(new AppError('FORBIDDEN', 'An agent has no access to the keychain.')),
  );
  return { ...surroundings, keychain };
}

function writableOf(stream: Surroundings['stdout']): Writable {
  return new Writable({
    write: (piece: Buffer, _encoding, done) => {
      stream.write(piece.toString());
      done();
    },
  });
}
