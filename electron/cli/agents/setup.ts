/**
 * Adds Spandeck to the agents on this computer, and removes it again: an entry in the file with an agent's servers, and
 * a skill file. Everything else in these files stays unchanged. This file only makes decisions; `agents setup` shows
 * them before it writes. Pure.
 */
import { join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { parseExact, writeExact } from '../../shared/exact-json.ts';

export interface AgentClient {
  name: string;
  /** Folder that exists if the agent is installed. */
  home: string;
  /** JSON file with the servers of the agent. */
  file: string;
  /** Key of the servers in that file. */
  key: string;
  /** Path for the skill file; null if the agent has no skills. */
  skillFile: string | null;
}

/** The command that an agent starts. */
export interface ServerEntry {
  command: string;
  args: string[];
}

const NAME = 'spandeck';

/** Agents with a JSON file of servers. `home`: the person's folder; `config`: the folder for settings of programs. */
export function agentClients(home: string, config: string): AgentClient[] {
  const claude = join(home, '.claude');
  return [
    {
      name: 'Claude Code',
      home: claude,
      file: join(home, '.claude.json'),
      key: 'mcpServers',
      skillFile: join(claude, 'skills', NAME, 'SKILL.md'),
    },
    client('Claude Desktop', join(config, 'Claude'), 'claude_desktop_config.json'),
    client('Cursor', join(home, '.cursor'), 'mcp.json'),
    client('Gemini CLI', join(home, '.gemini'), 'settings.json'),
    { ...client('Visual Studio Code', join(config, 'Code', 'User'), 'mcp.json'), key: 'servers' },
  ];
}

function client(name: string, home: string, file: string): AgentClient {
  return { name, home, file: join(home, file), key: 'mcpServers', skillFile: null };
}

/**
 * The text of the file with the entry, or without it if `entry` is null. Returns null if the file would not change, and
 * an empty text if it would have no other contents. Throws INVALID_ARGUMENT if the file is not a JSON object; a person
 * must then add the entry.
 */
export function withEntry(
  before: string | null,
  { file, key }: Pick<AgentClient, 'file' | 'key'>,
  entry: ServerEntry | null,
): string | null {
  const settings = settingsIn(before, file);
  const servers = isFields(settings[key]) ? settings[key] : {};
  if (settings[key] !== undefined && !isFields(settings[key]))
    throw unexpected(file, `“${key}” to be an object`);
  const { [NAME]: present, ...others } = servers;
  if (entry === null && present === undefined) return null;
  if (entry !== null && writeExact(present) === writeExact(entry)) return null;
  const next = entry === null ? others : { ...servers, [NAME]: entry };
  const { [key]: _, ...rest } = settings;
  const isEmpty = Object.keys(next).length === 0;
  const all = isEmpty && entry === null ? rest : { ...settings, [key]: next };
  if (Object.keys(all).length === 0) return '';
  return `${JSON.stringify(all, null, 2)}\n`;
}

function settingsIn(text: string | null, file: string): Record<string, unknown> {
  if (text === null || text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (problem) {
    throw unexpected(file, 'JSON without comments', problem);
  }
  if (isFields(value)) return value;
  throw unexpected(file, 'an object');
}

/** The error for a file that a person must change. */
export function unexpected(file: string, what: string, cause?: unknown): AppError {
  return new AppError(
    'INVALID_ARGUMENT',
    `${file} was expected to be ${what}, and was left as it is. Add the entry there yourself.`,
    {},
    cause,
  );
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
