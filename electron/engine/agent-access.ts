/**
 * Connections that agents may read (`spandeck mcp`), in one small file of the data folder. Every read of an agent looks
 * here again, so that closing takes effect at once. Nothing is open until a person opens it.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { whenFree } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';

const accessFile = z.object({
  open: z.array(z.object({ connectionId: z.string(), openedAtMs: z.number() })),
});

type OpenToAgents = z.infer<typeof accessFile>['open'][number];

export interface AgentAccess {
  /** Open connections, oldest first. Throws STORE_DAMAGED if the file cannot be read: then nothing is open. */
  list(): OpenToAgents[];
  isOpen(connectionId: string): boolean;
  open(connectionId: string, nowMs: number): void;
  /** Returns false if it was not open. */
  close(connectionId: string): boolean;
}

export function createAgentAccess(file: string): AgentAccess {
  const list = (): OpenToAgents[] => {
    const text = textOf(file);
    if (text === null) return [];
    const read = accessFile.safeParse(parsed(text));
    if (read.success) return read.data.open;
    throw new AppError(
      'STORE_DAMAGED',
      `${file} is expected to list the connections that agents may read, and cannot be read. Remove it, then open the connections again.`,
    );
  };
  const write = (open: readonly OpenToAgents[]) => {
    const part = `${file}.${process.pid}.new`;
    writeFileSync(part, JSON.stringify({ open }), { mode: 0o600 });
    whenFree(() => renameSync(part, file));
  };
  const isOpen = (connectionId: string) => list().some((each) => each.connectionId === connectionId);
  return {
    list,
    isOpen,
    open: (connectionId, nowMs) => {
      if (!isOpen(connectionId)) write([...list(), { connectionId, openedAtMs: nowMs }]);
    },
    close: (connectionId) => {
      const before = list();
      const after = before.filter((each) => each.connectionId !== connectionId);
      if (after.length === before.length) return false;
      write(after);
      return true;
    },
  };
}

/** Null if there is no file. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
    throw thrown;
  }
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    // The caller reports text that is no JSON as damage.
    return null;
  }
}
