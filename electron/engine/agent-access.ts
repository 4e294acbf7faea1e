/**
 * Connections that agents may read (`spandeck mcp`). Each is a small file in a folder of the data folder, so that two
 * processes that open and close connections at the same time do not overwrite each other's changes. Every read of an
 * agent checks the file again, so that closing takes effect at once. No connection is open until a person opens it.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whenFree } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import * as z from '../shared/zod.ts';

const accessFile = z.object({ openedAtMs: z.number() });
const ENDING = '.json';

interface OpenToAgents {
  connectionId: string;
  openedAtMs: number;
}

export interface AgentAccess {
  /**
   * Open connections, oldest first. Throws STORE_DAMAGED if a file cannot be read, so that no connection counts as
   * open.
   */
  list(): OpenToAgents[];
  isOpen(connectionId: string): boolean;
  open(connectionId: string, nowMs: number): void;
  /** Returns false if the connection was not open. */
  close(connectionId: string): boolean;
  /** Closes all connections, including those whose file cannot be read. */
  closeAll(): void;
}

export function createAgentAccess(folder: string): AgentAccess {
  const fileOf = (connectionId: string) => join(folder, `${connectionId}${ENDING}`);
  const list = (): OpenToAgents[] =>
    namesIn(folder)
      .filter((name) => name.endsWith(ENDING))
      .flatMap((name): OpenToAgents[] => {
        const text = textOf(join(folder, name));
        // Another process has closed the connection in the meantime.
        if (text === null) return [];
        const read = accessFile.safeParse(parsed(text));
        if (read.success) return [{ connectionId: name.slice(0, -ENDING.length), ...read.data }];
        throw new AppError(
          'STORE_DAMAGED',
          `${join(folder, name)} is expected to say since when agents may read a connection, and cannot be read. Remove it, then open the connection again.`,
        );
      })
      .toSorted((one, other) => one.openedAtMs - other.openedAtMs);
  const isOpen = (connectionId: string) => list().some((each) => each.connectionId === connectionId);
  return {
    list,
    isOpen,
    open: (connectionId, nowMs) => {
      if (isOpen(connectionId)) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const part = `${fileOf(connectionId)}.${process.pid}.new`;
      writeFileSync(part, JSON.stringify({ openedAtMs: nowMs }), { mode: 0o600 });
      whenFree(() => renameSync(part, fileOf(connectionId)));
    },
    close: (connectionId) => {
      if (!namesIn(folder).includes(`${connectionId}${ENDING}`)) return false;
      whenFree(() => rmSync(fileOf(connectionId), { force: true }));
      return true;
    },
    closeAll: () => {
      const files = namesIn(folder).filter((name) => name.endsWith(ENDING));
      for (const name of files) whenFree(() => rmSync(join(folder, name), { force: true }));
    },
  };
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';

/** Names of the files; empty if the folder does not exist. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

/** Null if the file does not exist. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw thrown;
  }
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    // Not JSON, which the caller reports as damage.
    return null;
  }
}
