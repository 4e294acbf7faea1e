/** `spandeck.db`: the connections of a profile and its settings. Tokens are stored in the keychain, never here. */

import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { wallMs } from '../core/jobs/job-record.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { damageOf, readable } from '../core/readable.ts';
import { whenFree } from '../shared/busy-files.ts';
import { toAppError } from '../shared/errors.ts';
import { type Connection, connection } from '../shared/model.ts';
import { DEFAULT_SETTINGS, type Settings, settings } from '../shared/settings.ts';
import * as z from '../shared/zod.ts';
import { APP_MIGRATIONS } from './migrations/app/index.ts';
import { type Database, openStore, parseRow } from './open.ts';
import { asJson, json } from './row-parts.ts';

interface DamagedConnection {
  id: string;
  name: string;
  reason: string;
}

export interface AppStore {
  /** In order of creation; unreadable rows are left out. */
  listConnections(): Connection[];
  /** Null if there is none, or if its row cannot be read. */
  findConnection(connectionId: string): Connection | null;
  /** Unreadable connections: id and name if known, and the error. */
  damagedConnections(): DamagedConnection[];
  /** Inserts the connection or replaces the one with the same id. */
  saveConnection(value: Connection): void;
  /**
   * Dates changes of an address to now if they lie in the future, because the clock was ahead and has been set back.
   * Data that is read again is then newer than the change. Returns true if it corrected one; logs a failure.
   */
  correctMoves(): boolean;
  /** Removes the row and overwrites its data on disk; does nothing for an unknown id. */
  removeConnection(connectionId: string): void;
  /**
   * A setting that was never set or cannot be read has its default value. If the store can no longer be read, the last
   * values are returned, with `arePrivateFieldsLost`, because another process may have added private fields since.
   */
  readSettings(): Settings;
  saveSettings(patch: Partial<Settings>): void;
  close(): void;
}

const flag = z.union([z.literal(0), z.literal(1)]).transform((value) => value === 1);
const networkPart = connection.pick({
  ...{ proxyUser: true, clientCertFile: true, keptSecrets: true, movedFrom: true },
} as const);
const connectionRow = z
  .object({
    id: z.string(),
    kind: z.string(),
    name: z.string(),
    base_url: z.string().refine((text) => URL.canParse(text)),
    colour: z.string(),
    is_read_only: flag,
    allows_plain_http: flag,
    proxy_url: z.string().nullable(),
    extra_ca_file: z.string().nullable(),
    answer_timeout_s: z.number().nullable(),
    token_storage: z.string(),
    token_last_four: z.string().nullable(),
    token_saved_at_ms: wallMs.nullable(),
    created_at_ms: wallMs,
    pack_json: json(connection.shape.pack.unwrap()).nullable(),
    network_json: json(networkPart).nullable(),
  })
  .transform((row) => ({
    id: row.id,
    kind: row.kind,
    name: row.name,
    baseUrl: row.base_url,
    colour: row.colour,
    isReadOnly: row.is_read_only,
    allowsPlainHttp: row.allows_plain_http,
    proxyUrl: row.proxy_url,
    extraCaFile: row.extra_ca_file,
    ...timeoutOf(row.answer_timeout_s),
    tokenStorage: row.token_storage,
    tokenHint:
      row.token_last_four === null || row.token_saved_at_ms === null
        ? null
        : { lastFour: row.token_last_four, savedAtMs: row.token_saved_at_ms },
    createdAtMs: row.created_at_ms,
    ...packOf(row.pack_json),
    ...row.network_json,
  }))
  .pipe(connection);
function packOf(pack: Connection['pack'] | null): { pack?: Connection['pack'] } {
  return pack === null ? {} : { pack };
}
function timeoutOf(seconds: number | null): { answerTimeoutS?: number | undefined } {
  return seconds === null ? {} : { answerTimeoutS: seconds };
}

const namedRow = z.object({ id: z.string().nullable().catch(null), name: z.string().nullable().catch(null) });
const settingRow = z.object({ name: z.string(), value: z.string() });
const someSettings = settings.partial();

/** Throws the errors of `openStore`. */
export function openAppStore(options: { file: string; clock: Clock; logger: Logger }): AppStore {
  const db = openStore({ ...options, migrations: APP_MIGRATIONS, synchronous: 'FULL' });
  const all = db.prepare('SELECT * FROM connection ORDER BY created_at_ms, rowid');
  const remove = db.prepare('DELETE FROM connection WHERE id = ?');
  const save = prepareSave(db);
  const allSettings = db.prepare('SELECT name, value FROM setting');
  const saveSetting = db.prepare(
    'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  );
  const saveSettings = db.transaction((patch: Partial<Settings>) => {
    // A person who sets the private fields has checked them.
    const seen = patch.privateFields === undefined ? {} : { arePrivateFieldsLost: false };
    for (const [name, value] of Object.entries(someSettings.parse({ ...seen, ...patch }))) {
      if (value !== undefined) saveSetting.run(name, JSON.stringify(value));
    }
  });
  const read = (row: unknown) => parseRow(connectionRow, row, 'connection');
  const damaged = (row: unknown): DamagedConnection[] => {
    try {
      read(row);
      return [];
    } catch (thrown) {
      const damage = damageOf(thrown);
      if (damage === null) throw thrown;
      const { id, name } = namedRow.parse(row);
      return [{ id: id ?? '', name: name ?? '', reason: damage.message }];
    }
  };
  const one = db.prepare('SELECT * FROM connection WHERE id = ?');
  /** If the stored row cannot be read, none of its values are kept. */
  const replace = db.transaction((value: Connection): void => {
    const row = one.get(value.id);
    if (row !== undefined && damaged(row).length > 0) remove.run(value.id);
    save(value);
  });
  const correctMoves = db.transaction((): boolean => {
    const nowMs = options.clock.nowMs();
    const ahead = readable(all.all(), read).filter(({ movedFrom }) => (movedFrom?.atMs ?? 0) > nowMs);
    for (const { movedFrom, ...value } of ahead)
      save({ ...value, ...(movedFrom === undefined ? {} : { movedFrom: { ...movedFrom, atMs: nowMs } }) });
    return ahead.length > 0;
  });
  const readAll = (): Settings => {
    let known: Settings = { ...DEFAULT_SETTINGS };
    let isPrivacyUnknown = false;
    for (const row of allSettings.all()) {
      const { name, value } = parseRow(settingRow, row, 'setting');
      const read = json(z.unknown()).safeParse(value);
      const parsed = someSettings.safeParse({ [name]: read.data });
      if (read.success && parsed.success) known = settings.parse({ ...known, ...parsed.data });
      else {
        options.logger.warn('setting not understood', { name });
        isPrivacyUnknown ||= name === 'privateFields';
      }
    }
    return isPrivacyUnknown ? { ...known, arePrivateFieldsLost: true } : known;
  };
  // Settings are read many times a second, so they are cached. `data_version` changes when another process writes.
  const readVersion = db.prepare('PRAGMA data_version').pluck();
  let held: { version: unknown; settings: Settings } | null = null;
  let isReadFailing = false;
  return {
    listConnections: () => readable(all.all(), read),
    findConnection: (connectionId) => readable(one.all(connectionId), read)[0] ?? null,
    damagedConnections: () => all.all().flatMap((row) => damaged(row)),
    saveConnection: replace.immediate,
    correctMoves: () => {
      try {
        return correctMoves.immediate();
      } catch (thrown) {
        options.logger.warn('time of a move not corrected', { reason: toAppError(thrown).message });
        return false;
      }
    },
    removeConnection: (connectionId) => {
      remove.run(connectionId);
      // The write-ahead log and backups made before an update contain the row too.
      db.pragma('wal_checkpoint(TRUNCATE)');
      removeBackups(options.file);
    },
    readSettings: () => {
      try {
        const version = readVersion.get();
        if (held === null || held.version !== version) held = { version, settings: readAll() };
        isReadFailing = false;
        return { ...held.settings };
      } catch (thrown) {
        // Timers and events in all parts of the program read settings, and must not fail because another process has
        // locked the store.
        if (held === null) throw thrown;
        if (!isReadFailing)
          options.logger.warn('settings not read again', { reason: toAppError(thrown).message });
        isReadFailing = true;
        return { ...held.settings, arePrivateFieldsLost: true };
      }
    },
    saveSettings: (patch) => {
      held = null;
      saveSettings(patch);
    },
    close: () => db.close(),
  };
}

function prepareSave(db: Database): (value: Connection) => void {
  const statement = db.prepare(`
    INSERT INTO connection (id, kind, name, base_url, colour, is_read_only, allows_plain_http, proxy_url,
      extra_ca_file, answer_timeout_s, token_storage, token_last_four, token_saved_at_ms, created_at_ms, pack_json,
      network_json)
    VALUES (:id, :kind, :name, :baseUrl, :colour, :isReadOnly, :allowsPlainHttp, :proxyUrl,
      :extraCaFile, :answerTimeoutS, :tokenStorage, :lastFour, :savedAtMs, :createdAtMs, :packJson,
      :networkJson)
    ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, name = excluded.name, base_url = excluded.base_url,
      colour = excluded.colour, is_read_only = excluded.is_read_only,
      allows_plain_http = excluded.allows_plain_http, proxy_url = excluded.proxy_url,
      extra_ca_file = excluded.extra_ca_file, answer_timeout_s = excluded.answer_timeout_s, token_storage = excluded.token_storage,
      token_last_four = excluded.token_last_four, token_saved_at_ms = excluded.token_saved_at_ms,
      network_json = excluded.network_json`);
  return (value) => {
    const { tokenHint, pack, proxyUser, clientCertFile, keptSecrets, movedFrom, ...row } =
      connection.parse(value);
    const ofNetwork = { proxyUser, clientCertFile, keptSecrets, movedFrom };
    const hasNetwork = Object.values(ofNetwork).some((part) => part !== undefined);
    statement.run({
      ...row,
      answerTimeoutS: row.answerTimeoutS ?? null,
      isReadOnly: Number(row.isReadOnly),
      allowsPlainHttp: Number(row.allowsPlainHttp),
      packJson: asJson(pack),
      networkJson: asJson(hasNetwork ? ofNetwork : undefined),
      lastFour: tokenHint?.lastFour ?? null,
      savedAtMs: tokenHint?.savedAtMs ?? null,
    });
  };
}

function removeBackups(file: string): void {
  const start = `${basename(file)}.v`;
  for (const name of readdirSync(dirname(file))) {
    if (name.startsWith(start) && name.endsWith('.backup'))
      whenFree(() => rmSync(join(dirname(file), name), { force: true }));
  }
}
